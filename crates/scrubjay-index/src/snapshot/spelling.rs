//! The words of some shards.

use std::ops::RangeInclusive;

use super::view::{Shard, Snapshot};
use crate::error::Result;

impl Snapshot {
    /// Calls `visit` with each word of the shards whose length in bytes is in the range, as bytes of UTF-8. A word may
    /// come several times, and may be one that only deleted documents have.
    ///
    /// # Errors
    /// [`crate::IndexError::Invalid`] if there is no such shard, [`crate::IndexError::Damaged`].
    pub fn for_each_word(
        &self,
        shards: &[Shard],
        lengths: RangeInclusive<usize>,
        visit: &mut dyn FnMut(&[u8]),
    ) -> Result<()> {
        for (_, _, leaf) in self.all_leaves(shards)? {
            leaf.segment.for_each_word(&lengths, visit)?;
        }
        Ok(())
    }
}
