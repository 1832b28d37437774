//! The log that derived indexes follow, and the items it names.

use std::collections::{BTreeMap, BTreeSet};

use rusqlite::{Connection, OptionalExtension, Row};
use scrubjay_core::id::{DocumentId, MemoryId};
use scrubjay_core::scope::{Scope, View};
use scrubjay_core::text::TextHash;
use scrubjay_core::time::Timestamp;

use super::connection::Fault;
use super::lineage::LINEAGE;
use super::{row, scopes, upkeep, vectors};
use crate::item::{Chunk, GenerationId, GenerationState, IndexRow, Item, ItemKey, StoredVectors, Tail, TailEntry};

/// The mark after which the log is complete.
const BEGINS_AFTER: &str = "index_log_begins_after";

/// The columns of a chunk, in the order that [`read_chunk`] expects.
pub(super) const CHUNK_COLUMNS: &str = "d.id, s.name, d.source, d.path, d.modified_at, d.indexed_at, c.ordinal, \
     c.start_line, c.end_line, c.context, c.text, c.pk";

/// The tables that [`CHUNK_COLUMNS`] come from.
pub(super) const CHUNK_FROM: &str = "chunks c JOIN documents d ON d.pk = c.document JOIN scopes s ON s.pk = d.scope";

/// The vectors of an item. The order of the tables is given, because SQLite would begin with the larger one and go
/// through all of it.
const VECTORS_OF_ITEM: &str =
    "SELECT v.generation, v.text_hash, v.vectors FROM generations g CROSS JOIN vectors v ON v.generation = g.pk
     WHERE g.state <> 'retired' AND v.item = ?1 ORDER BY v.generation";

/// Notes that an item came, changed or went. One that has text to embed is
/// queued for the generations that serve or are being built.
pub(super) fn note(connection: &Connection, scope: i64, key: ItemKey, embed: bool) -> Result<(), Fault> {
    let item = row::integer(key.number());
    connection.prepare_cached("INSERT INTO index_log (scope, item) VALUES (?1, ?2)")?.execute((scope, item))?;
    let ticket = connection.last_insert_rowid();
    if embed {
        connection
            .prepare_cached(
                "INSERT INTO embed_queue (generation, item, ticket)
                 SELECT pk, ?1, ?2 FROM generations WHERE state <> 'retired'
                 ON CONFLICT DO UPDATE SET ticket = excluded.ticket",
            )?
            .execute((item, ticket))?;
    }
    Ok(())
}

/// Removes everything that was derived from an item.
pub(super) fn forget(connection: &Connection, scope: i64, key: ItemKey) -> Result<(), Fault> {
    let item = row::integer(key.number());
    connection
        .prepare_cached("DELETE FROM vectors WHERE generation IN (SELECT pk FROM generations) AND item = ?1")?
        .execute([item])?;
    connection
        .prepare_cached("DELETE FROM embed_queue WHERE generation IN (SELECT pk FROM generations) AND item = ?1")?
        .execute([item])?;
    note(connection, scope, key, false)
}

/// What changed after a position.
pub(super) fn tail(connection: &Connection, view: Option<&View>, after: u64, limit: usize) -> Result<Tail, Fault> {
    let lineage = upkeep::mark(connection, LINEAGE)?.unwrap_or(0);
    let begins_after = upkeep::mark(connection, BEGINS_AFTER)?.unwrap_or(0);
    let visible = view.map(|view| scopes::visible(connection, view)).transpose()?;
    let mut statement = connection
        .prepare_cached("SELECT l.seq, l.scope, s.name, l.item FROM index_log l JOIN scopes s ON s.pk = l.scope WHERE l.seq > ?1 ORDER BY l.seq LIMIT ?2")?;
    let mut rows = statement.query((row::integer(after), i64::try_from(limit).unwrap_or(i64::MAX)))?;
    let seen: Option<Vec<i64>> = visible.map(|list| list.split(',').filter_map(|number| number.parse().ok()).collect());
    let (mut through, mut read) = (after.max(begins_after), 0);
    // What moved to another project changed in both: it came to one and went from the other.
    let mut last: BTreeMap<(ItemKey, Scope), u64> = BTreeMap::new();
    while let Some(found) = rows.next()? {
        read += 1;
        let position = found.get::<_, i64>(0)?.unsigned_abs();
        through = position;
        if seen.as_ref().is_some_and(|seen| found.get(1).is_ok_and(|scope: i64| !seen.contains(&scope))) {
            continue;
        }
        let key = ItemKey::from_number(found.get::<_, i64>(3)?.unsigned_abs());
        last.insert((key, row::parse(found, 2)?), position);
    }
    let keys: BTreeSet<ItemKey> = last.keys().map(|(key, _)| *key).collect();
    let mut present: BTreeMap<(ItemKey, Scope), IndexRow> = read_rows(connection, keys.into_iter())?
        .into_iter()
        .map(|row| ((row.key, row.item.scope().clone()), row))
        .collect();
    let mut entries: Vec<(u64, TailEntry)> = last
        .into_iter()
        .map(|(place, position)| {
            let row = present.remove(&place);
            (position, TailEntry { scope: place.1, key: place.0, row })
        })
        .collect();
    entries.sort_by_key(|(position, _)| *position);
    let entries = entries.into_iter().map(|(_, entry)| entry).collect();
    let mut generations = vectors::generations(connection)?;
    generations.retain(|generation| generation.state != GenerationState::Retired);
    let newest: Option<i64> = connection.query_row("SELECT max(seq) FROM index_log", [], |row| row.get(0))?;
    let newest = newest.unwrap_or(0).unsigned_abs().max(begins_after);
    Ok(Tail { lineage, begins_after, through, more: read == limit, newest, generations, entries })
}

/// All items in the order of their keys: memories and chunks take turns by row
/// number.
pub(super) fn all_items(connection: &Connection, after: Option<ItemKey>, limit: usize) -> Result<Vec<IndexRow>, Fault> {
    let number = after.map_or(-1, |key| row::integer(key.number()));
    let mut statement = connection.prepare_cached(
        "SELECT item FROM (
             SELECT * FROM (SELECT pk * 2 AS item FROM memories WHERE pk > ?1 / 2 ORDER BY pk LIMIT ?2)
             UNION ALL
             SELECT * FROM (SELECT pk * 2 + 1 AS item FROM chunks WHERE pk * 2 + 1 > ?1 AND pk >= ?1 / 2 ORDER BY pk LIMIT ?2)
         ) ORDER BY item LIMIT ?2",
    )?;
    let keys = statement
        .query_map((number, i64::try_from(limit).unwrap_or(i64::MAX)), |row| row.get::<_, i64>(0))?
        .collect::<rusqlite::Result<Vec<_>>>()?;
    let mut rows = read_rows(connection, keys.into_iter().map(|item| ItemKey::from_number(item.unsigned_abs())))?;
    rows.sort_by_key(|row| row.key);
    Ok(rows)
}

/// The visible ones of these items.
pub(super) fn items(connection: &Connection, view: &View, keys: &[ItemKey]) -> Result<Vec<(ItemKey, Item)>, Fault> {
    let found = read_items(connection, keys.iter().copied())?;
    Ok(found.into_iter().filter(|(_, item)| view.sees(item.scope())).collect())
}

/// The keys of the visible ones of these memories.
pub(super) fn keys_of(
    connection: &Connection,
    view: &View,
    ids: &[MemoryId],
) -> Result<Vec<(MemoryId, ItemKey)>, Fault> {
    let visible = scopes::visible(connection, view)?;
    let sql = format!("SELECT pk FROM memories WHERE id = ?1 AND kind = ?2 AND scope IN ({visible})");
    let mut statement = connection.prepare_cached(&sql)?;
    let mut keys = Vec::with_capacity(ids.len());
    for id in ids {
        let pk: Option<i64> = statement.query_row((id.uuid(), id.kind().name()), |row| row.get(0)).optional()?;
        keys.extend(pk.map(|pk| (*id, ItemKey::memory(pk.unsigned_abs()))));
    }
    Ok(keys)
}

/// Drops the log up to a position.
pub(super) fn trim(connection: &Connection, through: u64) -> Result<(), Fault> {
    let newest: Option<i64> = connection.query_row("SELECT max(seq) FROM index_log", [], |row| row.get(0))?;
    let through = through.min(newest.unwrap_or(0).unsigned_abs());
    connection.prepare_cached("DELETE FROM index_log WHERE seq <= ?1")?.execute([row::integer(through)])?;
    let before = upkeep::mark(connection, BEGINS_AFTER)?.unwrap_or(0);
    upkeep::set_mark(connection, BEGINS_AFTER, through.max(before))
}

/// These items with their vectors; those that are gone are left out.
pub(super) fn read_rows(connection: &Connection, keys: impl Iterator<Item = ItemKey>) -> Result<Vec<IndexRow>, Fault> {
    let mut rows = Vec::new();
    let mut statement = connection.prepare_cached(VECTORS_OF_ITEM)?;
    for (key, item) in read_items(connection, keys)? {
        let vectors = statement
            .query_map([row::integer(key.number())], |row| {
                Ok(StoredVectors {
                    generation: GenerationId(row.get::<_, i64>(0)?.unsigned_abs()),
                    text: TextHash::from_bytes(row.get(1)?),
                    encoded: row.get(2)?,
                })
            })?
            .collect::<rusqlite::Result<_>>()?;
        rows.push(IndexRow { key, item, vectors });
    }
    Ok(rows)
}

/// A chunk and its row number, from the columns above.
pub(super) fn read_chunk(row: &Row<'_>) -> rusqlite::Result<(u64, Chunk)> {
    let chunk = Chunk {
        document: DocumentId::from(row::uuid(row, 0)?),
        scope: row::parse(row, 1)?,
        source: row::parse(row, 2)?,
        path: row.get(3)?,
        modified_at: Timestamp::from_millis(row.get(4)?),
        indexed_at: Timestamp::from_millis(row.get(5)?),
        ordinal: row.get(6)?,
        start_line: row.get(7)?,
        end_line: row.get(8)?,
        context: row.get(9)?,
        text: row.get(10)?,
    };
    Ok((row.get::<_, i64>(11)?.unsigned_abs(), chunk))
}

fn read_items(connection: &Connection, keys: impl Iterator<Item = ItemKey>) -> Result<Vec<(ItemKey, Item)>, Fault> {
    let (chunks, memories): (Vec<ItemKey>, Vec<ItemKey>) = keys.partition(|key| key.is_chunk());
    let mut items = Vec::with_capacity(chunks.len() + memories.len());
    let sql = format!("SELECT {} FROM {} WHERE m.pk = ?1", row::COLUMNS, row::FROM);
    let mut statement = connection.prepare_cached(&sql)?;
    for key in memories {
        let stored = statement.query_row([row::integer(key.row())], row::read).optional()?;
        items.extend(stored.map(|stored| (key, Item::Memory(Box::new(stored.memory)))));
    }
    if !chunks.is_empty() {
        let sql = format!("SELECT {CHUNK_COLUMNS} FROM {CHUNK_FROM} WHERE c.pk = ?1");
        let mut statement = connection.prepare_cached(&sql)?;
        for key in chunks {
            let chunk = statement.query_row([row::integer(key.row())], read_chunk).optional()?;
            items.extend(chunk.map(|(_, chunk)| (key, Item::Chunk(Box::new(chunk)))));
        }
    }
    Ok(items)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_vectors_of_an_item_are_looked_up() {
        let plan = super::super::migrate::plan_of(VECTORS_OF_ITEM);
        let looks_up = |step: &String| step.starts_with("SEARCH v ") && step.contains("item=?");
        assert!(plan.iter().any(looks_up), "{plan:?}");
    }
}
