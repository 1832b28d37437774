//! Conversations.

use rusqlite::{Connection, OptionalExtension, Row};
use scrubjay_core::id::MemoryId;
use scrubjay_core::memory::Kind;
use scrubjay_core::scope::{Scope, View};
use scrubjay_core::time::Timestamp;
use uuid::Uuid;

use super::connection::Fault;
use super::{row, scopes};
use crate::StoreError;
use crate::query::{CompletedSessions, Session};

const COLUMNS: &str = "n.session_id, s.name, n.first_seen, n.last_seen, n.ended_at, n.messages, n.consolidated_through,
     n.completed_at";
/// The number of sessions that were ever completed.
const COMPLETED: &str = "sessions:completed";

const FROM: &str = "sessions n JOIN scopes s ON s.pk = n.scope";

/// Counts a message of a session. One that is newer than the others opens it again, and one that was said after its end
/// makes it go on.
pub(super) fn saw(connection: &Connection, scope: i64, session_id: &str, at: Timestamp) -> Result<(), Fault> {
    let mut statement = connection.prepare_cached(
        "INSERT INTO sessions (scope, session_id, first_seen, last_seen, messages) VALUES (?1, ?2, ?3, ?3, 1)
         ON CONFLICT (scope, session_id) DO UPDATE SET first_seen = min(first_seen, excluded.first_seen),
             last_seen = max(last_seen, excluded.last_seen), messages = messages + 1,
             ended_at = iif(ended_at >= excluded.last_seen, ended_at, NULL),
             completed_at = iif(last_seen >= excluded.last_seen, completed_at, NULL),
             completed_number = iif(last_seen >= excluded.last_seen, completed_number, NULL)",
    )?;
    statement.execute((scope, session_id, at.millis()))?;
    Ok(())
}

/// Uncounts a message that was purged.
pub(super) fn lost(connection: &Connection, scope: i64, session_id: &str) -> Result<(), Fault> {
    connection
        .prepare_cached("UPDATE sessions SET messages = max(messages - 1, 0) WHERE scope = ?1 AND session_id = ?2")?
        .execute((scope, session_id))?;
    connection
        .prepare_cached("DELETE FROM sessions WHERE scope = ?1 AND session_id = ?2 AND messages = 0")?
        .execute((scope, session_id))?;
    Ok(())
}

/// Lets a session be known in another scope, too, as far as it was gone through here. Its messages are counted when they
/// come.
pub(super) fn follow(connection: &Connection, from: i64, to: i64, session_id: &str) -> Result<(), Fault> {
    connection
        .prepare_cached(
            "INSERT OR IGNORE INTO sessions
                 (scope, session_id, first_seen, last_seen, ended_at, messages, consolidated_through, completed_at, completed_number)
             SELECT ?2, session_id, first_seen, last_seen, ended_at, 0, consolidated_through, completed_at, completed_number
             FROM sessions WHERE scope = ?1 AND session_id = ?3",
        )?
        .execute((from, to, session_id))?;
    Ok(())
}

/// Sessions, most recent first.
pub(super) fn list(connection: &Connection, view: &View, limit: usize, offset: usize) -> Result<Vec<Session>, Fault> {
    let visible = scopes::visible(connection, view)?;
    let sql = format!(
        "SELECT {COLUMNS} FROM {FROM} WHERE n.scope IN ({visible}) ORDER BY n.last_seen DESC, n.session_id, s.name LIMIT ?1 OFFSET ?2"
    );
    let bounded = |number: usize| i64::try_from(number).unwrap_or(i64::MAX);
    let mut statement = connection.prepare_cached(&sql)?;
    let rows = statement.query_map((bounded(limit), bounded(offset)), read)?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

/// A scope's own sessions after an id, by id.
pub(super) fn list_by_id(
    connection: &Connection,
    scope: &Scope,
    after: Option<&str>,
    limit: usize,
) -> Result<Vec<Session>, Fault> {
    // No text comes before the empty one, which may be an id.
    let past = if after.is_some() { ">" } else { ">=" };
    let mut statement = connection.prepare_cached(&format!(
        "SELECT {COLUMNS} FROM {FROM} WHERE s.name = ?1 AND n.session_id {past} ?2 ORDER BY n.session_id LIMIT ?3"
    ))?;
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    let rows = statement.query_map((scope.to_string(), after.unwrap_or_default(), limit), read)?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

/// One session; the innermost scope's if several have one of this name.
pub(super) fn find(connection: &Connection, view: &View, session_id: &str) -> Result<Option<Session>, Fault> {
    for scope in view.scopes() {
        let sql = format!("SELECT {COLUMNS} FROM {FROM} WHERE s.name = ?1 AND n.session_id = ?2");
        let mut statement = connection.prepare_cached(&sql)?;
        if let Some(session) = statement.query_row((scope.to_string(), session_id), read).optional()? {
            return Ok(Some(session));
        }
    }
    Ok(None)
}

/// Declares a session over.
pub(super) fn end(connection: &Connection, view: &View, session_id: &str, at: Timestamp) -> Result<(), Fault> {
    let session =
        find(connection, view, session_id)?.ok_or_else(|| StoreError::not_found(format!("session `{session_id}`")))?;
    let scope = scopes::number_or_new(connection, &session.scope)?;
    connection
        .prepare_cached("UPDATE sessions SET ended_at = ifnull(ended_at, ?3) WHERE scope = ?1 AND session_id = ?2")?
        .execute((scope, session_id, at.millis()))?;
    Ok(())
}

/// Takes the end of a session back.
pub(super) fn reopen(connection: &Connection, view: &View, session_id: &str) -> Result<bool, Fault> {
    let session =
        find(connection, view, session_id)?.ok_or_else(|| StoreError::not_found(format!("session `{session_id}`")))?;
    let scope = scopes::number_or_new(connection, &session.scope)?;
    let changed = connection
        .prepare_cached(
            "UPDATE sessions SET ended_at = NULL WHERE scope = ?1 AND session_id = ?2 AND ended_at IS NOT NULL",
        )?
        .execute((scope, session_id))?;
    Ok(changed > 0)
}

/// Restores a session's row; the wider span wins.
pub(super) fn put(connection: &Connection, session: &Session) -> Result<(), Fault> {
    let scope = scopes::number_or_new(connection, &session.scope)?;
    let mut statement = connection.prepare_cached(
        "INSERT INTO sessions
             (scope, session_id, first_seen, last_seen, ended_at, messages, consolidated_through, completed_at, completed_number)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, iif(?8 IS NULL, NULL, 0))
         ON CONFLICT (scope, session_id) DO UPDATE SET first_seen = min(first_seen, excluded.first_seen),
             last_seen = max(last_seen, excluded.last_seen), ended_at = ifnull(ended_at, excluded.ended_at)",
    )?;
    statement.execute((
        scope,
        &session.session_id,
        session.first_seen.millis(),
        session.last_seen.millis(),
        session.ended_at.map(Timestamp::millis),
        row::integer(session.messages),
        session.consolidated_through.map(|id| id.uuid()),
        session.completed_at.map(Timestamp::millis),
    ))?;
    Ok(())
}

/// Open sessions of a scope, the longest silent first.
pub(super) fn open(
    connection: &Connection,
    scope: &Scope,
    seen_before: Timestamp,
    limit: usize,
) -> Result<Vec<Session>, Fault> {
    let sql = format!(
        "SELECT {COLUMNS} FROM {FROM} WHERE s.name = ?1 AND n.completed_number IS NULL AND n.last_seen < ?2
         ORDER BY n.last_seen, n.session_id LIMIT ?3"
    );
    let mut statement = connection.prepare_cached(&sql)?;
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    let rows = statement.query_map((scope.to_string(), seen_before.millis(), limit), read)?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

/// Whether a session of the scope began after a time.
pub(super) fn began_after(connection: &Connection, scope: &Scope, at: Timestamp) -> Result<bool, Fault> {
    let Some(scope) = scopes::number(connection, scope)? else { return Ok(false) };
    let mut statement = connection.prepare_cached("SELECT 1 FROM sessions WHERE scope = ?1 AND first_seen > ?2")?;
    Ok(statement.exists((scope, at.millis()))?)
}

/// Declares an open session complete, if it stands where the caller saw it.
pub(super) fn complete(connection: &Connection, session: &Session, at: Timestamp) -> Result<bool, Fault> {
    let Some(scope) = scopes::number(connection, &session.scope)? else { return Ok(false) };
    let number = connection
        .prepare_cached("SELECT value + 1 FROM marks WHERE name = ?1")?
        .query_row([COMPLETED], |row| row.get(0))
        .optional()?
        .unwrap_or(1_i64);
    let completed = connection
        .prepare_cached(
            "UPDATE sessions SET completed_at = ?3, completed_number = ?4
             WHERE scope = ?1 AND session_id = ?2 AND completed_number IS NULL AND consolidated_through IS ?5
               AND messages = ?6",
        )?
        .execute((
            scope,
            &session.session_id,
            at.millis(),
            number,
            session.consolidated_through.map(|id| id.uuid()),
            row::integer(session.messages),
        ))?
        > 0;
    if completed {
        connection
            .prepare_cached(
                "INSERT INTO marks (name, value) VALUES (?1, ?2) ON CONFLICT (name) DO UPDATE SET value = ?2",
            )?
            .execute((COMPLETED, number))?;
    }
    Ok(completed)
}

/// Sessions in view that were completed after a position.
pub(super) fn completed(
    connection: &Connection,
    view: &View,
    after: u64,
    limit: usize,
) -> Result<CompletedSessions, Fault> {
    let visible = scopes::visible(connection, view)?;
    let newest = connection
        .prepare_cached("SELECT value FROM marks WHERE name = ?1")?
        .query_row([COMPLETED], |row| row.get::<_, i64>(0))
        .optional()?
        .map_or(0, i64::unsigned_abs);
    let sql = format!(
        "SELECT {COLUMNS}, n.completed_number FROM {FROM} WHERE n.scope IN ({visible}) AND n.completed_number > ?1
         ORDER BY n.completed_number LIMIT ?2"
    );
    let bounded = |number: u64| i64::try_from(number).unwrap_or(i64::MAX);
    let mut statement = connection.prepare_cached(&sql)?;
    let rows = statement.query_map((bounded(after), bounded(limit as u64)), |row| {
        Ok((read(row)?, row.get::<_, i64>(8)?.unsigned_abs()))
    })?;
    let found = rows.collect::<rusqlite::Result<Vec<(Session, u64)>>>()?;
    let through = if found.len() < limit { newest } else { found.last().map_or(newest, |(_, number)| *number) };
    Ok(CompletedSessions { sessions: found.into_iter().map(|(session, _)| session).collect(), through })
}

fn read(row: &Row<'_>) -> rusqlite::Result<Session> {
    Ok(Session {
        session_id: row.get(0)?,
        scope: row::parse(row, 1)?,
        first_seen: Timestamp::from_millis(row.get(2)?),
        last_seen: Timestamp::from_millis(row.get(3)?),
        ended_at: row.get::<_, Option<i64>>(4)?.map(Timestamp::from_millis),
        messages: row.get::<_, i64>(5)?.unsigned_abs(),
        consolidated_through: row
            .get::<_, Option<[u8; 16]>>(6)?
            .map(|bytes| MemoryId::new(Kind::Episode, Uuid::from_bytes(bytes))),
        completed_at: row.get::<_, Option<i64>>(7)?.map(Timestamp::from_millis),
    })
}
