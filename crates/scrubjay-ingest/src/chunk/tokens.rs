//! How many tokens a text has, and where to cut one that has too many.
//!
//! The count is that of the `cl100k_base` vocabulary. No embedder we know uses exactly that one, but byte-pair
//! vocabularies agree within a few per cent on prose and code, and a fixed one keeps chunks (and so their hashes and
//! cached vectors) the same whatever model is configured.

use std::ops::Range;

use crate::vocabulary::Vocabulary;

const VOCABULARY: Vocabulary = Vocabulary::Cl100kBase;

/// The number of tokens in `text`.
#[must_use]
pub fn count(text: &str) -> usize {
    VOCABULARY.count(text)
}

/// Cuts `text` into parts of at most `max_tokens` tokens and `max_bytes` bytes, always between two characters.
///
/// The parts follow one another without a gap. Each comes with its number of tokens. A part is never empty; one that
/// is a single character may exceed limits smaller than a character.
pub(super) fn split(text: &str, max_tokens: usize, max_bytes: usize) -> Vec<(Range<usize>, usize)> {
    let mut parts = Parts { text, max_tokens: max_tokens.max(1), max_bytes: max_bytes.max(4), ..Parts::default() };
    let mut at = 0;
    for word in VOCABULARY.words(text) {
        if word.len() <= parts.max_bytes {
            let tokens = VOCABULARY.count_word(word);
            if tokens <= parts.max_tokens {
                at += word.len();
                parts.push(at, tokens);
                continue;
            }
        }
        // One word without an end, such as encoded data: go token by token, and cut only between characters.
        let mut pending = 0;
        for length in VOCABULARY.token_lengths(word) {
            at += length;
            pending += 1;
            if text.is_char_boundary(at) {
                parts.push(at, pending);
                pending = 0;
            }
        }
    }
    parts.finish()
}

#[derive(Default)]
struct Parts<'a> {
    text: &'a str,
    max_tokens: usize,
    max_bytes: usize,
    start: usize,
    end: usize,
    tokens: usize,
    done: Vec<(Range<usize>, usize)>,
}

impl Parts<'_> {
    /// Extends the open part to `end`, or closes it first when that would be too much.
    fn push(&mut self, end: usize, tokens: usize) {
        if self.tokens + tokens > self.max_tokens || end - self.start > self.max_bytes {
            self.close();
        }
        self.end = end;
        self.tokens += tokens;
    }

    fn close(&mut self) {
        if self.end > self.start {
            self.done.push((self.start..self.end, self.tokens));
            self.start = self.end;
            self.tokens = 0;
        }
    }

    fn finish(mut self) -> Vec<(Range<usize>, usize)> {
        // The vocabulary's words make up the whole text; should one ever be missing, its bytes are kept all the same.
        if self.end < self.text.len() {
            self.close();
            self.end = self.text.len();
        }
        self.close();
        self.done
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn words_and_symbols_are_counted() {
        assert_eq!(count(""), 0);
        assert_eq!(count("hello world"), 2);
        assert_eq!(count("fn main() {}\n"), 4);
    }

    #[test]
    fn a_megabyte_without_a_space_is_cut() {
        for unit in ["a", "é", "🦀", " ", "0", "ab-"] {
            let text = unit.repeat(1_000_000 / unit.len());
            let parts = split(&text, 400, 12_800);
            assert!(parts.len() > 50, "{unit:?}");
            assert!(parts.iter().all(|(part, tokens)| *tokens <= 400 && part.len() <= 12_800), "{unit:?}");
        }
    }

    proptest! {
        #[test]
        fn parts_make_up_the_text(text in "(\\PC|[a-z ]){0,200}", max_tokens in 16_usize..40, max_bytes in 64_usize..200) {
            let parts = split(&text, max_tokens, max_bytes);
            let joined: String = parts.iter().map(|(part, _)| &text[part.clone()]).collect();
            prop_assert_eq!(&joined, &text);
            for (part, tokens) in parts {
                prop_assert!(!part.is_empty());
                prop_assert!(tokens <= max_tokens && part.len() <= max_bytes);
            }
        }
    }
}
