//! Storing messages of conversations.

use scrubjay_core::id::MemoryId;
use scrubjay_core::scope::Scope;
use scrubjay_core::text::TextHash;

use super::tables::{Stored, Tables};
use super::{changes, entities, index_log, jobs, sessions};
use crate::change::{Captured, Effect, NewJob, NewMemory, Stamp};
use crate::item::ItemKey;
use crate::{Result, rules};

/// Stores messages with everything that belongs to them.
pub(super) fn capture(
    tables: &mut Tables,
    stamp: &Stamp,
    messages: &[NewMemory],
    new_jobs: &[NewJob],
) -> Result<Vec<Captured>> {
    let captured = messages.iter().map(|new| capture_one(tables, stamp, new)).collect::<Result<Vec<_>>>()?;
    if captured.iter().any(|captured| matches!(captured, Captured::Stored(_))) {
        jobs::enqueue(tables, new_jobs, stamp.at);
    }
    Ok(captured)
}

/// Stores a memory with its index entries, mentions and history row.
pub(super) fn store(tables: &mut Tables, stamp: &Stamp, new: &NewMemory) -> Result<u64> {
    let memory = &new.memory;
    rules::check_attributes(&memory.attributes)?;
    if tables.exists(memory.id) {
        return Err(rules::taken(memory.id));
    }
    let pk = tables.next_number("memories");
    let text_hash = new.text_hash();
    tables.memory_ids.put(memory.id.uuid(), pk);
    if let Some(client_id) = &new.client_id {
        tables.client_ids.put(client_key(&memory.scope, memory.session_id.as_deref(), client_id), pk);
    }
    if let Some(session_id) = &memory.session_id {
        tables.texts.put((session_id.clone(), text_hash, pk), ());
    }
    tables.memories.put(
        pk,
        Stored { memory: memory.clone(), client_id: new.client_id.clone(), text_hash, time_given: new.time_given },
    );
    index_log::note(tables, &memory.scope, ItemKey::memory(pk), true);
    for mention in &new.mentions {
        entities::link(tables, pk, &memory.scope, mention)?;
    }
    changes::record(tables, stamp, pk, Effect::Created, None);
    Ok(pk)
}

/// The memory that was stored in this scope and session under this client id.
pub(super) fn by_client_id(
    tables: &Tables,
    scope: &Scope,
    session_id: Option<&str>,
    client_id: &str,
) -> Option<MemoryId> {
    let pk = tables.client_ids.get(&client_key(scope, session_id, client_id))?;
    tables.memories.get(pk).map(|stored| stored.memory.id)
}

/// Whether this text was purged from this scope.
pub(super) fn is_purged(tables: &Tables, scope: &Scope, value: TextHash) -> bool {
    tables.tombstones.has(&(scope.clone(), value))
}

/// The key under which a client id is kept. No session is as good as an empty one.
pub(super) fn client_key(scope: &Scope, session_id: Option<&str>, client_id: &str) -> (Scope, String, String) {
    (scope.clone(), session_id.unwrap_or("").to_owned(), client_id.to_owned())
}

fn capture_one(tables: &mut Tables, stamp: &Stamp, new: &NewMemory) -> Result<Captured> {
    let memory = &new.memory;
    tables.know(&memory.scope);
    if let Some(id) = duplicate_of(tables, new) {
        return Ok(Captured::Duplicate(id));
    }
    if !new.despite_purge && is_purged(tables, &memory.scope, TextHash::of_value(&memory.content)) {
        return Ok(Captured::Purged);
    }
    store(tables, stamp, new)?;
    if let Some(session_id) = &memory.session_id {
        sessions::saw(tables, &memory.scope, session_id, memory.event_time);
    }
    Ok(Captured::Stored(memory.id))
}

fn duplicate_of(tables: &mut Tables, new: &NewMemory) -> Option<MemoryId> {
    let scope = &new.memory.scope;
    let session_id = new.memory.session_id.as_deref();
    if let Some(client_id) = &new.client_id
        && let Some(id) = by_client_id(tables, scope, session_id, client_id)
    {
        return Some(id);
    }
    let session_id = session_id?;
    // The other channel may not have known the message's id: then the role and
    // the text decide.
    let hash = new.text_hash();
    let same_text = (session_id.to_owned(), hash, 0)..=(session_id.to_owned(), hash, u64::MAX);
    let (pk, stored) = tables
        .texts
        .range(same_text)
        .filter_map(|((_, _, pk), ())| Some((*pk, tables.memories.get(pk)?)))
        .find(|(_, stored)| is_same_message(stored, new))?;
    let (id, nameless) = (stored.memory.id, stored.client_id.is_none());
    if let (true, Some(client_id)) = (nameless, &new.client_id) {
        // From now on it is known by this id, so that the next message with the
        // same text and another id is a new one.
        tables.client_ids.put(client_key(scope, Some(session_id), client_id), pk);
        tables.memories.change(&pk, |stored| stored.client_id = Some(client_id.clone()));
    }
    Some(id)
}

fn is_same_message(stored: &Stored, new: &NewMemory) -> bool {
    let apart_ms = stored.memory.event_time.millis().abs_diff(new.memory.event_time.millis());
    let at_other_times = stored.time_given && new.time_given && apart_ms > rules::SAME_MESSAGE_MS.unsigned_abs();
    stored.memory.scope == new.memory.scope
        && stored.memory.role == new.memory.role
        && (stored.client_id.is_none() || new.client_id.is_none())
        && !at_other_times
}
