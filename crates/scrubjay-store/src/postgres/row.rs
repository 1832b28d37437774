//! Memories as rows.

use scrubjay_core::id::MemoryId;
use scrubjay_core::memory::{Confidence, DecayRate, Ended, Importance, Kind, Memory, MemoryType, Origin};
use scrubjay_core::scope::{Scope, View};
use scrubjay_core::time::Timestamp;
use serde::Serialize;
use tokio_postgres::Row;

use super::fault::Fault;
use super::scopes;
use super::value::{count, from_json, get, integer, parse, to_json, unreadable};
use super::work::{Counter, Work};
use crate::change::NewMemory;
use crate::{StoreError, rules};

/// The columns of a memory, in the order that [`read`] expects. The table is called `m`, its scope's row `s`.
pub(super) const COLUMNS: &str = "m.id, m.kind, m.type, s.name, m.session_id, m.role, m.content, m.importance, \
     m.confidence, m.decay_rate, m.event_time, m.created_at, m.valid_until, m.ended_by, m.access_count, \
     m.last_accessed, m.source_ids, m.origin, m.path, m.start_line, m.end_line, m.tags, m.attributes, m.version, m.pk";

/// The tables that [`COLUMNS`] come from.
pub(super) const FROM: &str = "memories m JOIN scopes s ON s.agent = m.agent AND s.pk = m.scope";

/// A memory with its row number.
pub(super) struct Stored {
    pub(super) pk: i64,
    pub(super) memory: Memory,
}

/// Reads a memory from the columns above.
pub(super) fn read(row: &Row) -> Result<Stored, Fault> {
    let id = MemoryId::new(parse::<Kind>(row, 1)?, get(row, 0)?);
    let ended = match (get::<Option<i64>>(row, 12)?, get::<Option<&str>>(row, 13)?) {
        (Some(at), Some(_)) => Some(Ended { at: Timestamp::from_millis(at), by: parse(row, 13)? }),
        _ => None,
    };
    let line = |column: usize| -> Result<Option<u32>, Fault> {
        get::<Option<i64>>(row, column)?.map(u32::try_from).transpose().map_err(|error| unreadable(&error))
    };
    let memory = Memory {
        id,
        memory_type: parse::<MemoryType>(row, 2)?,
        scope: parse::<Scope>(row, 3)?,
        session_id: get(row, 4)?,
        role: get(row, 5)?,
        content: get(row, 6)?,
        importance: Importance::new(get(row, 7)?).map_err(|error| unreadable(&error))?,
        confidence: Confidence::new(get(row, 8)?).map_err(|error| unreadable(&error))?,
        decay_rate: DecayRate::new(get(row, 9)?).map_err(|error| unreadable(&error))?,
        event_time: Timestamp::from_millis(get(row, 10)?),
        created_at: Timestamp::from_millis(get(row, 11)?),
        ended,
        access_count: count(row, 14)?,
        last_accessed: get::<Option<i64>>(row, 15)?.map(Timestamp::from_millis),
        source_ids: from_json(row, 16)?,
        origin: Origin { kind: parse(row, 17)?, path: get(row, 18)?, start_line: line(19)?, end_line: line(20)? },
        tags: get::<Option<Vec<String>>>(row, 21)?.unwrap_or_default(),
        attributes: from_json(row, 22)?,
        version: count(row, 23)?,
    };
    Ok(Stored { pk: get(row, 24)?, memory })
}

/// The id in two columns: bytes and kind.
pub(super) fn id(row: &Row, column: usize) -> Result<MemoryId, Fault> {
    Ok(MemoryId::new(parse::<Kind>(row, column + 1)?, get(row, column)?))
}

/// The visible memory with this id.
pub(super) async fn find(work: &Work, view: &View, id: MemoryId) -> Result<Option<Stored>, Fault> {
    let visible = scopes::visible(work, view).await?;
    let sql =
        format!("SELECT {COLUMNS} FROM {FROM} WHERE m.agent = $1 AND m.id = $2 AND m.kind = $3 AND m.scope = ANY ($4)");
    work.row(&sql, &[&id.uuid(), &id.kind().name(), &visible]).await?.as_ref().map(read).transpose()
}

/// The visible memory with this id, or the error that there is none.
pub(super) async fn need(work: &Work, view: &View, id: MemoryId) -> Result<Stored, Fault> {
    find(work, view, id).await?.ok_or_else(|| StoreError::not_found(id).into())
}

/// The row number of a memory, wherever it lives.
pub(super) async fn pk_of(work: &Work, id: MemoryId) -> Result<Option<i64>, Fault> {
    let found = work.row("SELECT pk FROM memories WHERE agent = $1 AND id = $2", &[&id.uuid()]).await?;
    found.map(|row| get(&row, 0)).transpose()
}

/// Inserts a memory; returns its row number.
pub(super) async fn insert(work: &Work, scope: i64, new: &NewMemory) -> Result<i64, Fault> {
    let memory = &new.memory;
    let pk = work.draw(Counter::Memories)?;
    let inserted = work
        .execute(
            "INSERT INTO memories (agent, pk, id, kind, type, scope, session_id, role, content, importance, confidence,
                 decay_rate, event_time, created_at, valid_until, ended_by, access_count, last_accessed, source_ids,
                 origin, path, start_line, end_line, tags, attributes, version, client_id, text_hash, time_given)
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21,
                 $22, $23, $24, $25, $26, $27, $28, $29)
             ON CONFLICT (agent, id) DO NOTHING",
            &[
                &pk,
                &memory.id.uuid(),
                &memory.kind().name(),
                &memory.memory_type.as_str(),
                &scope,
                &memory.session_id,
                &memory.role,
                &memory.content,
                &memory.importance.value(),
                &memory.confidence.value(),
                &memory.decay_rate.value(),
                &memory.event_time.millis(),
                &memory.created_at.millis(),
                &memory.ended.map(|ended| ended.at.millis()),
                &memory.ended.map(|ended| ended.by.name()),
                &integer(memory.access_count),
                &memory.last_accessed.map(Timestamp::millis),
                &list_json(&memory.source_ids)?,
                &memory.origin.kind.name(),
                &memory.origin.path,
                &memory.origin.start_line,
                &memory.origin.end_line,
                &list(&memory.tags),
                &attributes(memory)?,
                &integer(memory.version),
                &new.client_id,
                &new.text_hash().as_bytes(),
                &new.time_given,
            ],
        )
        .await?;
    if inserted == 0 { Err(rules::taken(memory.id).into()) } else { Ok(pk) }
}

/// Writes the fields of a memory that can change. The hash of its first text stays: the same message, read again from a
/// transcript, is still known.
pub(super) async fn update(work: &Work, pk: i64, memory: &Memory) -> Result<(), Fault> {
    work.execute(
        "UPDATE memories SET type = $3, content = $4, importance = $5, confidence = $6, decay_rate = $7, event_time = $8,
             valid_until = $9, ended_by = $10, source_ids = $11, origin = $12, tags = $13, attributes = $14, version = $15
         WHERE agent = $1 AND pk = $2",
        &[
            &pk,
            &memory.memory_type.as_str(),
            &memory.content,
            &memory.importance.value(),
            &memory.confidence.value(),
            &memory.decay_rate.value(),
            &memory.event_time.millis(),
            &memory.ended.map(|ended| ended.at.millis()),
            &memory.ended.map(|ended| ended.by.name()),
            &list_json(&memory.source_ids)?,
            &memory.origin.kind.name(),
            &list(&memory.tags),
            &attributes(memory)?,
            &integer(memory.version),
        ],
    )
    .await?;
    Ok(())
}

fn attributes(memory: &Memory) -> Result<Option<String>, Fault> {
    if memory.attributes.is_empty() { Ok(None) } else { to_json(&memory.attributes).map(Some) }
}

fn list(texts: &[String]) -> Option<Vec<String>> {
    (!texts.is_empty()).then(|| texts.to_vec())
}

fn list_json<T: Serialize>(list: &[T]) -> Result<Option<String>, Fault> {
    if list.is_empty() { Ok(None) } else { to_json(&list).map(Some) }
}
