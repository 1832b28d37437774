//! What cases are made of: ids and times that count up, and short ways to write
//! common things.

use scrubjay_core::entity::{Entity, EntityType};
use scrubjay_core::id::{DocumentId, EntityId, IdSource, JobId, MemoryId, RunId};
use scrubjay_core::memory::{Confidence, DecayRate, EndedBy, Importance, Kind, Link, Memory, OriginKind, Relation};
use scrubjay_core::scope::{ProjectId, Scope, TaskId, View};
use scrubjay_core::source::Source;
use scrubjay_core::text::TextHash;
use scrubjay_core::time::Timestamp;
use uuid::Uuid;

use super::case::Failure;
use super::random::Random;
use crate::change::{Applied, Captured, Change, NewJob, NewMemory, NewMention, Patch, Stamp, UndoTarget};
use crate::item::{Document, NewChunk};
use crate::query::{Activity, ListQuery};
use crate::{Result, Store, StoreError};

/// When every case begins: a day in May 2026.
const START_MS: i64 = 1_777_638_600_000;

/// A store under test, with a clock and a source of ids.
pub(super) struct Fixture<'a> {
    pub(super) store: &'a dyn Store,
    now: Timestamp,
    ids: IdSource,
    random: Random,
}

/// A scope from its text, such as `project/a`.
pub(super) fn scope(text: &str) -> Scope {
    let mut parts = text.split('/').skip(1);
    let project = parts.next().and_then(|slug| slug.parse::<ProjectId>().ok());
    let task = parts.next().and_then(|slug| slug.parse::<TaskId>().ok());
    match (project, task) {
        (Some(project), Some(task)) => Scope::Task(project, task),
        (Some(project), None) => Scope::Project(project),
        (None, _) => Scope::Global,
    }
}

/// The view that stands in a scope.
pub(super) fn view(text: &str) -> View {
    View::of(&scope(text))
}

/// A patch that changes the text.
pub(super) fn text(content: &str) -> Patch {
    Patch { content: Some(content.to_owned()), ..Patch::default() }
}

/// A patch that changes the importance.
pub(super) fn importance(value: f64) -> Patch {
    Patch { importance: Some(value), ..Patch::default() }
}

/// A link.
pub(super) fn link(from: MemoryId, relation: Relation, to: MemoryId) -> Link {
    Link { from, relation, to }
}

/// Every memory that meets no condition but the activity's, in one page.
pub(super) fn all(activity: Activity) -> ListQuery {
    ListQuery { activity, limit: 10_000, ..ListQuery::default() }
}

impl<'a> Fixture<'a> {
    pub(super) fn new(store: &'a dyn Store) -> Self {
        Self { store, now: Timestamp::from_millis(START_MS), ids: IdSource::default(), random: Random::new(7) }
    }

    /// A second later each time.
    pub(super) fn now(&mut self) -> Timestamp {
        self.now = self.now.plus_millis(1000);
        self.now
    }

    pub(super) fn uuid(&mut self) -> Uuid {
        let mut bytes = [0; 10];
        bytes[..8].copy_from_slice(&self.random.next().to_le_bytes());
        self.ids.next(self.now, bytes)
    }

    pub(super) fn run_id(&mut self) -> RunId {
        RunId::from(self.uuid())
    }

    pub(super) fn stamp(&mut self, operation: &'static str) -> Stamp {
        Stamp { run: self.run_id(), at: self.now(), actor: "tester".to_owned(), operation }
    }

    pub(super) fn memory_id(&mut self, kind: Kind) -> MemoryId {
        MemoryId::new(kind, self.uuid())
    }

    /// A memory with nothing special about it.
    pub(super) fn memory(&mut self, kind: Kind, place: &str, content: &str) -> Memory {
        let now = self.now();
        Memory {
            id: self.memory_id(kind),
            memory_type: kind.default_type(),
            scope: scope(place),
            session_id: None,
            role: None,
            content: content.to_owned(),
            importance: Importance::default(),
            confidence: Confidence::FULL,
            decay_rate: DecayRate::PROTECTED,
            event_time: now,
            created_at: now,
            ended: None,
            access_count: 0,
            last_accessed: None,
            source_ids: Vec::new(),
            origin: OriginKind::User.into(),
            tags: Vec::new(),
            attributes: scrubjay_core::memory::Attributes::new(),
            version: 1,
        }
    }

    /// A fact to be stored.
    pub(super) fn fact(&mut self, place: &str, content: &str) -> NewMemory {
        NewMemory::plain(self.memory(Kind::Fact, place, content))
    }

    /// A message of a conversation to be stored.
    pub(super) fn message(&mut self, place: &str, session: &str, content: &str) -> NewMemory {
        let mut memory = self.memory(Kind::Episode, place, content);
        memory.session_id = Some(session.to_owned());
        memory.role = Some("user".to_owned());
        NewMemory::plain(memory)
    }

    pub(super) fn mention(&mut self, name: &str, entity_type: EntityType) -> NewMention {
        NewMention { id: EntityId::from(self.uuid()), name: name.to_owned(), entity_type, alias: None }
    }

    pub(super) fn entity(&mut self, place: &str, name: &str, entity_type: EntityType) -> Entity {
        Entity {
            id: EntityId::from(self.uuid()),
            scope: scope(place),
            name: name.to_owned(),
            entity_type,
            aliases: Vec::new(),
            summary: None,
            mention_count: 0,
            protected: false,
        }
    }

    /// An indexed file.
    pub(super) fn document(&mut self, place: &str, path: &str) -> Document {
        Document {
            id: DocumentId::from(self.uuid()),
            scope: scope(place),
            source: Source::Docs,
            path: path.to_owned(),
            hash: TextHash::of_message(path),
            modified_at: self.now(),
            size_bytes: 10,
            indexed_at: self.now(),
        }
    }

    /// Its pieces, a line each.
    pub(super) fn chunks(&self, texts: &[&str]) -> Vec<NewChunk> {
        let chunk = |(line, text): (u32, &&str)| NewChunk {
            start_line: line,
            end_line: line,
            context: "Heading".to_owned(),
            text: (*text).to_owned(),
        };
        (1..).zip(texts).map(chunk).collect()
    }

    pub(super) fn job(&mut self, kind: &str, key: &str, place: &str) -> NewJob {
        let run_after = self.now();
        NewJob {
            id: JobId::from(self.uuid()),
            kind: kind.to_owned(),
            key: key.to_owned(),
            scope: scope(place),
            payload: serde_json::json!({"key": key}),
            run_after,
        }
    }

    /// Captures one message.
    pub(super) async fn capture(&mut self, message: NewMemory) -> Result<Captured> {
        let stamp = self.stamp("capture");
        let captured = self.store.capture(stamp, vec![message], Vec::new()).await?;
        captured.into_iter().next().ok_or_else(|| StoreError::not_found("an answer"))
    }

    /// Makes changes as one run; gives its id along with what they did.
    pub(super) async fn apply(&mut self, view: &View, changes: Vec<Change>) -> Result<(RunId, Vec<Applied>)> {
        let stamp = self.stamp("test");
        let run = stamp.run;
        Ok((run, self.store.apply(view, stamp, changes, Vec::new()).await?))
    }

    /// Stores a memory in its own place; gives it as the store has it.
    pub(super) async fn create(&mut self, new: NewMemory) -> std::result::Result<Memory, Failure> {
        let view = View::of(&new.memory.scope);
        let id = new.memory.id;
        self.apply(&view, vec![Change::Create(Box::new(new))]).await?;
        self.read(&view, id).await
    }

    /// Stores a fact.
    pub(super) async fn remember(&mut self, place: &str, content: &str) -> std::result::Result<Memory, Failure> {
        let new = self.fact(place, content);
        self.create(new).await
    }

    /// A memory that must be there.
    pub(super) async fn read(&self, view: &View, id: MemoryId) -> std::result::Result<Memory, Failure> {
        super::case::present("a memory", self.store.get(view, id).await?)
    }

    pub(super) async fn update(&mut self, view: &View, id: MemoryId, patch: Patch) -> Result<RunId> {
        let change = Change::Update { id, expected_version: None, patch: Box::new(patch) };
        Ok(self.apply(view, vec![change]).await?.0)
    }

    pub(super) async fn end(&mut self, view: &View, id: MemoryId) -> Result<RunId> {
        let change = Change::End { id, expected_version: None, by: EndedBy::Forgotten };
        Ok(self.apply(view, vec![change]).await?.0)
    }

    pub(super) async fn link(&mut self, view: &View, link: Link) -> Result<RunId> {
        Ok(self.apply(view, vec![Change::Link(link)]).await?.0)
    }

    /// Undoes; gives the run that undid.
    pub(super) async fn undo(&mut self, view: &View, target: UndoTarget) -> Result<RunId> {
        let stamp = self.stamp("undo");
        let run = stamp.run;
        self.store.undo(view, stamp, target).await?;
        Ok(run)
    }

    pub(super) async fn purge(&mut self, view: &View, ids: Vec<MemoryId>) -> Result<crate::change::Purged> {
        let stamp = self.stamp("purge");
        self.store.purge(view, stamp, ids, false).await
    }
}
