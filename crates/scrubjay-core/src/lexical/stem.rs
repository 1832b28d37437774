//! Stemming where the language is plain from the letters: English for ASCII, Russian for Cyrillic.
//!
//! A word is stemmed until it no longer changes. One pass of the Snowball algorithms may leave a stem that a second
//! pass would shorten (`embedding`, `embed`, `emb`), and then a term that is analyzed again would not find itself.

use std::borrow::Cow;
use std::cell::Cell;

use snowball_stemmers_rs::{Algorithm, Stemmer};

use super::analyzer::MAX_TERM_BYTES;
use super::script::is_cyrillic;

/// Words shorter than this are left alone: their endings are rarely inflections.
const SHORTEST_STEMMED_LETTERS: usize = 4;
/// Two passes settle every word of a language; this bound, for what is no word, is the length of the longest term.
const MAX_PASSES: usize = MAX_TERM_BYTES;
/// Frequent words that repeated stemming would make one with a word of another meaning: `ear`, `over`.
const NEVER_STEMMED: [&str; 2] = ["early", "overall"];
const CACHE_SLOTS: usize = 8192;
const CACHED_WORD_BYTES: usize = 24;
const CACHED_STEM_BYTES: usize = 23;

thread_local! {
    static IDLE: Cell<Option<Box<Stems>>> = const { Cell::new(None) };
}

/// Stemmers with a memory of the words seen last. Prose repeats its words, and looking one up costs a tenth of
/// stemming it again. The memory is only a shortcut: the answer is the same without it.
pub(super) struct Stems {
    english: Stemmer,
    russian: Stemmer,
    slots: Vec<Slot>,
}

/// One remembered word and its stem. The word is padded with zeros, which no word contains.
#[derive(Clone, Copy)]
struct Slot {
    word: [u8; CACHED_WORD_BYTES],
    stem: [u8; CACHED_STEM_BYTES],
    stem_length: u8,
}

const EMPTY_SLOT: Slot = Slot { word: [0; CACHED_WORD_BYTES], stem: [0; CACHED_STEM_BYTES], stem_length: 0 };

/// Lends this thread's stemmers to `work`. They are taken out meanwhile, so a nested call gets its own.
pub(super) fn with_stems<Answer>(work: impl FnOnce(&mut Stems) -> Answer) -> Answer {
    // While a thread ends its memory may be gone already; then the stemmers live for this call only.
    let mut stems = IDLE.try_with(Cell::take).ok().flatten().unwrap_or_else(|| Box::new(Stems::new()));
    let answer = work(&mut stems);
    IDLE.try_with(|idle| idle.set(Some(stems))).ok();
    answer
}

impl Stems {
    fn new() -> Self {
        Self {
            english: Stemmer::create(Algorithm::English),
            russian: Stemmer::create(Algorithm::Russian),
            slots: vec![EMPTY_SLOT; CACHE_SLOTS],
        }
    }

    /// Hands the stem of a lower-case `word` to `visit`, or the word itself where no stemmer applies.
    pub(super) fn stemmed<Answer>(&mut self, word: &str, visit: impl FnOnce(&str) -> Answer) -> Answer {
        let Some(stemmer) = self.stemmer_for(word) else {
            return visit(word);
        };
        let Some(padded) = padded(word) else {
            return visit(&settled(stemmer, word));
        };
        let place = slot_of(&padded);
        let known = self.slots.get(place).filter(|slot| slot.word == padded).copied();
        if let Some(slot) = known
            && let Some(bytes) = slot.stem.get(..usize::from(slot.stem_length))
            && let Ok(stem) = std::str::from_utf8(bytes)
        {
            return visit(stem);
        }
        let stem = settled(stemmer, word);
        let mut slot = Slot { word: padded, ..EMPTY_SLOT };
        if let Some(room) = slot.stem.get_mut(..stem.len())
            && let Ok(stem_length) = u8::try_from(stem.len())
        {
            room.copy_from_slice(stem.as_bytes());
            slot.stem_length = stem_length;
            if let Some(old) = self.slots.get_mut(place) {
                *old = slot;
            }
        }
        visit(&stem)
    }

    fn stemmer_for(&self, word: &str) -> Option<&Stemmer> {
        if word.len() < SHORTEST_STEMMED_LETTERS {
            None
        } else if word.bytes().all(|byte| byte.is_ascii_lowercase()) {
            Some(&self.english)
        } else if word.chars().all(is_cyrillic) && is_long_enough(word) {
            Some(&self.russian)
        } else {
            None
        }
    }
}

fn settled<'word>(stemmer: &Stemmer, word: &'word str) -> Cow<'word, str> {
    if NEVER_STEMMED.contains(&word) {
        return Cow::Borrowed(word);
    }
    let mut stem = stemmer.stem(word);
    if stem == word {
        return stem;
    }
    for _ in 0..MAX_PASSES {
        if !is_long_enough(&stem) || NEVER_STEMMED.contains(&stem.as_ref()) {
            break;
        }
        let shorter = stemmer.stem(&stem).into_owned();
        if shorter == stem {
            break;
        }
        stem = Cow::Owned(shorter);
    }
    stem
}

fn is_long_enough(word: &str) -> bool {
    word.chars().nth(SHORTEST_STEMMED_LETTERS - 1).is_some()
}

fn padded(word: &str) -> Option<[u8; CACHED_WORD_BYTES]> {
    let mut padded = [0; CACHED_WORD_BYTES];
    padded.get_mut(..word.len())?.copy_from_slice(word.as_bytes());
    Some(padded)
}

fn slot_of(padded: &[u8; CACHED_WORD_BYTES]) -> usize {
    let mut hash = 0_u64;
    for eight in padded.as_chunks::<8>().0 {
        hash = (hash.rotate_left(5) ^ u64::from_le_bytes(*eight)).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    }
    (hash >> 48) as usize % CACHE_SLOTS
}
