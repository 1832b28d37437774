//! Indexed files and their pieces.

use std::collections::{BTreeMap, VecDeque};

use scrubjay_core::id::DocumentId;
use scrubjay_core::scope::{Scope, View};
use scrubjay_core::text::TextHash;
use scrubjay_core::time::Timestamp;

use super::tables::{KeptChunk, Tables};
use super::{index_log, names};
use crate::item::{Chunk, Document, ItemKey, NewChunk};
use crate::{Result, StoreError, rules};

/// Stores a document with its chunks, in place of what was known under its path.
pub(super) fn put(tables: &mut Tables, document: &Document, chunks: &[NewChunk]) -> Result<()> {
    tables.know(&document.scope);
    let known = find(tables, &document.scope, &document.path);
    let pk = match known {
        Some(pk) => {
            tables.documents.change(&pk, |kept| {
                // The id stays with the path.
                *kept = Document { id: kept.id, ..document.clone() };
            });
            pk
        }
        None => {
            if tables.documents.iter().any(|(_, other)| other.id == document.id) {
                return Err(rules::taken(document.id));
            }
            let pk = tables.next_number("documents");
            tables.documents.put(pk, document.clone());
            pk
        }
    };
    // What has the same text as before keeps its row, and so its vectors.
    let mut former = former_chunks(tables, pk);
    for (ordinal, chunk) in chunks.iter().enumerate() {
        let hash = rules::chunk_hash(chunk);
        let kept = former.get_mut(&hash).and_then(VecDeque::pop_front);
        let number = kept.unwrap_or_else(|| tables.next_number("chunks"));
        let ordinal = u32::try_from(ordinal).unwrap_or(u32::MAX);
        tables.chunks.put(number, KeptChunk { document: pk, ordinal, chunk: chunk.clone() });
        index_log::note(tables, &document.scope, ItemKey::chunk(number), kept.is_none());
    }
    for number in former.into_values().flatten() {
        remove_chunk(tables, &document.scope, number);
    }
    names::put(tables, pk, document, chunks);
    Ok(())
}

/// Notes that a file was looked at and is the same.
pub(super) fn note(tables: &mut Tables, document: &Document) -> Result<()> {
    let pk = find(tables, &document.scope, &document.path).ok_or_else(|| StoreError::not_found(&document.path))?;
    tables.documents.change(&pk, |kept| {
        kept.modified_at = document.modified_at;
        kept.size_bytes = document.size_bytes;
        kept.indexed_at = document.indexed_at;
    });
    Ok(())
}

/// A scope's documents under a path, by path.
pub(super) fn list(tables: &Tables, scope: &Scope, prefix: &str, after: Option<&str>, limit: usize) -> Vec<Document> {
    let mut found: Vec<&Document> = tables
        .documents
        .iter()
        .map(|(_, document)| document)
        .filter(|document| document.scope == *scope && document.path.starts_with(prefix))
        .filter(|document| after.is_none_or(|after| document.path.as_str() > after))
        .collect();
    found.sort_by(|a, b| a.path.cmp(&b.path));
    found.into_iter().take(limit).cloned().collect()
}

/// Those of a scope's documents that have one of these paths.
pub(super) fn at(tables: &Tables, scope: &Scope, paths: &[String]) -> Vec<Document> {
    let found = paths.iter().filter_map(|path| tables.documents.get(&find(tables, scope, path)?));
    found.cloned().collect()
}

/// One visible document's chunks, in order.
pub(super) fn chunks(tables: &Tables, view: &View, id: DocumentId) -> Vec<Chunk> {
    let document = tables.documents.iter().find(|(_, document)| document.id == id && view.sees(&document.scope));
    let Some((pk, _)) = document else { return Vec::new() };
    let mut numbers: Vec<(u32, u64)> = tables
        .chunks
        .iter()
        .filter(|(_, kept)| kept.document == *pk)
        .map(|(number, kept)| (kept.ordinal, *number))
        .collect();
    numbers.sort_unstable();
    numbers.into_iter().filter_map(|(_, number)| index_log::chunk(tables, number)).collect()
}

/// Removes documents with everything that is theirs.
pub(super) fn remove(tables: &mut Tables, scope: &Scope, paths: &[String], gone_at: Option<Timestamp>) -> usize {
    let mut gone = 0;
    for path in paths {
        let Some(pk) = find(tables, scope, path) else { continue };
        for number in former_chunks(tables, pk).into_values().flatten() {
            remove_chunk(tables, scope, number);
        }
        names::remove(tables, pk, scope, path, gone_at);
        tables.documents.take(&pk);
        gone += 1;
    }
    gone
}

fn find(tables: &Tables, scope: &Scope, path: &str) -> Option<u64> {
    let found = tables.documents.iter().find(|(_, document)| document.scope == *scope && document.path == path);
    found.map(|(pk, _)| *pk)
}

fn former_chunks(tables: &Tables, document: u64) -> BTreeMap<TextHash, VecDeque<u64>> {
    let mut numbers: Vec<(u32, u64, TextHash)> = tables
        .chunks
        .iter()
        .filter(|(_, kept)| kept.document == document)
        .map(|(number, kept)| (kept.ordinal, *number, rules::chunk_hash(&kept.chunk)))
        .collect();
    numbers.sort_unstable();
    let mut former: BTreeMap<TextHash, VecDeque<u64>> = BTreeMap::new();
    for (_, number, hash) in numbers {
        former.entry(hash).or_default().push_back(number);
    }
    former
}

fn remove_chunk(tables: &mut Tables, scope: &Scope, number: u64) {
    tables.chunks.take(&number);
    index_log::forget(tables, scope, ItemKey::chunk(number));
}
