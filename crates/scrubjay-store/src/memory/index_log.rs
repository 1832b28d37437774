//! The log that derived indexes follow, and the items it names.

use std::collections::BTreeMap;

use scrubjay_core::id::MemoryId;
use scrubjay_core::scope::{Scope, View};

use super::tables::Tables;
use crate::item::{
    Chunk, Document, GenerationId, GenerationState, IndexRow, Item, ItemKey, StoredVectors, Tail, TailEntry,
};

/// Notes that an item came, changed or went. One that has text to embed is
/// queued for the generations that serve or are being built.
pub(super) fn note(tables: &mut Tables, scope: &Scope, key: ItemKey, embed: bool) {
    let position = tables.next_number("index_log");
    tables.index_log.put(position, (scope.clone(), key));
    if embed {
        for generation in current(tables) {
            tables.embed_queue.put((generation, key), position);
        }
    }
}

/// Removes everything that was derived from an item.
pub(super) fn forget(tables: &mut Tables, scope: &Scope, key: ItemKey) {
    let generations: Vec<GenerationId> = tables.generations.iter().map(|(id, _)| *id).collect();
    for generation in generations {
        tables.vectors.take(&(generation, key));
        tables.embed_queue.take(&(generation, key));
    }
    note(tables, scope, key, false);
}

/// What changed after a position.
pub(super) fn tail(tables: &Tables, view: Option<&View>, after: u64, limit: usize) -> Tail {
    let begins_after = tables.log_begins_after();
    let (mut through, mut read) = (after.max(begins_after), 0);
    // What moved to another project changed in both: it came to one and went from the other.
    let mut last: BTreeMap<(ItemKey, Scope), u64> = BTreeMap::new();
    for (position, (scope, key)) in tables.index_log.range(after.saturating_add(1)..).take(limit) {
        read += 1;
        through = *position;
        if view.is_none_or(|view| view.sees(scope)) {
            last.insert((*key, scope.clone()), *position);
        }
    }
    let mut entries: Vec<(u64, TailEntry)> = last
        .into_iter()
        .map(|((key, scope), position)| {
            let row = row(tables, key).filter(|row| *row.item.scope() == scope);
            (position, TailEntry { scope, key, row })
        })
        .collect();
    entries.sort_by_key(|(position, _)| *position);
    let entries = entries.into_iter().map(|(_, entry)| entry).collect();
    let current = tables.generations.iter().map(|(_, kept)| kept.generation.clone());
    let generations = current.filter(|generation| generation.state != GenerationState::Retired).collect();
    let newest = tables.index_log.iter().next_back().map_or(0, |(position, _)| *position).max(begins_after);
    Tail { lineage: 0, begins_after, through, more: read == limit, newest, generations, entries }
}

/// All items in the order of their keys.
pub(super) fn all_items(tables: &Tables, after: Option<ItemKey>, limit: usize) -> Vec<IndexRow> {
    let memories = tables.memories.iter().map(|(pk, _)| ItemKey::memory(*pk));
    let chunks = tables.chunks.iter().map(|(pk, _)| ItemKey::chunk(*pk));
    let mut keys: Vec<ItemKey> = memories.chain(chunks).filter(|key| after.is_none_or(|after| *key > after)).collect();
    keys.sort_unstable();
    keys.into_iter().take(limit).filter_map(|key| row(tables, key)).collect()
}

/// The visible ones of these items.
pub(super) fn items(tables: &Tables, view: &View, keys: &[ItemKey]) -> Vec<(ItemKey, Item)> {
    let found = keys.iter().filter_map(|key| Some((*key, item(tables, *key)?)));
    found.filter(|(_, item)| view.sees(item.scope())).collect()
}

/// The keys of the visible ones of these memories.
pub(super) fn keys_of(tables: &Tables, view: &View, ids: &[MemoryId]) -> Vec<(MemoryId, ItemKey)> {
    ids.iter().filter_map(|id| Some((*id, ItemKey::memory(tables.find(view, *id)?.0)))).collect()
}

/// Drops the log up to a position.
pub(super) fn trim(tables: &mut Tables, through: u64) {
    let newest = tables.index_log.iter().next_back().map_or(0, |(position, _)| *position);
    let through = through.min(newest);
    let old: Vec<u64> = tables.index_log.range(..=through).map(|(position, _)| *position).collect();
    for position in old {
        tables.index_log.take(&position);
    }
    let before = tables.log_begins_after();
    tables.numbers.put(super::tables::LOG_BEGINS_AFTER, through.max(before));
}

/// An item with its vectors.
pub(super) fn row(tables: &Tables, key: ItemKey) -> Option<IndexRow> {
    let item = item(tables, key)?;
    let vectors = current(tables)
        .into_iter()
        .filter_map(|generation| {
            let (text, encoded) = tables.vectors.get(&(generation, key))?;
            Some(StoredVectors { generation, text: *text, encoded: encoded.clone() })
        })
        .collect();
    Some(IndexRow { key, item, vectors })
}

/// A chunk as a reader sees it.
pub(super) fn chunk(tables: &Tables, number: u64) -> Option<Chunk> {
    let stored = tables.chunks.get(&number)?;
    let document: &Document = tables.documents.get(&stored.document)?;
    Some(Chunk {
        document: document.id,
        scope: document.scope.clone(),
        source: document.source,
        path: document.path.clone(),
        modified_at: document.modified_at,
        indexed_at: document.indexed_at,
        ordinal: stored.ordinal,
        start_line: stored.chunk.start_line,
        end_line: stored.chunk.end_line,
        context: stored.chunk.context.clone(),
        text: stored.chunk.text.clone(),
    })
}

/// The generations that serve or are being built.
pub(super) fn current(tables: &Tables) -> Vec<GenerationId> {
    let current = tables.generations.iter().filter(|(_, kept)| kept.generation.state != GenerationState::Retired);
    current.map(|(id, _)| *id).collect()
}

fn item(tables: &Tables, key: ItemKey) -> Option<Item> {
    if key.is_chunk() {
        chunk(tables, key.row()).map(|chunk| Item::Chunk(Box::new(chunk)))
    } else {
        tables.memories.get(&key.row()).map(|stored| Item::Memory(Box::new(stored.memory.clone())))
    }
}
