//! How GPT-2 and RoBERTa cut a text into words before byte pairs are merged.
//!
//! The published rule is a regular expression: the English contractions `'s 't 're 've 'm 'll 'd`; else letters,
//! numbers or other signs, each run with one space before it if there is one; else white space, whose last character
//! stays with what follows. It is written out here because it needs look-ahead and would have to be compiled in every process.

use scrubjay_core::character::{is_letter, is_number};

/// The first word of a text that is not empty, as its length in bytes.
pub(super) fn first_word(text: &str) -> usize {
    if let Some(length) = contraction(text) {
        return length;
    }
    let mut characters = text.chars();
    let Some(first) = characters.next() else { return 0 };
    let (begin, class) = match characters.next() {
        Some(second) if first == ' ' && Class::of(second) != Class::Space => (1, Class::of(second)),
        _ => (0, Class::of(first)),
    };
    let run = begin + run_of(&text[begin..], class);
    if class == Class::Space && run < text.len() { all_but_last(&text[..run]) } else { run }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Class {
    Letter,
    Number,
    Space,
    Other,
}

impl Class {
    fn of(character: char) -> Self {
        if is_letter(character) {
            Self::Letter
        } else if is_number(character) {
            Self::Number
        } else if character.is_whitespace() {
            Self::Space
        } else {
            Self::Other
        }
    }
}

fn contraction(text: &str) -> Option<usize> {
    let rest = text.strip_prefix('\'')?;
    ["s", "t", "re", "ve", "m", "ll", "d"].iter().find(|&&end| rest.starts_with(end)).map(|end| 1 + end.len())
}

fn run_of(text: &str, class: Class) -> usize {
    text.char_indices().find(|&(_, character)| Class::of(character) != class).map_or(text.len(), |(place, _)| place)
}

/// White space before a word gives its last character to the word, unless it has only one.
fn all_but_last(run: &str) -> usize {
    let last = run.char_indices().next_back().map_or(0, |(place, _)| place);
    if last == 0 { run.len() } else { last }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn words(mut text: &str) -> Vec<&str> {
        let mut words = Vec::new();
        while !text.is_empty() {
            let (word, rest) = text.split_at(first_word(text));
            words.push(word);
            text = rest;
        }
        words
    }

    #[track_caller]
    fn check(text: &str, expected: &[&str]) {
        assert_eq!(words(text), expected);
    }

    #[test]
    fn words_keep_one_space_before_them() {
        check("", &[]);
        check("Hello world", &["Hello", " world"]);
        check("a  b", &["a", " ", " b"]);
        check("a\n\n  b", &["a", "\n\n ", " b"]);
        check("a\tb", &["a", "\t", "b"]);
        check("a \t b  ", &["a", " \t", " b", "  "]);
        check(
            "it's we'll I'd o'clock 'twas",
            &["it", "'s", " we", "'ll", " I", "'d", " o", "'", "clock", " '", "twas"],
        );
        check("x=1.5e3;", &["x", "=", "1", ".", "5", "e", "3", ";"]);
        check(" !?\u{1F600}", &[" !?\u{1F600}"]);
        check("日本語123", &["日本語", "123"]);
        check("\u{A0}x", &["\u{A0}", "x"]);
    }

    proptest! {
        #[test]
        fn words_are_the_text_again(text in any::<String>()) {
            prop_assert_eq!(words(&text).concat(), text);
        }
    }
}
