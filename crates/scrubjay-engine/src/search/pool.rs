//! The candidates of a question, and what every arm says about each of them.
//!
//! Each arm names its best; the turns beside those join them; then every
//! candidate is looked at by every arm, so that nothing counts as absent only
//! because it was not among an arm's first.

use std::collections::{BTreeMap, BTreeSet};

use scrubjay_core::lexical;
use scrubjay_core::time::Timestamp;
use scrubjay_core::when::NamedTime;
use scrubjay_index::vector::recommended_rescore;
use scrubjay_index::{Bm25, DocId, Frequencies, Row, Snapshot, Statistics, TermQuery};

use super::background::{self, Background, Cosines};
use super::query::{Query, QueryVector};
use super::question::Arms;
use super::rank::NEIGHBOUR_WORDS;
use crate::Result;

/// How words are ranked.
pub(super) const BM25: Bm25 = Bm25 { k1: 1.2, b: 0.75 };

/// Items that are looked at for how many are of a time.
const TIME_SAMPLE: usize = 4096;

/// A store with fewer items is taken for one with so many: in a store of one item
/// every word of it would be common, and only words that it lacks would be rare.
pub(super) const FEW_DOCUMENTS: f64 = 20.0;

/// What a time counts beside a word.
const TIME_WEIGHT: f32 = 2.0;

/// What it counts that a word of the question is in the path of a candidate that does not say it, beside a word in
/// its text: all pieces of a file share its path, and the one that says the word is meant.
const PATH_WEIGHT: f32 = 0.5;

/// What a word that is there only as part of a file's name counts in a text, beside another word: a text that mentions
/// the file is meant less than the file.
const IN_A_NAME: f32 = 0.2;

/// Items whose neighbours are counted for the average length.
const LENGTH_SAMPLE: usize = 64;

/// Candidates that each arm names.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sizes {
    /// By words, and by meaning.
    pub(super) per_arm: usize,
    /// Of those, how many bring the turns beside them along.
    pub(super) with_neighbours: usize,
}

/// One candidate.
#[derive(Debug, Clone)]
pub(super) struct Candidate {
    pub(super) row: Row,
    /// Whether the conditions admit it; a neighbour need not.
    pub(super) admitted: bool,
    /// The cosines of its windows with the question.
    pub(super) cosines: Vec<f32>,
    /// How much the names in the question point to it, 0 to 1.
    pub(super) named: f32,
    /// How well it lies in a time that the question names.
    pub(super) in_time: f32,
    /// The candidates before and after it in its conversation or file.
    pub(super) before: Option<usize>,
    pub(super) after: Option<usize>,
}

impl Candidate {
    /// The cosine of the window that fits best.
    pub(super) fn cosine(&self) -> Option<f32> {
        self.cosines.iter().copied().reduce(f32::max)
    }
}

/// All candidates, with what is needed to score them.
pub(super) struct Pool {
    pub(super) candidates: Vec<Candidate>,
    /// The same as the index knows them.
    pub(super) documents: Vec<DocId>,
    pub(super) frequencies: Frequencies,
    /// What each term of the question counts: its rarity here, times its weight.
    pub(super) term_weights: Vec<f32>,
    /// The same for its terms as parts of a speaker's name.
    pub(super) speaker_weights: Vec<f32>,
    /// The same for its terms as parts of a path.
    pub(super) path_weights: Vec<f32>,
    /// Whether texts have the term, and it is looked for in them.
    pub(super) said_elsewhere: Vec<bool>,
    /// What it counts to be in a file that the question names.
    pub(super) file_weights: Vec<f32>,
    /// What it counts to lie in a time that the question names.
    pub(super) time_weight: f32,
    /// The average length of what is searched, neighbours counted in.
    pub(super) average_length: f32,
    /// What is usual for the similarity with this question.
    pub(super) background: Option<Background>,
}

/// Gathers the candidates.
///
/// # Errors
/// When the index is damaged.
pub(super) fn gather(
    snapshot: &Snapshot,
    query: &Query,
    arms: Arms,
    named: &BTreeMap<u64, f32>,
    admits: &(dyn Fn(&Row) -> bool + Sync),
    sizes: Sizes,
) -> Result<Pool> {
    let shards = snapshot.shards();
    let mut order: Vec<DocId> = Vec::new();
    let mut places: BTreeMap<DocId, usize> = BTreeMap::new();
    let mut join = |document: DocId| -> usize {
        *places.entry(document).or_insert_with(|| {
            order.push(document);
            order.len() - 1
        })
    };
    let mut leading: Vec<DocId> = Vec::new();
    if arms.lexical {
        let found = snapshot.lexical_top(&shards, &all_terms(query), &BM25, admits, sizes.per_arm)?;
        for scored in &found {
            join(scored.document);
        }
        leading.extend(found.iter().take(sizes.with_neighbours).map(|scored| scored.document));
    }
    if let Some(vector) = &query.vector {
        let stored = snapshot.vectors(&shards, vector.generation)?;
        let rescore = recommended_rescore(stored).max(sizes.per_arm);
        let found = snapshot.vector_top(
            &shards,
            vector.generation,
            &vector.vector,
            Some(&|row: &Row| admits(row)),
            sizes.per_arm,
            rescore,
        )?;
        for scored in &found {
            join(scored.document);
        }
        leading.extend(found.iter().take(sizes.with_neighbours).map(|scored| scored.document));
    }
    for key in named.keys() {
        for shard in &shards {
            if let Some(document) = snapshot.find(*shard, *key)?
                && admits(&snapshot.row(document)?)
            {
                join(document);
                leading.push(document);
            }
        }
    }
    if !query.times.is_empty() {
        in_times(snapshot, query, admits, sizes.per_arm, &mut |document| {
            join(document);
        })?;
    }
    let mut beside: BTreeMap<DocId, (Option<DocId>, Option<DocId>)> = BTreeMap::new();
    if arms.neighbours {
        for document in leading.into_iter().collect::<BTreeSet<_>>() {
            let around = snapshot.neighbours(document, 1, 1)?;
            for neighbour in around.before.iter().chain(&around.after) {
                join(*neighbour);
            }
        }
        // Those that joined need their own neighbours for their scores, too.
        for document in order.clone() {
            let around = snapshot.neighbours(document, 1, 1)?;
            beside.insert(document, (around.before.first().copied(), around.after.first().copied()));
        }
        let more: Vec<DocId> = beside.values().flat_map(|(before, after)| [*before, *after]).flatten().collect();
        for document in more {
            places.entry(document).or_insert_with(|| {
                order.push(document);
                order.len() - 1
            });
        }
    }
    let terms = all_terms(query);
    let hashes: Vec<u64> = terms.iter().map(|term| term.hash).collect();
    let statistics = snapshot.statistics(&shards, &hashes)?;
    let mut term_weights = weights(&terms, &statistics);
    let mut speaker_weights = term_weights.split_off(query.terms.len());
    let mut path_weights = speaker_weights.split_off(query.speakers.len());
    let file_weights = path_weights.split_off(query.paths.len());
    let in_texts = &statistics.document_frequencies[..query.terms.len()];
    let in_paths = &statistics.document_frequencies[query.terms.len() + query.speakers.len()..];
    // What looks like a file may be something else, such as a product with a dot in its name.
    let is_a_file = in_paths[query.paths.len()..].iter().any(|frequency| *frequency > 0);
    let mut said_elsewhere = vec![false; query.terms.len()];
    for (place, (in_text, in_path)) in term_weights.iter_mut().zip(&mut path_weights).enumerate() {
        if is_a_file && query.of_files[place] {
            // A path is asked for, and looked for in paths.
            *in_text *= IN_A_NAME;
        } else if in_texts[place] > 0 {
            // However rare it is in paths: a text that says a word is rather meant than one that lies there.
            *in_path = PATH_WEIGHT * in_path.min(*in_text);
            said_elsewhere[place] = true;
        } else if in_paths[place] > 0 {
            // A word that is in no text, but in a path, is as rare as it is there.
            *in_path *= PATH_WEIGHT;
            *in_text = *in_path;
        }
    }
    let time_weight = time_weight(snapshot, query, statistics.documents)?;
    if time_weight > 0.0 {
        // The words that name a time are not looked for as words.
        for ((word, weight), path_weight) in query.words.iter().zip(&mut term_weights).zip(&mut path_weights) {
            let names_time = |named: &NamedTime| named.words.iter().any(|part| lexical::terms(part).contains(word));
            if query.times.iter().any(names_time) {
                (*weight, *path_weight) = (0.0, 0.0);
            }
        }
    }
    let frequencies = snapshot.frequencies_of(&order, &hashes)?;
    let mut candidates = Vec::with_capacity(order.len());
    for document in &order {
        let row = snapshot.row(*document)?;
        let cosines = match &query.vector {
            Some(vector) => snapshot.cosines(*document, vector.generation, &vector.vector)?,
            None => Vec::new(),
        };
        let around = beside.get(document);
        let place_of = |document: Option<DocId>| document.and_then(|document| places.get(&document).copied());
        let time = Timestamp::from_millis(row.columns.event_time);
        candidates.push(Candidate {
            row,
            admitted: admits(&row),
            cosines,
            named: named.get(&row.key).copied().unwrap_or(0.0),
            in_time: fit(query, time),
            before: place_of(around.and_then(|around| around.0)),
            after: place_of(around.and_then(|around| around.1)),
        });
    }
    let background = match &query.vector {
        Some(vector) => Some(background(snapshot, vector, arms.neighbours)?),
        None => None,
    };
    let average_length = average_length(snapshot, &statistics, arms.neighbours)?;
    Ok(Pool {
        candidates,
        documents: order,
        frequencies,
        term_weights,
        speaker_weights,
        path_weights,
        said_elsewhere,
        file_weights,
        time_weight,
        average_length,
        background,
    })
}

fn all_terms(query: &Query) -> Vec<TermQuery> {
    query.terms.iter().chain(&query.speakers).chain(&query.paths).chain(&query.files).copied().collect()
}

fn fit(query: &Query, time: Timestamp) -> f32 {
    query.times.iter().map(|named| named.span.fit(time)).fold(0.0, f32::max)
}

// A time counts like a word that occurs as often as there are items of that
// time; how many that are is seen in a sample.
#[expect(clippy::cast_precision_loss, reason = "counts of documents")]
fn time_weight(snapshot: &Snapshot, query: &Query, documents: u64) -> Result<f32> {
    if query.times.is_empty() {
        return Ok(0.0);
    }
    let sample = snapshot.sample(&snapshot.shards(), TIME_SAMPLE)?;
    let mut fitting = 0.0;
    for document in &sample {
        fitting += fit(query, Timestamp::from_millis(snapshot.row(*document)?.columns.event_time));
    }
    if fitting == 0.0 {
        return Ok(0.0);
    }
    Ok(TIME_WEIGHT * rarity(documents as f64, f64::from(fitting) * documents as f64 / sample.len() as f64))
}

#[expect(clippy::cast_possible_truncation, reason = "a logarithm of counts")]
pub(super) fn rarity(documents: f64, frequency: f64) -> f32 {
    (1.0 + (documents - frequency + 0.5) / (frequency + 0.5)).ln() as f32
}

fn background(snapshot: &Snapshot, vector: &QueryVector, neighbours: bool) -> Result<Background> {
    let cosine = |document: DocId| -> Result<Option<f32>> {
        Ok(snapshot.cosines(document, vector.generation, &vector.vector)?.into_iter().reduce(f32::max))
    };
    background::measure(snapshot, vector, |document| {
        let Some(own) = cosine(document)? else { return Ok(None) };
        if !neighbours {
            return Ok(Some(Cosines { own, before: None, after: None }));
        }
        let around = snapshot.neighbours(document, 1, 1)?;
        let beside = |documents: &[DocId]| documents.first().map_or(Ok(None), |document| cosine(*document));
        Ok(Some(Cosines { own, before: beside(&around.before)?, after: beside(&around.after)? }))
    })
}

// What a term counts: the rarer here, the more.
#[expect(clippy::cast_precision_loss, reason = "counts of documents")]
fn weights(terms: &[TermQuery], statistics: &Statistics) -> Vec<f32> {
    let documents = (statistics.documents as f64).max(FEW_DOCUMENTS);
    let frequencies = statistics.document_frequencies.iter().map(|frequency| *frequency as f64);
    terms.iter().zip(frequencies).map(|(term, frequency)| term.weight * rarity(documents, frequency)).collect()
}

// Lengths with a share of the neighbours in them; how many documents have any is
// seen in a few of them.
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
    Ok(own * (1.0 + NEIGHBOUR_WORDS * beside as f32 / sample.len().max(1) as f32))
}

// A question that names a time is about what happened then: the best of each arm
// among those moments are candidates too, however they compare with the rest.
fn in_times(
    snapshot: &Snapshot,
    query: &Query,
    admits: &(dyn Fn(&Row) -> bool + Sync),
    count: usize,
    join: &mut dyn FnMut(DocId),
) -> Result<()> {
    let shards = snapshot.shards();
    let inside = |row: &Row| {
        let time = Timestamp::from_millis(row.columns.event_time);
        fit(query, time) > 0.0 && admits(row)
    };
    let terms: Vec<TermQuery> = query.terms.iter().chain(&query.paths).chain(&query.files).copied().collect();
    for scored in snapshot.lexical_top(&shards, &terms, &BM25, &inside, count)? {
        join(scored.document);
    }
    if let Some(vector) = &query.vector {
        for scored in snapshot.vector_top(&shards, vector.generation, &vector.vector, Some(&inside), count, count)? {
            join(scored.document);
        }
    }
    Ok(())
}
