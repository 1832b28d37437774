//! Conversations.

use std::cmp::Reverse;

use scrubjay_core::id::MemoryId;
use scrubjay_core::memory::Kind;
use scrubjay_core::scope::{Scope, View};
use scrubjay_core::time::Timestamp;

use super::tables::Tables;
use crate::query::{CompletedSessions, Session};
use crate::{Result, StoreError};

/// The number of sessions that were ever completed.
const COMPLETED: &str = "sessions:completed";

/// Counts a message of a session. One that is newer than the others opens it again, and one that was said after its end
/// makes it go on.
pub(super) fn saw(tables: &mut Tables, scope: &Scope, session_id: &str, at: Timestamp) {
    let key = (scope.clone(), session_id.to_owned());
    let known = tables.sessions.change(&key, |session| {
        session.first_seen = session.first_seen.min(at);
        let goes_on = at > session.last_seen;
        session.last_seen = session.last_seen.max(at);
        session.messages += 1;
        session.ended_at = session.ended_at.filter(|ended| *ended >= at);
        session.completed_at = session.completed_at.filter(|_| !goes_on);
        goes_on
    });
    if known == Some(true) {
        tables.completed_sessions.take(&key);
    }
    if known.is_none() {
        let session = Session {
            session_id: session_id.to_owned(),
            scope: scope.clone(),
            first_seen: at,
            last_seen: at,
            ended_at: None,
            messages: 1,
            consolidated_through: None,
            completed_at: None,
        };
        tables.sessions.put(key, session);
    }
}

/// Uncounts a message that was purged.
pub(super) fn lost(tables: &mut Tables, scope: &Scope, session_id: &str) {
    let key = (scope.clone(), session_id.to_owned());
    let left = tables.sessions.change(&key, |session| {
        session.messages = session.messages.saturating_sub(1);
        session.messages
    });
    if left == Some(0) {
        tables.sessions.take(&key);
        tables.completed_sessions.take(&key);
    }
}

/// Lets a session be known in another scope, too, as far as it was gone through here. Its messages are counted when they
/// come.
pub(super) fn follow(tables: &mut Tables, from: &Scope, to: &Scope, session_id: &str) {
    let (left, reached) = ((from.clone(), session_id.to_owned()), (to.clone(), session_id.to_owned()));
    let Some(session) = tables.sessions.get(&left).cloned().filter(|_| !tables.sessions.has(&reached)) else { return };
    if let Some(number) = tables.completed_sessions.get(&left).copied() {
        tables.completed_sessions.put(reached.clone(), number);
    }
    tables.sessions.put(reached, Session { scope: to.clone(), messages: 0, ..session });
}

/// Sessions, most recent first.
pub(super) fn list(tables: &Tables, view: &View, limit: usize, offset: usize) -> Vec<Session> {
    let visible = tables.sessions.iter().filter(|((scope, _), _)| view.sees(scope));
    let mut sessions: Vec<Session> = visible.map(|(_, session)| session.clone()).collect();
    sessions.sort_by_cached_key(|session| {
        (Reverse(session.last_seen), session.session_id.clone(), session.scope.to_string())
    });
    sessions.into_iter().skip(offset).take(limit).collect()
}

/// A scope's own sessions after an id, by id.
pub(super) fn list_by_id(tables: &Tables, scope: &Scope, after: Option<&str>, limit: usize) -> Vec<Session> {
    let own = tables.sessions.iter().filter(|((place, _), _)| place == scope).map(|(_, session)| session);
    let mut found: Vec<Session> =
        own.filter(|session| after.is_none_or(|after| session.session_id.as_str() > after)).cloned().collect();
    found.sort_by(|a, b| a.session_id.cmp(&b.session_id));
    found.truncate(limit);
    found
}

/// One session; the innermost scope's if several have one of this name.
pub(super) fn find(tables: &Tables, view: &View, session_id: &str) -> Option<Session> {
    view.scopes().into_iter().find_map(|scope| tables.sessions.get(&(scope, session_id.to_owned())).cloned())
}

/// Declares a session over.
pub(super) fn end(tables: &mut Tables, view: &View, session_id: &str, at: Timestamp) -> Result<()> {
    let session =
        find(tables, view, session_id).ok_or_else(|| StoreError::not_found(format!("session `{session_id}`")))?;
    tables.sessions.change(&(session.scope, session.session_id), |session| {
        session.ended_at = session.ended_at.or(Some(at));
    });
    Ok(())
}

/// Takes the end of a session back.
pub(super) fn reopen(tables: &mut Tables, view: &View, session_id: &str) -> Result<bool> {
    let session =
        find(tables, view, session_id).ok_or_else(|| StoreError::not_found(format!("session `{session_id}`")))?;
    let was_over = session.ended_at.is_some();
    tables.sessions.change(&(session.scope, session.session_id), |session| session.ended_at = None);
    Ok(was_over)
}

/// Restores a session's row; the wider span wins.
pub(super) fn put(tables: &mut Tables, session: &Session) {
    tables.know(&session.scope);
    let key = (session.scope.clone(), session.session_id.clone());
    let known = tables.sessions.change(&key, |stored| {
        stored.first_seen = stored.first_seen.min(session.first_seen);
        stored.last_seen = stored.last_seen.max(session.last_seen);
        stored.ended_at = stored.ended_at.or(session.ended_at);
    });
    if known.is_none() {
        // Only episodes are consolidated.
        let through = session.consolidated_through.map(|id| MemoryId::new(Kind::Episode, id.uuid()));
        tables.sessions.put(key, Session { consolidated_through: through, ..session.clone() });
    }
}

/// Open sessions of a scope, the longest silent first.
pub(super) fn open(tables: &Tables, scope: &Scope, seen_before: Timestamp, limit: usize) -> Vec<Session> {
    let of_scope = tables.sessions.iter().filter(|((place, _), _)| place == scope).map(|(_, session)| session);
    let is_open = |session: &&Session| session.completed_at.is_none() && session.last_seen < seen_before;
    let mut open: Vec<Session> = of_scope.filter(is_open).cloned().collect();
    open.sort_by_cached_key(|session| (session.last_seen, session.session_id.clone()));
    open.truncate(limit);
    open
}

/// Whether a session of the scope began after a time.
pub(super) fn began_after(tables: &Tables, scope: &Scope, at: Timestamp) -> bool {
    tables.sessions.iter().any(|((place, _), session)| place == scope && session.first_seen > at)
}

/// Declares an open session complete, if it stands where the caller saw it.
pub(super) fn complete(tables: &mut Tables, session: &Session, at: Timestamp) -> bool {
    let key = (session.scope.clone(), session.session_id.clone());
    let completed = tables.sessions.change(&key, |stored| {
        let stands = stored.completed_at.is_none()
            && stored.consolidated_through == session.consolidated_through
            && stored.messages == session.messages;
        if stands {
            stored.completed_at = Some(at);
        }
        stands
    });
    if completed != Some(true) {
        return false;
    }
    let number = tables.marks.get(&COMPLETED.to_owned()).copied().unwrap_or(0) + 1;
    tables.marks.put(COMPLETED.to_owned(), number);
    tables.completed_sessions.put(key, number);
    true
}

/// Sessions in view that were completed after a position.
pub(super) fn completed(tables: &Tables, view: &View, after: u64, limit: usize) -> CompletedSessions {
    let newest = tables.marks.get(&COMPLETED.to_owned()).copied().unwrap_or(0);
    let later = tables.completed_sessions.iter().filter(|((scope, _), number)| **number > after && view.sees(scope));
    let mut found: Vec<(u64, Session)> =
        later.filter_map(|(key, number)| Some((*number, tables.sessions.get(key)?.clone()))).collect();
    found.sort_by_key(|(number, _)| *number);
    found.truncate(limit);
    let through = if found.len() < limit { newest } else { found.last().map_or(newest, |(number, _)| *number) };
    CompletedSessions { sessions: found.into_iter().map(|(_, session)| session).collect(), through }
}
