//! Writing segments for a manifest that is still being made.

use std::collections::HashSet;
use std::sync::Arc;

use crate::error::Result;
use crate::item::{Item, MAX_SEGMENT_DOCUMENTS};
use crate::manifest::{Manifest, SegmentEntry};
use crate::segment::{Parts, Source, build, merge};
use crate::shared::Shared;
use crate::tombstones::Tombstones;

/// The most terms the items of one segment have together, so that positions of lists fit 32 bits.
const MAX_SEGMENT_TERMS: usize = 64 * 1024 * 1024;

/// Writes the items as one segment or, if they are too many, several.
pub(super) fn write_items(shared: &Shared, next_file: &mut u64, mut items: Vec<Item>) -> Result<Vec<SegmentEntry>> {
    let centres = shared.centres();
    // Of several items with the same key the last one counts, wherever the list is cut.
    items.sort_by_key(|item| item.key);
    let mut entries = Vec::new();
    while !items.is_empty() {
        let mut terms = 0;
        let fits = |item: &Item| {
            terms += item.terms.len();
            terms <= MAX_SEGMENT_TERMS
        };
        let mut count = items.iter().take(MAX_SEGMENT_DOCUMENTS).map(fits).take_while(|fits| *fits).count().max(1);
        while count < items.len() && items[count].key == items[count - 1].key {
            count += 1;
        }
        let later = items.split_off(count);
        let parts = build(std::mem::replace(&mut items, later), &centres)?;
        entries.extend(write_parts(shared, next_file, &parts)?);
    }
    Ok(entries)
}

/// Writes one segment with what is to be kept of some segments; none if nothing is.
pub(super) fn write_merged(
    shared: &Shared,
    next_file: &mut u64,
    entries: &[SegmentEntry],
    keep: &dyn Fn(u64) -> bool,
    keep_generation: &dyn Fn(u64) -> bool,
) -> Result<Option<SegmentEntry>> {
    let mut sources = Vec::with_capacity(entries.len());
    for entry in entries {
        sources.push((shared.open(entry)?, &entry.deleted));
    }
    let mut keepers: Vec<Box<dyn Fn(u32) -> bool + '_>> = Vec::with_capacity(sources.len());
    for (segment, deleted) in &sources {
        // A row that cannot be read is kept here and reported when the merge reads it.
        let wanted = move |ordinal| segment.row(ordinal).map_or(true, |row| keep(row.key));
        keepers.push(Box::new(move |ordinal| !deleted.contains(ordinal) && wanted(ordinal)));
    }
    let merged: Vec<Source<'_>> =
        sources.iter().zip(&keepers).map(|((segment, _), keep)| Source { segment, keep }).collect();
    let parts = merge(&merged, keep_generation, &shared.centres())?;
    write_parts(shared, next_file, &parts)
}

fn write_parts(shared: &Shared, next_file: &mut u64, parts: &Parts) -> Result<Option<SegmentEntry>> {
    if parts.documents() == 0 {
        return Ok(None);
    }
    let file = *next_file;
    *next_file += 1;
    let written = shared.place.write_segment(file, parts)?;
    let mut entry = SegmentEntry {
        file,
        checksum: written.checksum,
        length_bytes: written.length_bytes,
        documents: parts.documents(),
        generations: Vec::new(),
        deleted: Arc::new(Tombstones::default()),
    };
    let segment = shared.open(&entry)?;
    entry.generations = segment.generations().map(|(generation, count)| (generation, count as u32)).collect();
    Ok(Some(entry))
}

/// Puts a manifest in place and removes the files of the one before that it no longer names.
pub(super) fn commit(shared: &Shared, before: &Manifest, mut manifest: Manifest) -> Result<()> {
    manifest.shards.retain(|_, segments| !segments.is_empty());
    manifest.version = before.version + 1;
    let kept: HashSet<u64> = manifest.segments().map(|entry| entry.file).collect();
    // A segment that was written for this change may have been replaced by a later part of it.
    let new = before.next_file..manifest.next_file;
    shared.replace_manifest(Some(manifest))?;
    let known = before.segments().map(|entry| entry.file).chain(new);
    known.filter(|file| !kept.contains(file)).try_for_each(|file| shared.place.remove_segment(file))
}

/// Removes the files of segments that the manifest does not name: left over from a writer that died.
pub(super) fn remove_unnamed(shared: &Shared, manifest: Option<&Manifest>) -> Result<()> {
    let named: HashSet<u64> = manifest.into_iter().flat_map(Manifest::segments).map(|entry| entry.file).collect();
    for file in shared.place.segments()?.into_iter().filter(|file| !named.contains(file)) {
        shared.place.remove_segment(file)?;
    }
    Ok(())
}
