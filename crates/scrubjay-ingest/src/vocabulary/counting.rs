//! The vocabularies, and counting by them.

use super::table::{self, Table};
use super::words::Rule;

/// A vocabulary of tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Vocabulary {
    /// `cl100k_base`.
    #[default]
    Cl100kBase,
    /// `o200k_base`.
    O200kBase,
}

impl Vocabulary {
    /// All of them.
    pub const ALL: [Self; 2] = [Self::Cl100kBase, Self::O200kBase];

    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Cl100kBase => "cl100k_base",
            Self::O200kBase => "o200k_base",
        }
    }

    /// The vocabulary with this name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|vocabulary| vocabulary.name() == name)
    }

    /// The number of tokens in a text.
    #[must_use]
    pub fn count(self, text: &str) -> usize {
        self.words(text).map(|word| self.count_word(word)).sum()
    }

    /// The words of a text. Tokens never reach from one into the next.
    pub fn words(self, text: &str) -> impl Iterator<Item = &str> {
        let rule = match self {
            Self::Cl100kBase => Rule::Letters,
            Self::O200kBase => Rule::Capitals,
        };
        rule.words(text)
    }

    /// The number of tokens in a word.
    #[must_use]
    pub fn count_word(self, word: &str) -> usize {
        let mut count = 0;
        self.table().tokens(word.as_bytes(), &mut |_| count += 1);
        count
    }

    /// The length of each token of a word, in bytes. A token may end within a character.
    #[must_use]
    pub fn token_lengths(self, word: &str) -> Vec<usize> {
        let mut lengths = Vec::new();
        self.table().tokens(word.as_bytes(), &mut |length| lengths.push(length));
        lengths
    }

    /// The length in bytes of the longest beginning of a text that has at most
    /// `max_tokens` tokens by itself. It never ends within a character.
    #[must_use]
    pub fn prefix(self, text: &str, max_tokens: usize) -> usize {
        let mut end = self.first_guess(text, max_tokens);
        // A beginning is split into words a little differently from the whole.
        while end > 0 && self.count(&text[..end]) > max_tokens {
            end = text[..end].char_indices().next_back().map_or(0, |(at, _)| at);
        }
        end
    }

    fn first_guess(self, text: &str, max_tokens: usize) -> usize {
        let (mut at, mut left) = (0, max_tokens);
        for word in self.words(text) {
            let tokens = self.count_word(word);
            if tokens <= left {
                left -= tokens;
                at += word.len();
                continue;
            }
            // Part of a word that is long by itself, up to a whole character.
            let mut inside = at;
            for length in self.token_lengths(word).into_iter().take(left) {
                inside += length;
                if text.is_char_boundary(inside) {
                    at = inside;
                }
            }
            return at.min(text.len());
        }
        text.len()
    }

    fn table(self) -> &'static Table {
        match self {
            Self::Cl100kBase => &table::CL100K_BASE,
            Self::O200kBase => &table::O200K_BASE,
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn counts_are_those_of_the_vocabularies() {
        for vocabulary in Vocabulary::ALL {
            assert_eq!(Vocabulary::from_name(vocabulary.name()), Some(vocabulary));
            assert_eq!(vocabulary.count("hello world"), 2);
            assert_eq!(vocabulary.count(""), 0);
            // Three digits are one token, whichever they are.
            for number in ["000", "123", "907", "999"] {
                assert_eq!(vocabulary.count(number), 1, "{number}");
            }
            assert_eq!(vocabulary.count("012345678901234567"), 6);
        }
    }

    // The crate that the tables are made of, which was compared with the original.
    fn reference(vocabulary: Vocabulary) -> &'static bpe_openai::Tokenizer {
        match vocabulary {
            Vocabulary::Cl100kBase => bpe_openai::cl100k_base(),
            Vocabulary::O200kBase => bpe_openai::o200k_base(),
        }
    }

    fn check(text: &str) {
        for vocabulary in Vocabulary::ALL {
            let reference = reference(vocabulary);
            let words: Vec<&str> = vocabulary.words(text).collect();
            assert_eq!(words, reference.split(text).collect::<Vec<_>>(), "{text:?}");
            for word in words {
                let tokens = reference.bpe.encode_via_backtracking(word.as_bytes());
                let lengths: Vec<usize> = tokens.into_iter().map(|token| reference.bpe.token_len(token)).collect();
                assert_eq!(vocabulary.token_lengths(word), lengths, "{word:?}");
            }
        }
    }

    #[test]
    fn real_texts_have_the_tokens_of_the_reference() {
        for text in [include_str!("words.rs"), include_str!("../../../../README.md"), include_str!("../../Cargo.toml")]
        {
            check(text);
        }
        check("Straße, naïve, don’t — „так“ 日本語のテキスト نص عربي हिन्दी ไทย 👩‍👩‍👧‍👦 e\u{301}\u{323} ǅungla ʕo_o ª");
        check(&"ab".repeat(500));
        check(&" ".repeat(300));
        check(&"\u{301}".repeat(70));
    }

    proptest! {
        #[test]
        fn any_text_has_the_tokens_of_the_reference(text in any::<String>()) {
            check(&text);
        }

        // Signs at which the rules part, in any order.
        #[test]
        fn any_mixture_has_the_tokens_of_the_reference(
            text in "([a-cA-C]|[ \t\r\n]|'([sStTmMdDſ]|re|VE|lL)|[0-9]|[./!']|[éÉǅʰªº日ـ\u{301}\u{345}²Ⅷⓐ]|\u{a0}){0,24}"
        ) {
            check(&text);
        }

        #[test]
        fn a_beginning_keeps_its_limit_and_is_long(text in "(\\PC|[a-z \n.]){0,300}", max in 0usize..60) {
            for vocabulary in Vocabulary::ALL {
                let end = vocabulary.prefix(&text, max);
                prop_assert!(text.is_char_boundary(end));
                prop_assert!(vocabulary.count(&text[..end]) <= max);
                if vocabulary.count(&text) <= max {
                    prop_assert_eq!(end, text.len());
                }
            }
        }

        #[test]
        fn lines_add_up(lines in proptest::collection::vec("[^\r\n]{0,60}", 0..8)) {
            // Budgets are kept line by line; that is only right if counts add up.
            let lines: Vec<String> = lines.iter().map(|line| format!("{}\n", line.trim_start())).collect();
            let sum: usize = lines.iter().map(|line| Vocabulary::Cl100kBase.count(line)).sum();
            prop_assert!(Vocabulary::Cl100kBase.count(&lines.concat()) <= sum);
        }
    }
}
