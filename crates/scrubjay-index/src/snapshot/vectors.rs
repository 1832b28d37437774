//! Searching by vectors.

use super::leaf::Leaf;
use super::top::{Scored, Top};
use super::view::{DocId, Shard, Snapshot};
use crate::error::Result;
use crate::item::Row;
use crate::vector::{Candidate, VectorQuery, VectorSection};

/// A vector that looks promising, with the place of its leaf.
struct Promising {
    leaf: usize,
    key: u64,
    candidate: Candidate,
}

impl Snapshot {
    /// The `limit` live documents whose vectors of a generation are closest to the query, among those the filter
    /// accepts. The score is the cosine of the best vector of the document. The `rescore` vectors that look closest
    /// are compared exactly; the filter is asked about documents that would be among them.
    ///
    /// # Errors
    /// [`crate::IndexError::Invalid`] if there is no such shard or the query has other dimensions,
    /// [`crate::IndexError::Damaged`].
    pub fn vector_top(
        &self,
        shards: &[Shard],
        generation: u64,
        query: &VectorQuery,
        filter: &dyn Fn(&Row) -> bool,
        limit: usize,
        rescore: usize,
    ) -> Result<Vec<Scored>> {
        let leaves = self.all_leaves(shards)?;
        let mut promising = Vec::new();
        for (place, (_, _, leaf)) in leaves.iter().enumerate() {
            if let Some(section) = leaf.segment.vectors(generation) {
                scan(leaf, place, section, query, filter, rescore.max(limit), &mut promising)?;
            }
        }
        promising.sort_unstable_by(|one, other| {
            let by_estimate = other.candidate.estimate.total_cmp(&one.candidate.estimate);
            by_estimate.then(one.key.cmp(&other.key)).then(one.leaf.cmp(&other.leaf))
        });
        promising.truncate(rescore.max(limit));
        promising.sort_unstable_by_key(|found| (found.leaf, found.candidate.vector));
        let mut top = Top::new(limit);
        for group in promising.chunk_by(|one, other| one.leaf == other.leaf) {
            let (shard, segment, leaf) = leaves[group[0].leaf];
            if let Some(section) = leaf.segment.vectors(generation) {
                let document = |ordinal| DocId { shard, segment, ordinal };
                score(section, query, group, &mut top, document)?;
            }
        }
        Ok(top.into_sorted())
    }

    /// The cosines of all vectors of a generation of one document with the query.
    ///
    /// # Errors
    /// [`crate::IndexError::Invalid`] if the document is not of this snapshot or the query has other dimensions,
    /// [`crate::IndexError::Damaged`].
    pub fn cosines(&self, document: DocId, generation: u64, query: &VectorQuery) -> Result<Vec<f32>> {
        match self.leaf_of(document)?.segment.vectors(generation) {
            Some(section) => {
                section.vectors_of(document.ordinal)?.map(|vector| section.cosine(query, vector)).collect()
            }
            None => Ok(Vec::new()),
        }
    }

    /// How many vectors of a generation the shards hold, the ones of deleted documents included.
    ///
    /// # Errors
    /// [`crate::IndexError::Invalid`] if there is no such shard.
    pub fn vectors(&self, shards: &[Shard], generation: u64) -> Result<usize> {
        let leaves = self.all_leaves(shards)?;
        Ok(leaves.iter().filter_map(|(_, _, leaf)| leaf.segment.vectors(generation)).map(VectorSection::len).sum())
    }
}

fn scan(
    leaf: &Leaf,
    place: usize,
    section: &VectorSection,
    query: &VectorQuery,
    filter: &dyn Fn(&Row) -> bool,
    limit: usize,
    promising: &mut Vec<Promising>,
) -> Result<()> {
    let mut failure = None;
    let mut admit = |ordinal: u32| {
        leaf.is_live(ordinal)
            && match leaf.segment.row(ordinal) {
                Ok(row) => filter(&row),
                Err(error) => {
                    failure.get_or_insert(error);
                    false
                }
            }
    };
    let found = section.scan(query, &mut admit, limit)?;
    if let Some(error) = failure {
        return Err(error);
    }
    for candidate in found {
        promising.push(Promising { leaf: place, key: leaf.segment.row(candidate.owner)?.key, candidate });
    }
    Ok(())
}

/// Scores the documents of a leaf's promising vectors, which are in the order of vectors, by their best vector.
fn score(
    section: &VectorSection,
    query: &VectorQuery,
    promising: &[Promising],
    top: &mut Top,
    document: impl Fn(u32) -> DocId,
) -> Result<()> {
    let mut vectors = Vec::with_capacity(promising.len());
    for found in promising.chunk_by(|one, other| one.candidate.owner == other.candidate.owner) {
        // Vectors of one document stand side by side; usually there is one.
        let owner = found[0].candidate.owner;
        let (mut first, mut last) = (found[0].candidate.vector, found[found.len() - 1].candidate.vector);
        while first > 0 && section.owner(first - 1)? == owner {
            first -= 1;
        }
        while (last as usize) + 1 < section.len() && section.owner(last + 1)? == owner {
            last += 1;
        }
        vectors.extend((first..=last).map(|vector| (found[0].key, Candidate { owner, vector, estimate: 0.0 })));
    }
    let candidates: Vec<Candidate> = vectors.iter().map(|vector| vector.1).collect();
    let cosines = section.rescore(query, &candidates)?;
    let scored: Vec<(u64, u32, f32)> =
        vectors.iter().zip(cosines).map(|((key, candidate), cosine)| (*key, candidate.owner, cosine)).collect();
    for same in scored.chunk_by(|one, other| one.1 == other.1) {
        let best = same.iter().map(|vector| vector.2).max_by(f32::total_cmp).unwrap_or(f32::MIN);
        let scored = Scored { document: document(same[0].1), key: same[0].0, score: best };
        if top.admits(scored) {
            top.insert(scored);
        }
    }
    Ok(())
}
