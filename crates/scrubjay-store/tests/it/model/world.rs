//! Both stores, and what happened to them.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fmt::Debug;
use std::future::Future;

use proptest::prelude::*;
use scrubjay_core::entity::{Entity, EntityType};
use scrubjay_core::id::{EntityId, JobId, MemoryId, RunId};
use scrubjay_core::memory::{EndedBy, Link, Memory, Relation};
use scrubjay_core::scope::View;
use scrubjay_core::time::Timestamp;
use scrubjay_store::change::{Applied, Captured, Change, NewMemory, NewMention, Patch, Stamp, UndoTarget, Undone};
use scrubjay_store::memory::MemoryStore;
use scrubjay_store::query::JobState;
use scrubjay_store::sqlite::{Options, SqliteStore, Synchronous};
use scrubjay_store::{Result as StoreResult, Store};
use tempfile::TempDir;

use super::invariants;
use super::operation::{Action, Edit, Operation};
use super::state::{State, look};
use crate::support::{Maker, view};

pub(crate) const PLACES: [&str; 4] = ["global", "project/a", "task/a/t", "project/b"];
pub(crate) const TEXTS: [&str; 8] = [
    "the heron stands in the reeds",
    "an osprey dives",
    "Heron and osprey.",
    "nothing to see",
    "日本語のテキスト",
    "",
    "a wren sings; a wren flies",
    "NEAR(heron, 2) OR \"osprey\"",
];
const NAMES: [&str; 6] = ["Ada", "ada  lovelace", "Grace", "Countess", "Ж", "ADA"];

/// Both stores, with everything that was made in them.
pub(crate) struct World {
    // Kept, because the store's files are in it.
    _folder: TempDir,
    sqlite: SqliteStore,
    memory: MemoryStore,
    maker: Maker,
    /// Every memory as it was first stored, purged ones included.
    pub(crate) created: BTreeMap<MemoryId, Memory>,
    ids: Vec<MemoryId>,
    runs: Vec<RunId>,
    undoings: Vec<RunId>,
    /// How everything was before each run.
    before: BTreeMap<RunId, State>,
    state: Option<State>,
    /// How often what succeeded.
    pub(crate) done: RefCell<BTreeMap<&'static str, u32>>,
}

impl World {
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        // Durability is tested elsewhere; here it would only cost time.
        let options = Options { synchronous: Synchronous::Normal, ..Options::new(folder.path().join("store.db")) };
        Self {
            sqlite: SqliteStore::open(options).unwrap(),
            memory: MemoryStore::new(),
            _folder: folder,
            maker: Maker::new(0),
            created: BTreeMap::new(),
            ids: Vec::new(),
            runs: Vec::new(),
            undoings: Vec::new(),
            before: BTreeMap::new(),
            state: None,
            done: RefCell::default(),
        }
    }

    /// Makes one operation happen to both, and compares.
    pub(crate) async fn run(&mut self, operation: &Operation) -> Result<(), TestCaseError> {
        // Most often someone who sees much, so that most of it works.
        let place = pick(&["task/a/t", "project/a", "task/a/t", "project/b", "global", "task/a/t"], operation.place);
        let view = view(place);
        let undone = match &operation.action {
            Action::Apply(edits) => self.apply(&view, edits).await?,
            Action::Capture { session, text, assistant, client_id, minutes, mentions } => {
                let place = pick(&PLACES, operation.place);
                let mut message = self.maker.message(place, &format!("session {}", session % 3), pick(&TEXTS, *text));
                if *assistant {
                    message.memory.role = Some("assistant".to_owned());
                }
                if let Some(minutes) = minutes {
                    message.memory.event_time = Timestamp::from_millis(i64::from(*minutes % 4) * 60_000);
                    message.time_given = true;
                }
                message.client_id = client_id.map(|number| format!("message {}", number % 4));
                message.mentions = self.mentions(mentions);
                self.capture(message).await?
            }
            Action::UndoLast => self.undo(&view, UndoTarget::Last).await?,
            Action::UndoMemory(memory) => match self.id(&view, *memory, |_| true) {
                Some(id) => self.undo(&view, UndoTarget::Memory(id)).await?,
                None => None,
            },
            Action::UndoRun(run) => match choose(&self.runs, *run) {
                Some(run) => self.undo(&view, UndoTarget::Run(run)).await?,
                None => None,
            },
            Action::Redo(back) => match choose(&self.undoings, back % 2) {
                Some(run) => self.undo(&view, UndoTarget::Run(run)).await?,
                None => None,
            },
            Action::Purge { memories, dry_run } => {
                let ids: Vec<MemoryId> =
                    memories.iter().filter_map(|number| self.id(&view, *number, |_| true)).collect();
                let stamp = self.stamp("purge");
                self.both("purge", |store| {
                    let (view, stamp, ids) = (view.clone(), stamp.clone(), ids.clone());
                    async move {
                        let mut purged = store.purge(&view, stamp, ids, *dry_run).await?;
                        purged.memories.sort();
                        Ok(purged)
                    }
                })
                .await?;
                None
            }
            Action::Touch(memories) => {
                let ids: Vec<MemoryId> =
                    memories.iter().filter_map(|number| self.id(&view, *number, |_| true)).collect();
                let now = self.maker.now();
                self.both("touch", |store| store.touch(&view, ids.clone(), now)).await?;
                None
            }
            Action::LinkMentions { memory, mentions } => {
                if let Some(id) = self.id(&view, *memory, |_| true) {
                    let found = vec![(id, self.mentions(mentions))];
                    self.both("link_mentions", |store| store.link_mentions(&view, found.clone())).await?;
                }
                None
            }
            Action::Upsert { name, alias, protected } => {
                let entity = Entity {
                    id: EntityId::from(self.maker.uuid()),
                    scope: view.home(),
                    name: pick(&NAMES, *name).to_owned(),
                    entity_type: entity_type(*name),
                    aliases: alias.map(|alias| pick(&NAMES, alias).to_owned()).into_iter().collect(),
                    summary: alias.map(|alias| format!("number {alias}")),
                    mention_count: 0,
                    protected: *protected,
                };
                self.both("upsert", |store| store.upsert_entity(entity.clone())).await?;
                None
            }
            Action::Merge { into, from } => {
                if let Some((into, from)) = self.two_entities(*into, *from) {
                    let stamp = self.stamp("merge_entities");
                    self.runs.push(stamp.run);
                    self.both("merge", |store| store.merge_entities(&view, stamp.clone(), into, from)).await?;
                }
                None
            }
            Action::EndSession(number) => {
                let now = self.maker.now();
                let session = format!("session {}", number % 3);
                self.both("end_session", |store| {
                    let (view, session) = (view.clone(), session.clone());
                    async move { store.end_session(&view, &session, now).await }
                })
                .await?;
                None
            }
            Action::Job { key, act } => {
                self.job(place, *key, *act).await?;
                None
            }
        };
        self.compare(undone).await
    }

    /// The last look: the SQLite store must be sound as well.
    pub(crate) async fn finish(&mut self) -> Result<(), TestCaseError> {
        self.look_at_both(true).await?;
        for store in [&self.sqlite as &dyn Store, &self.memory] {
            for finding in store.check(true).await.unwrap() {
                prop_assert_eq!(finding.status, scrubjay_store::query::CheckStatus::Good, "{:?}", finding);
            }
        }
        Ok(())
    }

    async fn apply(&mut self, view: &View, edits: &[Edit]) -> Result<Option<Undone>, TestCaseError> {
        let mut changes = Vec::new();
        let mut new = Vec::new();
        for edit in edits {
            if let Some(change) = self.change(view, edit) {
                if let Change::Create(created) = &change {
                    new.push(created.memory.clone());
                }
                changes.push(change);
            }
        }
        let stamp = self.stamp("edit");
        self.runs.push(stamp.run);
        let job = self.maker.job("embed", "all", "project/a");
        let applied = self
            .both("apply", |store| store.apply(view, stamp.clone(), changes.clone(), vec![job.clone()]))
            .await?
            .unwrap_or_default();
        let stored: Vec<MemoryId> = applied
            .iter()
            .filter_map(|applied| match applied {
                Applied::Memory(memory) => Some(memory.id),
                _ => None,
            })
            .collect();
        for memory in new.into_iter().filter(|memory| stored.contains(&memory.id)) {
            self.ids.push(memory.id);
            self.created.insert(memory.id, memory);
        }
        Ok(None)
    }

    fn change(&mut self, view: &View, edit: &Edit) -> Option<Change> {
        Some(match edit {
            Edit::Create { text, sources, mentions, client_id, session, despite } => {
                let places = view.scopes();
                let place = places[usize::from(*text) % places.len()].to_string();
                let mut new = self.maker.fact(&place, pick(&TEXTS, *text));
                new.memory.source_ids = sources.iter().filter_map(|number| self.id(view, *number, |_| true)).collect();
                new.memory.session_id = session.map(|number| format!("session {}", number % 3));
                new.client_id = client_id.map(|number| format!("fact {}", number % 4));
                new.mentions = self.mentions(mentions);
                new.despite_purge = *despite;
                Change::Create(Box::new(new))
            }
            Edit::Update { memory, patch, value, stale } => Change::Update {
                id: self.id(view, *memory, |_| true)?,
                expected_version: stale.then_some(1),
                patch: Box::new(self.patch(view, *patch, *value)),
            },
            Edit::End { memory, by } => {
                let id = self.id(view, *memory, Memory::is_active)?;
                Change::End { id, expected_version: None, by: pick(&EndedBy::ALL, *by) }
            }
            Edit::Reopen { memory } => Change::Reopen { id: self.id(view, *memory, |memory| !memory.is_active())? },
            Edit::Link { from, relation, to } => Change::Link(self.link(view, *from, *relation, *to)?),
            Edit::Unlink { from, relation, to } => Change::Unlink(self.link(view, *from, *relation, *to)?),
        })
    }

    fn patch(&self, view: &View, which: u8, value: u8) -> Patch {
        let fraction = f64::from(value) / 255.0;
        match which % 8 {
            0 => Patch { importance: Some(1.0 + 4.0 * fraction), ..Patch::default() },
            1 => Patch { content: Some(pick(&TEXTS, value).to_owned()), ..Patch::default() },
            2 => Patch { confidence: Some(fraction), decay_rate: Some(1.0 - fraction), ..Patch::default() },
            3 => {
                Patch { tags: Some((0..value % 3).map(|number| format!("tag {number}")).collect()), ..Patch::default() }
            }
            4 => {
                let name = format!("key {}", value % 2);
                let values = [serde_json::json!({"n": fraction}), serde_json::json!(value), serde_json::Value::Null];
                Patch { attributes: Some([(name, pick(&values, value))].into()), ..Patch::default() }
            }
            5 => Patch { source_ids: Some(self.id(view, value, |_| true).into_iter().collect()), ..Patch::default() },
            6 => Patch {
                event_time: Some(Timestamp::from_millis(i64::from(value) * 60_000)),
                memory_type: pick(&["decision", "insight"], value).parse().ok(),
                ..Patch::default()
            },
            _ => Patch::default(),
        }
    }

    async fn capture(&mut self, message: NewMemory) -> Result<Option<Undone>, TestCaseError> {
        let stamp = self.stamp("capture");
        self.runs.push(stamp.run);
        let job = self.maker.job("extract", "session", "project/a");
        let captured = self
            .both("capture", |store| store.capture(stamp.clone(), vec![message.clone()], vec![job.clone()]))
            .await?;
        if let Some([Captured::Stored(id)]) = captured.as_deref() {
            self.ids.push(*id);
            self.created.insert(*id, message.memory);
        }
        Ok(None)
    }

    async fn undo(&mut self, view: &View, target: UndoTarget) -> Result<Option<Undone>, TestCaseError> {
        let stamp = self.stamp("undo");
        let undone = self.both("undo", |store| store.undo(view, stamp.clone(), target)).await?;
        if let Some(undone) = &undone {
            if self.undoings.contains(&undone.run) {
                self.count("redo");
            }
            self.undoings.insert(0, stamp.run);
        }
        Ok(undone)
    }

    async fn job(&mut self, place: &str, key: u8, act: u8) -> Result<(), TestCaseError> {
        let (now, kinds, owner) = (self.maker.now(), ["work".to_owned()], "worker");
        let of_state = |wanted: &[JobState]| {
            let seen = self.state.iter().flat_map(|state| &state.views).flat_map(|seen| &seen.jobs);
            let ids: Vec<JobId> = seen.filter(|job| wanted.contains(&job.state)).map(|job| job.id).collect();
            choose(&ids, key)
        };
        let (running, idle) = (of_state(&[JobState::Running]), of_state(&[JobState::Queued, JobState::Parked]));
        match act % 8 {
            0..=2 => {
                let job = self.maker.job("work", &format!("key {}", key % 3), place);
                self.both("enqueue", |store| store.enqueue(vec![job.clone()], now)).await?;
            }
            3 | 4 => drop(self.both("claim", |store| store.claim(owner, &kinds, now, 9_500)).await?),
            5 => {
                if let Some(id) = running {
                    self.both("finish", |store| store.finish(id, owner)).await?;
                }
            }
            6 => {
                if let Some(id) = running {
                    let retry_at = key.is_multiple_of(2).then_some(now);
                    self.both("fail", |store| store.fail(id, owner, "failed", retry_at, now)).await?;
                }
            }
            _ => {
                let view = view(place);
                if let Some(id) = idle.filter(|_| key.is_multiple_of(2)) {
                    self.both("cancel", |store| store.cancel_job(&view, id)).await?;
                } else {
                    self.both("retry", |store| store.retry_jobs(&view, None, now)).await?;
                }
            }
        }
        Ok(())
    }

    // Both must give the same answer; an error counts by its words.
    async fn both<'a, T, F>(
        &'a self,
        name: &'static str,
        call: impl Fn(&'a dyn Store) -> F,
    ) -> Result<Option<T>, TestCaseError>
    where
        T: Debug + PartialEq,
        F: Future<Output = StoreResult<T>> + 'a,
    {
        let words = |result: StoreResult<T>| result.map_err(|error| format!("{error} ({})", error.code().name()));
        let in_sqlite = words(call(&self.sqlite).await);
        let in_memory = words(call(&self.memory).await);
        prop_assert_eq!(&in_sqlite, &in_memory);
        let answer = in_sqlite.ok();
        if !["None", "Some(None)", "Some(false)"].contains(&format!("{answer:?}").as_str()) {
            self.count(name);
        }
        Ok(answer)
    }

    async fn compare(&mut self, undone: Option<Undone>) -> Result<(), TestCaseError> {
        let state = self.look_at_both(false).await?;
        invariants::check(&state, &self.created)?;
        if let Some(undone) = undone
            && let Some(before) = self.before.get(&undone.run)
        {
            invariants::undone_exactly(before, &state, &undone)?;
        }
        self.state = Some(state);
        Ok(())
    }

    async fn look_at_both(&self, closely: bool) -> Result<State, TestCaseError> {
        let state = look(&self.sqlite, closely).await?;
        let twin = look(&self.memory, closely).await?;
        for (place, (one, other)) in PLACES.iter().zip(state.views.iter().zip(&twin.views)) {
            prop_assert_eq!(one, other, "seen from {}", place);
        }
        prop_assert_eq!(&state, &twin);
        Ok(state)
    }

    // A stamp for the next run, remembering how everything was before it.
    fn stamp(&mut self, operation: &'static str) -> Stamp {
        let stamp = self.maker.stamp(operation);
        if let Some(state) = &self.state {
            self.before.insert(stamp.run, state.clone());
        }
        stamp
    }

    fn count(&self, name: &'static str) {
        *self.done.borrow_mut().entry(name).or_default() += 1;
    }

    // Mostly a memory that is in view and fits, so that most operations do
    // something; now and then any that ever was.
    fn id(&self, view: &View, number: u8, fits: impl Fn(&Memory) -> bool) -> Option<MemoryId> {
        let seen = self.state.as_ref()?.memories();
        let fitting: Vec<MemoryId> = seen
            .values()
            .filter(|_| number < 240)
            .filter(|memory| view.sees(&memory.scope) && fits(memory))
            .map(|memory| memory.id)
            .collect();
        choose(&fitting, number).or_else(|| choose(&self.ids, number))
    }

    // Mostly two of one scope, which can be merged.
    fn two_entities(&self, into: u8, from: u8) -> Option<(EntityId, EntityId)> {
        let entities: Vec<Entity> = self.state.as_ref()?.entities().into_values().collect();
        let kept = &entities[usize::from(into).checked_rem(entities.len())?];
        let other = |entity: &&Entity| from > 240 || (entity.scope == kept.scope && entity.id != kept.id);
        let others: Vec<EntityId> = entities.iter().filter(other).map(|entity| entity.id).collect();
        Some((kept.id, choose(&others, from)?))
    }

    fn link(&self, view: &View, from: u8, relation: u8, to: u8) -> Option<Link> {
        let id = |number| self.id(view, number, |_| true);
        Some(Link { from: id(from)?, relation: pick(&Relation::ALL, relation), to: id(to)? })
    }

    fn mentions(&mut self, numbers: &[u8]) -> Vec<NewMention> {
        let mut mentions = Vec::new();
        for number in numbers {
            let id = EntityId::from(self.maker.uuid());
            let alias = (number % 3 == 0).then(|| pick(&NAMES, number / 3).to_owned());
            let name = pick(&NAMES, *number).to_owned();
            mentions.push(NewMention { id, name, entity_type: entity_type(*number), alias });
        }
        mentions
    }
}

fn entity_type(number: u8) -> EntityType {
    if number.is_multiple_of(5) { EntityType::Project } else { EntityType::Person }
}

fn pick<T: Clone>(from: &[T], number: u8) -> T {
    from[usize::from(number) % from.len()].clone()
}

fn choose<T: Copy>(from: &[T], number: u8) -> Option<T> {
    (!from.is_empty()).then(|| from[usize::from(number) % from.len()])
}
