//! Counting over the live documents of some shards.

use super::view::{Shard, Snapshot};
use crate::bm25::Statistics;
use crate::error::Result;

impl Snapshot {
    /// How many live documents the shards have, how long they are together, and in how many each term occurs.
    ///
    /// # Errors
    /// [`crate::IndexError::Invalid`] if there is no such shard, [`crate::IndexError::Damaged`].
    pub fn statistics(&self, shards: &[Shard], hashes: &[u64]) -> Result<Statistics> {
        let mut statistics = Statistics { documents: 0, total_length: 0, document_frequencies: vec![0; hashes.len()] };
        for (_, _, leaf) in self.all_leaves(shards)? {
            statistics.documents += leaf.live_documents();
            statistics.total_length += leaf.live_length();
            for (hash, frequency) in hashes.iter().zip(&mut statistics.document_frequencies) {
                *frequency += leaf.document_frequency(*hash)?;
            }
        }
        Ok(statistics)
    }
}
