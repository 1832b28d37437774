//! The snapshot itself: its shards, its documents, and reading one of them.

use std::ops::ControlFlow;
use std::sync::Arc;

use super::leaf::Leaf;
use crate::centres::Centres;
use crate::error::{IndexError, Result};
use crate::item::Row;

/// One unchanging state of the index for a list of scopes. Cloning is cheap.
#[derive(Debug, Clone)]
pub struct Snapshot {
    pub(crate) shards: Vec<Arc<ShardView>>,
    pub(crate) through: u64,
    pub(crate) lineage: Option<u64>,
    pub(crate) centres: Arc<Centres>,
}

/// The documents of one scope.
#[derive(Debug, Clone, Default)]
pub(crate) struct ShardView {
    pub(crate) scope: String,
    pub(crate) leaves: Vec<Leaf>,
}

/// A scope of a snapshot: its place in the list of scopes that was asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Shard(pub u32);

/// A document of a snapshot. It means nothing in another snapshot.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DocId {
    /// The shard it is in.
    pub shard: Shard,
    /// Which segment of the shard.
    pub segment: u32,
    /// Which document of the segment.
    pub ordinal: u32,
}

impl Snapshot {
    /// The position in the store's log up to which the manifest knows everything.
    pub fn through(&self) -> u64 {
        self.through
    }

    /// The store the index was made from; none if there is no index.
    pub fn lineage(&self) -> Option<u64> {
        self.lineage
    }

    /// The shard of a scope.
    pub fn shard(&self, scope: &str) -> Option<Shard> {
        self.shards.iter().position(|shard| shard.scope == scope).map(|index| Shard(index as u32))
    }

    /// The scope of a shard.
    pub fn scope(&self, shard: Shard) -> Option<&str> {
        self.shards.get(shard.0 as usize).map(|shard| shard.scope.as_str())
    }

    /// All shards.
    pub fn shards(&self) -> Vec<Shard> {
        (0..self.shards.len() as u32).map(Shard).collect()
    }

    /// The columns of a document.
    ///
    /// # Errors
    /// [`IndexError::Invalid`] if the document is not of this snapshot, [`IndexError::Damaged`].
    pub fn row(&self, document: DocId) -> Result<Row> {
        self.leaf_of(document)?.segment.row(document.ordinal)
    }

    /// The live document with a key.
    ///
    /// # Errors
    /// [`IndexError::Invalid`] if there is no such shard, [`IndexError::Damaged`].
    pub fn find(&self, shard: Shard, key: u64) -> Result<Option<DocId>> {
        for (segment, leaf) in self.leaves(shard)?.iter().enumerate() {
            if let Some(ordinal) = leaf.find(key)? {
                return Ok(Some(DocId { shard, segment: segment as u32, ordinal }));
            }
        }
        Ok(None)
    }

    /// Shows all live documents of the shards, in no particular order, until `visit` breaks.
    ///
    /// # Errors
    /// [`IndexError::Invalid`] if there is no such shard, [`IndexError::Damaged`].
    pub fn for_each(&self, shards: &[Shard], visit: &mut dyn FnMut(DocId, &Row) -> ControlFlow<()>) -> Result<()> {
        for (shard, segment, leaf) in self.all_leaves(shards)? {
            for ordinal in (0..leaf.segment.documents() as u32).filter(|ordinal| leaf.is_live(*ordinal)) {
                let row = leaf.segment.row(ordinal)?;
                if visit(DocId { shard, segment, ordinal }, &row).is_break() {
                    return Ok(());
                }
            }
        }
        Ok(())
    }

    /// How many live documents the shards have.
    ///
    /// # Errors
    /// [`IndexError::Invalid`] if there is no such shard.
    pub fn documents(&self, shards: &[Shard]) -> Result<u64> {
        Ok(self.all_leaves(shards)?.iter().map(|(_, _, leaf)| leaf.live_documents()).sum())
    }

    pub(crate) fn leaves(&self, shard: Shard) -> Result<&[Leaf]> {
        let view = self.shards.get(shard.0 as usize);
        view.map(|shard| &shard.leaves[..]).ok_or_else(|| IndexError::Invalid("there is no such shard".to_owned()))
    }

    /// The leaves of some shards. A shard that is named twice counts once.
    pub(super) fn all_leaves(&self, shards: &[Shard]) -> Result<Vec<(Shard, u32, &Leaf)>> {
        let mut all = Vec::new();
        for (index, shard) in shards.iter().enumerate() {
            if !shards[..index].contains(shard) {
                let leaves = self.leaves(*shard)?.iter().enumerate();
                all.extend(leaves.map(|(segment, leaf)| (*shard, segment as u32, leaf)));
            }
        }
        Ok(all)
    }

    pub(super) fn leaf_of(&self, document: DocId) -> Result<&Leaf> {
        let leaf = self.leaves(document.shard)?.get(document.segment as usize);
        leaf.filter(|leaf| (document.ordinal as usize) < leaf.segment.documents())
            .ok_or_else(|| IndexError::Invalid("the document is not of this snapshot".to_owned()))
    }
}
