//! What the tests share.

use std::path::{Path, PathBuf};

use scrubjay_core::id::{IdSource, JobId, MemoryId, RunId};
use scrubjay_core::memory::{Attributes, Confidence, DecayRate, Importance, Kind, Memory, OriginKind};
use scrubjay_core::scope::{Scope, View};
use scrubjay_core::time::Timestamp;
use scrubjay_store::Store;
use scrubjay_store::change::{Change, NewJob, NewMemory, Stamp};
use scrubjay_store::query::{Activity, ListQuery};
use scrubjay_store::sqlite::{Options, SqliteStore};
use uuid::Uuid;

/// How many random cases to run: `short`, or twenty times as many.
#[expect(clippy::disallowed_methods, reason = "only the environment can tell a test that there is time")]
pub(crate) fn cases(short: u32) -> u32 {
    if std::env::var_os("SCRUBJAY_LONG").is_some() { short * 20 } else { short }
}

/// Runs something that waits.
pub(crate) fn block_on<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(future)
}

/// A store in a new file of its own.
pub(crate) fn open(path: impl Into<PathBuf>) -> SqliteStore {
    SqliteStore::open(Options::new(path)).unwrap()
}

pub(crate) fn scope(text: &str) -> Scope {
    text.parse().unwrap()
}

pub(crate) fn view(text: &str) -> View {
    View::of(&scope(text))
}

/// A path with something added to its file name.
pub(crate) fn beside(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.file_name().unwrap().to_os_string();
    name.push(suffix);
    path.with_file_name(name)
}

/// The names of the files in a folder, sorted.
pub(crate) fn names_in(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).unwrap();
    let mut names: Vec<String> =
        entries.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

/// A cheap source of varied bytes, the same every time.
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    pub(crate) fn below(&mut self, end: u64) -> u64 {
        self.next() % end
    }
}

/// Ids and times that count up.
pub(crate) struct Maker {
    now: Timestamp,
    ids: IdSource,
    random: Random,
}

impl Maker {
    /// Makers with different seeds never make the same id.
    pub(crate) fn new(seed: u64) -> Self {
        Self { now: Timestamp::from_millis(1_777_638_600_000), ids: IdSource::default(), random: Random::new(seed + 1) }
    }

    pub(crate) fn now(&mut self) -> Timestamp {
        self.now = self.now.plus_millis(1000);
        self.now
    }

    pub(crate) fn uuid(&mut self) -> Uuid {
        let mut bytes = [0; 10];
        bytes[2..].copy_from_slice(&self.random.next().to_le_bytes());
        self.ids.next(self.now, bytes)
    }

    pub(crate) fn stamp(&mut self, operation: &'static str) -> Stamp {
        Stamp { run: RunId::from(self.uuid()), at: self.now(), actor: "tester".to_owned(), operation }
    }

    pub(crate) fn memory(&mut self, kind: Kind, place: &str, content: &str) -> Memory {
        let now = self.now();
        Memory {
            id: MemoryId::new(kind, self.uuid()),
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
            attributes: Attributes::new(),
            version: 1,
        }
    }

    pub(crate) fn fact(&mut self, place: &str, content: &str) -> NewMemory {
        NewMemory::plain(self.memory(Kind::Fact, place, content))
    }

    pub(crate) fn message(&mut self, place: &str, session: &str, content: &str) -> NewMemory {
        let mut memory = self.memory(Kind::Episode, place, content);
        memory.session_id = Some(session.to_owned());
        memory.role = Some("user".to_owned());
        NewMemory::plain(memory)
    }

    pub(crate) fn job(&mut self, kind: &str, key: &str, place: &str) -> NewJob {
        NewJob {
            id: JobId::from(self.uuid()),
            kind: kind.to_owned(),
            key: key.to_owned(),
            scope: scope(place),
            payload: serde_json::json!({"key": key}),
            run_after: self.now(),
        }
    }

    /// Stores a fact; gives its id.
    pub(crate) async fn remember(&mut self, store: &dyn Store, place: &str, content: &str) -> MemoryId {
        let new = self.fact(place, content);
        let id = new.memory.id;
        store.apply(&view(place), self.stamp("test"), vec![Change::Create(Box::new(new))], Vec::new()).await.unwrap();
        id
    }
}

/// Everything a view can see, oldest first.
pub(crate) async fn all(store: &dyn Store, view: &View) -> Vec<Memory> {
    let query = ListQuery { activity: Activity::Any, limit: 1_000_000, ..ListQuery::default() };
    let mut memories = store.list(view, query).await.unwrap().memories;
    memories.sort_by_key(|memory| memory.id.uuid());
    memories
}
