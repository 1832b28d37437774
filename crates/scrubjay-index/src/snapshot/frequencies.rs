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

    /// The first so many terms alone, each as often as it or one of its alternatives occurs. `alternatives` names the
    /// term that each of the others stands for.
    #[must_use]
    pub fn with_alternatives(self, terms: usize, alternatives: &[usize]) -> Frequencies {
        if alternatives.is_empty() || self.terms < terms {
            return self;
        }
        let mut counts = Vec::with_capacity(self.lengths.len() * terms);
        for place in 0..self.lengths.len() {
            let (own, others) = self.of(place).split_at(terms);
            let start = counts.len();
            counts.extend_from_slice(own);
            for (term, count) in alternatives.iter().zip(others) {
                if let Some(own) = counts.get_mut(start + term) {
                    *own = (*own).max(*count);
                }
            }
        }
        Frequencies { terms, counts, lengths: self.lengths }
    }

    /// Counts other terms in a document than it has as a whole: those of a part of it.
    pub fn narrow(&mut self, place: usize, part: &[u32], length: u32) {
        if let Some(counts) = self.counts.get_mut(place * self.terms..(place + 1) * self.terms)
            && let Some(own_length) = self.lengths.get_mut(place)
        {
            counts.iter_mut().zip(part).for_each(|(count, part)| *count = *part);
            *own_length = length;
        }
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
