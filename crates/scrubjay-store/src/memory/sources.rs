//! What is read from outside, and how far.

use std::collections::BTreeMap;

use scrubjay_core::scope::{Scope, View};

use super::tables::Tables;
use crate::source::{DocumentCount, SourceKind, SourcePlace, SyncRun, TranscriptPlace};

/// The places that a view sees, by kind and path.
pub(super) fn list(tables: &Tables, view: &View) -> Vec<SourcePlace> {
    let mut places = all(tables);
    places.retain(|place| view.sees(&place.scope));
    places
}

/// Every place, for whoever looks after all of them.
pub(super) fn all(tables: &Tables) -> Vec<SourcePlace> {
    let mut places: Vec<SourcePlace> = tables.sources.iter().map(|(_, place)| place.clone()).collect();
    places.sort_by_key(|place| (place.kind.name(), place.path.clone(), place.scope.to_string()));
    places
}

/// Stores a place, or what is known about it now.
pub(super) fn put(tables: &mut Tables, place: &SourcePlace) {
    tables.know(&place.scope);
    let key = (place.scope.clone(), place.kind, place.path.clone());
    let added_at = tables.sources.get(&key).map_or(place.added_at, |known| known.added_at);
    tables.sources.put(key, SourcePlace { added_at, ..place.clone() });
}

/// Forgets a place. What was read there stays.
pub(super) fn remove(tables: &mut Tables, scope: &Scope, kind: SourceKind, path: &str) -> bool {
    tables.sources.take(&(scope.clone(), kind, path.to_owned())).is_some()
}

/// How far a transcript was read, by its path.
pub(super) fn transcript(tables: &Tables, path: &str) -> Option<TranscriptPlace> {
    tables.transcripts.get(&path.to_owned()).cloned()
}

/// The same, by what file it is: it may have another name by now.
pub(super) fn transcripts_of_file(tables: &Tables, device: u64, inode: u64) -> Vec<TranscriptPlace> {
    let same = |place: &&TranscriptPlace| place.device == device && place.inode == inode;
    tables.transcripts.iter().map(|(_, place)| place).filter(same).cloned().collect()
}

/// Notes how far a transcript was read.
pub(super) fn put_transcript(tables: &mut Tables, place: &TranscriptPlace) {
    tables.transcripts.put(place.path.clone(), place.clone());
}

/// Notes a run, in place of the last one with the same cause.
pub(super) fn note_sync(tables: &mut Tables, scope: &Scope, run: &SyncRun) {
    tables.know(scope);
    tables.syncs.put((scope.clone(), run.cause.clone()), run.clone());
}

/// The last runs in one scope, by cause.
pub(super) fn syncs(tables: &Tables, scope: &Scope) -> Vec<SyncRun> {
    tables.syncs.iter().filter(|((of, _), _)| of == scope).map(|(_, run)| run.clone()).collect()
}

/// How much is indexed that a view sees, by kind of file.
pub(super) fn document_counts(tables: &Tables, view: &View) -> Vec<DocumentCount> {
    let mut counts = BTreeMap::new();
    for (pk, document) in tables.documents.iter().filter(|(_, document)| view.sees(&document.scope)) {
        let chunks = tables.chunks.iter().filter(|(_, kept)| kept.document == *pk).count() as u64;
        let count = counts.entry(document.source).or_insert((0, 0));
        *count = (count.0 + 1, count.1 + chunks);
    }
    let count = |(source, (documents, chunks))| DocumentCount { source, documents, chunks };
    counts.into_iter().map(count).collect()
}
