//! The only hard delete.

use std::collections::{BTreeMap, BTreeSet};

use scrubjay_core::id::MemoryId;
use scrubjay_core::memory::Relation;
use scrubjay_core::scope::{Scope, View};
use scrubjay_core::text::TextHash;

use super::capture::client_key;
use super::tables::Tables;
use super::{cache, changes, entities, index_log, receipts, sessions};
use crate::change::{Effect, Purged, Stamp};
use crate::item::ItemKey;
use crate::{Result, rules};

/// Destroys memories and everything derived from them, wherever that lives; the
/// answer names only what the caller can see.
pub(super) fn purge(
    tables: &mut Tables,
    view: &View,
    stamp: &Stamp,
    ids: &[MemoryId],
    dry_run: bool,
) -> Result<Purged> {
    let mut waiting = ids.iter().map(|id| Ok(tables.need(view, *id)?.0)).collect::<Result<Vec<_>>>()?;
    let mut seen = BTreeSet::new();
    let mut doomed = Vec::new();
    while let Some(pk) = waiting.pop() {
        if seen.insert(pk) {
            if let Some(stored) = tables.memories.get(&pk) {
                rules::check_purge(view, &stored.memory.scope)?;
            }
            let derived =
                tables.links.iter().filter(|((_, relation, to), ())| *relation == Relation::DerivedFrom && *to == pk);
            waiting.extend(derived.map(|((from, ..), ())| *from));
            doomed.push(pk);
        }
    }
    let mut purged = Purged::default();
    let mut gone: BTreeMap<Scope, BTreeSet<MemoryId>> = BTreeMap::new();
    for pk in doomed {
        let Some(stored) = tables.memories.get(&pk) else { continue };
        gone.entry(stored.memory.scope.clone()).or_default().insert(stored.memory.id);
        if view.sees(&stored.memory.scope) {
            purged.memories.push(stored.memory.id);
            purged.history_rows += tables.changes.iter().filter(|(_, past)| past.memory == Some(pk)).count();
        }
        if !dry_run {
            purged.items.push((stored.memory.scope.clone(), ItemKey::memory(pk)));
            destroy(tables, stamp, pk);
        }
    }
    for (scope, gone) in gone.iter().filter(|_| !dry_run) {
        forget_in_merges(tables, scope, gone);
    }
    Ok(purged)
}

fn destroy(tables: &mut Tables, stamp: &Stamp, pk: u64) {
    entities::forget_memory(tables, pk);
    let links: Vec<_> =
        tables.links.iter().map(|(key, ())| *key).filter(|(from, _, to)| *from == pk || *to == pk).collect();
    for key in links {
        tables.links.take(&key);
    }
    let Some(stored) = tables.memories.take(&pk) else { return };
    let memory = stored.memory;
    receipts::forget(tables, memory.id);
    cache::forget(tables, ItemKey::memory(pk), TextHash::of_message(&memory.content));
    index_log::forget(tables, &memory.scope, ItemKey::memory(pk));
    // Older wordings are in history; the tombstones must know them too.
    let mut hashes = BTreeSet::from([TextHash::of_value(&memory.content)]);
    let rows: Vec<u64> =
        tables.changes.iter().filter(|(_, past)| past.memory == Some(pk)).map(|(seq, _)| *seq).collect();
    for seq in rows {
        if let Some(content) = tables.changes.take(&seq).and_then(|past| past.entry.before.fields.content) {
            hashes.insert(TextHash::of_value(&content));
        }
    }
    for hash in hashes {
        tables.tombstones.put((memory.scope.clone(), hash), stamp.at);
    }
    if let Some(session_id) = &memory.session_id {
        sessions::lost(tables, &memory.scope, session_id);
        tables.texts.take(&(session_id.clone(), stored.text_hash, pk));
    }
    if let Some(client_id) = &stored.client_id {
        tables.client_ids.take(&client_key(&memory.scope, memory.session_id.as_deref(), client_id));
    }
    tables.memory_ids.take(&memory.id.uuid());
    // The number stays in the feed, so that derived indexes drop the row too.
    changes::record_row(tables, stamp, &memory.scope, Some((pk, None)), Effect::Purged, 0, None);
}

// A merge remembers the names of the entity that went. If no memory mentions
// that one any more, nobody may learn its names from history either.
fn forget_in_merges(tables: &mut Tables, scope: &Scope, gone: &BTreeSet<MemoryId>) {
    let merges = tables.changes.iter().filter(|(_, past)| past.memory.is_none() && past.scope == *scope);
    let merges: Vec<u64> = merges.map(|(seq, _)| *seq).collect();
    for seq in merges {
        let bare = tables.changes.change(&seq, |past| {
            let Some(merged) = &mut past.entry.before.entity else { return false };
            merged.forget(gone) && merged.memories.is_empty() && !merged.protected
        });
        if bare == Some(true) {
            tables.changes.take(&seq);
        }
    }
}
