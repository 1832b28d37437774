//! Memories as rows.

use rusqlite::types::Type;
use rusqlite::{Connection, OptionalExtension, Row, named_params};
use scrubjay_core::id::MemoryId;
use scrubjay_core::memory::{Confidence, DecayRate, Ended, Importance, Kind, Memory, MemoryType, Origin};
use scrubjay_core::scope::{Scope, View};
use scrubjay_core::time::Timestamp;
use serde::Serialize;
use serde::de::DeserializeOwned;
use uuid::Uuid;

use super::connection::Fault;
use super::{changes, scopes};
use crate::change::NewMemory;
use crate::{StoreError, rules};

/// The columns of a memory, in the order that [`read`] expects. The table is
/// called `m`, its scope's row `s`.
pub(super) const COLUMNS: &str = "m.id, m.kind, m.type, s.name, m.session_id, m.role, m.content, m.importance, \
     m.confidence, m.decay_rate, m.event_time, m.created_at, m.valid_until, m.ended_by, m.access_count, \
     m.last_accessed, m.source_ids, m.origin, m.path, m.start_line, m.end_line, m.tags, m.attributes, m.version, m.pk";

/// The tables that [`COLUMNS`] come from.
pub(super) const FROM: &str = "memories m JOIN scopes s ON s.pk = m.scope";

/// The same for the memories of one conversation, which a condition must name with its scope. It is spelled out, because
/// SQLite might as well read all memories of the scope.
pub(super) const FROM_SESSION: &str = "memories m INDEXED BY memories_by_session JOIN scopes s ON s.pk = m.scope";

/// The same for memories whose row numbers a condition names.
pub(super) const FROM_NUMBERED: &str = "memories m NOT INDEXED JOIN scopes s ON s.pk = m.scope";

/// A memory with its row number.
pub(super) struct Stored {
    pub(super) pk: i64,
    pub(super) memory: Memory,
}

/// Reads a memory from the columns above.
pub(super) fn read(row: &Row<'_>) -> rusqlite::Result<Stored> {
    let kind: Kind = parse(row, 1)?;
    let id = MemoryId::new(kind, uuid(row, 0)?);
    let ended = match (row.get::<_, Option<i64>>(12)?, row.get::<_, Option<String>>(13)?) {
        (Some(at), Some(_)) => Some(Ended { at: Timestamp::from_millis(at), by: parse(row, 13)? }),
        _ => None,
    };
    let memory = Memory {
        id,
        memory_type: parse::<MemoryType>(row, 2)?,
        scope: parse::<Scope>(row, 3)?,
        session_id: row.get(4)?,
        role: row.get(5)?,
        content: row.get(6)?,
        importance: Importance::new(row.get(7)?).map_err(|error| unreadable(7, error))?,
        confidence: Confidence::new(row.get(8)?).map_err(|error| unreadable(8, error))?,
        decay_rate: DecayRate::new(row.get(9)?).map_err(|error| unreadable(9, error))?,
        event_time: Timestamp::from_millis(row.get(10)?),
        created_at: Timestamp::from_millis(row.get(11)?),
        ended,
        access_count: row.get::<_, i64>(14)?.unsigned_abs(),
        last_accessed: row.get::<_, Option<i64>>(15)?.map(Timestamp::from_millis),
        source_ids: from_json(row, 16)?,
        origin: Origin { kind: parse(row, 17)?, path: row.get(18)?, start_line: row.get(19)?, end_line: row.get(20)? },
        tags: from_json(row, 21)?,
        attributes: from_json(row, 22)?,
        version: row.get::<_, i64>(23)?.unsigned_abs(),
    };
    Ok(Stored { pk: row.get(24)?, memory })
}

/// The visible memory with this id.
pub(super) fn find(connection: &Connection, view: &View, id: MemoryId) -> Result<Option<Stored>, Fault> {
    let visible = scopes::visible(connection, view)?;
    let sql = format!("SELECT {COLUMNS} FROM {FROM} WHERE m.id = ?1 AND m.kind = ?2 AND m.scope IN ({visible})");
    let mut statement = connection.prepare_cached(&sql)?;
    Ok(statement.query_row((id.uuid(), id.kind().name()), read).optional()?)
}

/// The visible memory with this id, or the error that there is none.
pub(super) fn need(connection: &Connection, view: &View, id: MemoryId) -> Result<Stored, Fault> {
    find(connection, view, id)?.ok_or_else(|| StoreError::not_found(id).into())
}

/// Inserts a memory; returns its row number.
pub(super) fn insert(connection: &Connection, scope: i64, new: &NewMemory) -> Result<i64, Fault> {
    let memory = &new.memory;
    if changes::pk_of(connection, memory.id)?.is_some() {
        return Err(StoreError::Conflict { why: format!("{} cannot be used", memory.id) }.into());
    }
    let mut statement = connection.prepare_cached(
        "INSERT INTO memories (id, kind, type, scope, session_id, role, content, importance, confidence, decay_rate,
             event_time, created_at, valid_until, ended_by, access_count, last_accessed, source_ids, origin, path,
             start_line, end_line, tags, attributes, version, client_id, text_hash, time_given)
         VALUES (:id, :kind, :type, :scope, :session_id, :role, :content, :importance, :confidence, :decay_rate,
             :event_time, :created_at, :valid_until, :ended_by, :access_count, :last_accessed, :source_ids, :origin,
             :path, :start_line, :end_line, :tags, :attributes, :version, :client_id, :text_hash, :time_given)",
    )?;
    statement.execute(named_params! {
        ":id": memory.id.uuid(),
        ":kind": memory.kind().name(),
        ":type": memory.memory_type.as_str(),
        ":scope": scope,
        ":session_id": memory.session_id,
        ":role": memory.role,
        ":content": memory.content,
        ":importance": memory.importance.value(),
        ":confidence": memory.confidence.value(),
        ":decay_rate": memory.decay_rate.value(),
        ":event_time": memory.event_time.millis(),
        ":created_at": memory.created_at.millis(),
        ":valid_until": memory.ended.map(|ended| ended.at.millis()),
        ":ended_by": memory.ended.map(|ended| ended.by.name()),
        ":access_count": integer(memory.access_count),
        ":last_accessed": memory.last_accessed.map(Timestamp::millis),
        ":source_ids": list_json(&memory.source_ids)?,
        ":origin": memory.origin.kind.name(),
        ":path": memory.origin.path,
        ":start_line": memory.origin.start_line,
        ":end_line": memory.origin.end_line,
        ":tags": list_json(&memory.tags)?,
        ":attributes": if memory.attributes.is_empty() { None } else { Some(to_json(&memory.attributes)?) },
        ":version": integer(memory.version),
        ":client_id": new.client_id,
        ":text_hash": new.text_hash().as_bytes(),
        ":time_given": new.time_given,
    })?;
    Ok(connection.last_insert_rowid())
}

/// Writes the fields of a memory that can change. The hash of its first text
/// stays: the same message, read again from a transcript, is still known.
pub(super) fn update(connection: &Connection, pk: i64, memory: &Memory) -> Result<(), Fault> {
    let mut statement = connection.prepare_cached(
        "UPDATE memories SET type = :type, content = :content, importance = :importance, confidence = :confidence,
             decay_rate = :decay_rate, event_time = :event_time, valid_until = :valid_until, ended_by = :ended_by,
             source_ids = :source_ids, origin = :origin, tags = :tags, attributes = :attributes, version = :version
         WHERE pk = :pk",
    )?;
    statement.execute(named_params! {
        ":pk": pk,
        ":type": memory.memory_type.as_str(),
        ":content": memory.content,
        ":importance": memory.importance.value(),
        ":confidence": memory.confidence.value(),
        ":decay_rate": memory.decay_rate.value(),
        ":event_time": memory.event_time.millis(),
        ":valid_until": memory.ended.map(|ended| ended.at.millis()),
        ":ended_by": memory.ended.map(|ended| ended.by.name()),
        ":source_ids": list_json(&memory.source_ids)?,
        ":origin": memory.origin.kind.name(),
        ":tags": list_json(&memory.tags)?,
        ":attributes": if memory.attributes.is_empty() { None } else { Some(to_json(&memory.attributes)?) },
        ":version": integer(memory.version),
    })?;
    Ok(())
}

/// What it means that a row could not be inserted under `id`.
pub(super) fn taken_or(error: rusqlite::Error, id: impl std::fmt::Display) -> Fault {
    match error.sqlite_extended_error_code() {
        Some(rusqlite::ffi::SQLITE_CONSTRAINT_UNIQUE) => rules::taken(id).into(),
        _ => error.into(),
    }
}

/// A UUID column.
pub(super) fn uuid(row: &Row<'_>, column: usize) -> rusqlite::Result<Uuid> {
    let bytes: [u8; 16] = row.get(column)?;
    Ok(Uuid::from_bytes(bytes))
}

/// A text column with a meaning.
pub(super) fn parse<T>(row: &Row<'_>, column: usize) -> rusqlite::Result<T>
where
    T: std::str::FromStr,
    T::Err: std::error::Error + Send + Sync + 'static,
{
    row.get_ref(column)?.as_str()?.parse().map_err(|error| unreadable(column, error))
}

/// A JSON column; NULL is the empty value.
pub(super) fn from_json<T: DeserializeOwned + Default>(row: &Row<'_>, column: usize) -> rusqlite::Result<T> {
    match row.get_ref(column)?.as_str_or_null()? {
        None => Ok(T::default()),
        Some(text) => serde_json::from_str(text).map_err(|error| unreadable(column, error)),
    }
}

/// JSON text of a value.
pub(super) fn to_json<T: Serialize>(value: &T) -> Result<String, Fault> {
    serde_json::to_string(value)
        .map_err(|error| StoreError::Unreadable { what: "value", detail: error.to_string() }.into())
}

/// A count as SQLite holds it. Counts here never come near 2^63.
pub(super) fn integer(value: u64) -> i64 {
    i64::try_from(value).unwrap_or(i64::MAX)
}

fn list_json<T: Serialize>(list: &[T]) -> Result<Option<String>, Fault> {
    if list.is_empty() { Ok(None) } else { to_json(&list).map(Some) }
}

fn unreadable(column: usize, error: impl std::error::Error + Send + Sync + 'static) -> rusqlite::Error {
    rusqlite::Error::FromSqlConversionFailure(column, Type::Text, Box::new(error))
}
