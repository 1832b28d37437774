//! The only hard delete.
//!
//! The server keeps the pages of deleted rows until it vacuums them, and its own log as long as it was told to; that is
//! the server's matter and its owner's.

use std::collections::{BTreeMap, BTreeSet};

use scrubjay_core::id::MemoryId;
use scrubjay_core::scope::{Scope, View};
use scrubjay_core::text::TextHash;

use super::fault::Fault;
use super::value::{from_json, get, parse, to_json};
use super::work::Work;
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

/// Destroys memories and everything derived from them, wherever that lives; the answer names only what the caller can
/// see.
pub(super) async fn purge(
    work: &Work,
    view: &View,
    stamp: &Stamp,
    ids: &[MemoryId],
    dry_run: bool,
) -> Result<Purged, Fault> {
    let mut doomed: Vec<Doomed> = Vec::new();
    let mut seen = BTreeSet::new();
    let mut waiting = Vec::new();
    for id in ids {
        waiting.push(row::need(work, view, *id).await?.pk);
    }
    while let Some(pk) = waiting.pop() {
        if !seen.insert(pk) {
            continue;
        }
        let memory = read(work, view, pk).await?;
        rules::check_purge(view, &memory.place)?;
        waiting.extend(derived_from(work, pk).await?);
        doomed.push(memory);
    }
    let mut purged = Purged::default();
    let mut gone: BTreeMap<i64, BTreeSet<MemoryId>> = BTreeMap::new();
    for memory in doomed {
        let history_rows = history_rows(work, memory.pk).await?;
        if !dry_run {
            destroy(work, stamp, &memory).await?;
            gone.entry(memory.scope).or_default().insert(memory.id);
            purged.items.push((memory.place.clone(), ItemKey::memory(memory.pk.unsigned_abs())));
        }
        if memory.visible {
            purged.memories.push(memory.id);
            purged.history_rows += history_rows;
        }
    }
    if !gone.is_empty() {
        upkeep::note_purge(work).await?;
    }
    for (scope, gone) in gone {
        forget_in_merges(work, scope, &gone).await?;
    }
    Ok(purged)
}

async fn destroy(work: &Work, stamp: &Stamp, memory: &Doomed) -> Result<(), Fault> {
    let pk = memory.pk;
    let key = ItemKey::memory(pk.unsigned_abs());
    cache::forget(work, key, TextHash::of_message(&memory.content)).await?;
    index_log::forget(work, memory.scope, key).await?;
    entities::forget_memory(work, pk).await?;
    receipts::forget(work, memory.id).await?;
    work.execute("DELETE FROM links WHERE agent = $1 AND (from_memory = $2 OR to_memory = $2)", &[&pk]).await?;
    // Older wordings are in history; the tombstones must know them too.
    let mut hashes = BTreeSet::from([TextHash::of_value(&memory.content)]);
    let sql = "SELECT before FROM changes WHERE agent = $1 AND memory = $2 AND before IS NOT NULL";
    for row in work.rows(sql, &[&pk]).await? {
        if let Some(content) = from_json::<Before>(&row, 0)?.fields.content {
            hashes.insert(TextHash::of_value(&content));
        }
    }
    for hash in hashes {
        let sql = "INSERT INTO tombstones (agent, scope, hash, at) VALUES ($1, $2, $3, $4)
                   ON CONFLICT (agent, scope, hash) DO UPDATE SET at = excluded.at";
        work.execute(sql, &[&memory.scope, &hash.as_bytes(), &stamp.at.millis()]).await?;
    }
    work.execute("DELETE FROM changes WHERE agent = $1 AND memory = $2", &[&pk]).await?;
    if let Some(session_id) = &memory.session_id {
        sessions::lost(work, memory.scope, session_id).await?;
    }
    work.execute("DELETE FROM memories WHERE agent = $1 AND pk = $2", &[&pk]).await?;
    // The number stays in the feed, so that derived indexes drop the row too.
    changes::record(work, stamp, memory.scope, Some(pk), Effect::Purged, 0, None).await
}

// A merge remembers the names of the entity that went. If no memory mentions that one any more, nobody may learn its
// names from history either.
async fn forget_in_merges(work: &Work, scope: i64, gone: &BTreeSet<MemoryId>) -> Result<(), Fault> {
    for mut past in changes::pasts(work, "c.memory IS NULL AND c.scope = $2", &[&scope]).await? {
        let Some(merged) = &mut past.entry.before.entity else { continue };
        if !merged.forget(gone) {
            continue;
        }
        if merged.memories.is_empty() && !merged.protected {
            work.execute("DELETE FROM changes WHERE agent = $1 AND seq = $2", &[&past.seq]).await?;
        } else {
            let before = to_json(&past.entry.before)?;
            let sql = "UPDATE changes SET before = $3 WHERE agent = $1 AND seq = $2";
            work.execute(sql, &[&past.seq, &before]).await?;
        }
    }
    Ok(())
}

async fn history_rows(work: &Work, pk: i64) -> Result<usize, Fault> {
    let row = work.one("SELECT count(*) FROM changes WHERE agent = $1 AND memory = $2", &[&pk]).await?;
    Ok(usize::try_from(get::<i64>(&row, 0)?).unwrap_or(0))
}

async fn read(work: &Work, view: &View, pk: i64) -> Result<Doomed, Fault> {
    let sql = "SELECT m.id, m.kind, m.scope, s.name, m.content, m.session_id FROM memories m
               JOIN scopes s ON s.agent = m.agent AND s.pk = m.scope WHERE m.agent = $1 AND m.pk = $2";
    let row = work.one(sql, &[&pk]).await?;
    let place: Scope = parse(&row, 3)?;
    Ok(Doomed {
        pk,
        id: row::id(&row, 0)?,
        scope: get(&row, 2)?,
        visible: view.sees(&place),
        place,
        content: get(&row, 4)?,
        session_id: get(&row, 5)?,
    })
}

async fn derived_from(work: &Work, pk: i64) -> Result<Vec<i64>, Fault> {
    let sql = "SELECT from_memory FROM links WHERE agent = $1 AND to_memory = $2 AND relation = 'derived_from'";
    work.rows(sql, &[&pk]).await?.iter().map(|row| get(row, 0)).collect()
}
