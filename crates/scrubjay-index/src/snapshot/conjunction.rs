//! Documents that hold all of some terms.

use super::view::{DocId, Shard, Snapshot};
use crate::error::Result;
use crate::item::Row;
use crate::segment::{Probe, Scan};

impl Snapshot {
    /// The live documents that hold every one of the terms and that the filter accepts, newest first, at most `limit`.
    /// Without terms there are none.
    ///
    /// # Errors
    /// [`crate::IndexError::Invalid`] if there is no such shard, [`crate::IndexError::Damaged`].
    pub fn holding_all(
        &self,
        shards: &[Shard],
        hashes: &[u64],
        filter: &dyn Fn(&Row) -> bool,
        limit: usize,
    ) -> Result<Vec<DocId>> {
        let mut found: Vec<(i64, u64, DocId)> = Vec::new();
        for (shard, segment, leaf) in self.all_leaves(shards)? {
            let mut entries = Vec::with_capacity(hashes.len());
            for hash in hashes {
                entries.extend(leaf.segment.entry(*hash)?);
            }
            if entries.len() < hashes.len() {
                continue;
            }
            entries.sort_by_key(|entry| entry.documents());
            let Some((rarest, others)) = entries.split_first() else { continue };
            let mut ordinals = Vec::new();
            Scan::new(leaf.segment.list(*rarest)?).visit(u32::MAX, |ordinal, _| ordinals.push(ordinal))?;
            ordinals.retain(|ordinal| leaf.is_live(*ordinal));
            for entry in others {
                let mut probe = Probe::new(leaf.segment.list(*entry)?);
                let mut held = Vec::with_capacity(ordinals.len());
                for ordinal in ordinals {
                    if probe.frequency(ordinal)? > 0 {
                        held.push(ordinal);
                    }
                }
                ordinals = held;
            }
            for ordinal in ordinals {
                let row = leaf.segment.row(ordinal)?;
                if filter(&row) {
                    found.push((row.columns.event_time, row.key, DocId { shard, segment, ordinal }));
                }
            }
        }
        found.sort_unstable_by_key(|document| std::cmp::Reverse(*document));
        found.truncate(limit);
        Ok(found.into_iter().map(|(_, _, document)| document).collect())
    }
}
