//! The log that derived indexes follow, and the items it names.

use std::collections::{BTreeMap, BTreeSet};

use scrubjay_core::id::{DocumentId, MemoryId};
use scrubjay_core::scope::{Scope, View};
use scrubjay_core::text::TextHash;
use scrubjay_core::time::Timestamp;
use tokio_postgres::Row;
use uuid::Uuid;

use super::fault::Fault;
use super::value::{count, get, hash, integer, limit, parse, small};
use super::work::{Counter, Work};
use super::{memories, scopes, upkeep, vectors};
use crate::item::{Chunk, GenerationId, GenerationState, IndexRow, Item, ItemKey, StoredVectors, Tail, TailEntry};

/// The mark after which the log is complete.
const BEGINS_AFTER: &str = "index_log_begins_after";

/// The columns of a chunk, in the order that [`read_chunk`] expects.
pub(super) const CHUNK_COLUMNS: &str = "d.id, s.name, d.source, d.path, d.modified_at, d.indexed_at, c.ordinal, \
     c.start_line, c.end_line, c.context, c.text, c.pk";

/// The tables that [`CHUNK_COLUMNS`] come from.
pub(super) const CHUNK_FROM: &str = "chunks c JOIN documents d ON d.agent = c.agent AND d.pk = c.document \
     JOIN scopes s ON s.agent = d.agent AND s.pk = d.scope";

/// Notes that an item came, changed or went. One that has text to embed is queued for the generations that serve or are
/// being built.
pub(super) async fn note(work: &Work, scope: i64, key: ItemKey, embed: bool) -> Result<(), Fault> {
    let (item, ticket) = (integer(key.number()), work.draw(Counter::Log)?);
    work.execute(
        "WITH queued AS (
             INSERT INTO embed_queue (agent, generation, item, ticket)
             SELECT $1, pk, $4, $2 FROM generations WHERE agent = $1 AND state <> 'retired' AND $5
             ON CONFLICT (agent, generation, item) DO UPDATE SET ticket = excluded.ticket
         )
         INSERT INTO index_log (agent, seq, scope, item) VALUES ($1, $2, $3, $4)",
        &[&ticket, &scope, &item, &embed],
    )
    .await?;
    Ok(())
}

/// Removes everything that was derived from an item.
pub(super) async fn forget(work: &Work, scope: i64, key: ItemKey) -> Result<(), Fault> {
    let item = integer(key.number());
    for table in ["vectors", "embed_queue"] {
        let sql = format!(
            "DELETE FROM {table} WHERE agent = $1 AND item = $2
                 AND generation IN (SELECT pk FROM generations WHERE agent = $1)"
        );
        work.execute(&sql, &[&item]).await?;
    }
    note(work, scope, key, false).await
}

/// What changed after a position.
pub(super) async fn tail(work: &Work, view: Option<&View>, after: u64, most: usize) -> Result<Tail, Fault> {
    let seen = match view {
        Some(view) => Some(scopes::visible(work, view).await?),
        None => None,
    };
    let sql = "SELECT a.lineage, coalesce((SELECT value FROM marks WHERE agent = $1 AND name = $2), 0),
                   coalesce((SELECT max(seq) FROM index_log WHERE agent = $1), 0)
               FROM agents a WHERE a.pk = $1";
    let stand = work.one(sql, &[&BEGINS_AFTER]).await?;
    let (lineage, begins_after) = (count(&stand, 0)?, count(&stand, 1)?);
    let newest = count(&stand, 2)?.max(begins_after);
    let sql = "SELECT l.seq, l.scope, s.name, l.item FROM index_log l
               JOIN scopes s ON s.agent = l.agent AND s.pk = l.scope
               WHERE l.agent = $1 AND l.seq > $2 ORDER BY l.seq LIMIT $3";
    let rows = work.rows(sql, &[&integer(after), &limit(most)]).await?;
    let mut through = after.max(begins_after);
    // What moved to another project changed in both: it came to one and went from the other.
    let mut last: BTreeMap<(ItemKey, Scope), u64> = BTreeMap::new();
    for found in &rows {
        let position = count(found, 0)?;
        through = position;
        let scope: i64 = get(found, 1)?;
        if seen.as_ref().is_none_or(|seen| seen.contains(&scope)) {
            last.insert((ItemKey::from_number(count(found, 3)?), parse(found, 2)?), position);
        }
    }
    let keys: BTreeSet<ItemKey> = last.keys().map(|(key, _)| *key).collect();
    let mut present: BTreeMap<(ItemKey, Scope), IndexRow> = read_rows(work, keys.into_iter())
        .await?
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
    let mut generations = vectors::generations(work).await?;
    generations.retain(|generation| generation.state != GenerationState::Retired);
    Ok(Tail { lineage, begins_after, through, more: rows.len() == most, newest, generations, entries })
}

/// All items in the order of their keys: memories and chunks take turns by row number.
pub(super) async fn all_items(work: &Work, after: Option<ItemKey>, most: usize) -> Result<Vec<IndexRow>, Fault> {
    let number = after.map_or(-1, |key| integer(key.number()));
    let sql = "SELECT item FROM (
                   (SELECT pk * 2 AS item FROM memories WHERE agent = $1 AND pk > $2 / 2 ORDER BY pk LIMIT $3)
                   UNION ALL
                   (SELECT pk * 2 + 1 AS item FROM chunks WHERE agent = $1 AND pk * 2 + 1 > $2 AND pk >= $2 / 2
                    ORDER BY pk LIMIT $3)
               ) items ORDER BY item LIMIT $3";
    let rows = work.rows(sql, &[&number, &limit(most)]).await?;
    let keys: Vec<ItemKey> =
        rows.iter().map(|row| count(row, 0).map(ItemKey::from_number)).collect::<Result<_, _>>()?;
    let mut rows = read_rows(work, keys.into_iter()).await?;
    rows.sort_by_key(|row| row.key);
    Ok(rows)
}

/// The visible ones of these items.
pub(super) async fn items(work: &Work, view: &View, keys: &[ItemKey]) -> Result<Vec<(ItemKey, Item)>, Fault> {
    let found = read_items(work, keys.iter().copied()).await?;
    Ok(found.into_iter().filter(|(_, item)| view.sees(item.scope())).collect())
}

/// The keys of the visible ones of these memories.
pub(super) async fn keys_of(work: &Work, view: &View, ids: &[MemoryId]) -> Result<Vec<(MemoryId, ItemKey)>, Fault> {
    let visible = scopes::visible(work, view).await?;
    let wanted: Vec<Uuid> = ids.iter().map(|id| id.uuid()).collect();
    let sql = "SELECT id, kind, pk FROM memories WHERE agent = $1 AND id = ANY ($2) AND scope = ANY ($3)";
    let mut numbers = BTreeMap::new();
    for row in work.rows(sql, &[&wanted, &visible]).await? {
        numbers.insert(super::row::id(&row, 0)?, count(&row, 2)?);
    }
    Ok(ids.iter().filter_map(|id| Some((*id, ItemKey::memory(*numbers.get(id)?)))).collect())
}

/// Drops the log up to a position.
pub(super) async fn trim(work: &Work, through: u64) -> Result<(), Fault> {
    let newest = work.one("SELECT coalesce(max(seq), 0) FROM index_log WHERE agent = $1", &[]).await?;
    let through = through.min(count(&newest, 0)?);
    work.execute("DELETE FROM index_log WHERE agent = $1 AND seq <= $2", &[&integer(through)]).await?;
    let before = upkeep::mark(work, BEGINS_AFTER).await?.unwrap_or(0);
    upkeep::set_mark(work, BEGINS_AFTER, through.max(before)).await
}

/// These items with their vectors; those that are gone are left out.
pub(super) async fn read_rows(work: &Work, keys: impl Iterator<Item = ItemKey>) -> Result<Vec<IndexRow>, Fault> {
    let found = read_items(work, keys).await?;
    if found.is_empty() {
        return Ok(Vec::new());
    }
    let numbers: Vec<i64> = found.iter().map(|(key, _)| integer(key.number())).collect();
    let sql = "SELECT v.item, v.generation, v.text_hash, v.vectors
               FROM generations g JOIN vectors v ON v.agent = g.agent AND v.generation = g.pk
               WHERE g.agent = $1 AND g.state <> 'retired' AND v.item = ANY ($2) ORDER BY v.item, v.generation";
    let mut vectors: BTreeMap<u64, Vec<StoredVectors>> = BTreeMap::new();
    for row in work.rows(sql, &[&numbers]).await? {
        let stored = StoredVectors {
            generation: GenerationId(count(&row, 1)?),
            text: TextHash::from_bytes(hash(&row, 2)?),
            encoded: get(&row, 3)?,
        };
        vectors.entry(count(&row, 0)?).or_default().push(stored);
    }
    let with_vectors = |(key, item): (ItemKey, Item)| {
        let vectors = vectors.remove(&key.number()).unwrap_or_default();
        IndexRow { key, item, vectors }
    };
    Ok(found.into_iter().map(with_vectors).collect())
}

/// A chunk and its row number, from the columns above.
pub(super) fn read_chunk(row: &Row) -> Result<(u64, Chunk), Fault> {
    let chunk = Chunk {
        document: DocumentId::from(get::<Uuid>(row, 0)?),
        scope: parse(row, 1)?,
        source: parse(row, 2)?,
        path: get(row, 3)?,
        modified_at: Timestamp::from_millis(get(row, 4)?),
        indexed_at: Timestamp::from_millis(get(row, 5)?),
        ordinal: small(row, 6)?,
        start_line: small(row, 7)?,
        end_line: small(row, 8)?,
        context: get(row, 9)?,
        text: get(row, 10)?,
    };
    Ok((count(row, 11)?, chunk))
}

async fn read_items(work: &Work, keys: impl Iterator<Item = ItemKey>) -> Result<Vec<(ItemKey, Item)>, Fault> {
    let (mut chunks, mut numbers) = (Vec::new(), Vec::new());
    for key in keys {
        if key.is_chunk() { chunks.push(integer(key.row())) } else { numbers.push(integer(key.row())) }
    }
    let mut items = Vec::with_capacity(chunks.len() + numbers.len());
    for (pk, memory) in memories::by_number(work, numbers).await? {
        items.push((ItemKey::memory(pk.unsigned_abs()), Item::Memory(Box::new(memory))));
    }
    if !chunks.is_empty() {
        let sql =
            format!("SELECT {CHUNK_COLUMNS} FROM {CHUNK_FROM} WHERE c.agent = $1 AND c.pk = ANY ($2) ORDER BY c.pk");
        for row in work.rows(&sql, &[&chunks]).await? {
            let (pk, chunk) = read_chunk(&row)?;
            items.push((ItemKey::chunk(pk), Item::Chunk(Box::new(chunk))));
        }
    }
    Ok(items)
}
