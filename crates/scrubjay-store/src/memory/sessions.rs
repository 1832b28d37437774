//! Conversations.

use std::cmp::Reverse;

use scrubjay_core::id::MemoryId;
use scrubjay_core::memory::Kind;
use scrubjay_core::scope::{Scope, View};
use scrubjay_core::time::Timestamp;

use super::tables::Tables;
use crate::query::Session;
use crate::{Result, StoreError};

/// Counts a message of a session. One that was said after its end makes it go on.
pub(super) fn saw(tables: &mut Tables, scope: &Scope, session_id: &str, at: Timestamp) {
    let key = (scope.clone(), session_id.to_owned());
    let known = tables.sessions.change(&key, |session| {
        session.first_seen = session.first_seen.min(at);
        session.last_seen = session.last_seen.max(at);
        session.messages += 1;
        session.ended_at = session.ended_at.filter(|ended| *ended >= at);
    });
    if known.is_none() {
        let session = Session {
            session_id: session_id.to_owned(),
            scope: scope.clone(),
            first_seen: at,
            last_seen: at,
            ended_at: None,
            messages: 1,
            consolidated_through: None,
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
    }
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
