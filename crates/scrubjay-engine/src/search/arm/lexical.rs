//! The lexical arm: BM25F over text, speaker, path and file name, with the neighbouring turns as a weak field.
//!
//! The score is the share of the question's information that a candidate holds: BM25F divided by the sum of the terms'
//! weights. So it means the same for every question.

use std::collections::BTreeMap;

use scrubjay_core::lexical::{is_dialogue_word, is_stop_word};
use scrubjay_index::{Bm25, DocId, Frequencies, Snapshot, Statistics, TermQuery};

use super::super::candidates::Candidate;
use super::super::field::PerField;
use super::super::idf::idf;
use super::super::query::Query;
use super::time::{names_time, time_weight};
use crate::Result;
use crate::index::ASKS;

/// The parameters of BM25.
pub(in crate::search) const BM25: Bm25 = Bm25 { k1: 1.2, b: 0.75 };

/// The weight of a term in the neighbouring turns, beside one in the turn itself.
pub(in crate::search) const NEIGHBOUR_WEIGHT: f32 = 0.3;

/// What a question's terms add to the weight of its answer's neighbour field.
const ANSWER_WEIGHT: f32 = 0.5;

/// The weight of a term in the path, beside one in the text: all pieces of a file share its path, and the one that
/// says the word is meant.
const PATH_WEIGHT: f32 = 0.5;

/// The weight in texts of a term that the question holds only as part of a file's name: a text that mentions the file
/// is meant less than the file.
const FILE_NAME_TERM_WEIGHT: f32 = 0.2;

/// The texts that hold an exact name, at most.
const EXACT_NAME_TEXTS: u64 = 5;

/// Documents that are sampled for the average length with neighbours.
const LENGTH_SAMPLE: usize = 64;

/// What BM25F needs to know about the terms of a question and about the candidates.
pub(in crate::search) struct LexicalArm {
    /// How often each term occurs in each candidate.
    frequencies: Frequencies,
    /// The weight of each term: its idf, times its weight in the question.
    weights: PerField<Vec<f32>>,
    /// Whether any text holds the term, so that it is looked for in texts first.
    is_in_texts: Vec<bool>,
    /// The weight of lying in a time that the question names.
    time_weight: f32,
    /// The average length of a document, neighbours counted in.
    average_length: f32,
    terms: PerField<Vec<TermQuery>>,
    /// The terms of the text that say what the question is about: their place, their idf, and whether any text holds
    /// them.
    content: Vec<(usize, f32, bool)>,
    /// The places of terms that are exact names: a letter and a digit in them, or written as one, and hardly any text
    /// that holds them.
    exact_names: Vec<usize>,
}

impl LexicalArm {
    /// Looks the terms up.
    ///
    /// # Errors
    /// When the index is damaged.
    pub(in crate::search) fn look_up(
        snapshot: &Snapshot,
        query: &Query,
        documents: &[DocId],
        neighbours: bool,
    ) -> Result<Self> {
        let hashes: Vec<u64> = query.all_terms().iter().map(|term| term.hash).collect();
        let mut statistics = snapshot.statistics(&snapshot.shards(), &hashes)?;
        let alternatives: Vec<usize> = query.alternatives.iter().map(|other| other.term).collect();
        let terms = hashes.len() - alternatives.len();
        let others = statistics.document_frequencies.split_off(terms);
        for (term, frequency) in alternatives.iter().zip(others) {
            // As often as the term or its alternative, whichever is the more common.
            if let Some(own) = statistics.document_frequencies.get_mut(*term) {
                *own = (*own).max(frequency);
            }
        }
        let (mut weights, is_in_texts) = weigh(query, &statistics);
        let content = content_terms(query, &statistics);
        let exact_names = exact_names(query, &statistics);
        let time_weight = time_weight(snapshot, &query.times, statistics.documents)?;
        if time_weight > 0.0 {
            // The words that name a time are not looked for as words.
            for ((word, weight), path_weight) in query.words.iter().zip(&mut weights.text).zip(&mut weights.path) {
                if names_time(&query.times, word) {
                    (*weight, *path_weight) = (0.0, 0.0);
                }
            }
        }
        Ok(Self {
            frequencies: snapshot.frequencies_of(documents, &hashes)?.with_alternatives(terms, &alternatives),
            weights,
            is_in_texts,
            time_weight,
            average_length: average_length(snapshot, &statistics, neighbours)?,
            terms: query.terms.clone(),
            content,
            exact_names,
        })
    }

    /// The share of the question's information that a candidate holds.
    pub(in crate::search) fn bm25f(&self, candidates: &[Candidate], place: usize) -> f32 {
        let candidate = &candidates[place];
        let (mut held, all) = self.with_neighbours(candidates, &self.frequencies, &self.weights.text, place);
        let counts = self.terms.split(self.frequencies.of(place));
        let present = |(count, weight): (&u32, &f32)| if *count > 0 { *weight } else { 0.0 };
        held += counts.speaker.iter().zip(&self.weights.speaker).map(present).sum::<f32>();
        held += counts.file_name.iter().zip(&self.weights.file_name).map(present).sum::<f32>();
        // A term that the text holds does not count again in the path. One that other texts hold counts there no more
        // than if this text held it once.
        let length = self.frequencies.lengths()[place] as f32 / self.average_length;
        let once = BM25.presence(1.0, length).min(1.0);
        for (term, counted) in counts.path.iter().zip(&self.weights.path).enumerate() {
            if !self.is_in_texts[term] {
                held += present(counted);
            } else if counts.text[term] == 0 {
                held += present(counted) * once;
            }
        }
        held += self.time_weight * candidate.time_fit;
        if all > 0.0 { held / all } else { held.min(1.0) }
    }

    /// Counts the terms of a passage in the place of those of the whole text.
    pub(in crate::search) fn narrow(&mut self, place: usize, counts: &BTreeMap<usize, u32>, length: u32) {
        let mut part = self.frequencies.of(place).to_vec();
        for (term, count) in part.iter_mut().take(self.terms.text.len()).enumerate() {
            *count = counts.get(&term).copied().unwrap_or(0);
        }
        self.frequencies.narrow(place, &part, length);
    }

    /// Takes a text for so long.
    pub(in crate::search) fn lengthen(&mut self, place: usize, length: u32) {
        let whole = self.frequencies.of(place).to_vec();
        self.frequencies.narrow(place, &whole, length);
    }

    /// The share of the content terms' idf that the candidate's own text holds.
    pub(in crate::search) fn coverage(&self, place: usize) -> f32 {
        let counts = self.frequencies.of(place);
        let all: f32 = self.content.iter().map(|(_, idf, _)| idf).sum();
        let held: f32 = self.content.iter().filter(|(term, ..)| counts[*term] > 0).map(|(_, idf, _)| idf).sum();
        if all > 0.0 { held / all } else { 0.0 }
    }

    /// Which of the content terms the candidate's own text holds, a bit each; the first 64 of them count.
    pub(in crate::search) fn held_terms(&self, place: usize) -> u64 {
        let counts = self.frequencies.of(place);
        let bits = self.content.iter().take(64).enumerate().filter(|(_, (term, ..))| counts[*term] > 0);
        bits.fold(0, |held, (bit, _)| held | 1 << bit)
    }

    /// Whether the candidate's own text holds an exact name of the question, such as an identifier.
    pub(in crate::search) fn holds_exact_name(&self, place: usize) -> bool {
        let counts = self.frequencies.of(place);
        self.exact_names.iter().any(|term| counts[*term] > 0)
    }

    /// The idf of each content term, and whether any text holds it.
    pub(in crate::search) fn content_idfs(&self) -> Vec<(f32, bool)> {
        self.content.iter().map(|(_, idf, is_known)| (*idf, *is_known)).collect()
    }

    /// How many terms a candidate's text has.
    pub(in crate::search) fn length(&self, place: usize) -> f32 {
        self.frequencies.lengths()[place] as f32
    }

    /// The weight of the terms that a candidate and its neighbours hold, and the weight of all of them.
    pub(in crate::search) fn with_neighbours(
        &self,
        candidates: &[Candidate],
        frequencies: &Frequencies,
        weights: &[f32],
        place: usize,
    ) -> (f32, f32) {
        let candidate = &candidates[place];
        let beside = [
            candidate.before.map(|before| (before, NEIGHBOUR_WEIGHT + answer_weight(&candidates[before], candidate))),
            candidate.after.map(|after| (after, NEIGHBOUR_WEIGHT)),
        ];
        let beside = || beside.iter().flatten();
        let lengths = frequencies.lengths();
        let mut length = lengths[place] as f32;
        length += beside().map(|(place, share)| share * lengths[*place] as f32).sum::<f32>();
        let own = frequencies.of(place);
        let (mut held, mut all) = (0.0, 0.0);
        for (term, weight) in weights.iter().enumerate() {
            let mut frequency = own[term] as f32;
            frequency += beside().map(|(place, share)| share * frequencies.of(*place)[term] as f32).sum::<f32>();
            all += weight;
            held += weight * BM25.presence(frequency, length / self.average_length);
        }
        (held, all)
    }
}

// The weights of all terms, and which of the terms any text holds.
#[expect(clippy::cast_precision_loss, reason = "counts of documents")]
fn weigh(query: &Query, statistics: &Statistics) -> (PerField<Vec<f32>>, Vec<bool>) {
    let documents = statistics.documents as f64;
    let frequencies = statistics.document_frequencies.iter().map(|frequency| *frequency as f64);
    let flat = query.terms.flat();
    let weighted: Vec<f32> =
        flat.iter().zip(frequencies).map(|(term, frequency)| term.weight * idf(documents, frequency)).collect();
    let split = query.terms.split(&weighted);
    let mut weights = PerField {
        text: split.text.to_vec(),
        speaker: split.speaker.to_vec(),
        path: split.path.to_vec(),
        file_name: split.file_name.to_vec(),
    };
    let found = query.terms.split(&statistics.document_frequencies);
    // What looks like a file may be something else, such as a product with a dot in its name.
    let is_a_file = found.file_name.iter().any(|frequency| *frequency > 0);
    let mut is_in_texts = vec![false; query.terms.text.len()];
    for (place, (in_text, in_path)) in weights.text.iter_mut().zip(&mut weights.path).enumerate() {
        if is_a_file && query.only_in_file_names[place] {
            // A path is asked for, and looked for in paths.
            *in_text *= FILE_NAME_TERM_WEIGHT;
        } else if found.text[place] > 0 {
            // However rare the term is in paths: a text that holds it is more likely meant.
            *in_path = PATH_WEIGHT * in_path.min(*in_text);
            is_in_texts[place] = true;
        } else if found.path[place] > 0 {
            // A term that no text holds is as rare as it is in paths.
            *in_path *= PATH_WEIGHT;
            *in_text = *in_path;
        }
    }
    (weights, is_in_texts)
}

#[expect(clippy::cast_precision_loss, reason = "counts of documents")]
fn content_terms(query: &Query, statistics: &Statistics) -> Vec<(usize, f32, bool)> {
    let documents = statistics.documents as f64;
    let is_content = |word: &str| !is_stop_word(word) && !is_dialogue_word(word);
    let words = query.words.iter().take(query.own_words).zip(&statistics.document_frequencies).enumerate();
    words
        .filter(|(_, (word, _))| is_content(word))
        .map(|(term, (_, frequency))| (term, idf(documents, *frequency as f64), *frequency > 0))
        .collect()
}

fn exact_names(query: &Query, statistics: &Statistics) -> Vec<usize> {
    let is_name = |word: &str| {
        let has_both = word.chars().any(char::is_alphabetic) && word.chars().any(char::is_numeric);
        has_both || query.identifiers.contains(word)
    };
    let words = query.words.iter().take(query.own_words).zip(&statistics.document_frequencies).enumerate();
    let exact = words.filter(|(_, (word, frequency))| (1..=EXACT_NAME_TEXTS).contains(*frequency) && is_name(word));
    exact.map(|(term, _)| term).collect()
}

// A question and the answer after it belong together.
fn answer_weight(before: &Candidate, candidate: &Candidate) -> f32 {
    let asks = before.row.columns.flags & ASKS != 0;
    if asks && before.row.columns.role_hash != candidate.row.columns.role_hash { ANSWER_WEIGHT } else { 0.0 }
}

// The average length with the share of neighbours in it; how many documents have any is seen in a sample.
#[expect(clippy::cast_precision_loss, reason = "counts of documents")]
fn average_length(snapshot: &Snapshot, statistics: &Statistics, neighbours: bool) -> Result<f32> {
    let own = (statistics.total_length as f32 / statistics.documents.max(1) as f32).max(1.0);
    if !neighbours {
        return Ok(own);
    }
    let sample = snapshot.sample(&snapshot.shards(), LENGTH_SAMPLE)?;
    let mut beside = 0;
    for document in &sample {
        let around = snapshot.neighbours(*document, 1, 1)?;
        beside += around.before.len() + around.after.len();
    }
    Ok(own * (1.0 + NEIGHBOUR_WEIGHT * beside as f32 / sample.len().max(1) as f32))
}
