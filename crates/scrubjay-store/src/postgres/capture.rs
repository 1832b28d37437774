//! Storing messages of conversations: the hot path.

use scrubjay_core::id::MemoryId;
use scrubjay_core::scope::Scope;
use scrubjay_core::text::TextHash;

use super::fault::Fault;
use super::value::get;
use super::work::Work;
use super::{changes, entities, index_log, jobs, row, scopes, sessions};
use crate::change::{Captured, Effect, NewJob, NewMemory, Stamp};
use crate::item::ItemKey;
use crate::rules;

/// Stores messages with everything that belongs to them.
pub(super) async fn capture(
    work: &Work,
    stamp: &Stamp,
    messages: &[NewMemory],
    new_jobs: &[NewJob],
) -> Result<Vec<Captured>, Fault> {
    let mut captured = Vec::with_capacity(messages.len());
    for new in messages {
        captured.push(capture_one(work, stamp, new).await?);
    }
    if captured.iter().any(|captured| matches!(captured, Captured::Stored(_))) {
        jobs::enqueue(work, new_jobs, stamp.at).await?;
    }
    Ok(captured)
}

/// Stores a memory with its index entries, mentions and history row.
pub(super) async fn store(work: &Work, stamp: &Stamp, scope: i64, new: &NewMemory) -> Result<i64, Fault> {
    rules::check_attributes(&new.memory.attributes)?;
    let pk = row::insert(work, scope, new).await?;
    index_log::note(work, scope, ItemKey::memory(pk.unsigned_abs()), true).await?;
    // A task's notes mention nobody: they are gone soon.
    if !matches!(new.memory.scope, Scope::Task(..)) {
        for mention in &new.mentions {
            entities::link(work, pk, scope, mention).await?;
        }
    }
    changes::record(work, stamp, scope, Some(pk), Effect::Created, new.memory.version, None).await?;
    Ok(pk)
}

/// The memory that was stored in this scope and session under this client id.
pub(super) async fn by_client_id(
    work: &Work,
    scope: i64,
    session_id: Option<&str>,
    client_id: &str,
) -> Result<Option<MemoryId>, Fault> {
    let sql = "SELECT id, kind FROM memories
               WHERE agent = $1 AND scope = $2 AND coalesce(session_id, '') = $3 AND client_id = $4";
    let found = work.row(sql, &[&scope, &session_id.unwrap_or(""), &client_id]).await?;
    found.map(|found| row::id(&found, 0)).transpose()
}

/// Whether this text was purged from this scope.
pub(super) async fn is_purged(work: &Work, scope: i64, value: TextHash) -> Result<bool, Fault> {
    let sql = "SELECT 1 FROM tombstones WHERE agent = $1 AND scope = $2 AND hash = $3";
    work.exists(sql, &[&scope, &value.as_bytes()]).await
}

/// Whether this text was purged from this scope, which may hold nothing yet.
pub(super) async fn is_purged_from(work: &Work, scope: &Scope, value: TextHash) -> Result<bool, Fault> {
    match scopes::number(work, scope).await? {
        Some(scope) => is_purged(work, scope, value).await,
        None => Ok(false),
    }
}

async fn capture_one(work: &Work, stamp: &Stamp, new: &NewMemory) -> Result<Captured, Fault> {
    let memory = &new.memory;
    let scope = scopes::number_or_new(work, &memory.scope).await?;
    if let Some(id) = duplicate_of(work, scope, new).await? {
        return Ok(Captured::Duplicate(id));
    }
    if !new.despite_purge && is_purged(work, scope, TextHash::of_value(&memory.content)).await? {
        return Ok(Captured::Purged);
    }
    store(work, stamp, scope, new).await?;
    if let Some(session_id) = &memory.session_id {
        sessions::saw(work, scope, session_id, memory.event_time).await?;
    }
    Ok(Captured::Stored(memory.id))
}

async fn duplicate_of(work: &Work, scope: i64, new: &NewMemory) -> Result<Option<MemoryId>, Fault> {
    let session_id = new.memory.session_id.as_deref();
    if let Some(client_id) = &new.client_id
        && let Some(id) = by_client_id(work, scope, session_id, client_id).await?
    {
        return Ok(Some(id));
    }
    let Some(session_id) = session_id else { return Ok(None) };
    // The other channel may not have known the message's id: then the role and the text decide.
    let sql = "SELECT id, kind, pk, client_id IS NULL FROM memories
               WHERE agent = $1 AND session_id = $2 AND text_hash = $3 AND scope = $4 AND role IS NOT DISTINCT FROM $5
                 AND (client_id IS NULL OR $6) AND NOT (time_given AND $7 AND abs(event_time - $8) > $9)
               ORDER BY pk LIMIT 1";
    let found = work
        .row(
            sql,
            &[
                &session_id,
                &new.text_hash().as_bytes(),
                &scope,
                &new.memory.role,
                &new.client_id.is_none(),
                &new.time_given,
                &new.memory.event_time.millis(),
                &rules::SAME_MESSAGE_MS,
            ],
        )
        .await?;
    let Some(found) = found else { return Ok(None) };
    let is_nameless: bool = get(&found, 3)?;
    if let (true, Some(client_id)) = (is_nameless, &new.client_id) {
        // From now on it is known by this id, so that the next message with the same text and another id is a new one.
        let pk: i64 = get(&found, 2)?;
        work.execute("UPDATE memories SET client_id = $3 WHERE agent = $1 AND pk = $2", &[&pk, client_id]).await?;
    }
    Ok(Some(row::id(&found, 0)?))
}
