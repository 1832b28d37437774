//! Documents past the high-water mark: found at once, though no file knows them.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::leaf::Leaf;
use super::view::{ShardView, Snapshot};
use crate::centres::Centres;
use crate::error::Result;
use crate::item::{Item, MAX_SEGMENT_DOCUMENTS};
use crate::segment::{Parts, Segment, Source, build, merge};
use crate::tombstones::Tombstones;

impl Snapshot {
    /// The same snapshot with these items added to a scope and the documents with these keys removed from it. An item
    /// whose key is known already replaces the older document. Items count after removals.
    ///
    /// # Errors
    /// [`crate::IndexError::Invalid`] for vectors of unequal dimensions, [`crate::IndexError::Damaged`].
    pub fn with_tail(&self, scope: &str, items: Vec<Item>, removed: &[u64]) -> Result<Snapshot> {
        let mut next = self.clone();
        let place = match self.shard(scope) {
            Some(shard) => shard.0 as usize,
            None => {
                next.shards.push(Arc::new(ShardView { scope: scope.to_owned(), leaves: Vec::new() }));
                next.shards.len() - 1
            }
        };
        let mut leaves = next.shards[place].leaves.clone();
        let mut gone: Vec<u64> = items.iter().map(|item| item.key).chain(removed.iter().copied()).collect();
        gone.sort_unstable();
        gone.dedup();
        for leaf in &mut leaves {
            let found = leaf.segment.find_all(&gone)?;
            leaf.hide(found)?;
        }
        leaves.retain(|leaf| !leaf.in_tail || leaf.live_documents() > 0);
        // The last item of a key counts, wherever a limit would cut the list.
        let items: BTreeMap<u64, Item> = items.into_iter().map(|item| (item.key, item)).collect();
        let mut items = items.into_values();
        loop {
            let some: Vec<Item> = items.by_ref().take(MAX_SEGMENT_DOCUMENTS).collect();
            if some.is_empty() {
                break;
            }
            leaves.push(leaf_in_memory(&build(some, &self.centres)?)?);
            compact(&mut leaves, &self.centres)?;
        }
        next.shards[place] = Arc::new(ShardView { scope: scope.to_owned(), leaves });
        Ok(next)
    }
}

/// Merges segments of the tail until each is less than half as large as the one before it, so that a tail that grows
/// document by document stays a handful of segments.
fn compact(leaves: &mut Vec<Leaf>, centres: &Centres) -> Result<()> {
    while let [.., before, last] = &leaves[..] {
        let documents = before.live_documents() + last.live_documents();
        let fits = before.in_tail && last.in_tail && documents <= MAX_SEGMENT_DOCUMENTS as u64;
        if !fits || before.live_documents() > 2 * last.live_documents() {
            break;
        }
        let (keep_before, keep_last) = (|ordinal| before.is_live(ordinal), |ordinal| last.is_live(ordinal));
        let sources = [
            Source { segment: &before.segment, keep: &keep_before },
            Source { segment: &last.segment, keep: &keep_last },
        ];
        let merged = leaf_in_memory(&merge(&sources, &|_| true, centres)?)?;
        leaves.truncate(leaves.len() - 2);
        leaves.push(merged);
    }
    Ok(())
}

fn leaf_in_memory(parts: &Parts) -> Result<Leaf> {
    let segment = Segment::in_memory(parts)?;
    Ok(Leaf { segment: Arc::new(segment), stored: Arc::new(Tombstones::default()), hidden: None, in_tail: true })
}
