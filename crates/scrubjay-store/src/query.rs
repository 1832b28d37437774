//! Questions to a store, and the pages that answer them.

use scrubjay_core::entity::{Entity, EntityType};
use scrubjay_core::filter::{Cursor, Filter, Order};
use scrubjay_core::id::{EntityId, JobId, MemoryId};
use scrubjay_core::memory::Memory;
use scrubjay_core::scope::Scope;
use scrubjay_core::time::Timestamp;

use crate::item::ItemKey;

/// Which memories count, by whether they are active.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Activity {
    /// Those that are active now.
    #[default]
    Active,
    /// Those that ended.
    Ended,
    /// Both.
    Any,
    /// Those that were known and active at a time.
    AsOf(Timestamp),
    /// Those that had not ended by a time, known then or not.
    NotEndedBy(Timestamp),
}

impl Activity {
    /// Whether `memory` counts.
    #[must_use]
    pub fn admits(self, memory: &Memory) -> bool {
        match self {
            Self::Active => memory.is_active(),
            Self::Ended => !memory.is_active(),
            Self::Any => true,
            Self::AsOf(time) => memory.is_active_at(time),
            Self::NotEndedBy(time) => memory.ended.is_none_or(|ended| ended.at > time),
        }
    }
}

/// A list of memories.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ListQuery {
    /// Conditions.
    pub filter: Filter,
    /// Active, ended or both.
    pub activity: Activity,
    /// Only those that mention this entity.
    pub entity: Option<EntityId>,
    /// The order.
    pub order: Order,
    /// How many at most.
    pub limit: usize,
    /// Go on after this.
    pub after: Option<Cursor>,
}

/// Part of a list of memories.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Page {
    /// The memories.
    pub memories: Vec<Memory>,
    /// Where to go on, if there is more.
    pub next: Option<Cursor>,
}

/// A list of entities.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct EntityQuery {
    /// Only those whose name or alias contains this, ignoring case.
    pub name_contains: Option<String>,
    /// Only those of this type.
    pub entity_type: Option<EntityType>,
    /// How many at most.
    pub limit: usize,
    /// Skip this many; entities have no stable order to put a cursor on.
    pub offset: usize,
}

/// An entity and the newest memories that mention it.
#[derive(Debug, Clone, PartialEq)]
pub struct NamedEntity {
    /// The entity.
    pub entity: Entity,
    /// The memories, newest first.
    pub memories: Vec<ItemKey>,
}

/// Part of a list of entities.
#[derive(Debug, Clone, PartialEq)]
pub struct EntityPage {
    /// The entities, most mentioned first.
    pub entities: Vec<Entity>,
    /// Whether there are more.
    pub more: bool,
}

/// One conversation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Session {
    /// Its id, as the client names it.
    pub session_id: String,
    /// Where it took place.
    pub scope: Scope,
    /// The first message.
    pub first_seen: Timestamp,
    /// The last message.
    pub last_seen: Timestamp,
    /// When it was declared over.
    pub ended_at: Option<Timestamp>,
    /// How many messages were kept.
    pub messages: u64,
    /// Facts were drawn from everything up to this memory.
    pub consolidated_through: Option<MemoryId>,
    /// When facts were drawn from it to its end; none while it is open.
    pub completed_at: Option<Timestamp>,
}

/// Sessions that were completed after a position.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CompletedSessions {
    /// The sessions in view, in the order in which they were completed.
    pub sessions: Vec<Session>,
    /// How far this reaches; the next look goes on after it.
    pub through: u64,
}

/// A part of a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// What was stored after this episode; everything if there is none.
    After(Option<MemoryId>),
    /// What was stored up to this episode, and the episode itself.
    UpTo(MemoryId),
}

/// A session with episodes that no facts were drawn from yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WaitingSession {
    /// The session.
    pub session: Session,
    /// How many episodes wait.
    pub episodes: u64,
    /// When the first of them was stored.
    pub since: Timestamp,
}

/// From where to where a step of consolidation goes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionStep {
    /// Where the session took place.
    pub scope: Scope,
    /// The session.
    pub session_id: String,
    /// Where it must stand for the step to count.
    pub from: Option<MemoryId>,
    /// The last episode that was looked at.
    pub through: MemoryId,
    /// The newest fact of the scope when the step was thought out. One that
    /// came later may say the same, or the opposite.
    pub newest_fact: Option<MemoryId>,
    /// Facts that were said again: their fading begins anew.
    pub repeated: Vec<MemoryId>,
}

/// The state of a job. A finished one is gone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum JobState {
    /// Waits for its time or a worker.
    Queued,
    /// A worker has it until the lease ends.
    Running,
    /// It failed too often and waits for a person.
    Parked,
}

impl JobState {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Queued, Self::Running, Self::Parked];

    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Queued => "queued",
            Self::Running => "running",
            Self::Parked => "parked",
        }
    }
}

/// How far ahead a due time and the end of a lease can be. What is further away was written by a clock that was ahead.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Horizon {
    /// The longest wait of each kind of job, in milliseconds; other kinds are left alone.
    pub wait_ms: Vec<(String, i64)>,
    /// The longest lease, in milliseconds.
    pub lease_ms: i64,
}

/// A piece of background work.
#[derive(Debug, Clone, PartialEq)]
pub struct Job {
    /// Its id.
    pub id: JobId,
    /// What kind of work.
    pub kind: String,
    /// Work of one kind and key is queued only once at a time.
    pub key: String,
    /// Whose work it is.
    pub scope: Scope,
    /// What the worker needs to know.
    pub payload: serde_json::Value,
    /// Where it stands.
    pub state: JobState,
    /// How often it was tried.
    pub tries: u32,
    /// Not before this time.
    pub run_after: Timestamp,
    /// Until when a worker has it.
    pub lease_until: Option<Timestamp>,
    /// Why the last try failed.
    pub last_error: Option<String>,
    /// When it was queued.
    pub created_at: Timestamp,
    /// When its state last changed.
    pub updated_at: Timestamp,
}

/// Numbers about what a view can see.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Counts {
    /// Active memories by scope, kind and type.
    pub active: Vec<(Scope, String, String, u64)>,
    /// Ended memories.
    pub ended: u64,
    /// The newest memory's creation.
    pub latest: Option<Timestamp>,
    /// Entities.
    pub entities: u64,
    /// Links.
    pub links: u64,
    /// Sessions.
    pub sessions: u64,
    /// Jobs by state.
    pub jobs: Vec<(JobState, u64)>,
}

/// What happened on one day.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct DayCount {
    /// The day, counted from 1970-01-01 in UTC.
    pub day: i64,
    /// Facts and reflections of that day.
    pub facts: u64,
    /// Episodes of that day.
    pub episodes: u64,
    /// Items that were handed over.
    pub handed_over: u64,
    /// Those of them that a reply used.
    pub used: u64,
}

/// One finding of a check.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// What was checked.
    pub check: &'static str,
    /// How it stands.
    pub status: CheckStatus,
    /// What was found, and what to do.
    pub detail: String,
}

/// How a check came out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum CheckStatus {
    /// As it should be.
    Good,
    /// Works, but someone should look.
    Warning,
    /// Derived data is wrong; `doctor --repair` mends it.
    Repairable,
    /// Primary data is damaged.
    Damaged,
}

/// What a project holds.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ProjectCounts {
    /// Its id.
    pub project: String,
    /// Active facts.
    pub facts: u64,
    /// Active episodes.
    pub episodes: u64,
    /// Active reflections.
    pub reflections: u64,
    /// What ended, of any kind.
    pub ended: u64,
    /// Conversations.
    pub sessions: u64,
    /// Indexed files.
    pub documents: u64,
    /// When something was last learned or said there.
    pub last_used: Option<Timestamp>,
}

impl ProjectCounts {
    /// All memories, ended ones too.
    #[must_use]
    pub fn memories(&self) -> u64 {
        self.facts + self.episodes + self.reflections + self.ended
    }
}
