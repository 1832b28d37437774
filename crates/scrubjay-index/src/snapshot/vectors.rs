//! Searching by vectors.

use super::leaf::Leaf;
use super::top::{Scored, Top};
use super::view::{DocId, Shard, Snapshot};
use crate::error::Result;
use crate::item::Row;
use crate::vector::{Candidate, VectorQuery, VectorSection};

/// A vector that looks promising, with the place of its leaf.
#[derive(Clone, Copy)]
struct Promising {
    leaf: usize,
    candidate: Candidate,
}

impl Snapshot {
    /// The `limit` live documents whose vectors of a generation are closest to the query, among those the filter
    /// accepts; without a filter, among all. The score is the cosine of the best vector of the document. The `rescore`
    /// vectors that look closest are compared exactly; the filter is asked about documents that would be among them.
    ///
    /// # Errors
    /// [`crate::IndexError::Invalid`] if there is no such shard or the query has other dimensions,
    /// [`crate::IndexError::Damaged`].
    pub fn vector_top(
        &self,
        shards: &[Shard],
        generation: u64,
        query: &VectorQuery,
        filter: Option<&dyn Fn(&Row) -> bool>,
        limit: usize,
        rescore: usize,
    ) -> Result<Vec<Scored>> {
        let leaves = self.all_leaves(shards)?;
        let mut sections: Vec<(usize, &Leaf, &VectorSection)> = Vec::with_capacity(leaves.len());
        for (place, (_, _, leaf)) in leaves.iter().enumerate() {
            sections.extend(leaf.segment.vectors(generation).map(|section| (place, *leaf, section)));
        }
        // The largest first: what it finds leaves little to find in the others.
        sections.sort_by_key(|(_, _, section)| std::cmp::Reverse(section.len()));
        let mut shortlist = Shortlist { wanted: rescore.max(limit), found: Vec::new(), floor: None };
        for (place, leaf, section) in &sections {
            let found = scan(leaf, section, query, filter, &shortlist)?;
            shortlist.extend(found.into_iter().map(|candidate| Promising { leaf: *place, candidate }));
        }
        let key = |found: &Promising| Ok(leaves[found.leaf].2.segment.row(found.candidate.owner)?.key);
        let mut promising = shortlist.cut(key)?;
        promising.sort_unstable_by_key(|found| (found.leaf, found.candidate.vector));
        let mut top = Top::new(limit);
        for group in promising.chunk_by(|one, other| one.leaf == other.leaf) {
            let (shard, segment, leaf) = leaves[group[0].leaf];
            if let Some(section) = leaf.segment.vectors(generation) {
                let document = |ordinal| DocId { shard, segment, ordinal };
                score(leaf, section, query, group, &mut top, document)?;
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

    /// The vectors of a generation of one document, as they are kept: of length one, and turned by a rotation that
    /// they all share. So the product of two is their cosine.
    ///
    /// # Errors
    /// [`crate::IndexError::Invalid`] if the document is not of this snapshot, [`crate::IndexError::Damaged`].
    pub fn vectors_of(&self, document: DocId, generation: u64) -> Result<Vec<Vec<f32>>> {
        let Some(section) = self.leaf_of(document)?.segment.vectors(generation) else { return Ok(Vec::new()) };
        let floats = |vector: u32| -> Result<Vec<f32>> {
            let kept = section.quantized(vector)?;
            Ok(kept.values.iter().map(|value| f32::from(*value) * kept.scale).collect())
        };
        section.vectors_of(document.ordinal)?.map(floats).collect()
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

/// The vectors that look closest, of all leaves so far.
struct Shortlist {
    wanted: usize,
    found: Vec<Promising>,
    /// The estimate of the last one, once there are enough: what lies below cannot be among them.
    floor: Option<f32>,
}

impl Shortlist {
    /// Adds what a leaf has and raises the floor. Those that are equal to the last all stay: which of them is wanted
    /// must not depend on the leaf that happened to come first.
    fn extend(&mut self, found: impl Iterator<Item = Promising>) {
        self.found.extend(found);
        if self.wanted == 0 || self.found.len() < self.wanted {
            return;
        }
        let (_, last, _) = self.found.select_nth_unstable_by(self.wanted - 1, |one, other| {
            other.candidate.estimate.total_cmp(&one.candidate.estimate)
        });
        let floor = last.candidate.estimate;
        self.floor = Some(floor);
        self.found.retain(|found| found.candidate.estimate >= floor);
    }

    /// As many as are wanted, in no order; of those that are equal to the last, the ones with the lowest keys.
    fn cut(mut self, key: impl Fn(&Promising) -> Result<u64>) -> Result<Vec<Promising>> {
        let (Some(floor), true) = (self.floor, self.found.len() > self.wanted) else { return Ok(self.found) };
        let mut equal = Vec::new();
        for found in self.found.iter().filter(|found| found.candidate.estimate <= floor) {
            equal.push((key(found)?, *found));
        }
        equal.sort_unstable_by_key(|(key, found)| (*key, found.leaf, found.candidate.vector));
        self.found.retain(|found| found.candidate.estimate > floor);
        let missing = self.wanted.saturating_sub(self.found.len());
        self.found.extend(equal.into_iter().take(missing).map(|(_, found)| found));
        Ok(self.found)
    }
}

fn scan(
    leaf: &Leaf,
    section: &VectorSection,
    query: &VectorQuery,
    filter: Option<&dyn Fn(&Row) -> bool>,
    shortlist: &Shortlist,
) -> Result<Vec<Candidate>> {
    let mut failure = None;
    let found = match filter {
        None => section.scan_from(query, shortlist.floor, &mut |ordinal| leaf.is_live(ordinal), shortlist.wanted)?,
        Some(filter) => {
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
            section.scan_from(query, shortlist.floor, &mut admit, shortlist.wanted)?
        }
    };
    failure.map_or(Ok(found), Err)
}

/// Scores the documents of a leaf's promising vectors, which are in the order of vectors, by their best vector.
fn score(
    leaf: &Leaf,
    section: &VectorSection,
    query: &VectorQuery,
    promising: &[Promising],
    top: &mut Top,
    document: impl Fn(u32) -> DocId,
) -> Result<()> {
    let mut candidates = Vec::with_capacity(promising.len());
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
        candidates.extend((first..=last).map(|vector| Candidate { owner, vector, estimate: 0.0 }));
    }
    let cosines = section.rescore(query, &candidates)?;
    let scored: Vec<(u32, f32)> =
        candidates.iter().zip(cosines).map(|(candidate, cosine)| (candidate.owner, cosine)).collect();
    for same in scored.chunk_by(|one, other| one.0 == other.0) {
        let score = same.iter().map(|vector| vector.1).max_by(f32::total_cmp).unwrap_or(f32::MIN);
        // Most are not among the best, and their rows need not be read.
        if top.is_full() && score < top.floor() {
            continue;
        }
        let owner = same[0].0;
        let scored = Scored { document: document(owner), key: leaf.segment.row(owner)?.key, score };
        if top.admits(scored) {
            top.insert(scored);
        }
    }
    Ok(())
}
