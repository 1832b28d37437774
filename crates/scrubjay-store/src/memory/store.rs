//! The backend as the traits see it: each method runs under one lock.

use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;
use scrubjay_core::entity::Entity;
use scrubjay_core::id::{EntityId, JobId, MemoryId, RunId};
use scrubjay_core::memory::{Link, Memory};
use scrubjay_core::scope::{Scope, View};
use scrubjay_core::text::TextHash;
use scrubjay_core::time::Timestamp;

use super::tables::Tables;
use super::{capture, changes, consolidation, entities, jobs, memories, purge, sessions, undo, upkeep};
use crate::change::{
    Applied, Captured, Change, FeedItem, HistoryEntry, NewJob, NewMemory, NewMention, Purged, Stamp, UndoTarget, Undone,
};
use crate::query::{
    CompletedSessions, Counts, DayCount, EntityPage, EntityQuery, Finding, Horizon, Job, JobState, ListQuery,
    NamedEntity, Page, Part, Session, SessionStep, WaitingSession,
};
use crate::traits::{BackupCopy, Entities, Jobs, Memories, Sessions, Upkeep};
use crate::{Result, StoreError, nul};

/// A store that lasts for the life of the process.
#[derive(Default)]
pub struct MemoryStore {
    tables: Mutex<Tables>,
}

impl MemoryStore {
    /// An empty store.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    pub(super) fn read<T>(&self, task: impl FnOnce(&Tables) -> T) -> T {
        task(&self.lock())
    }

    // Runs a write wholly or not at all.
    pub(super) fn write<T>(&self, task: impl FnOnce(&mut Tables) -> Result<T>) -> Result<T> {
        let mut tables = self.lock();
        let result = task(&mut tables);
        match result {
            Ok(_) => tables.commit(),
            Err(_) => tables.roll_back(),
        }
        result
    }

    fn lock(&self) -> MutexGuard<'_, Tables> {
        let mut tables = self.tables.lock().unwrap_or_else(PoisonError::into_inner);
        // Only a write that panicked leaves anything to take back.
        tables.roll_back();
        tables
    }
}

#[async_trait]
impl Memories for MemoryStore {
    async fn capture(&self, stamp: Stamp, messages: Vec<NewMemory>, jobs: Vec<NewJob>) -> Result<Vec<Captured>> {
        let messages = nul::in_messages(messages);
        self.write(|tables| capture::capture(tables, &stamp, &messages, &jobs))
    }

    async fn apply(&self, view: &View, stamp: Stamp, changes: Vec<Change>, jobs: Vec<NewJob>) -> Result<Vec<Applied>> {
        let changes = nul::in_changes(changes);
        self.write(|tables| changes::apply(tables, view, &stamp, &changes, &jobs))
    }

    async fn get(&self, view: &View, id: MemoryId) -> Result<Option<Memory>> {
        Ok(self.read(|tables| tables.find(view, id).map(|(_, stored)| stored.memory.clone())))
    }

    async fn list(&self, view: &View, query: ListQuery) -> Result<Page> {
        let query = nul::in_query(query);
        Ok(self.read(|tables| memories::list(tables, view, &query)))
    }

    async fn touch(&self, view: &View, ids: Vec<MemoryId>, at: Timestamp) -> Result<()> {
        self.write(|tables| {
            memories::touch(tables, view, &ids, at);
            Ok(())
        })
    }

    async fn history(&self, view: &View, id: MemoryId) -> Result<Vec<HistoryEntry>> {
        self.read(|tables| changes::history(tables, view, id))
    }

    async fn continues(&self, view: Option<&View>, run: RunId, operation: &'static str) -> Result<bool> {
        Ok(self.read(|tables| undo::continues(tables, view, run, operation)))
    }

    async fn undo(&self, view: &View, stamp: Stamp, target: UndoTarget) -> Result<Undone> {
        self.write(|tables| undo::undo(tables, view, &stamp, target))
    }

    async fn purge(&self, view: &View, stamp: Stamp, ids: Vec<MemoryId>, dry_run: bool) -> Result<Purged> {
        self.write(|tables| purge::purge(tables, view, &stamp, &ids, dry_run))
    }

    async fn is_purged(&self, scope: &Scope, value: TextHash) -> Result<bool> {
        Ok(self.read(|tables| capture::is_purged(tables, scope, value)))
    }

    async fn links(&self, view: &View, id: MemoryId) -> Result<Vec<Link>> {
        self.read(|tables| changes::links(tables, view, id))
    }

    async fn links_of(&self, view: &View, ids: Vec<MemoryId>) -> Result<Vec<Link>> {
        Ok(self.read(|tables| changes::links_of(tables, view, &ids)))
    }

    async fn feed(&self, scope: &Scope, after: u64, limit: usize) -> Result<Vec<FeedItem>> {
        Ok(self.read(|tables| memories::feed(tables, scope, after, limit)))
    }

    async fn counts(&self, view: &View) -> Result<Counts> {
        Ok(self.read(|tables| memories::counts(tables, view)))
    }

    async fn growth(&self, view: &View, since: Timestamp) -> Result<Vec<DayCount>> {
        Ok(self.read(|tables| memories::growth(tables, view, since)))
    }
}

#[async_trait]
impl Entities for MemoryStore {
    async fn entities(&self, view: &View, query: EntityQuery) -> Result<EntityPage> {
        Ok(self.read(|tables| entities::list(tables, view, &query)))
    }

    async fn entities_by_id(&self, scope: &Scope, after: Option<EntityId>, limit: usize) -> Result<Vec<Entity>> {
        Ok(self.read(|tables| entities::list_by_id(tables, scope, after, limit)))
    }

    async fn find_entities(&self, view: &View, name: &str) -> Result<Vec<Entity>> {
        Ok(self.read(|tables| entities::find(tables, view, name)))
    }

    async fn named(&self, view: &View, names: Vec<String>, limit: usize) -> Result<Vec<NamedEntity>> {
        Ok(self.read(|tables| entities::named(tables, view, &names, limit)))
    }

    async fn mentioned(&self, view: &View, id: MemoryId) -> Result<Vec<Entity>> {
        self.read(|tables| entities::mentioned(tables, view, id))
    }

    async fn link_mentions(&self, view: &View, found: Vec<(MemoryId, Vec<NewMention>)>) -> Result<usize> {
        self.write(|tables| {
            let mut new = 0;
            for (id, mentions) in &found {
                let (pk, stored) = tables.need(view, *id)?;
                let scope = stored.memory.scope.clone();
                for mention in mentions {
                    new += usize::from(entities::link(tables, pk, &scope, mention)?);
                }
            }
            Ok(new)
        })
    }

    async fn merge_entities(&self, view: &View, stamp: Stamp, into: EntityId, from: EntityId) -> Result<Entity> {
        self.write(|tables| entities::merge(tables, view, &stamp, into, from))
    }

    async fn upsert_entity(&self, entity: Entity) -> Result<Entity> {
        self.write(|tables| entities::upsert(tables, &entity))
    }

    async fn forget_entity(&self, view: &View, id: EntityId) -> Result<bool> {
        self.write(|tables| Ok(entities::forget(tables, view, id)))
    }

    async fn sparse(&self, scope: &Scope, at_most: usize, without: &str, limit: usize) -> Result<Vec<Memory>> {
        Ok(self.read(|tables| consolidation::sparse(tables, scope, at_most, without, limit)))
    }
}

#[async_trait]
impl Sessions for MemoryStore {
    async fn sessions(&self, view: &View, limit: usize, offset: usize) -> Result<Vec<Session>> {
        Ok(self.read(|tables| sessions::list(tables, view, limit, offset)))
    }

    async fn sessions_by_id(&self, scope: &Scope, after: Option<&str>, limit: usize) -> Result<Vec<Session>> {
        Ok(self.read(|tables| sessions::list_by_id(tables, scope, after, limit)))
    }

    async fn session(&self, view: &View, session_id: &str) -> Result<Option<Session>> {
        Ok(self.read(|tables| sessions::find(tables, view, session_id)))
    }

    async fn end_session(&self, view: &View, session_id: &str, at: Timestamp) -> Result<()> {
        self.write(|tables| sessions::end(tables, view, session_id, at))
    }

    async fn reopen_session(&self, view: &View, session_id: &str) -> Result<bool> {
        self.write(|tables| sessions::reopen(tables, view, session_id))
    }

    async fn put_session(&self, session: Session) -> Result<()> {
        self.write(|tables| {
            sessions::put(tables, &session);
            Ok(())
        })
    }

    async fn episodes(&self, scope: &Scope, session_id: &str, part: Part, limit: usize) -> Result<Vec<Memory>> {
        Ok(self.read(|tables| consolidation::episodes(tables, scope, session_id, part, limit)))
    }

    async fn open_sessions(&self, scope: &Scope, seen_before: Timestamp, limit: usize) -> Result<Vec<Session>> {
        Ok(self.read(|tables| sessions::open(tables, scope, seen_before, limit)))
    }

    async fn began_after(&self, scope: &Scope, at: Timestamp) -> Result<bool> {
        Ok(self.read(|tables| sessions::began_after(tables, scope, at)))
    }

    async fn complete_session(&self, session: Session, at: Timestamp) -> Result<bool> {
        self.write(|tables| Ok(sessions::complete(tables, &session, at)))
    }

    async fn completed_sessions(&self, view: &View, after: u64, limit: usize) -> Result<CompletedSessions> {
        Ok(self.read(|tables| sessions::completed(tables, view, after, limit)))
    }

    async fn waiting_sessions(
        &self,
        scope: &Scope,
        session_id: Option<&str>,
        limit: usize,
    ) -> Result<Vec<WaitingSession>> {
        Ok(self.read(|tables| consolidation::waiting(tables, scope, session_id, limit)))
    }

    async fn newest_fact(&self, scope: &Scope) -> Result<Option<MemoryId>> {
        Ok(self.read(|tables| consolidation::newest_fact(tables, scope)))
    }

    async fn consolidate(
        &self,
        stamp: Stamp,
        step: SessionStep,
        changes: Vec<Change>,
        jobs: Vec<NewJob>,
    ) -> Result<Vec<Applied>> {
        let changes = nul::in_changes(changes);
        self.write(|tables| consolidation::consolidate(tables, &stamp, &step, &changes, &jobs))
    }
}

#[async_trait]
impl Jobs for MemoryStore {
    async fn enqueue(&self, jobs: Vec<NewJob>, at: Timestamp) -> Result<()> {
        self.write(|tables| {
            jobs::enqueue(tables, &jobs, at);
            Ok(())
        })
    }

    async fn claim(&self, owner: &str, kinds: &[String], at: Timestamp, lease_ms: i64) -> Result<Option<Job>> {
        self.write(|tables| Ok(jobs::claim(tables, owner, kinds, at, lease_ms)))
    }

    async fn extend_lease(&self, id: JobId, owner: &str, at: Timestamp, lease_ms: i64) -> Result<bool> {
        self.write(|tables| Ok(jobs::extend_lease(tables, id, owner, at, lease_ms)))
    }

    async fn finish(&self, id: JobId, owner: &str) -> Result<bool> {
        self.write(|tables| Ok(jobs::finish(tables, id, owner)))
    }

    async fn fail(
        &self,
        id: JobId,
        owner: &str,
        error: &str,
        retry_at: Option<Timestamp>,
        at: Timestamp,
    ) -> Result<bool> {
        self.write(|tables| Ok(jobs::fail(tables, id, owner, error, retry_at, at)))
    }

    async fn postpone(&self, id: JobId, owner: &str, why: &str, until: Timestamp, at: Timestamp) -> Result<bool> {
        self.write(|tables| Ok(jobs::postpone(tables, id, owner, why, until, at)))
    }

    async fn jobs(&self, view: &View, state: Option<JobState>, limit: usize) -> Result<Vec<Job>> {
        Ok(self.read(|tables| jobs::list(tables, view, state, limit)))
    }

    async fn retry_jobs(&self, view: &View, id: Option<JobId>, at: Timestamp) -> Result<usize> {
        self.write(|tables| jobs::retry(tables, view, id, at))
    }

    async fn cancel_job(&self, view: &View, id: JobId) -> Result<bool> {
        self.write(|tables| Ok(jobs::cancel(tables, view, id)))
    }

    async fn due_jobs(&self, at: Timestamp) -> Result<usize> {
        Ok(self.read(|tables| jobs::due(tables, at)))
    }

    async fn stray_jobs(&self, horizon: &Horizon, at: Timestamp) -> Result<usize> {
        Ok(self.read(|tables| jobs::strays(tables, horizon, at).len()))
    }

    async fn bring_back_jobs(&self, horizon: &Horizon, lease_ms: i64, at: Timestamp) -> Result<usize> {
        self.write(|tables| Ok(jobs::bring_back(tables, horizon, lease_ms, at)))
    }
}

#[async_trait]
impl Upkeep for MemoryStore {
    fn location(&self) -> Option<&Path> {
        None
    }

    async fn check(&self, thorough: bool) -> Result<Vec<Finding>> {
        Ok(self.read(|tables| upkeep::check(tables, thorough)))
    }

    async fn repair(&self) -> Result<Vec<String>> {
        self.write(|tables| Ok(upkeep::repair(tables)))
    }

    fn trouble(&self) -> Option<StoreError> {
        None
    }

    async fn checkpoint(&self) -> Result<()> {
        // There is no log.
        Ok(())
    }

    async fn backup(&self, _to: &Path) -> Result<BackupCopy> {
        Err(StoreError::Unsupported { what: "a backup" })
    }

    async fn mark(&self, name: &str) -> Result<Option<u64>> {
        Ok(self.read(|tables| tables.marks.get(&name.to_owned()).copied()))
    }

    async fn set_mark(&self, name: &str, value: u64) -> Result<()> {
        self.write(|tables| {
            tables.marks.put(name.to_owned(), value);
            Ok(())
        })
    }

    async fn all_scopes(&self) -> Result<Vec<Scope>> {
        Ok(self.read(upkeep::all_scopes))
    }
}
