//! Folding of characters that are written differently but mean the same in a search.

use unicode_normalization::UnicodeNormalization;

use super::han::simplified;
use super::script::is_cyrillic;

/// Appends `text` to `folded` in NFKC form, without the diacritics that a searcher leaves out.
///
/// Case is kept, because the humps of an identifier are still needed. Marks of Latin, Greek, Arabic and Hebrew
/// letters are dropped; those of Indic scripts, of kana and of й and ї are letters' own and stay. Traditional Chinese
/// characters become simplified ones.
pub(super) fn fold_into(text: &str, folded: &mut String) {
    let mut base = ' ';
    let kept = text.nfkd().filter(move |&character| {
        if is_ignorable(character) {
            return false;
        }
        if is_diacritic(character) {
            return belongs_to_letter(base, character);
        }
        base = character;
        true
    });
    for character in kept.nfc() {
        match unaccented(character) {
            Some(replacement) => folded.push_str(replacement),
            None => folded.push(simplified(character)),
        }
    }
}

/// Characters that leave no gap in a word: joiners, soft hyphens, byte order marks, variation selectors,
/// Hebrew points written as punctuation, and the Arabic lengthening stroke.
fn is_ignorable(character: char) -> bool {
    matches!(
        character,
        '\u{00AD}' | '\u{034F}' | '\u{05F3}' | '\u{05F4}' | '\u{061C}' | '\u{0640}' | '\u{180E}'
            | '\u{200C}'..='\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2060}'..='\u{2064}'
            | '\u{2066}'..='\u{206F}' | '\u{FE00}'..='\u{FE0F}' | '\u{FEFF}' | '\u{E0000}'..='\u{E01EF}'
    )
}

fn is_diacritic(character: char) -> bool {
    matches!(
        character,
        '\u{0300}'..='\u{036F}'
            | '\u{0483}'..='\u{0489}'
            | '\u{0591}'..='\u{05BD}' | '\u{05BF}' | '\u{05C1}' | '\u{05C2}' | '\u{05C4}' | '\u{05C5}' | '\u{05C7}'
            | '\u{0610}'..='\u{061A}' | '\u{064B}'..='\u{065F}' | '\u{0670}'
            | '\u{06D6}'..='\u{06DC}' | '\u{06DF}'..='\u{06E4}' | '\u{06E7}' | '\u{06E8}' | '\u{06EA}'..='\u{06ED}'
            | '\u{08CA}'..='\u{08FF}'
            | '\u{1AB0}'..='\u{1AFF}' | '\u{1DC0}'..='\u{1DFF}' | '\u{20D0}'..='\u{20FF}' | '\u{FE20}'..='\u{FE2F}'
    )
}

/// Some Cyrillic letters only look like a letter with a diacritic: й and ў, ї, ќ and ѓ. All others, ё among
/// them, are commonly typed without.
fn belongs_to_letter(base: char, mark: char) -> bool {
    is_cyrillic(base)
        && match mark {
            '\u{0306}' => matches!(base, 'и' | 'И' | 'у' | 'У'),
            '\u{0308}' => matches!(base, 'і' | 'І'),
            '\u{0301}' => matches!(base, 'к' | 'К' | 'г' | 'Г'),
            _ => false,
        }
}

/// Letters that Unicode does not take apart but that people type with plain ones. Upper case becomes a capital
/// followed by small letters, so that no new hump appears inside a word.
fn unaccented(character: char) -> Option<&'static str> {
    if character < '\u{C0}' {
        return None;
    }
    Some(match character {
        'ß' => "ss",
        'ẞ' => "Ss",
        'æ' => "ae",
        'Æ' => "Ae",
        'œ' => "oe",
        'Œ' => "Oe",
        'ø' => "o",
        'Ø' => "O",
        'đ' | 'ð' => "d",
        'Đ' | 'Ð' => "D",
        'þ' => "th",
        'Þ' => "Th",
        'ł' => "l",
        'Ł' => "L",
        'ı' => "i",
        'ħ' => "h",
        'Ħ' => "H",
        'ŧ' => "t",
        'Ŧ' => "T",
        'ŋ' => "n",
        'Ŋ' => "N",
        'ĸ' => "k",
        'ς' => "σ",
        _ => return None,
    })
}
