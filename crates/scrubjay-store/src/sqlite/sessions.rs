//! Conversations.

use rusqlite::{Connection, OptionalExtension, Row};
use scrubjay_core::id::MemoryId;
use scrubjay_core::memory::Kind;
use scrubjay_core::scope::View;
use scrubjay_core::time::Timestamp;
use uuid::Uuid;

use super::connection::Fault;
use super::{row, scopes};
use crate::StoreError;
use crate::query::Session;

const COLUMNS: &str = "n.session_id, s.name, n.first_seen, n.last_seen, n.ended_at, n.messages, n.consolidated_through";
const FROM: &str = "sessions n JOIN scopes s ON s.pk = n.scope";

/// Counts a message of a session. One that was said after its end makes it go on.
pub(super) fn saw(connection: &Connection, scope: i64, session_id: &str, at: Timestamp) -> Result<(), Fault> {
    let mut statement = connection.prepare_cached(
        "INSERT INTO sessions (scope, session_id, first_seen, last_seen, messages) VALUES (?1, ?2, ?3, ?3, 1)
         ON CONFLICT (scope, session_id) DO UPDATE SET first_seen = min(first_seen, excluded.first_seen),
             last_seen = max(last_seen, excluded.last_seen), messages = messages + 1,
             ended_at = iif(ended_at >= excluded.last_seen, ended_at, NULL)",
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

/// Restores a session's row; the wider span wins.
pub(super) fn put(connection: &Connection, session: &Session) -> Result<(), Fault> {
    let scope = scopes::number_or_new(connection, &session.scope)?;
    let mut statement = connection.prepare_cached(
        "INSERT INTO sessions (scope, session_id, first_seen, last_seen, ended_at, messages, consolidated_through)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
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
    ))?;
    Ok(())
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
    })
}
