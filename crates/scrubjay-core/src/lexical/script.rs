//! Which characters belong to a word, and which scripts write words without spaces between them.

use unicode_normalization::char::is_combining_mark;

/// What a character means to the splitting of text into terms.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CharacterClass {
    /// A letter without upper case, or a mark that continues the word it stands in.
    Lower,
    Upper,
    Digit,
    /// A combining mark. It continues a word but cannot begin one.
    Mark,
    /// A letter of a script without spaces between words.
    Dense,
    /// A picture that stands for a word.
    Emoji,
    /// `_`, which binds the words of one identifier.
    Underscore,
    /// `.` and `-`, which bind the words of a file name, a number, a date or a compound word.
    Joint,
    /// `'` and its typographic form.
    Apostrophe,
    /// `/` and `\`, which bind the steps of a path.
    Slash,
    /// `:`, which binds a module path when doubled and introduces an address in `://`.
    Colon,
    Separator,
}

use CharacterClass::{Apostrophe, Colon, Dense, Digit, Emoji, Joint, Lower, Mark, Separator, Slash, Underscore, Upper};

pub(super) fn character_class(character: char) -> CharacterClass {
    match ASCII_CLASSES.get(character as usize) {
        Some(class) => *class,
        None => non_ascii_class(character),
    }
}

/// True for letters of scripts that are written without spaces between words: Han, kana, Hangul, Thai, Lao, Khmer,
/// Myanmar and their kin. Hangul is among them because its words carry particles.
#[must_use]
pub fn is_dense(character: char) -> bool {
    matches!(character as u32,
        0x0E01..=0x0EFF            // Thai, Lao
        | 0x1000..=0x109F          // Myanmar
        | 0x1100..=0x11FF          // Hangul letters
        | 0x1780..=0x17FF          // Khmer
        | 0x1950..=0x19DF          // Tai Le, New Tai Lue
        | 0x1A20..=0x1AAF          // Tai Tham
        | 0x2E80..=0x2FDF          // Han radicals
        | 0x3005..=0x3007 | 0x3021..=0x3029 | 0x3031..=0x303C
        | 0x3041..=0x30FF          // Hiragana, Katakana
        | 0x3100..=0x31BF          // Bopomofo, Hangul compatibility letters
        | 0x31F0..=0x31FF          // Katakana extensions
        | 0x3400..=0x4DBF | 0x4E00..=0x9FFF // Han
        | 0xA960..=0xA97F          // Hangul extension A
        | 0xA9E0..=0xA9FF          // Myanmar extension B
        | 0xAA60..=0xAADF          // Myanmar extension A, Tai Viet
        | 0xAC00..=0xD7FF          // Hangul syllables
        | 0xF900..=0xFAFF          // Han compatibility
        | 0x1AFF0..=0x1B16F        // Kana supplements
        | 0x20000..=0x3FFFF)       // Han on the supplementary planes
        && (character.is_alphabetic() || character == '〇')
        && !is_combining_mark(character)
}

/// True for the pictures that people type like words. What changes only the look of one (skin tones, variation
/// selectors, joiners) is not among them, nor are arrows and box drawings, which stand for no word.
#[must_use]
pub fn is_emoji(character: char) -> bool {
    matches!(character as u32,
        0x231A..=0x231B | 0x23E9..=0x23F3 | 0x23F8..=0x23FA // Watches, media keys
        | 0x2600..=0x27BF                                   // Symbols, dingbats
        | 0x2B1B..=0x2B1C | 0x2B50 | 0x2B55
        | 0x1F004 | 0x1F0CF | 0x1F18E | 0x1F191..=0x1F19A
        | 0x1F300..=0x1F3FA | 0x1F400..=0x1F64F             // Pictures, faces
        | 0x1F680..=0x1F6FF                                 // Transport
        | 0x1F7E0..=0x1F7EB | 0x1F90C..=0x1F9FF | 0x1FA70..=0x1FAFF)
        && !character.is_numeric()
}

pub(super) fn is_cyrillic(character: char) -> bool {
    matches!(character as u32, 0x0400..=0x052F)
}

const ASCII_CLASSES: [CharacterClass; 128] = ascii_classes();

const fn ascii_classes() -> [CharacterClass; 128] {
    let mut classes = [Separator; 128];
    let mut code = 0;
    while code < 128 {
        classes[code] = match code as u8 {
            b'a'..=b'z' => Lower,
            b'A'..=b'Z' => Upper,
            b'0'..=b'9' => Digit,
            b'_' => Underscore,
            b'.' | b'-' => Joint,
            b'\'' => Apostrophe,
            b'/' | b'\\' => Slash,
            b':' => Colon,
            _ => Separator,
        };
        code += 1;
    }
    classes
}

fn non_ascii_class(character: char) -> CharacterClass {
    match character {
        '\u{2019}' | '\u{02BC}' => Apostrophe,
        // The non-breaking hyphen becomes U+2010 when folded, and both bind words as the ASCII one does.
        '\u{2010}' | '\u{2011}' => Joint,
        _ if is_dense(character) => Dense,
        _ if is_emoji(character) => Emoji,
        // Spacing marks of Indic scripts are alphabetic; they must not begin a word either.
        _ if is_combining_mark(character) => Mark,
        _ if character.is_numeric() => Digit,
        _ if character.is_uppercase() => Upper,
        _ if character.is_alphabetic() => Lower,
        _ => Separator,
    }
}
