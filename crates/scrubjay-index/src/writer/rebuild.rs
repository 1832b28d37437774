//! Making the whole index anew while the old one serves.

use std::collections::BTreeMap;

use super::change::{Writer, merge_places};
use super::plan::next_merge;
use super::segments::{remove_unnamed, write_items};
use crate::error::{IndexError, Result};
use crate::item::Item;
use crate::manifest::{Identity, Manifest, SegmentEntry};

/// How many items of a scope wait in memory before they are written.
const WAITING_ITEMS: usize = 32_768;
/// How many items of all scopes wait in memory.
const ALL_WAITING_ITEMS: usize = 65_536;

/// An index that is being made. Until [`Rebuild::finish`] nobody sees anything of it; dropping it leaves the old index
/// as it is.
#[derive(Debug)]
pub struct Rebuild<'w> {
    writer: &'w mut Writer,
    identity: Identity,
    /// What the new manifest's version and file numbers follow.
    before: Option<(u64, u64)>,
    shards: BTreeMap<String, Growing>,
    waiting: usize,
}

#[derive(Debug, Default)]
struct Growing {
    segments: Vec<SegmentEntry>,
    waiting: Vec<Item>,
    last_key: Option<u64>,
}

impl<'w> Rebuild<'w> {
    pub(super) fn new(writer: &'w mut Writer, identity: Identity) -> Rebuild<'w> {
        Rebuild { writer, identity, before: None, shards: BTreeMap::new(), waiting: 0 }
    }

    /// Adds items to a scope. The keys of a scope ascend from call to call.
    ///
    /// # Errors
    /// [`IndexError::Invalid`] for a key that does not ascend or vectors of unequal dimensions, [`IndexError::Io`].
    pub fn add(&mut self, scope: &str, items: Vec<Item>) -> Result<()> {
        if !self.shards.contains_key(scope) {
            self.shards.insert(scope.to_owned(), Growing::default());
        }
        for item in items {
            let Some(shard) = self.shards.get_mut(scope) else { break };
            if shard.last_key.is_some_and(|last| last >= item.key) {
                return Err(IndexError::Invalid(format!("key {} does not ascend", item.key)));
            }
            shard.last_key = Some(item.key);
            shard.waiting.push(item);
            self.waiting += 1;
            if shard.waiting.len() >= WAITING_ITEMS {
                self.write_out(scope)?;
            } else if self.waiting >= ALL_WAITING_ITEMS {
                let fullest = self.shards.iter().max_by_key(|(_, shard)| shard.waiting.len());
                if let Some(fullest) = fullest.map(|(scope, _)| scope.clone()) {
                    self.write_out(&fullest)?;
                }
            }
        }
        Ok(())
    }

    /// Puts the new index in the place of the old one, in one step, and removes the old files.
    ///
    /// # Errors
    /// [`IndexError::Io`]. The old index is as before, or the new one is in place and an old file was not removed.
    pub fn finish(mut self, through: u64) -> Result<()> {
        for scope in self.shards.keys().cloned().collect::<Vec<_>>() {
            self.write_out(&scope)?;
        }
        let (version, mut next_file) = self.numbers()?;
        let shared = &self.writer.shared;
        let mut shards = BTreeMap::new();
        for (scope, mut shard) in std::mem::take(&mut self.shards) {
            while let Some(places) = next_merge(&shard.segments) {
                let merged: Vec<u64> = places.iter().map(|place| shard.segments[*place].file).collect();
                merge_places(shared, &mut next_file, &mut shard.segments, &places)?;
                // Nobody else knows these files; keeping them until the end would double the room that is needed.
                merged.into_iter().try_for_each(|file| shared.place.remove_segment(file))?;
            }
            if !shard.segments.is_empty() {
                shards.insert(scope, shard.segments);
            }
        }
        let manifest = Manifest { version: version + 1, identity: self.identity, through, next_file, shards };
        shared.replace_manifest(Some(manifest))?;
        remove_unnamed(shared, shared.manifest()?.as_deref())
    }

    fn write_out(&mut self, scope: &str) -> Result<()> {
        let (version, mut next_file) = self.numbers()?;
        let Some(shard) = self.shards.get_mut(scope) else { return Ok(()) };
        let items = std::mem::take(&mut shard.waiting);
        self.waiting -= items.len();
        shard.segments.extend(write_items(&self.writer.shared, &mut next_file, items)?);
        self.before = Some((version, next_file));
        Ok(())
    }

    /// The version before the new one and the number of the next file. The old manifest may be damaged or gone; file
    /// numbers then go on after the files there are, and the version after a number that no manifest had.
    fn numbers(&mut self) -> Result<(u64, u64)> {
        if let Some(numbers) = self.before {
            return Ok(numbers);
        }
        let shared = &self.writer.shared;
        let known = shared.load().ok().flatten().map_or((0, 0), |manifest| (manifest.version, manifest.next_file));
        let files = shared.place.segments()?.into_iter().max().map_or(0, |last| last.saturating_add(1));
        let numbers = (known.0, known.1.max(files));
        self.before = Some(numbers);
        Ok(numbers)
    }
}

impl Drop for Rebuild<'_> {
    fn drop(&mut self) {
        // A finished rebuild has no shards left. What is not removed here, the next writer removes.
        for entry in self.shards.values().flat_map(|shard| &shard.segments) {
            let _ = self.writer.shared.place.remove_segment(entry.file);
        }
    }
}
