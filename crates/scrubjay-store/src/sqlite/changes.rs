//! Changes to memories, and the history they leave.

use rusqlite::{Connection, OptionalExtension, Params, Row};
use scrubjay_core::id::{MemoryId, RunId};
use scrubjay_core::memory::{Ended, Kind, Link, Memory, Origin, OriginKind, Relation};
use scrubjay_core::scope::View;
use scrubjay_core::text::TextHash;
use scrubjay_core::time::Timestamp;
use uuid::Uuid;

use super::connection::Fault;
use super::row::{self, Stored};
use super::{capture, entities, index_log, jobs, scopes, sessions};
use crate::change::{Applied, Before, Change, Effect, HistoryEntry, NewJob, NewMemory, Patch, Stamp};
use crate::item::ItemKey;
use crate::{StoreError, rules};

/// A row of history with what its table alone knows.
pub(super) struct Past {
    pub(super) seq: i64,
    pub(super) scope: i64,
    pub(super) pk: Option<i64>,
    pub(super) entry: HistoryEntry,
}

/// Makes all changes of a run.
pub(super) fn apply(
    connection: &Connection,
    view: &View,
    stamp: &Stamp,
    changes: &[Change],
    new_jobs: &[NewJob],
) -> Result<Vec<Applied>, Fault> {
    let mut applied = Vec::with_capacity(changes.len());
    for change in changes {
        applied.push(match change {
            Change::Create(new) => create(connection, view, stamp, new)?,
            Change::Update { id, expected_version, patch } => {
                let stored = row::need(connection, view, *id)?;
                rules::expect_version(&stored.memory, *expected_version)?;
                applied_memory(update(connection, view, stamp, stored, patch)?)
            }
            Change::End { id, expected_version, by } => {
                let stored = row::need(connection, view, *id)?;
                rules::expect_version(&stored.memory, *expected_version)?;
                let patch = rules::ending(&stored.memory, Ended { at: stamp.at, by: *by })?;
                applied_memory(patch_memory(connection, stamp, stored, &patch)?)
            }
            Change::Reopen { id } => {
                let stored = row::need(connection, view, *id)?;
                let patch = rules::reopening(&stored.memory)?;
                applied_memory(patch_memory(connection, stamp, stored, &patch)?)
            }
            Change::Link(link) => Applied::Link(self::link(connection, view, stamp, link)?),
            Change::Unlink(link) => Applied::Link(unlink(connection, view, stamp, link)?),
            Change::Mention { id, mentions } => {
                Applied::Mentions(entities::mention(connection, view, stamp, *id, mentions)?)
            }
        });
    }
    jobs::enqueue(connection, new_jobs, stamp.at)?;
    Ok(applied)
}

/// Applies a patch and records what it changed; nothing if it changed nothing.
pub(super) fn patch_memory(
    connection: &Connection,
    stamp: &Stamp,
    mut stored: Stored,
    patch: &Patch,
) -> Result<Stored, Fault> {
    if let Some(attributes) = &patch.attributes {
        rules::check_attributes(attributes)?;
    }
    let fields = patch.apply(&mut stored.memory);
    if fields.is_empty() {
        return Ok(stored);
    }
    stored.memory.version += 1;
    row::update(connection, stored.pk, &stored.memory)?;
    let scope = scopes::number_or_new(connection, &stored.memory.scope)?;
    // What is embedded is the text alone.
    index_log::note(connection, scope, ItemKey::memory(stored.pk.unsigned_abs()), fields.content.is_some())?;
    let effect = Effect::of_patch(patch);
    let before = Before { fields, ..Before::default() };
    record(connection, stamp, scope, Some(stored.pk), effect, stored.memory.version, Some(&before))?;
    Ok(stored)
}

/// Makes a link; false if it was there.
pub(super) fn link(connection: &Connection, view: &View, stamp: &Stamp, link: &Link) -> Result<bool, Fault> {
    let (from, to) = ends(connection, view, link)?;
    let mut statement = connection
        .prepare_cached("INSERT OR IGNORE INTO links (from_memory, relation, to_memory) VALUES (?1, ?2, ?3)")?;
    let new = statement.execute((from.pk, link.relation.name(), to.pk))? > 0;
    if new {
        record_link(connection, stamp, &from, link, Effect::Linked)?;
    }
    Ok(new)
}

/// Removes a link; false if there was none.
pub(super) fn unlink(connection: &Connection, view: &View, stamp: &Stamp, link: &Link) -> Result<bool, Fault> {
    let (from, to) = ends(connection, view, link)?;
    let mut statement =
        connection.prepare_cached("DELETE FROM links WHERE from_memory = ?1 AND relation = ?2 AND to_memory = ?3")?;
    let gone = statement.execute((from.pk, link.relation.name(), to.pk))? > 0;
    if gone {
        record_link(connection, stamp, &from, link, Effect::Unlinked)?;
    }
    Ok(gone)
}

/// Adds a row to history.
pub(super) fn record(
    connection: &Connection,
    stamp: &Stamp,
    scope: i64,
    memory: Option<i64>,
    effect: Effect,
    version: u64,
    before: Option<&Before>,
) -> Result<(), Fault> {
    let before = before.map(row::to_json).transpose()?;
    let mut statement = connection.prepare_cached(
        "INSERT INTO changes (memory, scope, run, at, actor, operation, effect, version, before)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
    )?;
    statement.execute((
        memory,
        scope,
        stamp.run.uuid(),
        stamp.at.millis(),
        &stamp.actor,
        stamp.operation,
        effect.name(),
        row::integer(version),
        before,
    ))?;
    Ok(())
}

/// Everything that happened to a memory, oldest first. A link to a memory out
/// of view is nobody's business here.
pub(super) fn history(connection: &Connection, view: &View, id: MemoryId) -> Result<Vec<HistoryEntry>, Fault> {
    let stored = row::need(connection, view, id)?;
    let mut entries = Vec::new();
    for past in pasts(connection, "c.memory = ?1 ORDER BY c.seq", [stored.pk])? {
        let shown = match &past.entry.before.link {
            Some(link) => {
                row::find(connection, view, link.from)?.is_some() && row::find(connection, view, link.to)?.is_some()
            }
            None => true,
        };
        if shown {
            entries.push(past.entry);
        }
    }
    Ok(entries)
}

/// The rows of history that meet a condition.
pub(super) fn pasts(connection: &Connection, condition: &str, values: impl Params) -> Result<Vec<Past>, Fault> {
    let sql = format!(
        "SELECT c.seq, c.scope, c.memory, m.id, m.kind, c.run, c.at, c.actor, c.operation, c.effect, c.version, c.before,
             c.undone_by
         FROM changes c LEFT JOIN memories m ON m.pk = c.memory WHERE {condition}"
    );
    let mut statement = connection.prepare_cached(&sql)?;
    let mut pasts = statement.query_map(values, read)?.collect::<rusqlite::Result<Vec<_>>>()?;
    for past in &mut pasts {
        past.entry.undone_by = undone_by(connection, past.entry.undone_by)?;
    }
    Ok(pasts)
}

/// The run that undid a change whose row names one, unless it was undone itself.
pub(super) fn undone_by(connection: &Connection, undone_by: Option<RunId>) -> Result<Option<RunId>, Fault> {
    rules::still_undone_by(undone_by, |run| {
        let mut statement = connection.prepare_cached(
            "SELECT undone_by FROM changes WHERE run = ?1 AND operation <> 'capture' AND undone_by IS NOT NULL LIMIT 1",
        )?;
        Ok(statement.query_row([run.uuid()], |row| row::uuid(row, 0)).optional()?.map(RunId::from))
    })
}

/// The links from and to a memory, both ends of which are visible.
pub(super) fn links(connection: &Connection, view: &View, id: MemoryId) -> Result<Vec<Link>, Fault> {
    links_at(connection, view, row::need(connection, view, id)?.pk)
}

/// The links from and to any of these memories, each once.
pub(super) fn links_of(connection: &Connection, view: &View, ids: &[MemoryId]) -> Result<Vec<Link>, Fault> {
    let mut links = Vec::new();
    for (_, key) in index_log::keys_of(connection, view, ids)? {
        links.extend(links_at(connection, view, row::integer(key.row()))?);
    }
    links.sort_by_key(|link| (link.from.uuid(), link.relation.name(), link.to.uuid()));
    links.dedup();
    Ok(links)
}

fn links_at(connection: &Connection, view: &View, pk: i64) -> Result<Vec<Link>, Fault> {
    let visible = scopes::visible(connection, view)?;
    let sql = format!(
        "SELECT f.id, f.kind, l.relation, t.id, t.kind FROM links l
         JOIN memories f ON f.pk = l.from_memory JOIN memories t ON t.pk = l.to_memory
         WHERE (l.from_memory = ?1 OR l.to_memory = ?1) AND f.scope IN ({visible}) AND t.scope IN ({visible})
         ORDER BY f.id, l.relation, t.id"
    );
    let mut statement = connection.prepare_cached(&sql)?;
    let rows = statement.query_map([pk], |row| {
        Ok(Link {
            from: MemoryId::new(row::parse(row, 1)?, row::uuid(row, 0)?),
            relation: row::parse::<Relation>(row, 2)?,
            to: MemoryId::new(row::parse(row, 4)?, row::uuid(row, 3)?),
        })
    })?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

/// An effect's name as stored.
pub(super) fn effect(name: &str) -> rusqlite::Result<Effect> {
    Effect::from_name(name).ok_or_else(|| {
        let error = StoreError::Unreadable { what: "history row", detail: format!("unknown effect `{name}`") };
        rusqlite::Error::FromSqlConversionFailure(0, rusqlite::types::Type::Text, Box::new(error))
    })
}

fn create(connection: &Connection, view: &View, stamp: &Stamp, new: &NewMemory) -> Result<Applied, Fault> {
    let memory = &new.memory;
    if !view.sees(&memory.scope) {
        return Err(StoreError::not_found("such a scope").into());
    }
    let scope = scopes::number_or_new(connection, &memory.scope)?;
    if let Some(client_id) = &new.client_id
        && let Some(id) = capture::by_client_id(connection, scope, memory.session_id.as_deref(), client_id)?
    {
        return Ok(Applied::Duplicate(id));
    }
    let value = TextHash::of_value(&memory.content);
    if capture::is_purged(connection, scope, value)? {
        if !new.despite_purge {
            return Ok(Applied::Purged);
        }
        connection
            .prepare_cached("DELETE FROM tombstones WHERE scope = ?1 AND hash = ?2")?
            .execute((scope, value.as_bytes()))?;
    }
    let inheriting = inherited_origin(connection, view, memory, &memory.source_ids)?.map(|kind| {
        let memory = Memory { origin: Origin { kind, ..memory.origin.clone() }, ..memory.clone() };
        NewMemory { memory, ..new.clone() }
    });
    let new = inheriting.as_ref().unwrap_or(new);
    let memory = &new.memory;
    let pk = capture::store(connection, stamp, scope, new)?;
    // What it was made from is a link as well, so that forgetting a source can
    // find everything derived from it.
    for source in memory.source_ids.iter().filter(|source| **source != memory.id) {
        if let Some(source) = row::find(connection, view, *source)? {
            connection
                .prepare_cached("INSERT OR IGNORE INTO links (from_memory, relation, to_memory) VALUES (?1, ?2, ?3)")?
                .execute((pk, Relation::DerivedFrom.name(), source.pk))?;
        }
    }
    if let Some(session_id) = &memory.session_id {
        sessions::saw(connection, scope, session_id, memory.event_time)?;
    }
    Ok(Applied::Memory(Box::new(memory.clone())))
}

fn update(connection: &Connection, view: &View, stamp: &Stamp, stored: Stored, patch: &Patch) -> Result<Stored, Fault> {
    let Some(source_ids) = &patch.source_ids else { return patch_memory(connection, stamp, stored, patch) };
    let origin = inherited_origin(connection, view, &stored.memory, source_ids)?;
    let patch = Patch { origin: origin.or(patch.origin), ..patch.clone() };
    let stored = patch_memory(connection, stamp, stored, &patch)?;
    link_new_sources(connection, view, stamp, &stored.memory)?;
    Ok(stored)
}

fn inherited_origin(
    connection: &Connection,
    view: &View,
    memory: &Memory,
    source_ids: &[MemoryId],
) -> Result<Option<OriginKind>, Fault> {
    let mut sources = Vec::new();
    for source in source_ids.iter().filter(|source| **source != memory.id) {
        sources.extend(row::find(connection, view, *source)?.map(|source| source.memory.origin.kind));
    }
    Ok(rules::inherited_origin(memory.origin.kind, &sources))
}

// Sources named later are links as well, and are taken back with the update
// that named them.
fn link_new_sources(connection: &Connection, view: &View, stamp: &Stamp, memory: &Memory) -> Result<(), Fault> {
    for source in memory.source_ids.iter().filter(|source| **source != memory.id) {
        if row::find(connection, view, *source)?.is_some() {
            link(connection, view, stamp, &Link { from: memory.id, relation: Relation::DerivedFrom, to: *source })?;
        }
    }
    Ok(())
}

fn read(row: &Row<'_>) -> rusqlite::Result<Past> {
    let memory_id = match row.get::<_, Option<[u8; 16]>>(3)? {
        Some(bytes) => Some(MemoryId::new(row::parse::<Kind>(row, 4)?, Uuid::from_bytes(bytes))),
        None => None,
    };
    let entry = HistoryEntry {
        memory_id,
        run: RunId::from(row::uuid(row, 5)?),
        at: Timestamp::from_millis(row.get(6)?),
        actor: row.get(7)?,
        operation: row.get(8)?,
        effect: effect(&row.get::<_, String>(9)?)?,
        version: row.get::<_, i64>(10)?.unsigned_abs(),
        before: row::from_json(row, 11)?,
        undone_by: row.get::<_, Option<[u8; 16]>>(12)?.map(|bytes| RunId::from(Uuid::from_bytes(bytes))),
    };
    Ok(Past { seq: row.get(0)?, scope: row.get(1)?, pk: row.get(2)?, entry })
}

fn applied_memory(stored: Stored) -> Applied {
    Applied::Memory(Box::new(stored.memory))
}

fn ends(connection: &Connection, view: &View, link: &Link) -> Result<(Stored, Stored), Fault> {
    rules::check_link(link)?;
    Ok((row::need(connection, view, link.from)?, row::need(connection, view, link.to)?))
}

fn record_link(
    connection: &Connection,
    stamp: &Stamp,
    from: &Stored,
    link: &Link,
    effect: Effect,
) -> Result<(), Fault> {
    let scope = scopes::number_or_new(connection, &from.memory.scope)?;
    let before = Before { link: Some(link.clone()), ..Before::default() };
    record(connection, stamp, scope, Some(from.pk), effect, from.memory.version, Some(&before))
}

/// The row number of a memory, wherever it lives.
pub(super) fn pk_of(connection: &Connection, id: MemoryId) -> Result<Option<i64>, Fault> {
    let mut statement = connection.prepare_cached("SELECT pk FROM memories WHERE id = ?1")?;
    Ok(statement.query_row([id.uuid()], |row| row.get(0)).optional()?)
}
