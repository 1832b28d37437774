//! Small things that the tests here make again and again.

use std::sync::Mutex;

use scrubjay_core::id::{IdSource, MemoryId, RunId};
use scrubjay_core::memory::{Confidence, DecayRate, Importance, Kind, Memory, Origin, OriginKind};
use scrubjay_core::scope::{ProjectId, Scope};
use scrubjay_core::time::Timestamp;
use scrubjay_store::change::{NewMemory, Stamp};
use uuid::Uuid;

static IDS: Mutex<Option<IdSource>> = Mutex::new(None);

/// A new id; the tests of this binary share one source.
pub(crate) fn uuid() -> Uuid {
    let mut source = IDS.lock().unwrap();
    let next = source.get_or_insert_default().next(now(), [0x5a; 10]);
    drop(source);
    next
}

/// A fixed time.
pub(crate) fn now() -> Timestamp {
    Timestamp::from_millis(1_777_638_600_000)
}

/// A project.
pub(crate) fn project(name: &str) -> ProjectId {
    name.parse().unwrap()
}

/// A new run.
pub(crate) fn stamp(operation: &'static str) -> Stamp {
    Stamp { run: RunId::from(uuid()), at: now(), actor: "user".to_owned(), operation }
}

/// A message, recognisable by its number.
pub(crate) fn message(in_project: &str, number: usize) -> NewMemory {
    let memory = Memory {
        id: MemoryId::new(Kind::Episode, uuid()),
        memory_type: Kind::Episode.default_type(),
        scope: Scope::Project(project(in_project)),
        session_id: Some("session".to_owned()),
        role: Some("user".to_owned()),
        content: format!("message number {number} about the release"),
        importance: Importance::default(),
        confidence: Confidence::FULL,
        decay_rate: DecayRate::PROTECTED,
        event_time: now(),
        created_at: now(),
        ended: None,
        access_count: 0,
        last_accessed: None,
        source_ids: Vec::new(),
        origin: Origin::from(OriginKind::User),
        tags: Vec::new(),
        attributes: Default::default(),
        version: 1,
    };
    NewMemory { client_id: Some(format!("m{number}")), ..NewMemory::plain(memory) }
}

/// Waits for a future.
pub(crate) fn block_on<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap().block_on(future)
}
