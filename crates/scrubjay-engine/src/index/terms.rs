//! Texts as hashes of terms.

use std::collections::BTreeMap;

use scrubjay_core::lexical::{self, Language, LanguageGuess};

/// What is put before a term of a speaker's name, to tell it from the same word
/// in a text. No term of a text begins like this.
const SPEAKER: char = '\u{1}';

/// The number under which the index knows that somebody of this name speaks.
pub(crate) fn speaker_hash(term: &str) -> u64 {
    lexical::term_hash(&format!("{SPEAKER}{term}"))
}

/// The same before a term of the path at which a text lies.
const PATH: char = '\u{2}';

/// The number under which the index knows that this is part of a text's path.
pub(crate) fn path_hash(term: &str) -> u64 {
    lexical::term_hash(&format!("{PATH}{term}"))
}

/// The same before the whole name of a file.
const FILE: char = '\u{3}';

/// The number under which the index knows a file by its name.
pub(crate) fn file_hash(name: &str) -> u64 {
    lexical::term_hash(&format!("{FILE}{}", name.to_lowercase()))
}

/// The same before the language of a text, and before a key of an inflection in it.
const LANGUAGE: char = '\u{4}';

/// The number under which the index knows that a text is in this language.
pub(crate) fn language_hash(language: Language) -> u64 {
    lexical::term_hash(&format!("{LANGUAGE}{}", language.code()))
}

/// The number under which the index knows the inflections of a word, by their common key.
pub(crate) fn inflection_hash(key: &str) -> u64 {
    lexical::term_hash(&format!("{LANGUAGE}{key}"))
}

/// How often each term occurs in a text.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct TermCounts {
    /// Hash and count, by hash.
    pub(super) counts: BTreeMap<u64, u32>,
    /// All terms together.
    pub(super) length: u32,
    /// The terms that may be misspelt, one per line.
    pub(super) words: String,
}

impl TermCounts {
    /// Counts the terms of a text on top of what is counted already.
    pub(super) fn add(&mut self, text: &str) {
        lexical::for_each_term(text, |term, _| {
            let count = self.counts.entry(lexical::term_hash(term)).or_default();
            if *count == 0 && is_word(term) {
                self.words.push_str(term);
                self.words.push('\n');
            }
            *count = count.saturating_add(1);
            self.length = self.length.saturating_add(1);
        });
    }

    /// Counts the inflections of a text in the languages that it may be in. They do not make it longer.
    pub(super) fn inflect(&mut self, text: &str) {
        for language in LanguageGuess::of(text).languages {
            self.counts.insert(language_hash(language), 1);
            lexical::for_each_inflection(language, text, |key| {
                let count = self.counts.entry(inflection_hash(key)).or_default();
                *count = count.saturating_add(1);
            });
        }
    }

    /// Counts the terms of a text again, so many times, without making the whole
    /// any longer.
    pub(super) fn stress(&mut self, text: &str, times: u32) {
        lexical::for_each_term(text, |term, _| {
            *self.counts.entry(lexical::term_hash(term)).or_default() += times;
        });
    }

    /// Notes who speaks.
    pub(super) fn spoken_by(&mut self, name: &str) {
        lexical::for_each_term(name, |term, _| {
            self.counts.insert(speaker_hash(term), 1);
        });
    }
    /// Notes at which path the text lies.
    pub(super) fn lies_at(&mut self, path: &str) {
        lexical::for_each_term(path, |term, _| {
            self.counts.insert(path_hash(term), 1);
        });
        let name = path.rsplit('/').next().unwrap_or(path);
        self.counts.insert(file_hash(name), 1);
    }
}

/// Whether a term is a word that someone may misspell.
pub(crate) fn is_word(term: &str) -> bool {
    term.len() >= SHORTEST_WORD_BYTES
        && term.chars().all(|character| character.is_alphabetic() && !lexical::is_dense(character))
}

/// Shorter words have too many neighbours.
const SHORTEST_WORD_BYTES: usize = 4;
