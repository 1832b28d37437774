//! Tasks, and what keeps tiers in bounds.

use std::collections::BTreeMap;

use async_trait::async_trait;
use scrubjay_core::id::{MemoryId, RunId};
use scrubjay_core::memory::Kind;
use scrubjay_core::scope::{ProjectId, Scope, TaskId, View};
use scrubjay_core::time::Timestamp;
use tokio_postgres::Row;
use uuid::Uuid;

use super::fault::Fault;
use super::store::{PostgresStore, read, write};
use super::value::{get, integer, limit, parse};
use super::work::{Counter, Work};
use super::{changes, scopes};
use crate::context::{Capacity, Outdated, Task};
use crate::traits::Tiers;
use crate::{Result, StoreError, rules};

const COLUMNS: &str = "task, title, session_id, started_at, ended_at";
/// How many rows of history are looked through at a time for the last change.
const PAGE: i64 = 100;

#[async_trait]
impl Tiers for PostgresStore {
    async fn begin_task(&self, task: Task) -> Result<()> {
        write!(self, "begin a task", |work| begin(&work, &task))
    }

    async fn tasks(&self, view: &View, open: bool, limit: usize) -> Result<Vec<Task>> {
        read!(self, "list tasks", |work| list(&work, view, open, limit))
    }

    async fn task(&self, view: &View, id: &TaskId) -> Result<Option<Task>> {
        read!(self, "read a task", |work| find(&work, view, id))
    }

    async fn end_task(&self, view: &View, id: &TaskId, at: Timestamp) -> Result<bool> {
        write!(self, "end a task", |work| end(&work, view, id, at))
    }

    async fn reopen_task(&self, view: &View, id: &TaskId) -> Result<bool> {
        write!(self, "open a task", |work| reopen(&work, view, id))
    }

    async fn task_of_run(&self, view: &View, run: Option<RunId>) -> Result<Option<TaskId>> {
        read!(self, "look for a task", |work| of_run(&work, view, run))
    }

    async fn overfull(&self, scope: &Scope, capacity: Capacity) -> Result<Vec<MemoryId>> {
        read!(self, "measure a tier", |work| overfull(&work, scope, &capacity))
    }

    async fn outdated(&self, view: &View, ids: Vec<MemoryId>) -> Result<Vec<Outdated>> {
        read!(self, "look for newer facts", |work| outdated(&work, view, &ids))
    }
}

async fn begin(work: &Work, task: &Task) -> std::result::Result<(), Fault> {
    let scope = scopes::number_or_new(work, &Scope::Project(task.project.clone())).await?;
    work.execute(
        "INSERT INTO tasks (agent, pk, scope, task, title, session_id, started_at, ended_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8)",
        &[
            &work.draw(Counter::Tasks)?,
            &scope,
            &task.id.as_str(),
            &task.title,
            &task.session_id,
            &task.started_at.millis(),
            &task.ended_at.map(Timestamp::millis),
        ],
    )
    .await
    .map_err(|fault| fault.if_taken(|| rules::task_exists(&task.id)))?;
    Ok(())
}

async fn list(work: &Work, view: &View, open: bool, most: usize) -> std::result::Result<Vec<Task>, Fault> {
    let Some((number, project)) = project(work, view).await? else { return Ok(Vec::new()) };
    let sql = format!(
        "SELECT {COLUMNS} FROM tasks WHERE agent = $1 AND scope = $2 AND (NOT $3 OR ended_at IS NULL)
         ORDER BY pk DESC LIMIT $4"
    );
    let rows = work.rows(&sql, &[&number, &open, &limit(most)]).await?;
    rows.iter().map(|row| read_task(row, &project)).collect()
}

async fn find(work: &Work, view: &View, id: &TaskId) -> std::result::Result<Option<Task>, Fault> {
    let Some((number, project)) = project(work, view).await? else { return Ok(None) };
    let sql = format!("SELECT {COLUMNS} FROM tasks WHERE agent = $1 AND scope = $2 AND task = $3");
    work.row(&sql, &[&number, &id.as_str()]).await?.map(|row| read_task(&row, &project)).transpose()
}

async fn end(work: &Work, view: &View, id: &TaskId, at: Timestamp) -> std::result::Result<bool, Fault> {
    let number = need(work, view, id).await?;
    let sql = "UPDATE tasks SET ended_at = $4 WHERE agent = $1 AND scope = $2 AND task = $3 AND ended_at IS NULL";
    Ok(work.execute(sql, &[&number, &id.as_str(), &at.millis()]).await? > 0)
}

async fn reopen(work: &Work, view: &View, id: &TaskId) -> std::result::Result<bool, Fault> {
    let number = need(work, view, id).await?;
    let sql = "UPDATE tasks SET ended_at = NULL WHERE agent = $1 AND scope = $2 AND task = $3 AND ended_at IS NOT NULL";
    Ok(work.execute(sql, &[&number, &id.as_str()]).await? > 0)
}

async fn of_run(work: &Work, view: &View, run: Option<RunId>) -> std::result::Result<Option<TaskId>, Fault> {
    let Some(project) = view.project_id() else { return Ok(None) };
    let prefix = format!("task/{project}/");
    let found = match run {
        Some(run) => changed_by(work, &prefix, run).await?,
        None => last_changed(work, view, &prefix).await?,
    };
    Ok(found.and_then(|name| name.strip_prefix(&prefix).and_then(|task| task.parse().ok())))
}

async fn changed_by(work: &Work, prefix: &str, run: RunId) -> std::result::Result<Option<String>, Fault> {
    let sql = "SELECT s.name, c.undone_by FROM changes c JOIN scopes s ON s.agent = c.agent AND s.pk = c.scope
               WHERE c.agent = $1 AND c.run = $3 AND c.operation <> 'capture' AND starts_with(s.name, $2)
               ORDER BY c.seq LIMIT 1";
    let Some(row) = work.row(sql, &[&prefix, &run.uuid()]).await? else { return Ok(None) };
    let undone_by = get::<Option<Uuid>>(&row, 1)?.map(RunId::from);
    let stands = changes::undone_by(work, undone_by).await?.is_none();
    Ok(if stands { Some(get(&row, 0)?) } else { None })
}

// Where the last change was made that is not undone, in view or in a task of the project.
async fn last_changed(work: &Work, view: &View, prefix: &str) -> std::result::Result<Option<String>, Fault> {
    let visible = scopes::visible(work, view).await?;
    let sql = "SELECT c.seq, s.name, c.undone_by FROM changes c JOIN scopes s ON s.agent = c.agent AND s.pk = c.scope
               WHERE c.agent = $1 AND (s.pk = ANY ($2) OR starts_with(s.name, $3)) AND c.operation <> 'capture'
                   AND c.operation <> 'undo' AND c.effect <> 'purged' AND c.seq < $4
               ORDER BY c.seq DESC LIMIT $5";
    let mut before = i64::MAX;
    loop {
        let page = work.rows(sql, &[&visible, &prefix, &before, &PAGE]).await?;
        for row in &page {
            before = get(row, 0)?;
            let undone_by = get::<Option<Uuid>>(row, 2)?.map(RunId::from);
            if changes::undone_by(work, undone_by).await?.is_none() {
                return Ok(Some(get(row, 1)?));
            }
        }
        if page.is_empty() {
            return Ok(None);
        }
    }
}

async fn overfull(work: &Work, scope: &Scope, capacity: &Capacity) -> std::result::Result<Vec<MemoryId>, Fault> {
    let Some(scope) = scopes::number(work, scope).await? else { return Ok(Vec::new()) };
    let counted = "agent = $1 AND scope = $2 AND kind = 'fact' AND valid_until IS NULL AND decay_rate > 0
                   AND type = ANY ($3)";
    let sql = format!("SELECT count(*) FROM memories WHERE {counted}");
    let count: i64 = get(&work.one(&sql, &[&scope, &capacity.types]).await?, 0)?;
    if count.unsigned_abs() <= capacity.max_items {
        return Ok(Vec::new());
    }
    let tenth = integer(rules::tenth(count.unsigned_abs()));
    let sql = format!("SELECT id FROM memories WHERE {counted} ORDER BY importance, event_time, pk LIMIT $4");
    let rows = work.rows(&sql, &[&scope, &capacity.types, &tenth]).await?;
    rows.iter().map(|row| Ok(MemoryId::new(Kind::Fact, get::<Uuid>(row, 0)?))).collect()
}

async fn outdated(work: &Work, view: &View, ids: &[MemoryId]) -> std::result::Result<Vec<Outdated>, Fault> {
    let visible = scopes::visible(work, view).await?;
    let wanted: Vec<Uuid> = ids.iter().map(|id| id.uuid()).collect();
    let mut found = BTreeMap::new();
    for row in work.rows(include_str!("outdated.sql"), &[&wanted, &visible]).await? {
        let by = get::<Option<Uuid>>(&row, 2)?.map(|uuid| MemoryId::new(Kind::Fact, uuid));
        found.insert(get::<Uuid>(&row, 0)?, (Timestamp::from_millis(get(&row, 1)?), by));
    }
    let of = |id: &MemoryId| {
        let (since, by) = *found.get(&id.uuid())?;
        Some(Outdated { id: *id, since, by })
    };
    Ok(ids.iter().filter_map(of).collect())
}

async fn need(work: &Work, view: &View, id: &TaskId) -> std::result::Result<i64, Fault> {
    let unknown = || StoreError::not_found(format!("task `{id}`"));
    find(work, view, id).await?.ok_or_else(unknown)?;
    Ok(project(work, view).await?.ok_or_else(unknown)?.0)
}

async fn project(work: &Work, view: &View) -> std::result::Result<Option<(i64, ProjectId)>, Fault> {
    let Some(project) = view.project_id() else { return Ok(None) };
    let number = scopes::number(work, &Scope::Project(project.clone())).await?;
    Ok(number.map(|number| (number, project.clone())))
}

fn read_task(row: &Row, project: &ProjectId) -> std::result::Result<Task, Fault> {
    Ok(Task {
        id: parse(row, 0)?,
        project: project.clone(),
        title: get(row, 1)?,
        session_id: get(row, 2)?,
        started_at: Timestamp::from_millis(get(row, 3)?),
        ended_at: get::<Option<i64>>(row, 4)?.map(Timestamp::from_millis),
    })
}
