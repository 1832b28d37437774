//! Words that are no names, or hardly ever.
//!
//! The lists are English. `never.txt` is written by hand: pronouns, particles, days, titles and what people type in
//! chats. `everyday.txt` is the words that stand in lower case in the documentation of many packages, and common words
//! of conversation; some of them are names as well, and count as such inside of a sentence.

use std::collections::HashSet;
use std::sync::LazyLock;

static NEVER: LazyLock<HashSet<&str>> = LazyLock::new(|| include_str!("never.txt").split_whitespace().collect());
static EVERYDAY: LazyLock<HashSet<&str>> = LazyLock::new(|| include_str!("everyday.txt").split_whitespace().collect());

/// Whether a word, given in lower case, is no name wherever it stands.
pub(super) fn is_never_a_name(word: &str) -> bool {
    NEVER.contains(word) || (word.contains('’') && NEVER.contains(word.replace('’', "'").as_str()))
}

/// Whether a word, given in lower case, is common enough that only a capital inside of a sentence makes it a name.
pub(in crate::ner) fn is_everyday(word: &str) -> bool {
    EVERYDAY.contains(word) || is_never_a_name(word)
}
