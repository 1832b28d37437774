//! The classes of characters that tokenizers ask for.

use super::tables::{
    FORMAT_OR_PRIVATE, LETTERS, MARKS, MARKS_WITHOUT_WIDTH, PUNCTUATION, SMALL_IN_FORM_ONLY, TITLE_CASE,
};

/// Category L. Narrower than [`char::is_alphabetic`].
#[must_use]
pub fn is_letter(character: char) -> bool {
    if character.is_ascii() { character.is_ascii_alphabetic() } else { is_in(LETTERS, character) }
}

/// Category N, as the standard library has it.
#[must_use]
pub fn is_number(character: char) -> bool {
    character.is_numeric()
}

/// Category Ll: small letters that have a form of their own for beginnings, or stand beside such.
#[must_use]
pub fn is_small_letter(character: char) -> bool {
    if character.is_ascii() {
        return character.is_ascii_lowercase();
    }
    // This one was moved out of the category by a later version of Unicode than the tables are of.
    let is_small = character.is_lowercase() || character == '\u{295}';
    is_small && is_letter(character) && !is_in(SMALL_IN_FORM_ONLY, character)
}

/// Categories Lu and Lt: capital letters, and pairs of which the first is one.
#[must_use]
pub fn is_capital_letter(character: char) -> bool {
    if character.is_ascii() {
        return character.is_ascii_uppercase();
    }
    (character.is_uppercase() && is_letter(character)) || is_in(TITLE_CASE, character)
}

/// Category M: everything that is set on, under or around another character.
#[must_use]
pub fn is_mark(character: char) -> bool {
    !character.is_ascii() && is_in(MARKS, character)
}

/// Category Mn: accents and the like.
#[must_use]
pub fn is_mark_without_width(character: char) -> bool {
    !character.is_ascii() && is_in(MARKS_WITHOUT_WIDTH, character)
}

/// Category P, and the ASCII symbols besides.
#[must_use]
pub fn is_punctuation(character: char) -> bool {
    if character.is_ascii() { character.is_ascii_punctuation() } else { is_in(PUNCTUATION, character) }
}

/// What BERT leaves out: control, format and private characters that are no white space.
#[must_use]
pub fn is_left_out(character: char) -> bool {
    match character {
        '\t' | '\n' | '\r' => false,
        '\u{FFFD}' => true,
        _ if character.is_ascii() => character.is_ascii_control(),
        _ => is_in(FORMAT_OR_PRIVATE, character),
    }
}

/// The ideographs that BERT takes one by one.
#[must_use]
pub fn is_ideograph(character: char) -> bool {
    matches!(character,
        '\u{4E00}'..='\u{9FFF}' | '\u{3400}'..='\u{4DBF}' | '\u{20000}'..='\u{2A6DF}' | '\u{2A700}'..='\u{2B73F}'
        | '\u{2B740}'..='\u{2B81F}' | '\u{2B920}'..='\u{2CEAF}' | '\u{F900}'..='\u{FAFF}' | '\u{2F800}'..='\u{2FA1F}')
}

fn is_in(ranges: &[(u32, u32)], character: char) -> bool {
    let code = u32::from(character);
    let following = ranges.partition_point(|&(first, _)| first <= code);
    following.checked_sub(1).and_then(|index| ranges.get(index)).is_some_and(|&(_, last)| code <= last)
}

#[cfg(test)]
mod tests {
    use regex::Regex;

    use super::*;

    fn check(pattern: &str, is_member: impl Fn(char) -> bool) {
        let pattern = Regex::new(pattern).unwrap();
        let mut buffer = [0; 4];
        for character in ('\0'..=char::MAX).filter(|character| !character.is_ascii()) {
            let expected = pattern.is_match(character.encode_utf8(&mut buffer));
            assert_eq!(is_member(character), expected, "{character:?} and {pattern}");
        }
    }

    #[test]
    fn tables_are_those_of_the_regex_crate() {
        check(r"\p{L}", is_letter);
        check(r"\p{Ll}", is_small_letter);
        check(r"[\p{Lu}\p{Lt}]", is_capital_letter);
        check(r"\p{M}", is_mark);
        check(r"\p{Mn}", is_mark_without_width);
        check(r"\p{P}", is_punctuation);
        check(r"[\p{Cc}\p{Cf}\p{Co}\x{FFFD}]", is_left_out);
        check(r"\s", char::is_whitespace);
    }
}
