//! The traits about memories, entities, sessions and jobs: each method is one transaction.

use async_trait::async_trait;
use scrubjay_core::entity::Entity;
use scrubjay_core::id::{EntityId, JobId, MemoryId, RunId};
use scrubjay_core::memory::{Link, Memory};
use scrubjay_core::scope::{Scope, View};
use scrubjay_core::text::TextHash;
use scrubjay_core::time::Timestamp;

use super::store::{PostgresStore, read, write};
use super::{capture, changes, consolidation, entities, jobs, memories, purge, row, sessions, undo};
use crate::change::{
    Applied, Captured, Change, FeedItem, HistoryEntry, NewJob, NewMemory, NewMention, Purged, Stamp, UndoTarget, Undone,
};
use crate::query::{
    CompletedSessions, Counts, DayCount, EntityPage, EntityQuery, Horizon, Job, JobState, ListQuery, NamedEntity, Page,
    Part, Session, SessionStep, WaitingSession,
};
use crate::traits::{Entities, Jobs, Memories, Sessions};
use crate::{Result, nul};

#[async_trait]
impl Memories for PostgresStore {
    async fn capture(&self, stamp: Stamp, messages: Vec<NewMemory>, jobs: Vec<NewJob>) -> Result<Vec<Captured>> {
        let messages = nul::in_messages(messages);
        write!(self, "capture", |work| capture::capture(&work, &stamp, &messages, &jobs))
    }

    async fn apply(&self, view: &View, stamp: Stamp, changes: Vec<Change>, jobs: Vec<NewJob>) -> Result<Vec<Applied>> {
        let changes = nul::in_changes(changes);
        write!(self, "change memories", |work| changes::apply(&work, view, &stamp, &changes, &jobs))
    }

    async fn get(&self, view: &View, id: MemoryId) -> Result<Option<Memory>> {
        let found = read!(self, "read a memory", |work| row::find(&work, view, id))?;
        Ok(found.map(|stored| stored.memory))
    }

    async fn list(&self, view: &View, query: ListQuery) -> Result<Page> {
        let query = nul::in_query(query);
        read!(self, "list memories", |work| memories::list(&work, view, &query))
    }

    async fn touch(&self, view: &View, ids: Vec<MemoryId>, at: Timestamp) -> Result<()> {
        write!(self, "note an access", |work| memories::touch(&work, view, &ids, at))
    }

    async fn history(&self, view: &View, id: MemoryId) -> Result<Vec<HistoryEntry>> {
        read!(self, "read history", |work| changes::history(&work, view, id))
    }

    async fn continues(&self, view: Option<&View>, run: RunId, operation: &'static str) -> Result<bool> {
        read!(self, "look for a run", |work| undo::continues(&work, view, run, operation))
    }

    async fn undo(&self, view: &View, stamp: Stamp, target: UndoTarget) -> Result<Undone> {
        write!(self, "undo", |work| undo::undo(&work, view, &stamp, target))
    }

    async fn purge(&self, view: &View, stamp: Stamp, ids: Vec<MemoryId>, dry_run: bool) -> Result<Purged> {
        write!(self, "purge", |work| purge::purge(&work, view, &stamp, &ids, dry_run))
    }

    async fn is_purged(&self, scope: &Scope, value: TextHash) -> Result<bool> {
        read!(self, "look for a tombstone", |work| capture::is_purged_from(&work, scope, value))
    }

    async fn links(&self, view: &View, id: MemoryId) -> Result<Vec<Link>> {
        read!(self, "read links", |work| changes::links(&work, view, id))
    }

    async fn links_of(&self, view: &View, ids: Vec<MemoryId>) -> Result<Vec<Link>> {
        read!(self, "read links", |work| changes::links_of(&work, view, &ids))
    }

    async fn feed(&self, scope: &Scope, after: u64, limit: usize) -> Result<Vec<FeedItem>> {
        read!(self, "read changes", |work| memories::feed(&work, scope, after, limit))
    }

    async fn counts(&self, view: &View) -> Result<Counts> {
        read!(self, "count", |work| memories::counts(&work, view))
    }

    async fn growth(&self, view: &View, since: Timestamp) -> Result<Vec<DayCount>> {
        read!(self, "count by day", |work| memories::growth(&work, view, since))
    }
}

#[async_trait]
impl Entities for PostgresStore {
    async fn entities(&self, view: &View, query: EntityQuery) -> Result<EntityPage> {
        read!(self, "list entities", |work| entities::list(&work, view, &query))
    }

    async fn entities_by_id(&self, scope: &Scope, after: Option<EntityId>, limit: usize) -> Result<Vec<Entity>> {
        read!(self, "list entities", |work| entities::list_by_id(&work, scope, after, limit))
    }

    async fn find_entities(&self, view: &View, name: &str) -> Result<Vec<Entity>> {
        read!(self, "find an entity", |work| entities::find(&work, view, name))
    }

    async fn named(&self, view: &View, names: Vec<String>, limit: usize) -> Result<Vec<NamedEntity>> {
        read!(self, "look for names", |work| entities::named(&work, view, &names, limit))
    }

    async fn mentioned(&self, view: &View, id: MemoryId) -> Result<Vec<Entity>> {
        read!(self, "read mentions", |work| entities::mentioned(&work, view, id))
    }

    async fn link_mentions(&self, view: &View, found: Vec<(MemoryId, Vec<NewMention>)>) -> Result<usize> {
        write!(self, "link mentions", |work| entities::link_all(&work, view, &found))
    }

    async fn merge_entities(&self, view: &View, stamp: Stamp, into: EntityId, from: EntityId) -> Result<Entity> {
        write!(self, "merge entities", |work| entities::merge(&work, view, &stamp, into, from))
    }

    async fn upsert_entity(&self, entity: Entity) -> Result<Entity> {
        write!(self, "store an entity", |work| entities::upsert(&work, &entity))
    }

    async fn forget_entity(&self, view: &View, id: EntityId) -> Result<bool> {
        write!(self, "forget an entity", |work| entities::forget(&work, view, id))
    }

    async fn sparse(&self, scope: &Scope, at_most: usize, without: &str, limit: usize) -> Result<Vec<Memory>> {
        read!(self, "look for unnamed things", |work| consolidation::sparse(&work, scope, at_most, without, limit))
    }
}

#[async_trait]
impl Sessions for PostgresStore {
    async fn sessions(&self, view: &View, limit: usize, offset: usize) -> Result<Vec<Session>> {
        read!(self, "list sessions", |work| sessions::list(&work, view, limit, offset))
    }

    async fn sessions_by_id(&self, scope: &Scope, after: Option<&str>, limit: usize) -> Result<Vec<Session>> {
        read!(self, "list sessions", |work| sessions::list_by_id(&work, scope, after, limit))
    }

    async fn session(&self, view: &View, session_id: &str) -> Result<Option<Session>> {
        read!(self, "read a session", |work| sessions::find(&work, view, session_id))
    }

    async fn end_session(&self, view: &View, session_id: &str, at: Timestamp) -> Result<()> {
        write!(self, "end a session", |work| sessions::end(&work, view, session_id, at))
    }

    async fn reopen_session(&self, view: &View, session_id: &str) -> Result<bool> {
        write!(self, "reopen a session", |work| sessions::reopen(&work, view, session_id))
    }

    async fn put_session(&self, session: Session) -> Result<()> {
        write!(self, "restore a session", |work| sessions::put(&work, &session))
    }

    async fn episodes(&self, scope: &Scope, session_id: &str, part: Part, limit: usize) -> Result<Vec<Memory>> {
        read!(self, "read a session's episodes", |work| consolidation::episodes(&work, scope, session_id, part, limit))
    }

    async fn waiting_sessions(
        &self,
        scope: &Scope,
        session_id: Option<&str>,
        limit: usize,
    ) -> Result<Vec<WaitingSession>> {
        read!(self, "look for waiting sessions", |work| consolidation::waiting(&work, scope, session_id, limit))
    }

    async fn open_sessions(&self, scope: &Scope, seen_before: Timestamp, limit: usize) -> Result<Vec<Session>> {
        read!(self, "look for open sessions", |work| sessions::open(&work, scope, seen_before, limit))
    }

    async fn began_after(&self, scope: &Scope, at: Timestamp) -> Result<bool> {
        read!(self, "look for later sessions", |work| sessions::began_after(&work, scope, at))
    }

    async fn complete_session(&self, session: Session, at: Timestamp) -> Result<bool> {
        write!(self, "complete a session", |work| sessions::complete(&work, &session, at))
    }

    async fn completed_sessions(&self, view: &View, after: u64, limit: usize) -> Result<CompletedSessions> {
        read!(self, "look for completed sessions", |work| sessions::completed(&work, view, after, limit))
    }

    async fn newest_fact(&self, scope: &Scope) -> Result<Option<MemoryId>> {
        read!(self, "look for the newest fact", |work| consolidation::newest_fact(&work, scope))
    }

    async fn consolidate(
        &self,
        stamp: Stamp,
        step: SessionStep,
        changes: Vec<Change>,
        jobs: Vec<NewJob>,
    ) -> Result<Vec<Applied>> {
        let changes = nul::in_changes(changes);
        write!(self, "consolidate", |work| consolidation::consolidate(&work, &stamp, &step, &changes, &jobs))
    }
}

#[async_trait]
impl Jobs for PostgresStore {
    async fn enqueue(&self, jobs: Vec<NewJob>, at: Timestamp) -> Result<()> {
        write!(self, "queue work", |work| jobs::enqueue(&work, &jobs, at))
    }

    async fn claim(&self, owner: &str, kinds: &[String], at: Timestamp, lease_ms: i64) -> Result<Option<Job>> {
        write!(self, "claim a job", |work| jobs::claim(&work, owner, kinds, at, lease_ms))
    }

    async fn extend_lease(&self, id: JobId, owner: &str, at: Timestamp, lease_ms: i64) -> Result<bool> {
        write!(self, "extend a lease", |work| jobs::extend_lease(&work, id, owner, at, lease_ms))
    }

    async fn finish(&self, id: JobId, owner: &str) -> Result<bool> {
        write!(self, "finish a job", |work| jobs::finish(&work, id, owner))
    }

    async fn fail(
        &self,
        id: JobId,
        owner: &str,
        error: &str,
        retry_at: Option<Timestamp>,
        at: Timestamp,
    ) -> Result<bool> {
        write!(self, "put a job back", |work| jobs::fail(&work, id, owner, error, retry_at, at))
    }

    async fn postpone(&self, id: JobId, owner: &str, why: &str, until: Timestamp, at: Timestamp) -> Result<bool> {
        write!(self, "put a job off", |work| jobs::postpone(&work, id, owner, why, until, at))
    }

    async fn jobs(&self, view: &View, state: Option<JobState>, limit: usize) -> Result<Vec<Job>> {
        read!(self, "list jobs", |work| jobs::list(&work, view, state, limit))
    }

    async fn retry_jobs(&self, view: &View, id: Option<JobId>, at: Timestamp) -> Result<usize> {
        write!(self, "retry jobs", |work| jobs::retry(&work, view, id, at))
    }

    async fn cancel_job(&self, view: &View, id: JobId) -> Result<bool> {
        write!(self, "cancel a job", |work| jobs::cancel(&work, view, id))
    }

    async fn due_jobs(&self, at: Timestamp) -> Result<usize> {
        read!(self, "count jobs", |work| jobs::due(&work, at))
    }

    async fn stray_jobs(&self, horizon: &Horizon, at: Timestamp) -> Result<usize> {
        read!(self, "look for stray jobs", |work| jobs::strays(&work, horizon, at))
    }

    async fn bring_back_jobs(&self, horizon: &Horizon, lease_ms: i64, at: Timestamp) -> Result<usize> {
        write!(self, "bring jobs back", |work| jobs::bring_back(&work, horizon, lease_ms, at))
    }
}
