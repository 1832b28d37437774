//! Projects as wholes.

use std::collections::BTreeMap;

use async_trait::async_trait;
use scrubjay_core::id::MemoryId;
use scrubjay_core::memory::Kind;
use scrubjay_core::scope::{ProjectId, Scope, View};
use scrubjay_core::time::Timestamp;

use super::fault::Fault;
use super::row::{self, Stored};
use super::store::{PostgresStore, read, write};
use super::value::{count, get, parse};
use super::work::Work;
use super::{changes, documents, entities, index_log, scopes, sessions};
use crate::change::{Before, Effect, Moved, Stamp};
use crate::item::ItemKey;
use crate::query::ProjectCounts;
use crate::rules;
use crate::traits::Projects;

#[async_trait]
impl Projects for PostgresStore {
    async fn projects(&self) -> crate::Result<Vec<ProjectCounts>> {
        read!(self, "list projects", |work| counts(&work))
    }

    async fn move_memories(
        &self,
        stamp: Stamp,
        from: &ProjectId,
        to: &ProjectId,
        ids: Option<Vec<MemoryId>>,
    ) -> crate::Result<Vec<MemoryId>> {
        write!(self, "move memories", |work| move_all(&work, &stamp, from, to, ids.as_deref()))
    }

    async fn clear_project(&self, project: &ProjectId) -> crate::Result<()> {
        write!(self, "clear a project", |work| clear(&work, project))
    }
}

/// Moves a memory back, unless it is elsewhere by now. That is noted where the caller stands, so that it can be taken
/// back from there.
pub(super) async fn take_back(
    work: &Work,
    stamp: &Stamp,
    id: MemoryId,
    moved: &Moved,
    noted_in: &Scope,
) -> Result<(), Fault> {
    let found = row::find(work, &View::of(&moved.to), id).await?;
    if let Some(stored) = found.filter(|one| one.memory.scope == moved.to) {
        move_one(work, stamp, &stored, &moved.from, noted_in).await?;
    }
    Ok(())
}

async fn counts(work: &Work) -> Result<Vec<ProjectCounts>, Fault> {
    let mut found: BTreeMap<String, ProjectCounts> = BTreeMap::new();
    let sql = "SELECT s.name, m.kind, m.valid_until IS NULL, count(*), max(m.created_at)
               FROM memories m JOIN scopes s ON s.agent = m.agent AND s.pk = m.scope
               WHERE m.agent = $1 GROUP BY s.name, m.kind, m.valid_until IS NULL";
    for row in work.rows(sql, &[]).await? {
        let scope: Scope = parse(&row, 0)?;
        let Some(counts) = of(&mut found, &scope) else { continue };
        let (is_active, number): (bool, u64) = (get(&row, 2)?, count(&row, 3)?);
        counts.last_used = counts.last_used.max(Some(Timestamp::from_millis(get(&row, 4)?)));
        match parse::<Kind>(&row, 1)? {
            _ if !is_active => counts.ended += number,
            Kind::Episode => counts.episodes += number,
            Kind::Reflection => counts.reflections += number,
            Kind::Fact | Kind::Scratch => counts.facts += number,
        }
    }
    for (table, last) in [("sessions", "max(last_seen)"), ("documents", "NULL::bigint")] {
        let sql = format!(
            "SELECT s.name, count(*), {last} FROM {table} t JOIN scopes s ON s.agent = t.agent AND s.pk = t.scope
             WHERE t.agent = $1 GROUP BY s.name"
        );
        for row in work.rows(&sql, &[]).await? {
            let Some(counts) = of(&mut found, &parse(&row, 0)?) else { continue };
            let number = count(&row, 1)?;
            let of_table = if table == "sessions" { &mut counts.sessions } else { &mut counts.documents };
            *of_table += number;
            counts.last_used = counts.last_used.max(get::<Option<i64>>(&row, 2)?.map(Timestamp::from_millis));
        }
    }
    Ok(found.into_values().collect())
}

fn of<'a>(found: &'a mut BTreeMap<String, ProjectCounts>, scope: &Scope) -> Option<&'a mut ProjectCounts> {
    let project = scope.project()?.to_string();
    let new = || ProjectCounts { project: project.clone(), ..ProjectCounts::default() };
    Some(found.entry(project.clone()).or_insert_with(new))
}

async fn move_all(
    work: &Work,
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
        None => (everything(work, &left).await?, &reached),
    };
    for id in &ids {
        let stored = row::need(work, &view, *id).await?;
        move_one(work, stamp, &stored, &reached, noted_in).await?;
    }
    if noted_in == &reached {
        copy_tombstones(work, &left, &reached).await?;
        // Even if there was nothing to move, there is something to take back.
        let scope = scopes::number_or_new(work, &reached).await?;
        let before = Before { moved: Some(Moved { from: left, to: reached }), ..Before::default() };
        changes::record(work, stamp, scope, None, Effect::Moved, 0, Some(&before)).await?;
    }
    Ok(ids)
}

async fn everything(work: &Work, scope: &Scope) -> Result<Vec<MemoryId>, Fault> {
    let Some(scope) = scopes::number(work, scope).await? else { return Ok(Vec::new()) };
    let sql = "SELECT id, kind FROM memories WHERE agent = $1 AND scope = $2 ORDER BY pk";
    work.rows(sql, &[&scope]).await?.iter().map(|found| row::id(found, 0)).collect()
}

async fn move_one(work: &Work, stamp: &Stamp, stored: &Stored, to: &Scope, noted_in: &Scope) -> Result<(), Fault> {
    let (pk, memory) = (stored.pk, &stored.memory);
    let left = scopes::number_or_new(work, &memory.scope).await?;
    let reached = scopes::number_or_new(work, to).await?;
    // A message that both have keeps its own key in the project that it was in first.
    let sql = "UPDATE memories SET client_id = NULL WHERE agent = $1 AND pk = $2 AND EXISTS (
                   SELECT 1 FROM memories o WHERE o.agent = $1 AND o.scope = $3 AND o.client_id = memories.client_id
                       AND coalesce(o.session_id, '') = coalesce(memories.session_id, ''))";
    work.execute(sql, &[&pk, &reached]).await?;
    work.execute("UPDATE memories SET scope = $3 WHERE agent = $1 AND pk = $2", &[&pk, &reached]).await?;
    work.execute("UPDATE changes SET scope = $3 WHERE agent = $1 AND memory = $2", &[&pk, &reached]).await?;
    if let Some(session_id) = &memory.session_id {
        sessions::follow(work, left, reached, session_id).await?;
        sessions::saw(work, reached, session_id, memory.event_time).await?;
        sessions::lost(work, left, session_id).await?;
    }
    entities::follow(work, pk, reached, to).await?;
    let key = ItemKey::memory(pk.unsigned_abs());
    index_log::note(work, left, key, false).await?;
    index_log::note(work, reached, key, false).await?;
    let noted_in = scopes::number_or_new(work, noted_in).await?;
    let before = Before { moved: Some(Moved { from: memory.scope.clone(), to: to.clone() }), ..Before::default() };
    changes::record(work, stamp, noted_in, Some(pk), Effect::Moved, memory.version, Some(&before)).await
}

// What was purged must not be learned again under another name.
async fn copy_tombstones(work: &Work, from: &Scope, to: &Scope) -> Result<(), Fault> {
    let Some(left) = scopes::number(work, from).await? else { return Ok(()) };
    let reached = scopes::number_or_new(work, to).await?;
    let sql = "INSERT INTO tombstones (agent, scope, hash, at)
               SELECT agent, $3, hash, at FROM tombstones WHERE agent = $1 AND scope = $2 ON CONFLICT DO NOTHING";
    work.execute(sql, &[&left, &reached]).await?;
    Ok(())
}

async fn clear(work: &Work, project: &ProjectId) -> Result<(), Fault> {
    let mut all = Vec::new();
    for row in work.rows("SELECT pk, name FROM scopes WHERE agent = $1", &[]).await? {
        all.push((get::<i64>(&row, 0)?, parse::<Scope>(&row, 1)?));
    }
    for (number, scope) in all.into_iter().filter(|(_, scope)| scope.project() == Some(project)) {
        let paths = work.rows("SELECT path FROM documents WHERE agent = $1 AND scope = $2", &[&number]).await?;
        let paths = paths.iter().map(|row| get(row, 0)).collect::<Result<Vec<String>, _>>()?;
        documents::remove(work, &scope, &paths, None).await?;
        for (table, column, owner) in
            [("receipt_items", "receipt", "receipts"), ("memory_entities", "entity", "entities")]
        {
            let sql = format!(
                "DELETE FROM {table} WHERE agent = $1
                     AND {column} IN (SELECT pk FROM {owner} WHERE agent = $1 AND scope = $2)"
            );
            work.execute(&sql, &[&number]).await?;
        }
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
            work.execute(&format!("DELETE FROM {table} WHERE agent = $1 AND scope = $2"), &[&number]).await?;
        }
    }
    Ok(())
}
