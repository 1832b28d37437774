//! What the best candidates are about, as words to look for in the others.
//!
//! An answer is often spread over several memories, and a question names only what
//! they share, in its own words. The best two candidates say more about it: the
//! words that are frequent in them and rare elsewhere. A candidate that has those
//! words, too, is lifted a little. They are looked for among the candidates only,
//! so that a wrong first hit leads nowhere that the question did not.

use std::collections::{BTreeMap, HashMap};

use scrubjay_core::lexical;
use scrubjay_index::{Frequencies, Snapshot};

use super::pool::{BM25, FEW_DOCUMENTS, Pool, rarity};
use crate::Result;

/// The candidates that are asked.
pub(super) const ASKED: usize = 2;

/// Words that are taken from them.
const WORDS: usize = 10;

/// What all of them together count, beside all words of the question, if the
/// candidates are long. A short one uses each word once and hardly shows what it
/// is about: at so many words theirs count half as much.
const COUNT: f32 = 0.5;
const HALF_AT: f32 = 200.0;

/// How much of a candidate is looked at: bytes, and different words.
const TEXT_BYTES: usize = 64 * 1024;
const DIFFERENT_WORDS: usize = 512;

/// A candidate that is asked.
#[derive(Debug, Clone)]
pub(super) struct Asked {
    /// Its text.
    pub(super) text: String,
    /// How well it fits.
    pub(super) fit: f64,
}

/// Words of the best candidates, and how often every candidate has them.
pub(super) struct Feedback {
    /// What all of them together count, beside all words of the question.
    pub(super) count: f32,
    /// What each word counts.
    pub(super) weights: Vec<f32>,
    /// How often each occurs.
    pub(super) frequencies: Frequencies,
}

#[derive(Debug, Clone, Copy)]
struct Word {
    hash: u64,
    /// How much it tells about the candidates that were asked.
    telling: f32,
    /// How rare it is here.
    rarity: f32,
}

impl Feedback {
    /// Takes the words from the best candidates; none if nothing else has any.
    ///
    /// # Errors
    /// When the index is damaged.
    pub(super) fn of(snapshot: &Snapshot, pool: &Pool, asked: &[Asked]) -> Result<Option<Self>> {
        let all: f64 = asked.iter().map(|asked| asked.fit).sum();
        #[expect(clippy::cast_possible_truncation, reason = "a share")]
        let counted: Vec<(f32, Counted)> =
            asked.iter().map(|asked| ((asked.fit / all) as f32, Counted::of(&asked.text))).collect();
        let words = words(snapshot, &counted)?;
        if words.is_empty() {
            return Ok(None);
        }
        let length: f32 = counted.iter().map(|(share, counted)| share * counted.length as f32).sum();
        let hashes: Vec<u64> = words.iter().map(|word| word.hash).collect();
        let frequencies = snapshot.frequencies_of(&pool.documents, &hashes)?;
        // A word counts by its rarity, as those of a question do, and by how much it tells.
        Ok(Some(Self {
            count: COUNT * length / (length + HALF_AT),
            weights: words.iter().map(|word| word.telling * word.rarity).collect(),
            frequencies,
        }))
    }
}

#[expect(clippy::cast_precision_loss, reason = "counts of words and documents")]
fn words(snapshot: &Snapshot, counted: &[(f32, Counted)]) -> Result<Vec<Word>> {
    let hashes: Vec<u64> = counted.iter().flat_map(|(_, counted)| counted.counts.keys().copied()).collect();
    let statistics = snapshot.statistics(&snapshot.shards(), &hashes)?;
    let average = (statistics.total_length as f32 / statistics.documents.max(1) as f32).max(1.0);
    let mut words: BTreeMap<u64, Word> = BTreeMap::new();
    let mut frequencies = statistics.document_frequencies.iter();
    for (share, counted) in counted {
        for ((hash, count), frequency) in counted.counts.iter().zip(&mut frequencies) {
            // A word that nothing else has leads nowhere.
            if *frequency < 2 {
                continue;
            }
            let rarity = rarity((statistics.documents as f64).max(FEW_DOCUMENTS), *frequency as f64);
            let word = words.entry(*hash).or_insert(Word { hash: *hash, telling: 0.0, rarity });
            word.telling += share * rarity * BM25.presence(*count as f32, counted.length as f32 / average);
        }
    }
    let mut words: Vec<Word> = words.into_values().collect();
    words.sort_by(|a, b| b.telling.total_cmp(&a.telling).then(a.hash.cmp(&b.hash)));
    words.truncate(WORDS);
    Ok(words)
}

// The telling words of a text: the hash of each, and how often it occurs.
struct Counted {
    counts: BTreeMap<u64, u32>,
    length: u32,
}

impl Counted {
    fn of(text: &str) -> Self {
        let text = &text[..text.floor_char_boundary(TEXT_BYTES)];
        let mut counts: HashMap<u64, u32> = HashMap::new();
        let mut length = 0_u32;
        lexical::for_each_term(text, |term, _| {
            length = length.saturating_add(1);
            if !lexical::is_stop_word(term) {
                *counts.entry(lexical::term_hash(term)).or_default() += 1;
            }
        });
        let mut counts: Vec<(u64, u32)> = counts.into_iter().collect();
        counts.sort_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(&b.0)));
        counts.truncate(DIFFERENT_WORDS);
        Self { counts: counts.into_iter().collect(), length }
    }
}
