//! Exact token counts, for budgets.
//!
//! Models count tokens, not characters. A budget is kept in one of two public vocabularies; which one is a setting.

use bpe_openai::Tokenizer;

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

    /// The number of tokens in a text. Time is linear in its length.
    #[must_use]
    pub fn count(self, text: &str) -> usize {
        self.tokenizer().count(text)
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
        let tokenizer = self.tokenizer();
        let (mut at, mut left) = (0, max_tokens);
        for piece in tokenizer.split(text) {
            let tokens = tokenizer.bpe.count(piece.as_bytes());
            if tokens <= left {
                left -= tokens;
                at += piece.len();
                continue;
            }
            // Part of a word that is long by itself, up to a whole character.
            let mut inside = at;
            for token in tokenizer.bpe.encode_via_backtracking(piece.as_bytes()).into_iter().take(left) {
                inside += tokenizer.bpe.token_len(token);
                if text.is_char_boundary(inside) {
                    at = inside;
                }
            }
            return at.min(text.len());
        }
        text.len()
    }

    fn tokenizer(self) -> &'static Tokenizer {
        match self {
            Self::Cl100kBase => bpe_openai::cl100k_base(),
            Self::O200kBase => bpe_openai::o200k_base(),
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

    proptest! {
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
