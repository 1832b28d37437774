//! Drawing facts from sessions: what waits, and how far it came.

use rusqlite::{Connection, OptionalExtension};
use scrubjay_core::id::MemoryId;
use scrubjay_core::memory::{Kind, Memory};
use scrubjay_core::scope::{Scope, View};
use scrubjay_core::time::Timestamp;
use uuid::Uuid;

use super::connection::Fault;
use super::{changes, memories, row, scopes, sessions};
use crate::change::{Applied, Change, NewJob, Stamp};
use crate::query::{Part, SessionStep, WaitingSession};
use crate::{StoreError, rules};

/// Part of a session, in the order in which it was stored.
pub(super) fn episodes(
    connection: &Connection,
    scope: &Scope,
    session_id: &str,
    part: Part,
    limit: usize,
) -> Result<Vec<Memory>, Fault> {
    let Some(number) = scopes::number(connection, scope)? else { return Ok(Vec::new()) };
    let (condition, order, place) = match part {
        Part::After(None) => (">", "ASC", 0),
        Part::After(Some(id)) => (">", "ASC", place(connection, number, session_id, id)?),
        Part::UpTo(id) => ("<=", "DESC", place(connection, number, session_id, id)?),
    };
    let sql = episodes_sql(condition, order);
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    let mut statement = connection.prepare_cached(&sql)?;
    let rows = statement.query_map((session_id, number, place, limit), row::read)?;
    let mut found = rows.map(|stored| Ok(stored?.memory)).collect::<rusqlite::Result<Vec<_>>>()?;
    if matches!(part, Part::UpTo(_)) {
        found.reverse();
    }
    Ok(found)
}

fn episodes_sql(condition: &str, order: &str) -> String {
    format!(
        "SELECT {} FROM {} WHERE m.session_id = ?1 AND m.scope = ?2 AND m.kind = 'episode' AND m.pk {condition} ?3
         ORDER BY m.pk {order} LIMIT ?4",
        row::COLUMNS,
        row::FROM_SESSION,
    )
}

/// Sessions with episodes past the point up to which facts were drawn.
pub(super) fn waiting(
    connection: &Connection,
    scope: &Scope,
    session_id: Option<&str>,
    limit: usize,
) -> Result<Vec<WaitingSession>, Fault> {
    let Some(number) = scopes::number(connection, scope)? else { return Ok(Vec::new()) };
    let names: Vec<String> = match session_id {
        Some(name) => vec![name.to_owned()],
        None => {
            let mut statement = connection.prepare_cached("SELECT session_id FROM sessions WHERE scope = ?1")?;
            statement.query_map([number], |row| row.get(0))?.collect::<rusqlite::Result<_>>()?
        }
    };
    let view = View::of(scope);
    let mut found = Vec::new();
    for name in names {
        let Some(session) = sessions::find(connection, &view, &name)?.filter(|session| session.scope == *scope) else {
            continue;
        };
        let after = match session.consolidated_through {
            Some(id) => place(connection, number, &name, id)?,
            None => 0,
        };
        let mut statement = connection.prepare_cached(WAITING)?;
        let (episodes, since): (i64, Option<i64>) =
            statement.query_row((&name, number, after), |row| Ok((row.get(0)?, row.get(1)?)))?;
        if let Some(since) = since {
            let since = Timestamp::from_millis(since);
            found.push(WaitingSession { session, episodes: episodes.unsigned_abs(), since });
        }
    }
    rules::longest_waiting_first(&mut found, limit);
    Ok(found)
}

const WAITING: &str = "SELECT count(*), min(created_at) FROM memories INDEXED BY memories_by_session
     WHERE session_id = ?1 AND scope = ?2 AND kind = 'episode' AND valid_until IS NULL AND pk > ?3";

/// The fact of a scope that was stored last.
pub(super) fn newest_fact(connection: &Connection, scope: &Scope) -> Result<Option<MemoryId>, Fault> {
    let Some(number) = scopes::number(connection, scope)? else { return Ok(None) };
    let mut statement = connection.prepare_cached(
        "SELECT id FROM memories
         WHERE pk = (SELECT max(pk) FROM memories WHERE scope = ?1 AND kind = 'fact' AND kind <> 'episode')",
    )?;
    let found: Option<Uuid> = statement.query_row([number], |row| row.get(0)).optional()?;
    Ok(found.map(|id| MemoryId::new(Kind::Fact, id)))
}

/// Makes the changes of a step and notes how far it came.
pub(super) fn consolidate(
    connection: &Connection,
    stamp: &Stamp,
    step: &SessionStep,
    wanted: &[Change],
    jobs: &[NewJob],
) -> Result<Vec<Applied>, Fault> {
    let view = View::of(&step.scope);
    let session = sessions::find(connection, &view, &step.session_id)?
        .filter(|session| session.scope == step.scope)
        .ok_or_else(|| StoreError::not_found(format!("session `{}`", step.session_id)))?;
    rules::expect_place(&session, newest_fact(connection, &step.scope)?, step)?;
    let applied = changes::apply(connection, &view, stamp, wanted, jobs)?;
    memories::touch(connection, &view, &step.repeated, stamp.at)?;
    let scope = scopes::number_or_new(connection, &step.scope)?;
    connection
        .prepare_cached(
            "UPDATE sessions SET consolidated_through = ?3, ended_at = ?4, completed_at = NULL, completed_number = NULL
             WHERE scope = ?1 AND session_id = ?2",
        )?
        .execute((scope, &step.session_id, step.through.uuid(), session.ended_at.map(Timestamp::millis)))?;
    Ok(applied)
}

/// Facts and episodes with few entities that were not looked at again yet, or of which that was not undone.
pub(super) fn sparse(
    connection: &Connection,
    scope: &Scope,
    at_most: usize,
    without: &str,
    limit: usize,
) -> Result<Vec<Memory>, Fault> {
    let Some(number) = scopes::number(connection, scope)? else { return Ok(Vec::new()) };
    let sql = format!(
        "SELECT {} FROM {} WHERE m.scope = ?1 AND m.valid_until IS NULL AND m.kind IN ('episode', 'fact')
           AND (m.attributes IS NULL OR json_type(m.attributes, ?2) IS NULL)
           AND (SELECT count(*) FROM memory_entities l WHERE l.memory = m.pk) <= ?3
           AND NOT EXISTS (SELECT 1 FROM changes c
                           WHERE c.memory = m.pk AND c.effect = 'mentioned' AND c.undone_by IS NOT NULL)
         ORDER BY m.pk LIMIT ?4",
        row::COLUMNS,
        row::FROM,
    );
    let bounded = |number: usize| i64::try_from(number).unwrap_or(i64::MAX);
    let path = format!("$.\"{}\"", without.replace('"', ""));
    let mut statement = connection.prepare_cached(&sql)?;
    let rows = statement.query_map((number, path, bounded(at_most), bounded(limit)), row::read)?;
    Ok(rows.map(|stored| Ok(stored?.memory)).collect::<rusqlite::Result<Vec<_>>>()?)
}

// The row number of an episode; of the last one before it, if it was purged.
fn place(connection: &Connection, scope: i64, session_id: &str, id: MemoryId) -> Result<i64, Fault> {
    let mut statement = connection.prepare_cached("SELECT pk FROM memories WHERE id = ?1")?;
    if let Some(pk) = statement.query_row([id.uuid()], |row| row.get(0)).optional()? {
        return Ok(pk);
    }
    let mut statement = connection.prepare_cached(
        "SELECT ifnull(max(pk), 0) FROM memories INDEXED BY memories_by_session
         WHERE session_id = ?1 AND scope = ?2 AND kind = 'episode' AND id < ?3",
    )?;
    Ok(statement.query_row((session_id, scope, id.uuid()), |row| row.get(0))?)
}

#[cfg(test)]
mod tests {
    use super::super::migrate::plan_of;
    use super::*;

    // What a conversation costs must not grow with the project that it is part of.
    #[test]
    fn a_conversation_is_read_from_where_one_stopped_and_in_its_order() {
        for sql in [WAITING.to_owned(), episodes_sql(">", "ASC"), episodes_sql("<=", "DESC")] {
            let plan = plan_of(&sql);
            let place = |step: &String| step.contains("memories_by_session (scope=? AND session_id=? AND rowid");
            assert!(plan.iter().any(place), "{plan:?}");
            assert!(!plan.iter().any(|step| step.contains("TEMP B-TREE")), "{plan:?}");
        }
    }
}
