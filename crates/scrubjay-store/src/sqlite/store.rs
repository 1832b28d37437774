//! The backend as the traits see it: each method hands its work to the writer
//! or to a reader.

use std::path::Path;
use std::sync::Arc;

use async_trait::async_trait;
use scrubjay_core::entity::Entity;
use scrubjay_core::id::{EntityId, JobId, MemoryId, RunId};
use scrubjay_core::memory::{Link, Memory};
use scrubjay_core::scope::{Scope, View};
use scrubjay_core::text::TextHash;
use scrubjay_core::time::Timestamp;

use super::backup::BackupFacts;
use super::connection::{Options, explain, open_read_only, open_writer, prepare_file};
use super::file_watch::FileWatch;
use super::integrity::Integrity;
use super::lineage::Lineage;
use super::reader::Readers;
use super::writer::{Beginning, Writer};
use super::{
    backup, capture, changes, check, consolidation, counts, damage, entities, jobs, lineage, memories, migrate,
    origins, purge, restore, row, scopes, sessions, undo, upkeep,
};
use crate::change::{
    Applied, Captured, Change, FeedItem, HistoryEntry, NewJob, NewMemory, NewMention, Purged, Stamp, UndoTarget, Undone,
};
use crate::query::{
    CheckStatus, CompletedSessions, Counts, DayCount, EntityPage, EntityQuery, Finding, Horizon, Job, JobState,
    ListQuery, NamedEntity, Page, Part, Session, SessionStep, WaitingSession,
};
use crate::traits::{BackupCopy, Entities, Jobs, Memories, Sessions, Upkeep};
use crate::{Result, StoreError, nul};

/// How long a purge waits for those who read an earlier state. Meanwhile nobody
/// can write.
const PURGE_PATIENCE_MS: u64 = 2000;

/// A store in one SQLite file.
pub struct SqliteStore {
    pub(super) options: Options,
    integrity: Arc<Integrity>,
    pub(super) writer: Writer,
    pub(super) readers: Readers,
}

impl SqliteStore {
    /// Opens the store, creating or updating it as needed, and starts its
    /// writer thread.
    ///
    /// # Errors
    /// When the file belongs to something else or to a newer version, is
    /// damaged, or cannot be written. Nothing is changed then.
    pub fn open(options: Options) -> Result<Self> {
        lineage::refuse_lost(&options)?;
        prepare_file(&options.path)?;
        let mut connection = open_writer(&options)?;
        migrate::migrate(&mut connection, &options)?;
        origins::inherit(&mut connection, &options)?;
        let explained = |error| explain(error, "read the store", &options);
        let lineage = lineage::of(&connection).map_err(explained)?;
        if let Some(lineage) = lineage {
            lineage::note(&options.path, lineage);
        }
        let watch = FileWatch::begin(&connection, &options, lineage)?;
        let cut_is_due = upkeep::log_holds_purged(&connection);
        let integrity = Arc::new(Integrity::new(options.clone(), watch));
        let readers = Readers::new(options.clone(), Arc::clone(&integrity));
        let beginning =
            Beginning { connection, options: options.clone(), integrity: Arc::clone(&integrity), cut_is_due };
        let writer = Writer::start(beginning)?;
        Ok(Self { options, integrity, writer, readers })
    }

    /// Opens a store that cannot be written, for reading: every write is refused.
    ///
    /// # Errors
    /// When there is no store of this version, or it cannot be read.
    pub fn open_read_only(options: Options) -> Result<Self> {
        let how = open_read_only(&options)?;
        let integrity = Arc::new(Integrity::read_only(options.clone()));
        let readers = Readers::read_only(options.clone(), Arc::clone(&integrity), how);
        let writer = Writer::refusing(Arc::clone(&integrity));
        Ok(Self { options, integrity, writer, readers })
    }

    /// What the note beside a store's place says about the store that belongs
    /// there.
    #[must_use]
    pub fn noted_lineage(path: &Path) -> Option<Lineage> {
        lineage::noted(path)
    }

    /// What a copy made by `backup` holds, without checking all of it.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn inspect_backup(copy: &Path) -> Result<BackupFacts> {
        backup::inspect(copy)
    }

    /// Whether a copy made by `backup` restores and is sound; how many memories
    /// it holds. `scratch` is a file that may be written and is removed again.
    ///
    /// # Errors
    /// When it does not.
    pub fn verify_backup(copy: &Path, scratch: &Path) -> Result<u64> {
        backup::verify(copy, scratch)
    }

    /// Replaces a store's contents by those of a verified copy and keeps the
    /// former contents at `aside`. The store must not be open here.
    ///
    /// # Errors
    /// When a file cannot be read or written; the store is as it was then.
    pub fn restore(options: &Options, copy: &Path, aside: &Path) -> Result<restore::Restored> {
        restore::restore(options, copy, aside)
    }
}

#[async_trait]
impl Memories for SqliteStore {
    async fn capture(&self, stamp: Stamp, messages: Vec<NewMemory>, jobs: Vec<NewJob>) -> Result<Vec<Captured>> {
        let messages = nul::in_messages(messages);
        self.writer
            .write("capture", &self.options, move |connection| capture::capture(connection, &stamp, &messages, &jobs))
            .await
    }

    async fn apply(&self, view: &View, stamp: Stamp, changes: Vec<Change>, jobs: Vec<NewJob>) -> Result<Vec<Applied>> {
        let (view, changes) = (view.clone(), nul::in_changes(changes));
        self.writer
            .write("change memories", &self.options, move |connection| {
                changes::apply(connection, &view, &stamp, &changes, &jobs)
            })
            .await
    }

    async fn get(&self, view: &View, id: MemoryId) -> Result<Option<Memory>> {
        let view = view.clone();
        self.readers
            .read("read a memory", move |connection| Ok(row::find(connection, &view, id)?.map(|stored| stored.memory)))
            .await
    }

    async fn list(&self, view: &View, query: ListQuery) -> Result<Page> {
        let (view, query) = (view.clone(), nul::in_query(query));
        self.readers.read("list memories", move |connection| memories::list(connection, &view, &query)).await
    }

    async fn touch(&self, view: &View, ids: Vec<MemoryId>, at: Timestamp) -> Result<()> {
        let view = view.clone();
        self.writer
            .write("note an access", &self.options, move |connection| memories::touch(connection, &view, &ids, at))
            .await
    }

    async fn history(&self, view: &View, id: MemoryId) -> Result<Vec<HistoryEntry>> {
        let view = view.clone();
        self.readers.read("read history", move |connection| changes::history(connection, &view, id)).await
    }

    async fn continues(&self, view: Option<&View>, run: RunId, operation: &'static str) -> Result<bool> {
        let view = view.cloned();
        self.readers
            .read("look for a run", move |connection| undo::continues(connection, view.as_ref(), run, operation))
            .await
    }

    async fn undo(&self, view: &View, stamp: Stamp, target: UndoTarget) -> Result<Undone> {
        let view = view.clone();
        self.writer.write("undo", &self.options, move |connection| undo::undo(connection, &view, &stamp, target)).await
    }

    async fn purge(&self, view: &View, stamp: Stamp, ids: Vec<MemoryId>, dry_run: bool) -> Result<Purged> {
        let view = view.clone();
        let mut purged = self
            .writer
            .write("purge", &self.options, move |connection| purge::purge(connection, &view, &stamp, &ids, dry_run))
            .await?;
        if !dry_run {
            // The log still holds the old pages until it is cut.
            purged.still_in_log = !self.writer.cut_log(PURGE_PATIENCE_MS).await?;
        }
        Ok(purged)
    }

    async fn is_purged(&self, scope: &Scope, value: TextHash) -> Result<bool> {
        let scope = scope.clone();
        self.readers
            .read("look for a tombstone", move |connection| match scopes::number(connection, &scope)? {
                Some(scope) => capture::is_purged(connection, scope, value),
                None => Ok(false),
            })
            .await
    }

    async fn links(&self, view: &View, id: MemoryId) -> Result<Vec<Link>> {
        let view = view.clone();
        self.readers.read("read links", move |connection| changes::links(connection, &view, id)).await
    }

    async fn links_of(&self, view: &View, ids: Vec<MemoryId>) -> Result<Vec<Link>> {
        let view = view.clone();
        self.readers.read("read links", move |connection| changes::links_of(connection, &view, &ids)).await
    }

    async fn feed(&self, scope: &Scope, after: u64, limit: usize) -> Result<Vec<FeedItem>> {
        let scope = scope.clone();
        self.readers.read("read changes", move |connection| memories::feed(connection, &scope, after, limit)).await
    }

    async fn counts(&self, view: &View) -> Result<Counts> {
        let view = view.clone();
        self.readers.read("count", move |connection| counts::counts(connection, &view)).await
    }

    async fn growth(&self, view: &View, since: Timestamp) -> Result<Vec<DayCount>> {
        let view = view.clone();
        self.readers.read("count by day", move |connection| counts::growth(connection, &view, since)).await
    }
}

#[async_trait]
impl Entities for SqliteStore {
    async fn entities(&self, view: &View, query: EntityQuery) -> Result<EntityPage> {
        let view = view.clone();
        self.readers.read("list entities", move |connection| entities::list(connection, &view, &query)).await
    }

    async fn entities_by_id(&self, scope: &Scope, after: Option<EntityId>, limit: usize) -> Result<Vec<Entity>> {
        let scope = scope.clone();
        self.readers
            .read("list entities", move |connection| entities::list_by_id(connection, &scope, after, limit))
            .await
    }

    async fn find_entities(&self, view: &View, name: &str) -> Result<Vec<Entity>> {
        let (view, name) = (view.clone(), name.to_owned());
        self.readers.read("find an entity", move |connection| entities::find(connection, &view, &name)).await
    }

    async fn named(&self, view: &View, names: Vec<String>, limit: usize) -> Result<Vec<NamedEntity>> {
        let view = view.clone();
        self.readers.read("look for names", move |connection| entities::named(connection, &view, &names, limit)).await
    }

    async fn mentioned(&self, view: &View, id: MemoryId) -> Result<Vec<Entity>> {
        let view = view.clone();
        self.readers.read("read mentions", move |connection| entities::mentioned(connection, &view, id)).await
    }

    async fn link_mentions(&self, view: &View, found: Vec<(MemoryId, Vec<NewMention>)>) -> Result<usize> {
        let view = view.clone();
        self.writer
            .write("link mentions", &self.options, move |connection| {
                let mut new = 0;
                for (id, mentions) in &found {
                    let stored = row::need(connection, &view, *id)?;
                    if matches!(stored.memory.scope, Scope::Task(..)) {
                        continue;
                    }
                    let scope = scopes::number_or_new(connection, &stored.memory.scope)?;
                    for mention in mentions {
                        new += usize::from(entities::link(connection, stored.pk, scope, mention)?);
                    }
                }
                Ok(new)
            })
            .await
    }

    async fn merge_entities(&self, view: &View, stamp: Stamp, into: EntityId, from: EntityId) -> Result<Entity> {
        let view = view.clone();
        self.writer
            .write("merge entities", &self.options, move |connection| {
                entities::merge(connection, &view, &stamp, into, from)
            })
            .await
    }

    async fn upsert_entity(&self, entity: Entity) -> Result<Entity> {
        self.writer
            .write("store an entity", &self.options, move |connection| entities::upsert(connection, &entity))
            .await
    }

    async fn forget_entity(&self, view: &View, id: EntityId) -> Result<bool> {
        let view = view.clone();
        self.writer
            .write("forget an entity", &self.options, move |connection| entities::forget(connection, &view, id))
            .await
    }

    async fn sparse(&self, scope: &Scope, at_most: usize, without: &str, limit: usize) -> Result<Vec<Memory>> {
        let (scope, without) = (scope.clone(), without.to_owned());
        self.readers
            .read("look for unnamed things", move |connection| {
                consolidation::sparse(connection, &scope, at_most, &without, limit)
            })
            .await
    }
}

#[async_trait]
impl Sessions for SqliteStore {
    async fn sessions(&self, view: &View, limit: usize, offset: usize) -> Result<Vec<Session>> {
        let view = view.clone();
        self.readers.read("list sessions", move |connection| sessions::list(connection, &view, limit, offset)).await
    }

    async fn sessions_by_id(&self, scope: &Scope, after: Option<&str>, limit: usize) -> Result<Vec<Session>> {
        let (scope, after) = (scope.clone(), after.map(str::to_owned));
        self.readers
            .read("list sessions", move |connection| sessions::list_by_id(connection, &scope, after.as_deref(), limit))
            .await
    }

    async fn session(&self, view: &View, session_id: &str) -> Result<Option<Session>> {
        let (view, session_id) = (view.clone(), session_id.to_owned());
        self.readers.read("read a session", move |connection| sessions::find(connection, &view, &session_id)).await
    }

    async fn end_session(&self, view: &View, session_id: &str, at: Timestamp) -> Result<()> {
        let (view, session_id) = (view.clone(), session_id.to_owned());
        self.writer
            .write("end a session", &self.options, move |connection| sessions::end(connection, &view, &session_id, at))
            .await
    }

    async fn reopen_session(&self, view: &View, session_id: &str) -> Result<bool> {
        let (view, session_id) = (view.clone(), session_id.to_owned());
        self.writer
            .write("reopen a session", &self.options, move |connection| {
                sessions::reopen(connection, &view, &session_id)
            })
            .await
    }

    async fn put_session(&self, session: Session) -> Result<()> {
        self.writer
            .write("restore a session", &self.options, move |connection| sessions::put(connection, &session))
            .await
    }

    async fn episodes(&self, scope: &Scope, session_id: &str, part: Part, limit: usize) -> Result<Vec<Memory>> {
        let (scope, session_id) = (scope.clone(), session_id.to_owned());
        self.readers
            .read("read a session's episodes", move |connection| {
                consolidation::episodes(connection, &scope, &session_id, part, limit)
            })
            .await
    }

    async fn open_sessions(&self, scope: &Scope, seen_before: Timestamp, limit: usize) -> Result<Vec<Session>> {
        let scope = scope.clone();
        self.readers
            .read("look for open sessions", move |connection| sessions::open(connection, &scope, seen_before, limit))
            .await
    }

    async fn began_after(&self, scope: &Scope, at: Timestamp) -> Result<bool> {
        let scope = scope.clone();
        self.readers
            .read("look for later sessions", move |connection| sessions::began_after(connection, &scope, at))
            .await
    }

    async fn complete_session(&self, session: Session, at: Timestamp) -> Result<bool> {
        self.writer
            .write("complete a session", &self.options, move |connection| sessions::complete(connection, &session, at))
            .await
    }

    async fn completed_sessions(&self, view: &View, after: u64, limit: usize) -> Result<CompletedSessions> {
        let view = view.clone();
        self.readers
            .read("look for completed sessions", move |connection| sessions::completed(connection, &view, after, limit))
            .await
    }

    async fn waiting_sessions(
        &self,
        scope: &Scope,
        session_id: Option<&str>,
        limit: usize,
    ) -> Result<Vec<WaitingSession>> {
        let (scope, session_id) = (scope.clone(), session_id.map(str::to_owned));
        self.readers
            .read("look for waiting sessions", move |connection| {
                consolidation::waiting(connection, &scope, session_id.as_deref(), limit)
            })
            .await
    }

    async fn newest_fact(&self, scope: &Scope) -> Result<Option<MemoryId>> {
        let scope = scope.clone();
        self.readers
            .read("look for the newest fact", move |connection| consolidation::newest_fact(connection, &scope))
            .await
    }

    async fn consolidate(
        &self,
        stamp: Stamp,
        step: SessionStep,
        changes: Vec<Change>,
        jobs: Vec<NewJob>,
    ) -> Result<Vec<Applied>> {
        let changes = nul::in_changes(changes);
        self.writer
            .write("consolidate", &self.options, move |connection| {
                consolidation::consolidate(connection, &stamp, &step, &changes, &jobs)
            })
            .await
    }
}

#[async_trait]
impl Jobs for SqliteStore {
    async fn enqueue(&self, jobs: Vec<NewJob>, at: Timestamp) -> Result<()> {
        self.writer.write("queue work", &self.options, move |connection| jobs::enqueue(connection, &jobs, at)).await
    }

    async fn claim(&self, owner: &str, kinds: &[String], at: Timestamp, lease_ms: i64) -> Result<Option<Job>> {
        let (owner, kinds) = (owner.to_owned(), kinds.to_vec());
        self.writer
            .write("claim a job", &self.options, move |connection| {
                jobs::claim(connection, &owner, &kinds, at, lease_ms)
            })
            .await
    }

    async fn extend_lease(&self, id: JobId, owner: &str, at: Timestamp, lease_ms: i64) -> Result<bool> {
        let owner = owner.to_owned();
        self.writer
            .write("extend a lease", &self.options, move |connection| {
                jobs::extend_lease(connection, id, &owner, at, lease_ms)
            })
            .await
    }

    async fn finish(&self, id: JobId, owner: &str) -> Result<bool> {
        let owner = owner.to_owned();
        self.writer.write("finish a job", &self.options, move |connection| jobs::finish(connection, id, &owner)).await
    }

    async fn fail(
        &self,
        id: JobId,
        owner: &str,
        error: &str,
        retry_at: Option<Timestamp>,
        at: Timestamp,
    ) -> Result<bool> {
        let (owner, error) = (owner.to_owned(), error.to_owned());
        self.writer
            .write("put a job back", &self.options, move |connection| {
                jobs::fail(connection, id, &owner, &error, retry_at, at)
            })
            .await
    }

    async fn postpone(&self, id: JobId, owner: &str, why: &str, until: Timestamp, at: Timestamp) -> Result<bool> {
        let (owner, why) = (owner.to_owned(), why.to_owned());
        self.writer
            .write("put a job off", &self.options, move |connection| {
                jobs::postpone(connection, id, &owner, &why, until, at)
            })
            .await
    }

    async fn jobs(&self, view: &View, state: Option<JobState>, limit: usize) -> Result<Vec<Job>> {
        let view = view.clone();
        self.readers.read("list jobs", move |connection| jobs::list(connection, &view, state, limit)).await
    }

    async fn retry_jobs(&self, view: &View, id: Option<JobId>, at: Timestamp) -> Result<usize> {
        let view = view.clone();
        self.writer.write("retry jobs", &self.options, move |connection| jobs::retry(connection, &view, id, at)).await
    }

    async fn cancel_job(&self, view: &View, id: JobId) -> Result<bool> {
        let view = view.clone();
        self.writer.write("cancel a job", &self.options, move |connection| jobs::cancel(connection, &view, id)).await
    }

    async fn due_jobs(&self, at: Timestamp) -> Result<usize> {
        self.readers.read("count jobs", move |connection| jobs::due(connection, at)).await
    }

    async fn stray_jobs(&self, horizon: &Horizon, at: Timestamp) -> Result<usize> {
        let horizon = horizon.clone();
        self.readers.read("look for stray jobs", move |connection| jobs::strays(connection, &horizon, at)).await
    }

    async fn bring_back_jobs(&self, horizon: &Horizon, lease_ms: i64, at: Timestamp) -> Result<usize> {
        let horizon = horizon.clone();
        self.writer
            .write("bring jobs back", &self.options, move |connection| {
                jobs::bring_back(connection, &horizon, lease_ms, at)
            })
            .await
    }
}

#[async_trait]
impl Upkeep for SqliteStore {
    fn location(&self) -> Option<&Path> {
        Some(&self.options.path)
    }

    async fn check(&self, thorough: bool) -> Result<Vec<Finding>> {
        let mut findings =
            self.readers.read_afresh("check the store", move |connection| check::check(connection, thorough)).await?;
        match damage::marked(&self.options.path) {
            None => self.integrity.judge_findings(&findings),
            Some(mark) if findings.iter().all(|finding| finding.status != CheckStatus::Damaged) => {
                let detail = format!(
                    "it was found damaged ({mark}), so nothing is written to it. Nothing wrong is found now: run \
                     `scrubjay doctor --repair` to write to it again, or `scrubjay restore-backup`"
                );
                findings.push(Finding { check: "damage", status: CheckStatus::Damaged, detail });
            }
            Some(_) => {}
        }
        match self.integrity.stopped() {
            None => {}
            Some(why @ StoreError::ReadOnly { .. }) => {
                findings.push(Finding { check: "writer", status: CheckStatus::Warning, detail: why.to_string() });
            }
            Some(why) => {
                findings.push(Finding { check: "writer", status: CheckStatus::Damaged, detail: why.to_string() });
            }
        }
        Ok(findings)
    }

    async fn repair(&self) -> Result<Vec<String>> {
        if damage::marked(&self.options.path).is_none() {
            return self.writer.write("repair derived data", &self.options, upkeep::repair).await;
        }
        let mut done = self
            .writer
            .mend("repair derived data", &self.options, |connection| {
                upkeep::reindex(connection)?;
                upkeep::repair(connection)
            })
            .await?;
        let findings =
            self.readers.read_afresh("check the store", move |connection| check::check(connection, true)).await?;
        if findings.iter().all(|finding| finding.status != CheckStatus::Damaged) {
            damage::clear(&self.options.path)?;
            done.push("the store was found damaged before and is sound now; it is written to again".to_owned());
        }
        Ok(done)
    }

    fn trouble(&self) -> Option<StoreError> {
        self.integrity.stopped().or_else(|| damage::refusal(&self.options.path))
    }

    async fn checkpoint(&self) -> Result<()> {
        self.writer.cut_log(self.options.busy_timeout_ms).await.map(drop)
    }

    async fn backup(&self, to: &Path) -> Result<BackupCopy> {
        let (options, integrity, to) = (self.options.clone(), Arc::clone(&self.integrity), to.to_owned());
        let copy = move || backup::backup(&options, &to).map_err(|error| integrity.judge(None, error));
        let joined = tokio::task::spawn_blocking(copy).await;
        joined.unwrap_or_else(|error| Err(StoreError::Defect { what: format!("the backup was cut short ({error})") }))
    }

    async fn mark(&self, name: &str) -> Result<Option<u64>> {
        let name = name.to_owned();
        self.readers.read("read a mark", move |connection| upkeep::mark(connection, &name)).await
    }

    async fn set_mark(&self, name: &str, value: u64) -> Result<()> {
        let name = name.to_owned();
        self.writer
            .write("set a mark", &self.options, move |connection| upkeep::set_mark(connection, &name, value))
            .await
    }

    async fn all_scopes(&self) -> Result<Vec<Scope>> {
        self.readers.read("list scopes", upkeep::all_scopes).await
    }
}
