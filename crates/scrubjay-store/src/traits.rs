//! The contracts of a store, one trait per group of tables.
//!
//! For all of them: a method is one transaction. When it returns `Ok`, what it
//! wrote survives the death of the process and of the power supply; when it
//! returns an error, nothing of it happened. Methods may be called from any
//! number of tasks, threads and processes at once.
//!
//! A method that takes a [`View`] treats rows outside of it as absent: they are
//! not returned, not counted, and an id of theirs answers like an unknown one.

use std::path::{Path, PathBuf};

use async_trait::async_trait;
use scrubjay_core::abbreviation::{Abbreviation, IdKind};
use scrubjay_core::entity::Entity;
use scrubjay_core::id::{ConfirmationId, DocumentId, EntityId, JobId, MemoryId, ReceiptId, RunId};
use scrubjay_core::memory::{Link, Memory};
use scrubjay_core::scope::{ProjectId, Scope, TaskId, View};
use scrubjay_core::text::TextHash;
use scrubjay_core::time::Timestamp;

use crate::change::{
    Applied, Captured, Change, FeedItem, HistoryEntry, NewJob, NewMemory, NewMention, Purged, Stamp, UndoTarget, Undone,
};
use crate::context::{
    Capacity, Confirmation, ConfirmationState, Outdated, Receipt, ReceiptQuery, Settlement, ShownText, Task, Verdict,
};
use crate::item::{
    CacheKey, Chunk, Coverage, Document, Generation, GenerationId, IndexRow, Item, ItemKey, NewChunk, NewGeneration,
    NewVectors, Tail, Waiting,
};
use crate::model::{Batch, Spend};
use crate::names::Names;
use crate::query::{
    CompletedSessions, Counts, DayCount, EntityPage, EntityQuery, Finding, Horizon, Job, JobState, ListQuery,
    NamedEntity, Page, Part, ProjectCounts, Session, SessionStep, WaitingSession,
};
use crate::source::{DocumentCount, SourceKind, SourcePlace, SyncRun, TranscriptPlace};
use crate::space::{Space, SpaceEntry};
use crate::{Result, StoreError};

/// Memories, their links and their history.
#[async_trait]
pub trait Memories: Send + Sync {
    /// Stores messages of conversations with their sessions, entities and jobs.
    ///
    /// Idempotent: a message with a known client id in its session, or without
    /// one but with the role and text of a message there, is a duplicate, unless
    /// both carry a given time and those differ by more than a minute. The answer
    /// has one entry per message, in order.
    async fn capture(&self, stamp: Stamp, messages: Vec<NewMemory>, jobs: Vec<NewJob>) -> Result<Vec<Captured>>;

    /// Makes all changes of a run, or none. Each leaves a history row.
    ///
    /// The answer has one entry per change, in order. An update that changes
    /// nothing leaves no trace and keeps the version. A memory with a visible
    /// source that a tool printed or that was read on the web takes over that
    /// origin.
    async fn apply(&self, view: &View, stamp: Stamp, changes: Vec<Change>, jobs: Vec<NewJob>) -> Result<Vec<Applied>>;

    /// The memory with this id, active or not.
    async fn get(&self, view: &View, id: MemoryId) -> Result<Option<Memory>>;

    /// Memories by conditions, in order, page by page.
    async fn list(&self, view: &View, query: ListQuery) -> Result<Page>;

    /// Notes that memories were recalled, shown or injected. Not a change: no
    /// history, no new version. Ids out of view are passed over.
    async fn touch(&self, view: &View, ids: Vec<MemoryId>, at: Timestamp) -> Result<()>;

    /// Everything that happened to a memory, oldest first.
    async fn history(&self, view: &View, id: MemoryId) -> Result<Vec<HistoryEntry>>;

    /// Whether a run has made changes, all by this operation and none out of the
    /// view, so that more changes may join it. Without a view the whole store
    /// counts.
    async fn continues(&self, view: Option<&View>, run: RunId, operation: &'static str) -> Result<bool>;

    /// Takes a run back, exactly, as a run of its own that can be undone too.
    ///
    /// Refused if a later change stands on top of it, or if it touched anything
    /// out of view. A captured message is undone alone, by its id; the run it
    /// shared a commit with is not.
    async fn undo(&self, view: &View, stamp: Stamp, target: UndoTarget) -> Result<Undone>;

    /// Destroys memories and everything derived from them: text, index, links,
    /// mentions, the contents of history. Leaves a note that something was
    /// purged and a hash of each text, so that it cannot be learned again.
    /// With `dry_run` only says what would go. Refused for a view without global
    /// if something derived lives outside of its project.
    async fn purge(&self, view: &View, stamp: Stamp, ids: Vec<MemoryId>, dry_run: bool) -> Result<Purged>;

    /// Whether this text was purged from this scope.
    async fn is_purged(&self, scope: &Scope, value: TextHash) -> Result<bool>;

    /// The links from and to a memory.
    async fn links(&self, view: &View, id: MemoryId) -> Result<Vec<Link>>;

    /// The links from and to any of these memories, each once, in the order of their ends. Ids out of view are passed
    /// over.
    async fn links_of(&self, view: &View, ids: Vec<MemoryId>) -> Result<Vec<Link>>;

    /// What changed in one scope after a position, oldest first. Positions mean
    /// nothing to anyone but derived indexes and jobs.
    async fn feed(&self, scope: &Scope, after: u64, limit: usize) -> Result<Vec<FeedItem>>;

    /// Numbers about what the view can see.
    async fn counts(&self, view: &View) -> Result<Counts>;

    /// What happened since, day by day, oldest first, active or ended by now.
    /// Days on which nothing happened are left out.
    async fn growth(&self, view: &View, since: Timestamp) -> Result<Vec<DayCount>>;
}

/// Named things and which memories mention them.
#[async_trait]
pub trait Entities: Send + Sync {
    /// Entities by name and type, most mentioned first.
    async fn entities(&self, view: &View, query: EntityQuery) -> Result<EntityPage>;

    /// A scope's own entities after an id, by id. Rows that come or go meanwhile make no page repeat or miss another.
    async fn entities_by_id(&self, scope: &Scope, after: Option<EntityId>, limit: usize) -> Result<Vec<Entity>>;

    /// Those with this name or alias (ignoring case and spacing), or this id.
    async fn find_entities(&self, view: &View, name: &str) -> Result<Vec<Entity>>;

    /// The entities with any of these names or aliases, and for each the newest
    /// memories that mention it, `limit` of them at most.
    async fn named(&self, view: &View, names: Vec<String>, limit: usize) -> Result<Vec<NamedEntity>>;

    /// The entities a memory mentions.
    async fn mentioned(&self, view: &View, id: MemoryId) -> Result<Vec<Entity>>;

    /// Links mentions found later to their memories, all or none. Idempotent: a
    /// link counts once. Returns how many were new.
    async fn link_mentions(&self, view: &View, found: Vec<(MemoryId, Vec<NewMention>)>) -> Result<usize>;

    /// Merges `from` into `into`: names, mentions and counts. Undone by `undo`.
    async fn merge_entities(&self, view: &View, stamp: Stamp, into: EntityId, from: EntityId) -> Result<Entity>;

    /// Creates an entity, or adds aliases, a summary or protection to it.
    async fn upsert_entity(&self, entity: Entity) -> Result<Entity>;

    /// Forgets a thing for good: its names, its summary and what mentions it,
    /// also in the history of merges. False if it is not in view.
    async fn forget_entity(&self, view: &View, id: EntityId) -> Result<bool>;

    /// The active facts and episodes of a scope that mention `at_most` entities
    /// and lack the attribute `without`, oldest first. Those from which names
    /// were taken away by an undoing are left alone.
    async fn sparse(&self, scope: &Scope, at_most: usize, without: &str, limit: usize) -> Result<Vec<Memory>>;
}

/// Conversations.
#[async_trait]
pub trait Sessions: Send + Sync {
    /// Sessions, most recent first.
    async fn sessions(&self, view: &View, limit: usize, offset: usize) -> Result<Vec<Session>>;

    /// A scope's own sessions after an id, by id. Rows that come or go meanwhile make no page repeat or miss another.
    async fn sessions_by_id(&self, scope: &Scope, after: Option<&str>, limit: usize) -> Result<Vec<Session>>;

    /// One session.
    async fn session(&self, view: &View, session_id: &str) -> Result<Option<Session>>;

    /// Declares a session over. Idempotent: the first time stays.
    async fn end_session(&self, view: &View, session_id: &str, at: Timestamp) -> Result<()>;

    /// Takes the end of a session back. Tells whether it had one.
    async fn reopen_session(&self, view: &View, session_id: &str) -> Result<bool>;

    /// Restores a session's row from an export; the wider span wins.
    async fn put_session(&self, session: Session) -> Result<()>;

    /// The episodes of a session, ended ones too, in the order in which they
    /// were stored: those after one of them, or those up to and with it, the
    /// last `limit` of them.
    async fn episodes(&self, scope: &Scope, session_id: &str, part: Part, limit: usize) -> Result<Vec<Memory>>;

    /// The sessions of a scope with episodes that no facts were drawn from yet,
    /// the longest waiting first; only this one if one is named.
    async fn waiting_sessions(
        &self,
        scope: &Scope,
        session_id: Option<&str>,
        limit: usize,
    ) -> Result<Vec<WaitingSession>>;

    /// The open sessions of a scope whose last message is from before a time,
    /// the longest silent first. A session is open until it is completed, and
    /// again once something is said or noted in it.
    async fn open_sessions(&self, scope: &Scope, seen_before: Timestamp, limit: usize) -> Result<Vec<Session>>;

    /// Whether a session of the scope began after a time.
    async fn began_after(&self, scope: &Scope, at: Timestamp) -> Result<bool>;

    /// Declares that facts were drawn from a session to its end. False, and
    /// nothing changes, if it is completed already or went on since it was read.
    async fn complete_session(&self, session: Session, at: Timestamp) -> Result<bool>;

    /// The sessions in view that were completed after a position and are not
    /// open again, and the position that this reaches.
    async fn completed_sessions(&self, view: &View, after: u64, limit: usize) -> Result<CompletedSessions>;

    /// The fact of a scope that was stored last, ended or not.
    async fn newest_fact(&self, scope: &Scope) -> Result<Option<MemoryId>>;

    /// Makes all changes of a step of consolidation and notes how far it came,
    /// or neither. Refused as changed if the session does not stand where the
    /// step began, or the scope has another newest fact. Facts that carry the session do not reopen it.
    async fn consolidate(
        &self,
        stamp: Stamp,
        step: SessionStep,
        changes: Vec<Change>,
        jobs: Vec<NewJob>,
    ) -> Result<Vec<Applied>>;
}

/// Durable background work.
#[async_trait]
pub trait Jobs: Send + Sync {
    /// Queues work. One that is queued already under the same kind and key is
    /// left as it is.
    async fn enqueue(&self, jobs: Vec<NewJob>, at: Timestamp) -> Result<()>;

    /// Takes the oldest job that is due, for `lease_ms`; also one whose lease
    /// ran out. Counts a try. At most one worker has a job at a time.
    async fn claim(&self, owner: &str, kinds: &[String], at: Timestamp, lease_ms: i64) -> Result<Option<Job>>;

    /// Extends the lease of a running job to `lease_ms` from `at`. False, and nothing changes, if someone else has it by
    /// now or it is gone. A lease that ran out and that nobody took over is extended.
    async fn extend_lease(&self, id: JobId, owner: &str, at: Timestamp, lease_ms: i64) -> Result<bool>;

    /// The work is done; the job goes. False if someone else has it by now.
    async fn finish(&self, id: JobId, owner: &str) -> Result<bool>;

    /// The try failed: queued again after `retry_at`, or parked if that is none.
    async fn fail(
        &self,
        id: JobId,
        owner: &str,
        error: &str,
        retry_at: Option<Timestamp>,
        at: Timestamp,
    ) -> Result<bool>;

    /// The work cannot be done for the moment, through no fault of its own: queued
    /// again after `until`, and the try does not count.
    async fn postpone(&self, id: JobId, owner: &str, why: &str, until: Timestamp, at: Timestamp) -> Result<bool>;

    /// Jobs, oldest first.
    async fn jobs(&self, view: &View, state: Option<JobState>, limit: usize) -> Result<Vec<Job>>;

    /// Queues parked jobs again with their tries forgotten; all of them if no id
    /// is given. Returns how many.
    async fn retry_jobs(&self, view: &View, id: Option<JobId>, at: Timestamp) -> Result<usize>;

    /// Removes a job that is not running. False if there is none.
    async fn cancel_job(&self, view: &View, id: JobId) -> Result<bool>;

    /// How many jobs are queued and due, in all scopes.
    async fn due_jobs(&self, at: Timestamp) -> Result<usize>;

    /// How many jobs, in all scopes, wait or are held for longer than can be meant.
    async fn stray_jobs(&self, horizon: &Horizon, at: Timestamp) -> Result<usize>;

    /// Brings those back: what waits is due at `at`, what is held is held for `lease_ms` from then. Returns how many.
    async fn bring_back_jobs(&self, horizon: &Horizon, lease_ms: i64, at: Timestamp) -> Result<usize>;
}

/// What derived indexes are kept up to date from.
#[async_trait]
pub trait Indexing: Send + Sync {
    /// The items that changed after a position: those a view can see, or all of
    /// them for whoever keeps an index of the whole store. Looks at `limit`
    /// changes at most. Every change to an item that a finished write made is
    /// there, or has become part of a later one.
    async fn tail(&self, view: Option<&View>, after: u64, limit: usize) -> Result<Tail>;

    /// All items of the store in the order of their keys, page by page. An index
    /// made from them stands where the tail stood before the first page.
    async fn all_items(&self, after: Option<ItemKey>, limit: usize) -> Result<Vec<IndexRow>>;

    /// The visible ones of these items, in any order.
    async fn items(&self, view: &View, keys: Vec<ItemKey>) -> Result<Vec<(ItemKey, Item)>>;

    /// The keys of the visible ones of these memories, in any order.
    async fn keys_of(&self, view: &View, ids: Vec<MemoryId>) -> Result<Vec<(MemoryId, ItemKey)>>;

    /// Drops the log up to a position that every index has passed, or is willing
    /// to be made again for.
    async fn trim_log(&self, through: u64) -> Result<()>;
}

/// Vectors, by generation.
#[async_trait]
pub trait Vectors: Send + Sync {
    /// The generations, oldest first.
    async fn generations(&self) -> Result<Vec<Generation>>;

    /// Begins a generation: to be built, or to serve at once if none serves. One
    /// with the same description that serves or is being built is returned as it
    /// is; another that is being built is retired.
    async fn begin_generation(&self, spec: NewGeneration, at: Timestamp) -> Result<Generation>;

    /// Queues older items for a generation, `limit` of them at most. False when
    /// all of them are queued. Later items queue themselves when they are stored
    /// or changed.
    async fn queue_older(&self, generation: GenerationId, limit: usize) -> Result<bool>;

    /// Items that wait for vectors.
    async fn waiting(&self, generation: GenerationId, limit: usize) -> Result<Vec<Waiting>>;

    /// Stores vectors and takes their items off the queue. Items that are gone
    /// meanwhile are passed over; one that changed since its ticket was drawn
    /// stays on the queue. Returns how many were stored.
    async fn put_vectors(&self, generation: GenerationId, vectors: Vec<NewVectors>) -> Result<usize>;

    /// Makes a generation the one that serves and retires the former, at once.
    async fn serve_generation(&self, generation: GenerationId) -> Result<()>;

    /// Removes vectors of retired generations, `limit` of them at most; false
    /// when none are left.
    async fn remove_retired(&self, limit: usize) -> Result<bool>;

    /// How many of the visible items wait for vectors of a generation, queued or not yet.
    async fn count_waiting(&self, view: &View, generation: GenerationId) -> Result<u64>;

    /// How far a generation has come, in the whole store.
    async fn coverage(&self, generation: GenerationId) -> Result<Coverage>;
}

/// Vectors of texts that may come again, such as the pieces of a file.
#[async_trait]
pub trait EmbeddingCache: Send + Sync {
    /// The vectors of these texts, in order, where there are any.
    async fn cached(&self, key: &CacheKey, texts: Vec<TextHash>, at: Timestamp) -> Result<Vec<Option<Vec<u8>>>>;

    /// Keeps vectors. Over `max_entries`, those unused for longest go.
    async fn cache(
        &self,
        key: &CacheKey,
        vectors: Vec<(TextHash, Vec<u8>)>,
        max_entries: Option<u64>,
        at: Timestamp,
    ) -> Result<()>;

    /// How many entries there are.
    async fn cache_entries(&self) -> Result<u64>;

    /// Empties the cache.
    async fn clear_cache(&self) -> Result<()>;
}

/// Vectors that callers of the library made themselves, by namespace. They are no memories: no view finds them, and
/// nothing is derived from them.
#[async_trait]
pub trait VectorSpaces: Send + Sync {
    /// How many dimensions the vectors of a namespace have; none while it is empty.
    async fn space_dimensions(&self, space: &Space) -> Result<Option<usize>>;

    /// Puts all entries, each in the place of one with the same id. Refused, all of them, if one has another number of
    /// dimensions than those that are there, or than another of them.
    async fn put_in_space(&self, space: &Space, entries: Vec<SpaceEntry>) -> Result<()>;

    /// Entries by id, page by page.
    async fn space_entries(&self, space: &Space, after: Option<&str>, limit: usize) -> Result<Vec<SpaceEntry>>;

    /// Removes entries for good. Returns how many there were.
    async fn remove_from_space(&self, space: &Space, ids: Vec<String>) -> Result<usize>;

    /// Removes all entries of a namespace for good. Returns how many there were.
    async fn clear_space(&self, space: &Space) -> Result<usize>;

    /// How many entries a namespace has.
    async fn count_space(&self, space: &Space) -> Result<u64>;
}

/// Indexed files and their pieces. Derived: all of it can be read again.
#[async_trait]
pub trait Documents: Send + Sync {
    /// Stores a document with its chunks, in place of what was known under its
    /// path. Chunks that are the same as before keep their keys and vectors.
    async fn put_document(&self, document: Document, chunks: Vec<NewChunk>) -> Result<()>;

    /// Notes that a file was looked at and is the same: new time and size only.
    async fn note_document(&self, document: Document) -> Result<()>;

    /// A scope's documents whose path begins with this, by path, page by page.
    async fn documents(&self, scope: &Scope, prefix: &str, after: Option<&str>, limit: usize) -> Result<Vec<Document>>;

    /// One document's chunks, in order.
    async fn chunks(&self, view: &View, id: DocumentId) -> Result<Vec<Chunk>>;

    /// Those of a scope's documents that have one of these paths, in any order.
    async fn documents_at(&self, scope: &Scope, paths: Vec<String>) -> Result<Vec<Document>>;

    /// How much is indexed that a view sees, by kind of file.
    async fn document_counts(&self, view: &View) -> Result<Vec<DocumentCount>>;

    /// Removes documents with their chunks and vectors. With a time, what they
    /// named is gone since then ([`Names`]); without one, they are only no longer
    /// looked at. Returns how many there were.
    async fn remove_documents(&self, scope: &Scope, paths: Vec<String>, gone_at: Option<Timestamp>) -> Result<usize>;
}

/// Making many documents anew at once: a reader sees all of them as they were, or
/// all of them as they are.
#[async_trait]
pub trait Rebuilds: Send + Sync {
    /// Lays a document aside for a rebuild. Nobody sees it there.
    async fn stage_document(&self, build: &str, document: Document, chunks: Vec<NewChunk>) -> Result<()>;

    /// Puts all documents that were laid aside for a rebuild in their places, as
    /// [`Documents::put_document`] does, and removes those of the scope that are
    /// gone since this time; in one transaction. Returns how many were removed.
    async fn finish_rebuild(&self, build: &str, scope: &Scope, gone: Vec<String>, at: Timestamp) -> Result<usize>;

    /// Drops what was laid aside before this time and never finished.
    async fn drop_rebuilds(&self, before: Timestamp) -> Result<()>;
}

/// Places that are read from outside, and how far.
#[async_trait]
pub trait Sources: Send + Sync {
    /// The places that a view sees, by kind and path.
    async fn sources(&self, view: &View) -> Result<Vec<SourcePlace>>;

    /// Every place. For whole-store work only.
    async fn all_sources(&self) -> Result<Vec<SourcePlace>>;

    /// Stores a place, or what is known about it now; when it was added stays.
    async fn put_source(&self, place: SourcePlace) -> Result<()>;

    /// Forgets a place; what was read there stays. False if there is none.
    async fn remove_source(&self, scope: &Scope, kind: SourceKind, path: &str) -> Result<bool>;

    /// How far a transcript was read, by its path.
    async fn transcript(&self, path: &str) -> Result<Option<TranscriptPlace>>;

    /// The same by what file it is, since it may have another name by now.
    async fn transcripts_of_file(&self, device: u64, inode: u64) -> Result<Vec<TranscriptPlace>>;

    /// Notes how far a transcript was read.
    async fn put_transcript(&self, place: TranscriptPlace) -> Result<()>;

    /// Notes a run, in place of the last one with the same cause.
    async fn note_sync(&self, scope: &Scope, run: SyncRun) -> Result<()>;

    /// The last runs in one scope, by cause.
    async fn syncs(&self, scope: &Scope) -> Result<Vec<SyncRun>>;
}

/// What agents were handed.
#[async_trait]
pub trait Receipts: Send + Sync {
    /// Keeps a receipt, and drops those made before `keep_since`.
    async fn put_receipt(&self, receipt: Receipt, keep_since: Timestamp) -> Result<()>;

    /// Receipts, newest first.
    async fn receipts(&self, view: &View, query: ReceiptQuery) -> Result<Vec<Receipt>>;

    /// Everything that a conversation was shown, each thing once with each text that
    /// it had, in any order.
    async fn shown(&self, view: &View, session_id: &str) -> Result<Vec<ShownText>>;

    /// When something in this section was last handed over from the view's own scope, whatever the conversation; none
    /// if that was not after `since`, or a purge took it out.
    async fn last_handed_over(&self, view: &View, section: &str, since: Timestamp) -> Result<Option<Timestamp>>;

    /// Notes what a reply made of a receipt's items, in their order. Idempotent:
    /// the first verdict stays. False if there was one.
    async fn judge(&self, view: &View, id: ReceiptId, verdicts: Vec<Verdict>, at: Timestamp) -> Result<bool>;
}

/// Writes that wait for a person.
#[async_trait]
pub trait Confirmations: Send + Sync {
    /// Puts a write off until someone answers.
    async fn put_confirmation(&self, confirmation: Confirmation) -> Result<()>;

    /// Confirmations, newest first.
    async fn confirmations(
        &self,
        view: &View,
        state: Option<ConfirmationState>,
        limit: usize,
    ) -> Result<Vec<Confirmation>>;

    /// One of them.
    async fn confirmation(&self, view: &View, id: ConfirmationId) -> Result<Option<Confirmation>>;

    /// Moves a confirmation on, if it stands where the settlement says: false if
    /// it does not. Its texts are emptied once the matter is settled.
    async fn settle_confirmation(&self, view: &View, id: ConfirmationId, settlement: Settlement) -> Result<bool>;

    /// Expires what nobody answered in time, in all scopes. Returns how many.
    async fn expire_confirmations(&self, at: Timestamp) -> Result<usize>;
}

/// Tasks, and what keeps tiers in bounds.
#[async_trait]
pub trait Tiers: Send + Sync {
    /// Begins a task; refused if the project has one of this name.
    async fn begin_task(&self, task: Task) -> Result<()>;

    /// A project's tasks, newest first.
    async fn tasks(&self, view: &View, open: bool, limit: usize) -> Result<Vec<Task>>;

    /// One of them.
    async fn task(&self, view: &View, id: &TaskId) -> Result<Option<Task>>;

    /// Declares a task over. False if it was.
    async fn end_task(&self, view: &View, id: &TaskId, at: Timestamp) -> Result<bool>;

    /// Opens a task again. False if it is open.
    async fn reopen_task(&self, view: &View, id: &TaskId) -> Result<bool>;

    /// The task of the view's project whose notes a run changed; without a run, the one whose notes were changed last,
    /// if nothing in view was changed since. What is undone does not count, nor does what was captured.
    async fn task_of_run(&self, view: &View, run: Option<RunId>) -> Result<Option<TaskId>>;

    /// If a scope has more active facts of some types than it may, the least
    /// important tenth of them, oldest first among equals; none otherwise. Facts
    /// that never fade were confirmed by someone and do not count.
    async fn overfull(&self, scope: &Scope, capacity: Capacity) -> Result<Vec<MemoryId>>;

    /// Those of these memories that no longer hold, each once: an active memory in view has taken its place, or a fact
    /// that was made from it was since superseded, corrected or forgotten. What the newer fact was made from still
    /// holds.
    async fn outdated(&self, view: &View, ids: Vec<MemoryId>) -> Result<Vec<Outdated>>;
}

/// Projects as wholes. For whoever may reach all of them.
#[async_trait]
pub trait Projects: Send + Sync {
    /// What each project holds, by its name.
    async fn projects(&self) -> Result<Vec<ProjectCounts>>;

    /// Moves memories from one project to another: these, or all of them with
    /// what was purged there, in one transaction. Their history goes along, and
    /// so do their conversations as far as they move. Each leaves a history row
    /// that `undo` takes back: in the project that they left if they were named,
    /// else in the one that they went to. An id that is not in the first project
    /// is unknown. What belongs to a task stays. Returns what moved.
    async fn move_memories(
        &self,
        stamp: Stamp,
        from: &ProjectId,
        to: &ProjectId,
        ids: Option<Vec<MemoryId>>,
    ) -> Result<Vec<MemoryId>>;

    /// Removes what is left of a project whose memories were purged: sessions,
    /// entities, receipts, confirmations, tasks, jobs, documents, places, vectors
    /// of callers. Tombstones stay.
    async fn clear_project(&self, project: &ProjectId) -> Result<()>;
}

/// What models cost. The whole store's, not a project's.
#[async_trait]
pub trait Ledger: Send + Sync {
    /// Adds to what a role spent on a model on a day.
    async fn add_spend(&self, spend: Spend) -> Result<()>;

    /// What was spent from one day through another, by day, role and model.
    async fn spend(&self, from_day: &str, through_day: &str) -> Result<Vec<Spend>>;

    /// What a day cost, in millionths of a dollar.
    async fn spent_micros(&self, day: &str) -> Result<u64>;
}

/// What was learned about models, and batches that a provider is working on.
#[async_trait]
pub trait ModelNotes: Send + Sync {
    /// What was learned about a model.
    async fn card(&self, id: &str) -> Result<Option<String>>;

    /// Keeps what was learned, in place of what was known before.
    async fn put_card(&self, id: &str, card: &str, at: Timestamp) -> Result<()>;

    /// The batches under way, oldest first.
    async fn batches(&self) -> Result<Vec<Batch>>;

    /// Keeps a batch; one that is known by its name is changed.
    async fn put_batch(&self, batch: Batch) -> Result<()>;

    /// Forgets a batch. False if there was none.
    async fn remove_batch(&self, name: &str) -> Result<bool>;
}

/// A verified copy of a store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BackupCopy {
    /// The file.
    pub path: PathBuf,
    /// Its size.
    pub size_bytes: u64,
    /// How many memories it holds.
    pub memories: u64,
}

/// The store as a whole.
#[async_trait]
pub trait Upkeep: Send + Sync {
    /// Where it lies, if it lies anywhere.
    fn location(&self) -> Option<&Path>;

    /// Looks for damage. `thorough` reads every page and compares derived data
    /// with what it derives from.
    async fn check(&self, thorough: bool) -> Result<Vec<Finding>>;

    /// Rebuilds derived data, atomically; says what was done. A store that was
    /// found damaged is written to again if a thorough check finds nothing wrong
    /// afterwards.
    async fn repair(&self) -> Result<Vec<String>>;

    /// Why every write is refused now, if it is.
    fn trouble(&self) -> Option<StoreError>;

    /// Moves the log into the main file.
    async fn checkpoint(&self) -> Result<()>;

    /// Copies one consistent state into a new file while others go on writing,
    /// restores the copy to a scratch file, and compares it with the original.
    /// Only then does the file carry its final name.
    async fn backup(&self, to: &Path) -> Result<BackupCopy>;

    /// A number kept under a name; what derived work remembers between runs.
    async fn mark(&self, name: &str) -> Result<Option<u64>>;

    /// Sets it.
    async fn set_mark(&self, name: &str, value: u64) -> Result<()>;

    /// All scopes that hold anything. For whole-store work only.
    async fn all_scopes(&self) -> Result<Vec<Scope>>;
}

/// Ids by part of them.
#[async_trait]
pub trait Abbreviations: Send + Sync {
    /// The ids of a kind in view that an abbreviation names, in full and oldest first, `limit` of them at most.
    /// What it costs does not grow with what is stored. Runs that only captured are not found.
    async fn ids_named(&self, view: &View, kind: IdKind, part: &Abbreviation, limit: usize) -> Result<Vec<String>>;
}

/// A whole store.
pub trait Store:
    Abbreviations
    + Memories
    + Entities
    + Sessions
    + Jobs
    + Indexing
    + Vectors
    + EmbeddingCache
    + VectorSpaces
    + Documents
    + Names
    + Rebuilds
    + Sources
    + Receipts
    + Confirmations
    + Tiers
    + Projects
    + Ledger
    + ModelNotes
    + Upkeep
{
}

impl<T> Store for T where
    T: Abbreviations
        + Memories
        + Entities
        + Sessions
        + Jobs
        + Indexing
        + Vectors
        + EmbeddingCache
        + VectorSpaces
        + Documents
        + Names
        + Rebuilds
        + Sources
        + Receipts
        + Confirmations
        + Tiers
        + Projects
        + Ledger
        + ModelNotes
        + Upkeep
{
}
