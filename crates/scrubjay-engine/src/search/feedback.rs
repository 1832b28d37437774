//! Pseudo-relevance feedback: terms of the best candidates, looked for in the others.
//!
//! An answer is often spread over several memories, and a question names only what they share, in its own words. The
//! best two candidates say more about it: the terms that are frequent in them and rare elsewhere. A candidate that
//! holds those terms, too, is lifted a little. Only candidates are looked at, so that a wrong first hit leads nowhere
//! that the question did not.

use std::collections::{BTreeMap, HashMap};

use scrubjay_core::lexical;
use scrubjay_index::{Frequencies, Snapshot};

use super::arm::lexical::BM25;
use super::candidates::CandidateSet;
use super::idf::idf;
use crate::Result;

/// The candidates that feedback terms come from.
pub(super) const FEEDBACK_TOP_K: usize = 2;

/// Terms that are taken from them.
const TERMS: usize = 10;

/// The weight of all feedback terms together, beside all words of the question, if the candidates are long. A short
/// one uses each word once and hardly shows what it is about: at `HALF_WEIGHT_AT` words the weight is half of it.
const FEEDBACK_WEIGHT: f32 = 0.5;
const HALF_WEIGHT_AT: f32 = 200.0;

/// How much of a candidate is looked at: bytes, and different words.
const TEXT_BYTES: usize = 64 * 1024;
const DIFFERENT_WORDS: usize = 512;

/// A candidate that feedback terms come from.
#[derive(Debug, Clone)]
pub(super) struct FeedbackDocument {
    /// Its text.
    pub(super) text: String,
    /// Its relevance.
    pub(super) relevance: f64,
}

/// Terms of the best candidates, and how often every candidate holds them.
pub(super) struct Feedback {
    /// The weight of all of them together, beside all words of the question.
    pub(super) weight: f32,
    /// The weight of each.
    term_weights: Vec<f32>,
    /// How often each occurs in each candidate.
    frequencies: Frequencies,
}

#[derive(Debug, Clone, Copy)]
struct FeedbackTerm {
    hash: u64,
    /// Its tf-idf in the documents it comes from.
    tf_idf: f32,
    idf: f32,
}

impl Feedback {
    /// Takes the terms from the best candidates; none if nothing else holds any.
    ///
    /// # Errors
    /// When the index is damaged.
    pub(super) fn of(snapshot: &Snapshot, set: &CandidateSet, documents: &[FeedbackDocument]) -> Result<Option<Self>> {
        let all: f64 = documents.iter().map(|document| document.relevance).sum();
        #[expect(clippy::cast_possible_truncation, reason = "a share")]
        let counted: Vec<(f32, Counted)> =
            documents.iter().map(|document| ((document.relevance / all) as f32, Counted::of(&document.text))).collect();
        let terms = best_terms(snapshot, &counted)?;
        if terms.is_empty() {
            return Ok(None);
        }
        let length: f32 = counted.iter().map(|(share, counted)| share * counted.length as f32).sum();
        let hashes: Vec<u64> = terms.iter().map(|term| term.hash).collect();
        let frequencies = snapshot.frequencies_of(&set.documents, &hashes)?;
        Ok(Some(Self {
            weight: FEEDBACK_WEIGHT * length / (length + HALF_WEIGHT_AT),
            term_weights: terms.iter().map(|term| term.tf_idf * term.idf).collect(),
            frequencies,
        }))
    }

    /// The share of the feedback terms that a candidate and its neighbours hold.
    pub(super) fn score(&self, set: &CandidateSet, place: usize) -> f32 {
        let (held, all) = set.lexical.with_neighbours(&set.candidates, &self.frequencies, &self.term_weights, place);
        if all > 0.0 { held / all } else { 0.0 }
    }
}

#[expect(clippy::cast_precision_loss, reason = "counts of words and documents")]
fn best_terms(snapshot: &Snapshot, counted: &[(f32, Counted)]) -> Result<Vec<FeedbackTerm>> {
    let hashes: Vec<u64> = counted.iter().flat_map(|(_, counted)| counted.counts.keys().copied()).collect();
    let statistics = snapshot.statistics(&snapshot.shards(), &hashes)?;
    let average = (statistics.total_length as f32 / statistics.documents.max(1) as f32).max(1.0);
    let mut terms: BTreeMap<u64, FeedbackTerm> = BTreeMap::new();
    let mut frequencies = statistics.document_frequencies.iter();
    for (share, counted) in counted {
        for ((hash, count), frequency) in counted.counts.iter().zip(&mut frequencies) {
            // A term that nothing else holds leads nowhere.
            if *frequency < 2 {
                continue;
            }
            let idf = idf(statistics.documents as f64, *frequency as f64);
            let term = terms.entry(*hash).or_insert(FeedbackTerm { hash: *hash, tf_idf: 0.0, idf });
            term.tf_idf += share * idf * BM25.presence(*count as f32, counted.length as f32 / average);
        }
    }
    let mut terms: Vec<FeedbackTerm> = terms.into_values().collect();
    terms.sort_by(|a, b| b.tf_idf.total_cmp(&a.tf_idf).then(a.hash.cmp(&b.hash)));
    terms.truncate(TERMS);
    Ok(terms)
}

// The content words of a text: the hash of each, and how often it occurs.
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
