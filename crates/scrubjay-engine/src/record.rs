//! Memories and entities as answers show them.
//!
//! These are the shapes that scripts and clients rely on; the types of the
//! engine and the store can change without them.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use scrubjay_core::decay;
use scrubjay_core::entity::Entity;
use scrubjay_core::id::MemoryId;
use scrubjay_core::memory::{Confidence, DecayRate, Ended, Importance, InvalidMemory, Link, Memory, Origin};
use scrubjay_core::scope::Scope;
use scrubjay_core::time::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{EngineError, Result};

/// A memory.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct MemoryRecord {
    /// Its id; the prefix tells the kind.
    pub id: String,
    /// `episode`, `fact`, `reflection` or `scratch`.
    pub kind: String,
    /// Its type, such as `decision` or `message`.
    #[serde(rename = "type")]
    pub memory_type: String,
    /// Where it lives: `global`, `project/…` or `task/…`.
    pub scope: String,
    /// The conversation it belongs to.
    pub session_id: Option<String>,
    /// Who said it.
    pub role: Option<String>,
    /// What it says.
    pub content: String,
    /// How much it matters, 1 to 5.
    pub importance: f64,
    /// How sure it is, 0 to 1, before time fades it.
    pub confidence: f64,
    /// The same, faded by the time since it was last used.
    pub effective_confidence: f64,
    /// How fast it fades per day; 0 never.
    pub decay_rate: f64,
    /// When it happened.
    pub event_time: String,
    /// When it was learned.
    pub created_at: String,
    /// When it ceased to hold; null while it is active.
    pub valid_until: Option<String>,
    /// Why it ceased to hold.
    pub ended_by: Option<String>,
    /// How often it was recalled, shown or injected.
    pub access_count: u64,
    /// When that was last.
    pub last_accessed: Option<String>,
    /// The memories it was made from.
    pub source_ids: Vec<String>,
    /// Where it came from.
    pub origin: OriginRecord,
    /// Its labels.
    pub tags: Vec<String>,
    /// Free metadata.
    pub attributes: BTreeMap<String, Value>,
    /// Counts its changes from 1.
    pub version: u64,
}

/// Where a memory came from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct OriginRecord {
    /// `user`, `assistant`, `tool`, `file`, `web`, `import` or `system`.
    pub kind: String,
    /// The file, if it came from one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// The first line in it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub start_line: Option<u32>,
    /// The last line in it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub end_line: Option<u32>,
}

/// A link between two memories.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LinkRecord {
    /// The memory that says something about the other.
    pub from: String,
    /// `related`, `supersedes`, `contradicts`, `elaborates` or `derived_from`.
    pub relation: String,
    /// The other.
    pub to: String,
}

/// A named thing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct EntityRecord {
    /// Its id.
    pub id: String,
    /// The name it goes by.
    pub name: String,
    /// `person`, `project`, `organization`, `location`, `email`, `url`, `tag`, `date` or `other`.
    #[serde(rename = "type")]
    pub entity_type: String,
    /// Where it lives.
    pub scope: String,
    /// Other names.
    pub aliases: Vec<String>,
    /// What is known about it.
    pub summary: Option<String>,
    /// How many memories mention it.
    pub mention_count: u64,
    /// Whether automatic clean-up leaves it alone.
    pub protected: bool,
}

impl MemoryRecord {
    /// The record of a memory as it is at a time.
    #[must_use]
    pub fn at(memory: &Memory, now: Timestamp) -> Self {
        Self {
            id: memory.id.to_string(),
            kind: memory.kind().to_string(),
            memory_type: memory.memory_type.to_string(),
            scope: memory.scope.to_string(),
            session_id: memory.session_id.clone(),
            role: memory.role.clone(),
            content: memory.content.clone(),
            importance: memory.importance.value(),
            confidence: memory.confidence.value(),
            effective_confidence: round(decay::of_memory(memory, now)),
            decay_rate: memory.decay_rate.value(),
            event_time: memory.event_time.to_string(),
            created_at: memory.created_at.to_string(),
            valid_until: memory.ended.map(|ended| ended.at.to_string()),
            ended_by: memory.ended.map(|ended| ended.by.name().to_owned()),
            access_count: memory.access_count,
            last_accessed: memory.last_accessed.map(|time| time.to_string()),
            source_ids: memory.source_ids.iter().map(ToString::to_string).collect(),
            origin: OriginRecord {
                kind: memory.origin.kind.name().to_owned(),
                path: memory.origin.path.clone(),
                start_line: memory.origin.start_line,
                end_line: memory.origin.end_line,
            },
            tags: memory.tags.clone(),
            attributes: memory.attributes.clone(),
            version: memory.version,
        }
    }
}

impl MemoryRecord {
    /// The memory that a record describes, with this text and in this scope. Its
    /// history starts anew.
    ///
    /// # Errors
    /// When a value makes no sense.
    pub(crate) fn to_memory(&self, content: String, scope: Scope) -> Result<Memory> {
        let invalid = |error: InvalidMemory| EngineError::invalid(error);
        let ended = match (&self.valid_until, &self.ended_by) {
            (Some(at), Some(by)) => Some(Ended { at: time(at)?, by: by.parse().map_err(invalid)? }),
            _ => None,
        };
        Ok(Memory {
            id: memory_id(&self.id)?,
            memory_type: self.memory_type.parse().map_err(invalid)?,
            scope,
            session_id: self.session_id.clone(),
            role: self.role.clone(),
            content,
            importance: Importance::new(self.importance).map_err(invalid)?,
            confidence: Confidence::new(self.confidence).map_err(invalid)?,
            decay_rate: DecayRate::new(self.decay_rate).map_err(invalid)?,
            event_time: time(&self.event_time)?,
            created_at: time(&self.created_at)?,
            ended,
            access_count: self.access_count,
            last_accessed: self.last_accessed.as_deref().map(time).transpose()?,
            source_ids: self.source_ids.iter().map(|id| memory_id(id)).collect::<Result<_>>()?,
            origin: Origin {
                kind: self.origin.kind.parse().map_err(invalid)?,
                path: self.origin.path.clone(),
                start_line: self.origin.start_line,
                end_line: self.origin.end_line,
            },
            tags: self.tags.clone(),
            attributes: self.attributes.clone(),
            version: 1,
        })
    }
}

impl From<&Link> for LinkRecord {
    fn from(link: &Link) -> Self {
        Self { from: link.from.to_string(), relation: link.relation.name().to_owned(), to: link.to.to_string() }
    }
}

impl From<&Entity> for EntityRecord {
    fn from(entity: &Entity) -> Self {
        Self {
            id: entity.id.to_string(),
            name: entity.name.clone(),
            entity_type: entity.entity_type.to_string(),
            scope: entity.scope.to_string(),
            aliases: entity.aliases.clone(),
            summary: entity.summary.clone(),
            mention_count: entity.mention_count,
            protected: entity.protected,
        }
    }
}

/// Six digits are more than any score means.
#[must_use]
pub(crate) fn round(value: f64) -> f64 {
    (value * 1e6).round() / 1e6
}

/// Reads a memory id.
///
/// # Errors
/// When it is none.
pub(crate) fn memory_id(text: &str) -> Result<MemoryId> {
    text.trim().parse().map_err(EngineError::invalid)
}

/// Reads a time.
///
/// # Errors
/// When it is none.
pub(crate) fn time(text: &str) -> Result<Timestamp> {
    text.parse().map_err(EngineError::invalid)
}
