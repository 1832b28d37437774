//! Texts as the table sees them.

use std::borrow::Cow;

use scrubjay_core::character::{is_letter, is_mark, is_number};
use unicode_normalization::{IsNormalized, UnicodeNormalization, is_nfkc_quick};

/// The text in compatibility form and small letters; itself if it is so already.
pub(super) fn fold(text: &str) -> Cow<'_, str> {
    if text.is_ascii() {
        return if text.bytes().any(|byte| byte.is_ascii_uppercase()) {
            Cow::Owned(text.to_ascii_lowercase())
        } else {
            Cow::Borrowed(text)
        };
    }
    if is_nfkc_quick(text.chars()) == IsNormalized::Yes {
        let is_small = |character: char| character.to_lowercase().eq(std::iter::once(character));
        return if text.chars().all(is_small) { Cow::Borrowed(text) } else { Cow::Owned(text.to_lowercase()) };
    }
    Cow::Owned(text.nfkc().collect::<String>().to_lowercase())
}

/// The words of a folded text: letters, numbers and the marks on them. All else stands between words.
pub(super) fn words(folded: &str) -> impl Iterator<Item = &str> {
    folded.split(|character| !is_part_of_word(character)).filter(|word| !word.is_empty())
}

fn is_part_of_word(character: char) -> bool {
    is_letter(character) || is_number(character) || is_mark(character)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &[&str]) {
        let folded = fold(text);
        assert_eq!(words(&folded).collect::<Vec<_>>(), expected);
    }

    #[test]
    fn words_are_folded_and_keep_their_marks() {
        check("", &[]);
        check("snake_case, it's 3.5!", &["snake", "case", "it", "s", "3", "5"]);
        check("Straße ÉTÉ Cafe\u{301} ﬁne", &["straße", "été", "café", "fine"]);
        check("ΟΔΟΣ ΣΟΦΙΑ", &["οδος", "σοφια"]);
        check("यह हिन्दी है।", &["यह", "हिन्दी", "है"]);
        check("日本語、テキスト", &["日本語", "テキスト"]);
        check("ＡＢＣ ㎏", &["abc", "kg"]);
    }

    #[test]
    fn what_is_folded_is_not_copied() {
        for text in ["plain words 1", "größe", "日本語", "привет"] {
            assert!(matches!(fold(text), Cow::Borrowed(_)), "{text}");
        }
    }
}
