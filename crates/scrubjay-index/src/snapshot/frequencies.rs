//! How often terms occur in given documents.

use super::view::{DocId, Snapshot};
use crate::error::Result;
use crate::segment::Probe;

/// How often each of some terms occurs in each of some documents.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Frequencies {
    terms: usize,
    counts: Vec<u32>,
    lengths: Vec<u32>,
}

impl Frequencies {
    /// How often each term occurs in the document at this place of the list that was asked for.
    pub fn of(&self, place: usize) -> &[u32] {
        self.counts.get(place * self.terms..(place + 1) * self.terms).unwrap_or_default()
    }

    /// The lengths of the documents.
    pub fn lengths(&self) -> &[u32] {
        &self.lengths
    }
}

impl Snapshot {
    /// How often each term occurs in the document, and its length.
    ///
    /// # Errors
    /// [`crate::IndexError::Invalid`] if the document is not of this snapshot, [`crate::IndexError::Damaged`].
    pub fn frequencies(&self, document: DocId, hashes: &[u64]) -> Result<(Vec<u32>, u32)> {
        let found = self.frequencies_of(&[document], hashes)?;
        Ok((found.counts, found.lengths.first().copied().unwrap_or(0)))
    }

    /// The same for many documents at once, which costs far less than one by one.
    ///
    /// # Errors
    /// As for [`Self::frequencies`].
    pub fn frequencies_of(&self, documents: &[DocId], hashes: &[u64]) -> Result<Frequencies> {
        let mut order: Vec<usize> = (0..documents.len()).collect();
        order.sort_unstable_by_key(|place| documents[*place]);
        let mut found = Frequencies {
            terms: hashes.len(),
            counts: vec![0; documents.len() * hashes.len()],
            lengths: vec![0; documents.len()],
        };
        let same_leaf = |one: &usize, other: &usize| {
            let (one, other) = (documents[*one], documents[*other]);
            (one.shard, one.segment) == (other.shard, other.segment)
        };
        for group in order.chunk_by(same_leaf) {
            for place in group {
                let leaf = self.leaf_of(documents[*place])?;
                found.lengths[*place] = leaf.segment.length(documents[*place].ordinal)?;
            }
            let segment = &self.leaf_of(documents[group[0]])?.segment;
            for (term, hash) in hashes.iter().enumerate() {
                let Some(entry) = segment.entry(*hash)? else { continue };
                let mut probe = Probe::new(segment.list(entry)?);
                for place in group {
                    found.counts[place * hashes.len() + term] = probe.frequency(documents[*place].ordinal)?;
                }
            }
        }
        Ok(found)
    }
}
