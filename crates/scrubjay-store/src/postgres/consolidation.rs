//! Drawing facts from sessions: what waits, and how far it came.

use scrubjay_core::id::MemoryId;
use scrubjay_core::memory::{Kind, Memory};
use scrubjay_core::scope::{Scope, View};
use scrubjay_core::time::Timestamp;
use uuid::Uuid;

use super::fault::Fault;
use super::value::{count, get, limit};
use super::work::Work;
use super::{changes, memories, row, scopes, sessions};
use crate::change::{Applied, Change, NewJob, Stamp};
use crate::query::{Part, SessionStep, WaitingSession};
use crate::{StoreError, rules};

/// Part of a session, in the order in which it was stored.
pub(super) async fn episodes(
    work: &Work,
    scope: &Scope,
    session_id: &str,
    part: Part,
    most: usize,
) -> Result<Vec<Memory>, Fault> {
    let Some(number) = scopes::number(work, scope).await? else { return Ok(Vec::new()) };
    let (condition, order, place) = match part {
        Part::After(None) => (">", "ASC", 0),
        Part::After(Some(id)) => (">", "ASC", place(work, number, session_id, id).await?),
        Part::UpTo(id) => ("<=", "DESC", place(work, number, session_id, id).await?),
    };
    let sql = format!(
        "SELECT {} FROM {} WHERE m.agent = $1 AND m.session_id = $2 AND m.scope = $3 AND m.kind = 'episode'
             AND m.pk {condition} $4
         ORDER BY m.pk {order} LIMIT $5",
        row::COLUMNS,
        row::FROM,
    );
    let mut found = Vec::new();
    for stored in work.rows(&sql, &[&session_id, &number, &place, &limit(most)]).await? {
        found.push(row::read(&stored)?.memory);
    }
    if matches!(part, Part::UpTo(_)) {
        found.reverse();
    }
    Ok(found)
}

/// Sessions with episodes past the point up to which facts were drawn.
pub(super) async fn waiting(
    work: &Work,
    scope: &Scope,
    session_id: Option<&str>,
    most: usize,
) -> Result<Vec<WaitingSession>, Fault> {
    let Some(number) = scopes::number(work, scope).await? else { return Ok(Vec::new()) };
    let names: Vec<String> = match session_id {
        Some(name) => vec![name.to_owned()],
        None => {
            let sql = "SELECT session_id FROM sessions WHERE agent = $1 AND scope = $2";
            let rows = work.rows(sql, &[&number]).await?;
            rows.iter().map(|row| get(row, 0)).collect::<Result<_, _>>()?
        }
    };
    let view = View::of(scope);
    let mut found = Vec::new();
    for name in names {
        let session = sessions::find(work, &view, &name).await?;
        let Some(session) = session.filter(|session| session.scope == *scope) else { continue };
        let after = match session.consolidated_through {
            Some(id) => place(work, number, &name, id).await?,
            None => 0,
        };
        let sql = "SELECT count(*), min(created_at) FROM memories
                   WHERE agent = $1 AND session_id = $2 AND scope = $3 AND kind = 'episode' AND valid_until IS NULL
                       AND pk > $4";
        let row = work.one(sql, &[&name, &number, &after]).await?;
        if let Some(since) = get::<Option<i64>>(&row, 1)? {
            let since = Timestamp::from_millis(since);
            found.push(WaitingSession { session, episodes: count(&row, 0)?, since });
        }
    }
    rules::longest_waiting_first(&mut found, most);
    Ok(found)
}

/// The fact of a scope that was stored last.
pub(super) async fn newest_fact(work: &Work, scope: &Scope) -> Result<Option<MemoryId>, Fault> {
    let Some(number) = scopes::number(work, scope).await? else { return Ok(None) };
    let sql = "SELECT id FROM memories WHERE agent = $1 AND scope = $2 AND kind = 'fact' AND kind <> 'episode'
               ORDER BY pk DESC LIMIT 1";
    let found = work.row(sql, &[&number]).await?;
    found.map(|row| Ok(MemoryId::new(Kind::Fact, get::<Uuid>(&row, 0)?))).transpose()
}

/// Makes the changes of a step and notes how far it came.
pub(super) async fn consolidate(
    work: &Work,
    stamp: &Stamp,
    step: &SessionStep,
    wanted: &[Change],
    jobs: &[NewJob],
) -> Result<Vec<Applied>, Fault> {
    let view = View::of(&step.scope);
    let session = sessions::find(work, &view, &step.session_id)
        .await?
        .filter(|session| session.scope == step.scope)
        .ok_or_else(|| StoreError::not_found(format!("session `{}`", step.session_id)))?;
    rules::expect_place(&session, newest_fact(work, &step.scope).await?, step)?;
    let applied = changes::apply(work, &view, stamp, wanted, jobs).await?;
    memories::touch(work, &view, &step.repeated, stamp.at).await?;
    let scope = scopes::number_or_new(work, &step.scope).await?;
    work.execute(
        "UPDATE sessions SET consolidated_through = $4, ended_at = $5, completed_at = NULL, completed_number = NULL
         WHERE agent = $1 AND scope = $2 AND session_id = $3",
        &[&scope, &step.session_id, &step.through.uuid(), &session.ended_at.map(Timestamp::millis)],
    )
    .await?;
    Ok(applied)
}

/// Facts and episodes with few entities that were not looked at again yet, or of which that was not undone.
pub(super) async fn sparse(
    work: &Work,
    scope: &Scope,
    at_most: usize,
    without: &str,
    most: usize,
) -> Result<Vec<Memory>, Fault> {
    let Some(number) = scopes::number(work, scope).await? else { return Ok(Vec::new()) };
    let sql = format!(
        "SELECT {} FROM {} WHERE m.agent = $1 AND m.scope = $2 AND m.valid_until IS NULL
           AND m.kind IN ('episode', 'fact')
           AND (m.attributes IS NULL OR NOT jsonb_exists(m.attributes::jsonb, $3))
           AND (SELECT count(*) FROM memory_entities l WHERE l.agent = $1 AND l.memory = m.pk) <= $4
           AND NOT EXISTS (SELECT 1 FROM changes c WHERE c.agent = $1 AND c.memory = m.pk AND c.effect = 'mentioned'
                               AND c.undone_by IS NOT NULL)
         ORDER BY m.pk LIMIT $5",
        row::COLUMNS,
        row::FROM,
    );
    let mut found = Vec::new();
    for stored in work.rows(&sql, &[&number, &without, &limit(at_most), &limit(most)]).await? {
        found.push(row::read(&stored)?.memory);
    }
    Ok(found)
}

// The row number of an episode; of the last one before it, if it was purged.
async fn place(work: &Work, scope: i64, session_id: &str, id: MemoryId) -> Result<i64, Fault> {
    if let Some(pk) = row::pk_of(work, id).await? {
        return Ok(pk);
    }
    let sql = "SELECT coalesce(max(pk), 0) FROM memories
               WHERE agent = $1 AND session_id = $2 AND scope = $3 AND kind = 'episode' AND id < $4";
    get(&work.one(sql, &[&session_id, &scope, &id.uuid()]).await?, 0)
}
