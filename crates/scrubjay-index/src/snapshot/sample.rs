//! A few documents that stand for all.

use std::collections::BTreeSet;

use super::view::{DocId, Shard, Snapshot};
use crate::error::Result;

impl Snapshot {
    /// At most `count` live documents of the shards, spread evenly over their keys; all of them if there are no more.
    /// Which ones depends on the keys alone, not on how the documents are spread over segments.
    ///
    /// # Errors
    /// [`crate::IndexError::Invalid`] if there is no such shard, [`crate::IndexError::Damaged`].
    pub fn sample(&self, shards: &[Shard], count: usize) -> Result<Vec<DocId>> {
        let leaves = self.all_leaves(shards)?;
        let all: u64 = leaves.iter().map(|(_, _, leaf)| leaf.live_documents()).sum();
        let mut chosen = Vec::new();
        if all <= count as u64 {
            for (shard, segment, leaf) in leaves {
                let live = (0..leaf.segment.documents() as u32).filter(|ordinal| leaf.is_live(*ordinal));
                chosen.extend(live.map(|ordinal| DocId { shard, segment, ordinal }));
            }
            return Ok(chosen);
        }
        let mut bounds: Option<(u64, u64)> = None;
        for (_, _, leaf) in &leaves {
            let Some(last) = (leaf.segment.documents() as u32).checked_sub(1) else { continue };
            let (first, last) = (leaf.segment.row(0)?.key, leaf.segment.row(last)?.key);
            bounds = Some(bounds.map_or((first, last), |known| (known.0.min(first), known.1.max(last))));
        }
        let Some((first, last)) = bounds else { return Ok(chosen) };
        let mut keys = BTreeSet::new();
        for place in 0..count as u64 {
            let share = u128::from(last - first) * (2 * u128::from(place) + 1) / (2 * count as u128);
            let wanted = first + u64::try_from(share).unwrap_or(u64::MAX);
            let mut nearest: Option<(u64, DocId)> = None;
            for (shard, segment, leaf) in &leaves {
                let mut ordinal = leaf.segment.first_at_least(wanted)?;
                while (ordinal as usize) < leaf.segment.documents() && !leaf.is_live(ordinal) {
                    ordinal += 1;
                }
                if ordinal as usize == leaf.segment.documents() {
                    continue;
                }
                let key = leaf.segment.row(ordinal)?.key;
                if nearest.is_none_or(|(known, _)| key < known) {
                    nearest = Some((key, DocId { shard: *shard, segment: *segment, ordinal }));
                }
            }
            // Two places may have the same nearest document.
            if let Some((key, document)) = nearest.filter(|(key, _)| keys.insert(*key)) {
                debug_assert!(key >= wanted);
                chosen.push(document);
            }
        }
        Ok(chosen)
    }
}
