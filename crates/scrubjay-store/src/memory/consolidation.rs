//! Drawing facts from sessions: what waits, and how far it came.

use scrubjay_core::id::MemoryId;
use scrubjay_core::memory::{Kind, Memory};
use scrubjay_core::scope::{Scope, View};

use super::tables::{Past, Stored, Tables};
use super::{changes, memories, sessions};
use crate::change::{Applied, Change, Effect, NewJob, Stamp};
use crate::query::{Part, SessionStep, WaitingSession};
use crate::{Result, StoreError, rules};

/// Part of a session, in the order in which it was stored.
pub(super) fn episodes(tables: &Tables, scope: &Scope, session_id: &str, part: Part, limit: usize) -> Vec<Memory> {
    let after = match part {
        Part::After(None) => 0,
        Part::After(Some(id)) | Part::UpTo(id) => place(tables, scope, session_id, id),
    };
    let all = of_session(tables, scope, session_id).map(|(pk, stored)| (pk, stored.memory.clone()));
    match part {
        Part::After(_) => all.filter(|(pk, _)| *pk > after).map(|(_, memory)| memory).take(limit).collect(),
        Part::UpTo(_) => {
            let mut found: Vec<Memory> = all.filter(|(pk, _)| *pk <= after).map(|(_, memory)| memory).collect();
            found.drain(..found.len().saturating_sub(limit));
            found
        }
    }
}

/// Sessions with episodes past the point up to which facts were drawn.
pub(super) fn waiting(tables: &Tables, scope: &Scope, session_id: Option<&str>, limit: usize) -> Vec<WaitingSession> {
    let sessions = tables.sessions.iter().filter(|((place, _), _)| place == scope);
    let wanted = sessions.filter(|((_, name), _)| session_id.is_none_or(|wanted| wanted == name));
    let mut found: Vec<WaitingSession> = wanted
        .filter_map(|((_, name), session)| {
            let after = session.consolidated_through.map_or(0, |id| place(tables, scope, name, id));
            let waiting = of_session(tables, scope, name)
                .filter(|(pk, stored)| *pk > after && stored.memory.is_active())
                .map(|(_, stored)| stored.memory.created_at);
            let times: Vec<_> = waiting.collect();
            let since = times.iter().min().copied()?;
            Some(WaitingSession { session: session.clone(), episodes: times.len() as u64, since })
        })
        .collect();
    rules::longest_waiting_first(&mut found, limit);
    found
}

/// The fact of a scope that was stored last.
pub(super) fn newest_fact(tables: &Tables, scope: &Scope) -> Option<MemoryId> {
    let is_wanted = |memory: &Memory| memory.kind() == Kind::Fact && memory.scope == *scope;
    let facts = tables.memories.iter().filter(|(_, stored)| is_wanted(&stored.memory));
    facts.max_by_key(|(pk, _)| **pk).map(|(_, stored)| stored.memory.id)
}

/// Makes the changes of a step and notes how far it came.
pub(super) fn consolidate(
    tables: &mut Tables,
    stamp: &Stamp,
    step: &SessionStep,
    wanted: &[Change],
    jobs: &[NewJob],
) -> Result<Vec<Applied>> {
    let view = View::of(&step.scope);
    let session = sessions::find(tables, &view, &step.session_id)
        .filter(|session| session.scope == step.scope)
        .ok_or_else(|| StoreError::not_found(format!("session `{}`", step.session_id)))?;
    rules::expect_place(&session, newest_fact(tables, &step.scope), step)?;
    let applied = changes::apply(tables, &view, stamp, wanted, jobs)?;
    memories::touch(tables, &view, &step.repeated, stamp.at);
    tables.sessions.change(&(step.scope.clone(), step.session_id.clone()), |stored| {
        stored.consolidated_through = Some(step.through);
        stored.ended_at = session.ended_at;
        stored.completed_at = None;
    });
    tables.completed_sessions.take(&(step.scope.clone(), step.session_id.clone()));
    Ok(applied)
}

/// Facts and episodes with few entities that were not looked at again yet.
pub(super) fn sparse(tables: &Tables, scope: &Scope, at_most: usize, without: &str, limit: usize) -> Vec<Memory> {
    let wanted = |memory: &Memory| {
        memory.scope == *scope
            && memory.is_active()
            && matches!(memory.kind(), Kind::Episode | Kind::Fact)
            && !memory.attributes.contains_key(without)
    };
    let rows = tables.memories.iter().filter(|(_, stored)| wanted(&stored.memory));
    let was_undone = |pk: u64| {
        let undone = |past: &Past| past.entry.effect == Effect::Mentioned && past.entry.undone_by.is_some();
        tables.changes.iter().any(|(_, past)| past.memory == Some(pk) && undone(past))
    };
    let rows = rows.filter(|(pk, _)| !was_undone(**pk));
    let few = rows.filter(|(pk, _)| tables.mentions.range((**pk, 0)..=(**pk, u64::MAX)).count() <= at_most);
    few.map(|(_, stored)| stored.memory.clone()).take(limit).collect()
}

fn of_session<'a>(
    tables: &'a Tables,
    scope: &'a Scope,
    session_id: &'a str,
) -> impl Iterator<Item = (u64, &'a Stored)> {
    let mine = |memory: &Memory| {
        memory.kind() == Kind::Episode && memory.scope == *scope && memory.session_id.as_deref() == Some(session_id)
    };
    tables.memories.iter().filter(move |(_, stored)| mine(&stored.memory)).map(|(pk, stored)| (*pk, stored))
}

// The number of an episode; of the last one before it, if it was purged.
fn place(tables: &Tables, scope: &Scope, session_id: &str, id: MemoryId) -> u64 {
    if let Some(pk) = tables.memory_ids.get(&id.uuid()) {
        return *pk;
    }
    let before = of_session(tables, scope, session_id).filter(|(_, stored)| stored.memory.id.uuid() < id.uuid());
    before.map(|(pk, _)| pk).max().unwrap_or(0)
}
