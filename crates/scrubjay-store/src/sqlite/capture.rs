//! Storing messages of conversations: the hot path.

use rusqlite::{Connection, OptionalExtension, Row};
use scrubjay_core::id::MemoryId;
use scrubjay_core::memory::Kind;
use scrubjay_core::scope::Scope;
use scrubjay_core::text::TextHash;

use super::connection::Fault;
use super::{changes, entities, index_log, jobs, row, scopes, sessions};
use crate::change::{Captured, Effect, NewJob, NewMemory, Stamp};
use crate::item::ItemKey;
use crate::rules;

/// Stores messages with everything that belongs to them.
pub(super) fn capture(
    connection: &Connection,
    stamp: &Stamp,
    messages: &[NewMemory],
    new_jobs: &[NewJob],
) -> Result<Vec<Captured>, Fault> {
    let mut captured = Vec::with_capacity(messages.len());
    for new in messages {
        captured.push(capture_one(connection, stamp, new)?);
    }
    if captured.iter().any(|captured| matches!(captured, Captured::Stored(_))) {
        jobs::enqueue(connection, new_jobs, stamp.at)?;
    }
    Ok(captured)
}

/// Stores a memory with its index entries, mentions and history row.
pub(super) fn store(connection: &Connection, stamp: &Stamp, scope: i64, new: &NewMemory) -> Result<i64, Fault> {
    rules::check_attributes(&new.memory.attributes)?;
    let pk = row::insert(connection, scope, new)?;
    index_log::note(connection, scope, ItemKey::memory(pk.unsigned_abs()), true)?;
    // A task's notes mention nobody: they are gone soon.
    if !matches!(new.memory.scope, Scope::Task(..)) {
        for mention in &new.mentions {
            entities::link(connection, pk, scope, mention)?;
        }
    }
    changes::record(connection, stamp, scope, Some(pk), Effect::Created, new.memory.version, None)?;
    Ok(pk)
}

/// The memory that was stored in this scope and session under this client id.
pub(super) fn by_client_id(
    connection: &Connection,
    scope: i64,
    session_id: Option<&str>,
    client_id: &str,
) -> Result<Option<MemoryId>, Fault> {
    let mut statement = connection.prepare_cached(
        "SELECT id, kind FROM memories WHERE scope = ?1 AND ifnull(session_id, '') = ?2 AND client_id = ?3",
    )?;
    Ok(statement.query_row((scope, session_id.unwrap_or(""), client_id), memory_id).optional()?)
}

/// Whether this text was purged from this scope.
pub(super) fn is_purged(connection: &Connection, scope: i64, value: TextHash) -> Result<bool, Fault> {
    let mut statement = connection.prepare_cached("SELECT 1 FROM tombstones WHERE scope = ?1 AND hash = ?2")?;
    Ok(statement.exists((scope, value.as_bytes()))?)
}

fn capture_one(connection: &Connection, stamp: &Stamp, new: &NewMemory) -> Result<Captured, Fault> {
    let memory = &new.memory;
    let scope = scopes::number_or_new(connection, &memory.scope)?;
    if let Some(id) = duplicate_of(connection, scope, new)? {
        return Ok(Captured::Duplicate(id));
    }
    if !new.despite_purge && is_purged(connection, scope, TextHash::of_value(&memory.content))? {
        return Ok(Captured::Purged);
    }
    store(connection, stamp, scope, new)?;
    if let Some(session_id) = &memory.session_id {
        sessions::saw(connection, scope, session_id, memory.event_time)?;
    }
    Ok(Captured::Stored(memory.id))
}

fn duplicate_of(connection: &Connection, scope: i64, new: &NewMemory) -> Result<Option<MemoryId>, Fault> {
    let session_id = new.memory.session_id.as_deref();
    if let Some(client_id) = &new.client_id
        && let Some(id) = by_client_id(connection, scope, session_id, client_id)?
    {
        return Ok(Some(id));
    }
    let Some(session_id) = session_id else { return Ok(None) };
    // The other channel may not have known the message's id: then the role and
    // the text decide.
    let mut statement = connection.prepare_cached(
        "SELECT id, kind, pk, client_id IS NULL FROM memories INDEXED BY memories_by_text
         WHERE session_id = ?1 AND text_hash = ?2 AND scope = ?3 AND role IS ?4
           AND (client_id IS NULL OR ?5) AND NOT (time_given AND ?6 AND abs(event_time - ?7) > ?8)
         ORDER BY pk LIMIT 1",
    )?;
    let found = statement
        .query_row(
            (
                session_id,
                new.text_hash().as_bytes(),
                scope,
                &new.memory.role,
                new.client_id.is_none(),
                new.time_given,
                new.memory.event_time.millis(),
                rules::SAME_MESSAGE_MS,
            ),
            |row| Ok((memory_id(row)?, row.get::<_, i64>(2)?, row.get::<_, bool>(3)?)),
        )
        .optional()?;
    let Some((id, pk, nameless)) = found else { return Ok(None) };
    if let (true, Some(client_id)) = (nameless, &new.client_id) {
        // From now on it is known by this id, so that the next message with the
        // same text and another id is a new one.
        connection.prepare_cached("UPDATE memories SET client_id = ?1 WHERE pk = ?2")?.execute((client_id, pk))?;
    }
    Ok(Some(id))
}

fn memory_id(row: &Row<'_>) -> rusqlite::Result<MemoryId> {
    Ok(MemoryId::new(row::parse::<Kind>(row, 1)?, row::uuid(row, 0)?))
}
