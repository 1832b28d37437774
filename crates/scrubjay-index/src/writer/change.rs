//! The writer: applying what happened in the store.

use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;

use super::plan::next_merge;
use super::rebuild::Rebuild;
use super::segments::{commit, remove_unnamed, write_items, write_merged};
use crate::error::{IndexError, Result};
use crate::item::Item;
use crate::manifest::{Identity, Manifest, SegmentEntry};
use crate::shared::Shared;
use crate::tombstones::Tombstones;

/// Changes to one scope.
#[derive(Debug, Clone, Default)]
pub struct Batch {
    /// The scope.
    pub scope: String,
    /// Documents to add; one whose key is known replaces the older document.
    pub upserts: Vec<Item>,
    /// Keys of documents to remove; unknown ones are no failure. Upserts count after removals.
    pub removals: Vec<u64>,
}

/// The one who may change the index, until it is dropped.
pub struct Writer {
    pub(super) shared: Arc<Shared>,
    _lock: Box<dyn Send + Sync>,
}

impl fmt::Debug for Writer {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Writer").finish_non_exhaustive()
    }
}

impl Writer {
    pub(crate) fn new(shared: Arc<Shared>, lock: Box<dyn Send + Sync>) -> Result<Writer> {
        // With a manifest that cannot be read nothing is known about the files; a rebuild will replace them all.
        if let Ok(manifest) = shared.load() {
            remove_unnamed(&shared, manifest.as_deref())?;
        }
        Ok(Writer { shared, _lock: lock })
    }

    /// Applies the batches and moves the high-water mark, in one step: a reader sees all of it or nothing. Then merges
    /// what has become worth merging, each merge in a step of its own.
    ///
    /// # Errors
    /// [`IndexError::Invalid`] if there is no index to change yet, the mark would move back, or vectors have unequal
    /// dimensions; [`IndexError::Io`], [`IndexError::Damaged`], [`IndexError::Foreign`]. The index is as before, or
    /// the batches are applied and only merging has failed: the mark tells.
    pub fn apply(&mut self, batches: Vec<Batch>, through: u64) -> Result<()> {
        let before = self.manifest()?;
        if through < before.through {
            let text = format!("the index is at {} and cannot go back to {through}", before.through);
            return Err(IndexError::Invalid(text));
        }
        let mut next = Manifest { through, ..(*before).clone() };
        for batch in batches {
            let segments = next.shards.entry(batch.scope).or_default();
            let mut gone: Vec<u64> = batch.upserts.iter().map(|item| item.key).chain(batch.removals).collect();
            gone.sort_unstable();
            gone.dedup();
            for entry in segments.iter_mut() {
                self.delete(entry, &gone)?;
            }
            segments.retain(|entry| entry.live_documents() > 0);
            segments.extend(write_items(&self.shared, &mut next.next_file, batch.upserts)?);
        }
        commit(&self.shared, &before, next)?;
        while self.merge_once()? {}
        Ok(())
    }

    /// Makes the whole index anew. Readers go on with the old one until the new one is finished.
    pub fn rebuild(&mut self, identity: Identity) -> Rebuild<'_> {
        Rebuild::new(self, identity)
    }

    /// Removes documents so that nothing of them stays in any file, whether they were deleted before or not.
    ///
    /// # Errors
    /// As for [`Self::apply`].
    pub fn purge(&mut self, scope: &str, keys: &[u64]) -> Result<()> {
        let before = self.manifest()?;
        let keys: BTreeSet<u64> = keys.iter().copied().collect();
        let sorted: Vec<u64> = keys.iter().copied().collect();
        let mut next = (*before).clone();
        let Some(segments) = next.shards.get_mut(scope) else { return Ok(()) };
        let mut kept = Vec::with_capacity(segments.len());
        for entry in segments.drain(..) {
            if self.shared.open(&entry)?.find_all(&sorted)?.is_empty() {
                kept.push(entry);
            } else {
                let keep = |key: u64| !keys.contains(&key);
                kept.extend(write_merged(&self.shared, &mut next.next_file, &[entry], &keep, &|_| true)?);
            }
        }
        *segments = kept;
        commit(&self.shared, &before, next)
    }

    /// Removes the vectors of all other generations, segment by segment.
    ///
    /// # Errors
    /// As for [`Self::apply`].
    pub fn retain_generations(&mut self, generations: &[u64]) -> Result<()> {
        let keep = |generation: u64| generations.contains(&generation);
        loop {
            let before = self.manifest()?;
            let mut next = (*before).clone();
            let mut entries = next.shards.values_mut().flatten();
            let old = entries.find(|entry| entry.generations.iter().any(|(generation, _)| !keep(*generation)));
            let Some(old) = old else { return Ok(()) };
            let one = std::slice::from_ref(&*old);
            match write_merged(&self.shared, &mut next.next_file, one, &|_| true, &keep)? {
                Some(entry) => *old = entry,
                None => return Err(IndexError::Damaged("a segment of the manifest has no documents".to_owned())),
            }
            commit(&self.shared, &before, next)?;
        }
    }

    /// Removes everything: afterwards there is no index.
    ///
    /// # Errors
    /// [`IndexError::Io`].
    pub fn wipe(&mut self) -> Result<()> {
        self.shared.replace_manifest(None)?;
        remove_unnamed(&self.shared, None)
    }

    /// Does the most useful merge, if any is, and tells whether there was one.
    fn merge_once(&mut self) -> Result<bool> {
        let before = self.manifest()?;
        let planned = before.shards.iter().find_map(|(scope, segments)| Some((scope, next_merge(segments)?)));
        let Some((scope, places)) = planned else { return Ok(false) };
        let mut next = (*before).clone();
        if let Some(segments) = next.shards.get_mut(scope) {
            merge_places(&self.shared, &mut next.next_file, segments, &places)?;
        }
        commit(&self.shared, &before, next)?;
        Ok(true)
    }

    /// Notes the documents with these keys, which ascend, as deleted.
    fn delete(&self, entry: &mut SegmentEntry, keys: &[u64]) -> Result<()> {
        let segment = self.shared.open(entry)?;
        let mut deleted = entry.deleted.documents().clone();
        let mut changed = false;
        for ordinal in segment.find_all(keys)? {
            changed |= deleted.insert(ordinal);
        }
        if changed {
            entry.deleted = Arc::new(Tombstones::of(&segment, deleted)?);
        }
        Ok(())
    }

    /// The manifest of now: nobody else can have changed it since it was read.
    fn manifest(&self) -> Result<Arc<Manifest>> {
        self.shared.manifest()?.ok_or_else(|| IndexError::Invalid("there is no index yet; rebuild it first".to_owned()))
    }
}

/// Replaces the segments at these places, which ascend, by one with their live documents.
pub(super) fn merge_places(
    shared: &Shared,
    next_file: &mut u64,
    segments: &mut Vec<SegmentEntry>,
    places: &[usize],
) -> Result<()> {
    let merged: Vec<SegmentEntry> = places.iter().map(|place| segments[*place].clone()).collect();
    let entry = write_merged(shared, next_file, &merged, &|_| true, &|_| true)?;
    for place in places.iter().rev() {
        segments.remove(*place);
    }
    segments.extend(entry);
    Ok(())
}
