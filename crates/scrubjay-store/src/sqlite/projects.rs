//! Projects as wholes.

use std::collections::BTreeMap;

use async_trait::async_trait;
use rusqlite::Connection;
use scrubjay_core::id::MemoryId;
use scrubjay_core::memory::Kind;
use scrubjay_core::scope::{ProjectId, Scope, View};
use scrubjay_core::time::Timestamp;

use super::connection::Fault;
use super::row::{self, Stored};
use super::store::SqliteStore;
use super::{changes, counts, documents, entities, index_log, scopes, sessions};
use crate::change::{Before, Effect, Moved, Stamp};
use crate::item::ItemKey;
use crate::query::ProjectCounts;
use crate::rules;
use crate::traits::Projects;

#[async_trait]
impl Projects for SqliteStore {
    async fn projects(&self) -> crate::Result<Vec<ProjectCounts>> {
        self.readers.read("list projects", counts).await
    }

    async fn move_memories(
        &self,
        stamp: Stamp,
        from: &ProjectId,
        to: &ProjectId,
        ids: Option<Vec<MemoryId>>,
    ) -> crate::Result<Vec<MemoryId>> {
        let (from, to) = (from.clone(), to.clone());
        let work = move |connection: &Connection| move_all(connection, &stamp, &from, &to, ids.as_deref());
        self.writer.write("move memories", &self.options, work).await
    }

    async fn clear_project(&self, project: &ProjectId) -> crate::Result<()> {
        let project = project.clone();
        self.writer.write("clear a project", &self.options, move |connection| clear(connection, &project)).await
    }
}

/// Moves a memory back, unless it is elsewhere by now. That is noted where the caller stands, so that it can be taken
/// back from there.
pub(super) fn take_back(
    connection: &Connection,
    stamp: &Stamp,
    id: MemoryId,
    moved: &Moved,
    noted_in: &Scope,
) -> Result<(), Fault> {
    if let Some(stored) = row::find(connection, &View::of(&moved.to), id)?.filter(|one| one.memory.scope == moved.to) {
        move_one(connection, stamp, &stored, &moved.from, noted_in)?;
    }
    Ok(())
}

fn counts(connection: &Connection) -> Result<Vec<ProjectCounts>, Fault> {
    let mut found: BTreeMap<String, ProjectCounts> = BTreeMap::new();
    let mut statement = connection.prepare(
        "SELECT s.name, c.kind, NOT c.ended, sum(c.memories), c.scope
         FROM memory_counts c JOIN scopes s ON s.pk = c.scope GROUP BY c.scope, c.kind, c.ended",
    )?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let scope: Scope = row::parse(row, 0)?;
        let Some(counts) = of(&mut found, &scope) else { continue };
        let (is_active, count): (bool, u64) = (row.get(2)?, row.get::<_, i64>(3)?.unsigned_abs());
        counts.last_used = counts.last_used.max(counts::newest(connection, row.get(4)?)?);
        match row::parse::<Kind>(row, 1)? {
            _ if !is_active => counts.ended += count,
            Kind::Episode => counts.episodes += count,
            Kind::Reflection => counts.reflections += count,
            Kind::Fact | Kind::Scratch => counts.facts += count,
        }
    }
    for (table, last) in [("sessions", "max(last_seen)"), ("documents", "NULL")] {
        let sql = format!("SELECT s.name, count(*), {last} FROM {table} t JOIN scopes s ON s.pk = t.scope GROUP BY 1");
        let mut statement = connection.prepare(&sql)?;
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            let Some(counts) = of(&mut found, &row::parse(row, 0)?) else { continue };
            let count = row.get::<_, i64>(1)?.unsigned_abs();
            let of_table = if table == "sessions" { &mut counts.sessions } else { &mut counts.documents };
            *of_table += count;
            counts.last_used = counts.last_used.max(row.get::<_, Option<i64>>(2)?.map(Timestamp::from_millis));
        }
    }
    Ok(found.into_values().collect())
}

fn of<'a>(found: &'a mut BTreeMap<String, ProjectCounts>, scope: &Scope) -> Option<&'a mut ProjectCounts> {
    let project = scope.project()?.to_string();
    let new = || ProjectCounts { project: project.clone(), ..ProjectCounts::default() };
    Some(found.entry(project.clone()).or_insert_with(new))
}

fn move_all(
    connection: &Connection,
    stamp: &Stamp,
    from: &ProjectId,
    to: &ProjectId,
    ids: Option<&[MemoryId]>,
) -> Result<Vec<MemoryId>, Fault> {
    rules::check_move(from, to)?;
    let (left, reached) = (Scope::Project(from.clone()), Scope::Project(to.clone()));
    let view = View::of(&left).without_global();
    // Whoever names memories stands where they were, and whoever moves all of them stands where they are then.
    let (ids, noted_in) = match ids {
        Some(ids) => (ids.to_vec(), &left),
        None => (everything(connection, &left)?, &reached),
    };
    for id in &ids {
        let stored = row::need(connection, &view, *id)?;
        move_one(connection, stamp, &stored, &reached, noted_in)?;
    }
    if noted_in == &reached {
        copy_tombstones(connection, &left, &reached)?;
        // Even if there was nothing to move, there is something to take back.
        let scope = scopes::number_or_new(connection, &reached)?;
        let before = Before { moved: Some(Moved { from: left, to: reached }), ..Before::default() };
        changes::record(connection, stamp, scope, None, Effect::Moved, 0, Some(&before))?;
    }
    Ok(ids)
}

fn everything(connection: &Connection, scope: &Scope) -> Result<Vec<MemoryId>, Fault> {
    let Some(scope) = scopes::number(connection, scope)? else { return Ok(Vec::new()) };
    let mut statement = connection.prepare_cached("SELECT id, kind FROM memories WHERE scope = ?1 ORDER BY pk")?;
    let ids = statement.query_map([scope], |row| Ok(MemoryId::new(row::parse::<Kind>(row, 1)?, row::uuid(row, 0)?)))?;
    Ok(ids.collect::<rusqlite::Result<_>>()?)
}

fn move_one(
    connection: &Connection,
    stamp: &Stamp,
    stored: &Stored,
    to: &Scope,
    noted_in: &Scope,
) -> Result<(), Fault> {
    let (pk, memory) = (stored.pk, &stored.memory);
    let left = scopes::number_or_new(connection, &memory.scope)?;
    let reached = scopes::number_or_new(connection, to)?;
    // A message that both have keeps its own key in the project that it was in first.
    connection
        .prepare_cached(
            "UPDATE memories SET client_id = NULL WHERE pk = ?1 AND EXISTS (
                 SELECT 1 FROM memories o WHERE o.scope = ?2 AND o.client_id = memories.client_id
                     AND ifnull(o.session_id, '') = ifnull(memories.session_id, ''))",
        )?
        .execute((pk, reached))?;
    connection.prepare_cached("UPDATE memories SET scope = ?2 WHERE pk = ?1")?.execute((pk, reached))?;
    connection.prepare_cached("UPDATE changes SET scope = ?2 WHERE memory = ?1")?.execute((pk, reached))?;
    if let Some(session_id) = &memory.session_id {
        sessions::follow(connection, left, reached, session_id)?;
        sessions::saw(connection, reached, session_id, memory.event_time)?;
        sessions::lost(connection, left, session_id)?;
    }
    entities::follow(connection, pk, reached, to)?;
    let key = ItemKey::memory(pk.unsigned_abs());
    index_log::note(connection, left, key, false)?;
    index_log::note(connection, reached, key, false)?;
    let noted_in = scopes::number_or_new(connection, noted_in)?;
    let before = Before { moved: Some(Moved { from: memory.scope.clone(), to: to.clone() }), ..Before::default() };
    changes::record(connection, stamp, noted_in, Some(pk), Effect::Moved, memory.version, Some(&before))
}

// What was purged must not be learned again under another name.
fn copy_tombstones(connection: &Connection, from: &Scope, to: &Scope) -> Result<(), Fault> {
    let Some(left) = scopes::number(connection, from)? else { return Ok(()) };
    let reached = scopes::number_or_new(connection, to)?;
    connection
        .prepare_cached(
            "INSERT OR IGNORE INTO tombstones (scope, hash, at) SELECT ?2, hash, at FROM tombstones WHERE scope = ?1",
        )?
        .execute((left, reached))?;
    Ok(())
}

fn clear(connection: &Connection, project: &ProjectId) -> Result<(), Fault> {
    let mut statement = connection.prepare("SELECT pk, name FROM scopes")?;
    let all = statement
        .query_map([], |row| Ok((row.get::<_, i64>(0)?, row::parse::<Scope>(row, 1)?)))?
        .collect::<rusqlite::Result<Vec<_>>>()?;
    for (number, scope) in all.into_iter().filter(|(_, scope)| scope.project() == Some(project)) {
        let mut paths = connection.prepare("SELECT path FROM documents WHERE scope = ?1")?;
        let paths = paths.query_map([number], |row| row.get(0))?.collect::<rusqlite::Result<Vec<String>>>()?;
        documents::remove(connection, &scope, &paths, None)?;
        connection.execute(
            "DELETE FROM receipt_items WHERE receipt IN (SELECT pk FROM receipts WHERE scope = ?1)",
            [number],
        )?;
        connection.execute(
            "DELETE FROM memory_entities WHERE entity IN (SELECT pk FROM entities WHERE scope = ?1)",
            [number],
        )?;
        let tables = [
            "receipts",
            "entity_aliases",
            "entities",
            "sessions",
            "confirmations",
            "tasks",
            "jobs",
            "sources",
            "syncs",
            "space_entries",
            "gone_names",
        ];
        for table in tables {
            connection.execute(&format!("DELETE FROM {table} WHERE scope = ?1"), [number])?;
        }
    }
    Ok(())
}
