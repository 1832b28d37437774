//! The only hard delete.

use std::collections::{BTreeMap, BTreeSet};

use rusqlite::Connection;
use scrubjay_core::id::MemoryId;
use scrubjay_core::memory::Kind;
use scrubjay_core::scope::{Scope, View};
use scrubjay_core::text::TextHash;

use super::connection::Fault;
use super::{cache, changes, entities, index_log, receipts, row, sessions, upkeep};
use crate::change::{Before, Effect, Purged, Stamp};
use crate::item::ItemKey;
use crate::rules;

struct Doomed {
    pk: i64,
    id: MemoryId,
    scope: i64,
    place: Scope,
    visible: bool,
    content: String,
    session_id: Option<String>,
}

/// Destroys memories and everything derived from them, wherever that lives; the
/// answer names only what the caller can see.
pub(super) fn purge(
    connection: &Connection,
    view: &View,
    stamp: &Stamp,
    ids: &[MemoryId],
    dry_run: bool,
) -> Result<Purged, Fault> {
    let mut doomed: Vec<Doomed> = Vec::new();
    let mut seen = BTreeSet::new();
    let mut waiting = Vec::new();
    for id in ids {
        waiting.push(row::need(connection, view, *id)?.pk);
    }
    while let Some(pk) = waiting.pop() {
        if !seen.insert(pk) {
            continue;
        }
        let memory = read(connection, view, pk)?;
        rules::check_purge(view, &memory.place)?;
        waiting.extend(derived_from(connection, pk)?);
        doomed.push(memory);
    }
    let mut purged = Purged::default();
    let mut gone: BTreeMap<i64, BTreeSet<MemoryId>> = BTreeMap::new();
    for memory in doomed {
        let history_rows = history_rows(connection, memory.pk)?;
        if !dry_run {
            destroy(connection, stamp, &memory)?;
            gone.entry(memory.scope).or_default().insert(memory.id);
            purged.items.push((memory.place.clone(), ItemKey::memory(memory.pk.unsigned_abs())));
        }
        if memory.visible {
            purged.memories.push(memory.id);
            purged.history_rows += history_rows;
        }
    }
    if !gone.is_empty() {
        upkeep::note_purge(connection)?;
    }
    for (scope, gone) in gone {
        forget_in_merges(connection, scope, &gone)?;
    }
    Ok(purged)
}

fn destroy(connection: &Connection, stamp: &Stamp, memory: &Doomed) -> Result<(), Fault> {
    let pk = memory.pk;
    let key = ItemKey::memory(pk.unsigned_abs());
    cache::forget(connection, key, TextHash::of_message(&memory.content))?;
    index_log::forget(connection, memory.scope, key)?;
    entities::forget_memory(connection, pk)?;
    receipts::forget(connection, memory.id)?;
    connection.prepare_cached("DELETE FROM links WHERE from_memory = ?1 OR to_memory = ?1")?.execute([pk])?;
    // Older wordings are in history; the tombstones must know them too.
    let mut hashes = BTreeSet::from([TextHash::of_value(&memory.content)]);
    let mut statement =
        connection.prepare_cached("SELECT before FROM changes WHERE memory = ?1 AND before IS NOT NULL")?;
    let befores = statement.query_map([pk], |row| row::from_json::<Before>(row, 0))?;
    for before in befores {
        if let Some(content) = before?.fields.content {
            hashes.insert(TextHash::of_value(&content));
        }
    }
    for hash in hashes {
        connection
            .prepare_cached("INSERT OR REPLACE INTO tombstones (scope, hash, at) VALUES (?1, ?2, ?3)")?
            .execute((memory.scope, hash.as_bytes(), stamp.at.millis()))?;
    }
    connection.prepare_cached("DELETE FROM changes WHERE memory = ?1")?.execute([pk])?;
    if let Some(session_id) = &memory.session_id {
        sessions::lost(connection, memory.scope, session_id)?;
    }
    connection.prepare_cached("DELETE FROM memories WHERE pk = ?1")?.execute([pk])?;
    // The number stays in the feed, so that derived indexes drop the row too.
    changes::record(connection, stamp, memory.scope, Some(pk), Effect::Purged, 0, None)
}

// A merge remembers the names of the entity that went. If no memory mentions
// that one any more, nobody may learn its names from history either.
fn forget_in_merges(connection: &Connection, scope: i64, gone: &BTreeSet<MemoryId>) -> Result<(), Fault> {
    for mut past in changes::pasts(connection, "c.memory IS NULL AND +c.scope = ?1", [scope])? {
        let Some(merged) = &mut past.entry.before.entity else { continue };
        if !merged.forget(gone) {
            continue;
        }
        if merged.memories.is_empty() && !merged.protected {
            connection.prepare_cached("DELETE FROM changes WHERE seq = ?1")?.execute([past.seq])?;
        } else {
            connection
                .prepare_cached("UPDATE changes SET before = ?2 WHERE seq = ?1")?
                .execute((past.seq, row::to_json(&past.entry.before)?))?;
        }
    }
    Ok(())
}

fn history_rows(connection: &Connection, pk: i64) -> Result<usize, Fault> {
    let mut statement = connection.prepare_cached("SELECT count(*) FROM changes WHERE memory = ?1")?;
    let count: i64 = statement.query_row([pk], |row| row.get(0))?;
    Ok(usize::try_from(count).unwrap_or(0))
}

fn read(connection: &Connection, view: &View, pk: i64) -> Result<Doomed, Fault> {
    let mut statement = connection.prepare_cached(
        "SELECT m.id, m.kind, m.scope, s.name, m.content, m.session_id FROM memories m JOIN scopes s ON s.pk = m.scope
         WHERE m.pk = ?1",
    )?;
    Ok(statement.query_row([pk], |row| {
        let place: Scope = row::parse(row, 3)?;
        Ok(Doomed {
            pk,
            id: MemoryId::new(row::parse::<Kind>(row, 1)?, row::uuid(row, 0)?),
            scope: row.get(2)?,
            visible: view.sees(&place),
            place,
            content: row.get(4)?,
            session_id: row.get(5)?,
        })
    })?)
}

fn derived_from(connection: &Connection, pk: i64) -> Result<Vec<i64>, Fault> {
    let mut statement = connection
        .prepare_cached("SELECT from_memory FROM links WHERE to_memory = ?1 AND relation = 'derived_from'")?;
    Ok(statement.query_map([pk], |row| row.get(0))?.collect::<rusqlite::Result<_>>()?)
}
