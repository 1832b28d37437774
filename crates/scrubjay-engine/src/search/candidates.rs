//! The candidates of a question: what any arm proposes, and the turns beside those.
//!
//! Every candidate is then scored by every arm, so that nothing counts as absent only because it was not among an
//! arm's first.

use std::collections::{BTreeMap, BTreeSet};

use scrubjay_core::time::Timestamp;
use scrubjay_index::vector::recommended_rescore;
use scrubjay_index::{DocId, Row, Snapshot, TermQuery};

use super::alike::Likeness;
use super::arm::lexical::{BM25, LexicalArm};
use super::arm::time::{is_inside, time_fit};
use super::arm::vector::NullDistribution;
use super::query::Query;
use super::question::Arms;
use crate::Result;
use crate::index::{is_chunk, is_episode};

/// How many candidates are gathered.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sizes {
    /// By each arm.
    pub(super) per_arm: usize,
    /// Of those, how many bring their neighbours along.
    pub(super) with_neighbours: usize,
}

/// One candidate.
#[derive(Debug, Clone)]
pub(super) struct Candidate {
    pub(super) row: Row,
    /// Whether the conditions admit it; a neighbour need not.
    pub(super) is_admitted: bool,
    /// The cosines of its windows with the question.
    pub(super) cosines: Vec<f32>,
    /// How strongly the names in the question point to it, 0 to 1.
    pub(super) entity_score: f32,
    /// Whether it holds a phrase that the question quotes.
    pub(super) holds_phrase: bool,
    /// How well it lies in a time that the question names, 0 to 1.
    pub(super) time_fit: f32,
    /// The candidates before and after it in its conversation or file.
    pub(super) before: Option<usize>,
    pub(super) after: Option<usize>,
}

impl Candidate {
    /// The cosine of the window that fits best.
    pub(super) fn cosine(&self) -> Option<f32> {
        self.cosines.iter().copied().reduce(f32::max)
    }

    /// Whether it is part of no conversation: a piece of a file, or a text that was stored by itself. Facts are not
    /// meant, which stand for the turns they were drawn from.
    pub(super) fn is_document(&self) -> bool {
        let stands_alone = self.before.is_none() && self.after.is_none();
        is_chunk(&self.row.columns) || (is_episode(&self.row.columns) && stands_alone)
    }

    /// Which window that is; the first if there is no vector.
    pub(super) fn nearest_window(&self) -> usize {
        let windows = self.cosines.iter().enumerate();
        windows.max_by(|a, b| a.1.total_cmp(b.1)).map_or(0, |(place, _)| place)
    }
}

/// All candidates, with what the arms need to score them.
pub(super) struct CandidateSet {
    pub(super) candidates: Vec<Candidate>,
    /// The same as the index knows them.
    pub(super) documents: Vec<DocId>,
    pub(super) lexical: LexicalArm,
    /// What the similarity with this question is measured against.
    pub(super) null_distribution: Option<NullDistribution>,
    /// How much alike the best of them are; empty until they are compared.
    pub(super) likeness: Likeness,
}

/// Gathers the candidates.
///
/// # Errors
/// When the index is damaged.
pub(super) fn gather(
    snapshot: &Snapshot,
    query: &Query,
    arms: Arms,
    entity_scores: &BTreeMap<u64, f32>,
    admits: &(dyn Fn(&Row) -> bool + Sync),
    sizes: Sizes,
) -> Result<CandidateSet> {
    let mut proposed = Proposed::default();
    if arms.lexical {
        let found = snapshot.lexical_top(&snapshot.shards(), &query.all_terms(), &BM25, admits, sizes.per_arm)?;
        proposed.add(found.iter().map(|scored| scored.document), sizes.with_neighbours);
    }
    propose_by_vector(snapshot, query, admits, sizes, &mut proposed)?;
    propose_by_key(snapshot, entity_scores.keys().chain(&query.exact), admits, &mut proposed)?;
    if !query.times.is_empty() {
        propose_by_time(snapshot, query, admits, sizes.per_arm, &mut proposed)?;
    }
    let beside = if arms.neighbours { proposed.add_neighbours(snapshot)? } else { BTreeMap::new() };
    let lexical = LexicalArm::look_up(snapshot, query, &proposed.documents, arms.neighbours)?;
    let candidates = score_alone(snapshot, query, entity_scores, admits, &proposed, &beside)?;
    let null_distribution = match &query.vector {
        Some(vector) => Some(NullDistribution::sample(snapshot, vector, arms.neighbours)?),
        None => None,
    };
    Ok(CandidateSet {
        candidates,
        documents: proposed.documents,
        lexical,
        null_distribution,
        likeness: Likeness::default(),
    })
}

/// The documents before and after one.
type Beside = (Option<DocId>, Option<DocId>);

#[derive(Default)]
struct Proposed {
    /// Each once, in the order of the proposals.
    documents: Vec<DocId>,
    places: BTreeMap<DocId, usize>,
    /// Those whose neighbours join.
    leading: Vec<DocId>,
}

impl Proposed {
    fn join(&mut self, document: DocId) {
        let documents = &mut self.documents;
        self.places.entry(document).or_insert_with(|| {
            documents.push(document);
            documents.len() - 1
        });
    }

    // The first so many lead.
    fn add(&mut self, documents: impl Iterator<Item = DocId>, leading: usize) {
        for (rank, document) in documents.enumerate() {
            self.join(document);
            if rank < leading {
                self.leading.push(document);
            }
        }
    }

    fn add_neighbours(&mut self, snapshot: &Snapshot) -> Result<BTreeMap<DocId, Beside>> {
        for document in self.leading.iter().copied().collect::<BTreeSet<_>>() {
            let around = snapshot.neighbours(document, 1, 1)?;
            for neighbour in around.before.iter().chain(&around.after) {
                self.join(*neighbour);
            }
        }
        // Those that joined need their own neighbours for their scores, too.
        let mut beside: BTreeMap<DocId, Beside> = BTreeMap::new();
        for document in &self.documents {
            let around = snapshot.neighbours(*document, 1, 1)?;
            beside.insert(*document, (around.before.first().copied(), around.after.first().copied()));
        }
        for document in beside.values().flat_map(|(before, after)| [*before, *after]).flatten() {
            self.join(document);
        }
        Ok(beside)
    }
}

fn propose_by_vector(
    snapshot: &Snapshot,
    query: &Query,
    admits: &(dyn Fn(&Row) -> bool + Sync),
    sizes: Sizes,
    proposed: &mut Proposed,
) -> Result<()> {
    let Some(vector) = &query.vector else { return Ok(()) };
    let shards = snapshot.shards();
    let rescore = recommended_rescore(snapshot.vectors(&shards, vector.generation)?).max(sizes.per_arm);
    let admits = |row: &Row| admits(row);
    let found =
        snapshot.vector_top(&shards, vector.generation, &vector.vector, Some(&admits), sizes.per_arm, rescore)?;
    proposed.add(found.iter().map(|scored| scored.document), sizes.with_neighbours);
    Ok(())
}

fn propose_by_key<'a>(
    snapshot: &Snapshot,
    keys: impl Iterator<Item = &'a u64>,
    admits: &(dyn Fn(&Row) -> bool + Sync),
    proposed: &mut Proposed,
) -> Result<()> {
    let shards = snapshot.shards();
    for key in keys {
        for shard in &shards {
            if let Some(document) = snapshot.find(*shard, *key)?
                && admits(&snapshot.row(document)?)
            {
                proposed.add(std::iter::once(document), 1);
            }
        }
    }
    Ok(())
}

// A question that names a time is about what happened then: the best of each arm among those moments are candidates,
// however they compare with the rest.
fn propose_by_time(
    snapshot: &Snapshot,
    query: &Query,
    admits: &(dyn Fn(&Row) -> bool + Sync),
    count: usize,
    proposed: &mut Proposed,
) -> Result<()> {
    let shards = snapshot.shards();
    let inside = |row: &Row| is_inside(&query.times, row) && admits(row);
    let terms = &query.terms;
    let terms: Vec<TermQuery> = terms.text.iter().chain(&terms.path).chain(&terms.file_name).copied().collect();
    let found = snapshot.lexical_top(&shards, &terms, &BM25, &inside, count)?;
    proposed.add(found.iter().map(|scored| scored.document), 0);
    if let Some(vector) = &query.vector {
        let found = snapshot.vector_top(&shards, vector.generation, &vector.vector, Some(&inside), count, count)?;
        proposed.add(found.iter().map(|scored| scored.document), 0);
    }
    Ok(())
}

fn score_alone(
    snapshot: &Snapshot,
    query: &Query,
    entity_scores: &BTreeMap<u64, f32>,
    admits: &(dyn Fn(&Row) -> bool + Sync),
    proposed: &Proposed,
    beside: &BTreeMap<DocId, Beside>,
) -> Result<Vec<Candidate>> {
    let mut candidates = Vec::with_capacity(proposed.documents.len());
    for document in &proposed.documents {
        let row = snapshot.row(*document)?;
        let cosines = match &query.vector {
            Some(vector) => snapshot.cosines(*document, vector.generation, &vector.vector)?,
            None => Vec::new(),
        };
        let (before, after) = beside.get(document).copied().unwrap_or_default();
        let place_of = |document: Option<DocId>| document.and_then(|document| proposed.places.get(&document).copied());
        candidates.push(Candidate {
            row,
            is_admitted: admits(&row),
            cosines,
            entity_score: entity_scores.get(&row.key).copied().unwrap_or(0.0),
            holds_phrase: query.exact.contains(&row.key),
            time_fit: time_fit(&query.times, Timestamp::from_millis(row.columns.event_time)),
            before: place_of(before),
            after: place_of(after),
        });
    }
    Ok(candidates)
}
