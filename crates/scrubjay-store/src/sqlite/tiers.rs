//! Tasks, and what keeps tiers in bounds.

use rusqlite::{Connection, OptionalExtension, Row};
use scrubjay_core::id::{MemoryId, RunId};
use scrubjay_core::memory::Kind;
use scrubjay_core::scope::{Scope, TaskId, View};
use scrubjay_core::time::Timestamp;
use uuid::Uuid;

use super::connection::Fault;
use super::{changes, row, scopes};
use crate::context::{Capacity, Outdated, Task};
use crate::{StoreError, rules};

const COLUMNS: &str = "task, title, session_id, started_at, ended_at";

/// Begins a task.
pub(super) fn begin(connection: &Connection, task: &Task) -> Result<(), Fault> {
    let scope = scopes::number_or_new(connection, &Scope::Project(task.project.clone()))?;
    connection
        .prepare_cached(
            "INSERT INTO tasks (scope, task, title, session_id, started_at, ended_at) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
        )?
        .execute((
            scope,
            task.id.as_str(),
            &task.title,
            &task.session_id,
            task.started_at.millis(),
            task.ended_at.map(Timestamp::millis),
        ))
        .map_err(|error| match error.sqlite_extended_error_code() {
            Some(rusqlite::ffi::SQLITE_CONSTRAINT_UNIQUE) => rules::task_exists(&task.id).into(),
            _ => Fault::from(error),
        })?;
    Ok(())
}

/// A project's tasks, newest first.
pub(super) fn list(connection: &Connection, view: &View, open: bool, limit: usize) -> Result<Vec<Task>, Fault> {
    let Some((number, project)) = project(connection, view)? else { return Ok(Vec::new()) };
    let sql = format!(
        "SELECT {COLUMNS} FROM tasks WHERE scope = ?1 AND (NOT ?2 OR ended_at IS NULL) ORDER BY pk DESC LIMIT ?3"
    );
    let mut statement = connection.prepare_cached(&sql)?;
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    let tasks = statement.query_map((number, open, limit), |row| read(row, &project))?;
    Ok(tasks.collect::<rusqlite::Result<_>>()?)
}

/// One of them.
pub(super) fn find(connection: &Connection, view: &View, id: &TaskId) -> Result<Option<Task>, Fault> {
    let Some((number, project)) = project(connection, view)? else { return Ok(None) };
    let sql = format!("SELECT {COLUMNS} FROM tasks WHERE scope = ?1 AND task = ?2");
    let mut statement = connection.prepare_cached(&sql)?;
    Ok(statement.query_row((number, id.as_str()), |row| read(row, &project)).optional()?)
}

/// Declares a task over; false if it was.
pub(super) fn end(connection: &Connection, view: &View, id: &TaskId, at: Timestamp) -> Result<bool, Fault> {
    let unknown = || StoreError::not_found(format!("task `{id}`"));
    find(connection, view, id)?.ok_or_else(unknown)?;
    let (number, _) = project(connection, view)?.ok_or_else(unknown)?;
    let changed = connection
        .prepare_cached("UPDATE tasks SET ended_at = ?3 WHERE scope = ?1 AND task = ?2 AND ended_at IS NULL")?
        .execute((number, id.as_str(), at.millis()))?;
    Ok(changed > 0)
}

/// Opens a task again; false if it is open.
pub(super) fn reopen(connection: &Connection, view: &View, id: &TaskId) -> Result<bool, Fault> {
    let unknown = || StoreError::not_found(format!("task `{id}`"));
    find(connection, view, id)?.ok_or_else(unknown)?;
    let (number, _) = project(connection, view)?.ok_or_else(unknown)?;
    let changed = connection
        .prepare_cached("UPDATE tasks SET ended_at = NULL WHERE scope = ?1 AND task = ?2 AND ended_at IS NOT NULL")?
        .execute((number, id.as_str()))?;
    Ok(changed > 0)
}

/// The task whose notes a run changed, or those that were changed last.
pub(super) fn of_run(connection: &Connection, view: &View, run: Option<RunId>) -> Result<Option<TaskId>, Fault> {
    let Some(project) = view.project_id() else { return Ok(None) };
    let prefix = format!("task/{project}/");
    let tasks = "SELECT pk FROM scopes WHERE substr(name, 1, length(?1)) = ?1";
    let found: Option<(String, Option<Uuid>)> = match run {
        Some(run) => {
            let sql = format!(
                "SELECT s.name, c.undone_by FROM changes c JOIN scopes s ON s.pk = c.scope
                 WHERE c.run = ?2 AND c.operation <> 'capture' AND c.scope IN ({tasks}) LIMIT 1"
            );
            let mut statement = connection.prepare_cached(&sql)?;
            statement.query_row((&prefix, run.uuid()), |row| Ok((row.get(0)?, row.get(1)?))).optional()?
        }
        None => last_changed(connection, view, &prefix, tasks)?,
    };
    let Some((name, undone_by)) = found else { return Ok(None) };
    if run.is_some() && changes::undone_by(connection, undone_by.map(RunId::from))?.is_some() {
        return Ok(None);
    }
    Ok(name.strip_prefix(&prefix).and_then(|task| task.parse().ok()))
}

// Where the last change was made that is not undone, in view or in a task of the project.
fn last_changed(
    connection: &Connection,
    view: &View,
    prefix: &str,
    tasks: &str,
) -> Result<Option<(String, Option<Uuid>)>, Fault> {
    let visible = scopes::visible(connection, view)?;
    let sql = format!(
        "SELECT s.name, c.undone_by FROM changes c JOIN scopes s ON s.pk = c.scope
         WHERE c.scope IN (SELECT pk FROM scopes WHERE pk IN ({visible}) UNION {tasks})
             AND c.operation <> 'capture' AND c.operation <> 'undo' AND c.effect <> 'purged'
         ORDER BY c.seq DESC"
    );
    let mut statement = connection.prepare_cached(&sql)?;
    let mut rows = statement.query([prefix])?;
    while let Some(row) = rows.next()? {
        let undone_by: Option<Uuid> = row.get(1)?;
        if changes::undone_by(connection, undone_by.map(RunId::from))?.is_none() {
            return Ok(Some((row.get(0)?, undone_by)));
        }
    }
    Ok(None)
}

/// The least important tenth of a scope that has too much.
pub(super) fn overfull(connection: &Connection, scope: &Scope, capacity: &Capacity) -> Result<Vec<MemoryId>, Fault> {
    let Some(scope) = scopes::number(connection, scope)? else { return Ok(Vec::new()) };
    let marks = vec!["?"; capacity.types.len()].join(",");
    let condition =
        format!("scope = ? AND kind = 'fact' AND valid_until IS NULL AND decay_rate > 0 AND type IN ({marks})");
    let values = || {
        rusqlite::params_from_iter(
            std::iter::once(rusqlite::types::Value::from(scope))
                .chain(capacity.types.iter().map(|name| rusqlite::types::Value::from(name.clone()))),
        )
    };
    let count: i64 = connection
        .prepare_cached(&format!("SELECT count(*) FROM memories WHERE {condition}"))?
        .query_row(values(), |row| row.get(0))?;
    if count.unsigned_abs() <= capacity.max_items {
        return Ok(Vec::new());
    }
    let tenth = rules::tenth(count.unsigned_abs());
    let sql = format!("SELECT id FROM memories WHERE {condition} ORDER BY importance, event_time, pk LIMIT {tenth}");
    let mut statement = connection.prepare_cached(&sql)?;
    let found = statement.query_map(values(), |row| Ok(MemoryId::new(Kind::Fact, row::uuid(row, 0)?)))?;
    Ok(found.collect::<rusqlite::Result<_>>()?)
}

/// Those that no longer hold.
pub(super) fn outdated(connection: &Connection, view: &View, ids: &[MemoryId]) -> Result<Vec<Outdated>, Fault> {
    let visible = scopes::visible(connection, view)?;
    let superseded = format!(
        "SELECT f.created_at, f.id FROM memories t JOIN links l ON l.to_memory = t.pk JOIN memories f ON f.pk = l.from_memory
         WHERE t.id = ?1 AND t.scope IN ({visible}) AND l.relation = 'supersedes' AND f.valid_until IS NULL
             AND f.scope IN ({visible})
         ORDER BY f.pk DESC LIMIT 1"
    );
    let by_source = include_str!("outdated_by_source.sql").replace("{visible}", &visible);
    let mut statements = [connection.prepare_cached(&superseded)?, connection.prepare_cached(&by_source)?];
    let mut found = Vec::new();
    for id in ids {
        for statement in &mut statements {
            let read = |row: &Row<'_>| Ok((row.get(0)?, row.get::<_, Option<uuid::Uuid>>(1)?));
            if let Some((since, by)) = statement.query_row([id.uuid()], read).optional()? {
                let by = by.map(|uuid| MemoryId::new(Kind::Fact, uuid));
                found.push(Outdated { id: *id, since: Timestamp::from_millis(since), by });
                break;
            }
        }
    }
    Ok(found)
}

fn project(connection: &Connection, view: &View) -> Result<Option<(i64, scrubjay_core::scope::ProjectId)>, Fault> {
    let Some(project) = view.project_id() else { return Ok(None) };
    Ok(scopes::number(connection, &Scope::Project(project.clone()))?.map(|number| (number, project.clone())))
}

fn read(row: &Row<'_>, project: &scrubjay_core::scope::ProjectId) -> rusqlite::Result<Task> {
    Ok(Task {
        id: row::parse(row, 0)?,
        project: project.clone(),
        title: row.get(1)?,
        session_id: row.get(2)?,
        started_at: Timestamp::from_millis(row.get(3)?),
        ended_at: row.get::<_, Option<i64>>(4)?.map(Timestamp::from_millis),
    })
}
