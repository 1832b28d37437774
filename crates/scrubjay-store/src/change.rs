//! Changes to memories as values: what to do, what was done, and how to undo it.
//!
//! A [`Patch`] holds new values for some fields. Applying one yields the patch
//! that leads back; that is what history stores and what undo applies. Both
//! backends use these functions, so they cannot disagree about what a change is.

use scrubjay_core::entity::EntityType;
use scrubjay_core::id::{EntityId, JobId, MemoryId, RunId};
use scrubjay_core::memory::{
    Attributes, Confidence, DecayRate, Ended, EndedBy, Importance, Link, Memory, MemoryType, OriginKind,
};
use scrubjay_core::scope::Scope;
use scrubjay_core::text::TextHash;
use scrubjay_core::time::Timestamp;
use serde::{Deserialize, Serialize};

use crate::item::ItemKey;

/// Who changes what, when, and as part of which run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stamp {
    /// One invocation of an operation; what undo undoes.
    pub run: RunId,
    /// When.
    pub at: Timestamp,
    /// Who: `user`, `agent`, `system`, or a name.
    pub actor: String,
    /// The operation's name.
    pub operation: &'static str,
}

/// A name found in a memory's text.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NewMention {
    /// The id the entity gets if it is new.
    pub id: EntityId,
    /// Its canonical name.
    pub name: String,
    /// What sort of thing it is.
    pub entity_type: EntityType,
    /// How it was written, if differently.
    pub alias: Option<String>,
}

/// A memory to be stored, with everything that is stored along with it.
#[derive(Debug, Clone, PartialEq)]
pub struct NewMemory {
    /// The memory; its version is 1.
    pub memory: Memory,
    /// The caller's own key; a second write with the same one changes nothing.
    pub client_id: Option<String>,
    /// Whether the caller gave the event time.
    pub time_given: bool,
    /// Names found in it.
    pub mentions: Vec<NewMention>,
    /// A person asked for it, so it is stored even if the same text was purged.
    pub despite_purge: bool,
}

impl NewMemory {
    /// A memory with nothing along with it.
    #[must_use]
    pub fn plain(memory: Memory) -> Self {
        Self { memory, client_id: None, time_given: false, mentions: Vec::new(), despite_purge: false }
    }

    /// The hash by which the same message is recognised.
    #[must_use]
    pub fn text_hash(&self) -> TextHash {
        TextHash::of_message(&self.memory.content)
    }
}

/// What became of a captured message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Captured {
    /// It was stored.
    Stored(MemoryId),
    /// It had been stored before.
    Duplicate(MemoryId),
    /// Its text was purged from this scope and stays away.
    Purged,
}

/// Background work to be done after a write.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewJob {
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
    /// Not before this time.
    pub run_after: Timestamp,
}

/// One change among those of a run.
#[derive(Debug, Clone, PartialEq)]
pub enum Change {
    /// Store a new memory. Boxed, because it is much larger than the others.
    Create(Box<NewMemory>),
    /// Give some fields new values.
    Update {
        /// Which memory.
        id: MemoryId,
        /// Refuse if its version is another one.
        expected_version: Option<u64>,
        /// The new values.
        patch: Box<Patch>,
    },
    /// End a memory that is active.
    End {
        /// Which memory.
        id: MemoryId,
        /// Refuse if its version is another one.
        expected_version: Option<u64>,
        /// Why it ends.
        by: EndedBy,
    },
    /// Make an ended memory active again.
    Reopen {
        /// Which memory.
        id: MemoryId,
    },
    /// Link two memories; an existing link stays as it is.
    Link(Link),
    /// Remove a link.
    Unlink(Link),
    /// Link a memory to the entities it mentions, and note which of them are new to it, so that it can be undone.
    Mention {
        /// Which memory.
        id: MemoryId,
        /// What it mentions; nothing if it was looked at in vain.
        mentions: Vec<NewMention>,
    },
}

/// New values for some fields of a memory.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Patch {
    /// The type.
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    pub memory_type: Option<MemoryType>,
    /// The text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub content: Option<String>,
    /// How much it matters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub importance: Option<f64>,
    /// How sure it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub confidence: Option<f64>,
    /// How fast that fades.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub decay_rate: Option<f64>,
    /// When it happened.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub event_time: Option<Timestamp>,
    /// Whether it ended: `Some(None)` makes it active.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "given")]
    pub ended: Option<Option<Ended>>,
    /// What it was made from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source_ids: Option<Vec<MemoryId>>,
    /// Where it came from. Callers leave it to the store, which sets it when a
    /// memory gets a source of foreign origin.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub origin: Option<OriginKind>,
    /// Its labels.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tags: Option<Vec<String>>,
    /// Its metadata.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub attributes: Option<Attributes>,
}

impl Patch {
    /// Whether it holds no value at all.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Applies the patch and returns the one that leads back. Fields that keep
    /// their value are in neither. The version is left to the caller.
    ///
    /// A number outside its range, which only a damaged history could hold,
    /// leaves the field as it is.
    pub fn apply(&self, memory: &mut Memory) -> Self {
        let mut back = Self::default();
        swap(&self.memory_type, &mut memory.memory_type, &mut back.memory_type);
        swap(&self.content, &mut memory.content, &mut back.content);
        swap(&self.event_time, &mut memory.event_time, &mut back.event_time);
        swap(&self.ended, &mut memory.ended, &mut back.ended);
        swap(&self.source_ids, &mut memory.source_ids, &mut back.source_ids);
        swap(&self.origin, &mut memory.origin.kind, &mut back.origin);
        swap(&self.tags, &mut memory.tags, &mut back.tags);
        swap(&self.attributes, &mut memory.attributes, &mut back.attributes);
        if let Some(value) = self.importance.and_then(|value| Importance::new(value).ok())
            && value != memory.importance
        {
            back.importance = Some(std::mem::replace(&mut memory.importance, value).value());
        }
        if let Some(value) = self.confidence.and_then(|value| Confidence::new(value).ok())
            && value != memory.confidence
        {
            back.confidence = Some(std::mem::replace(&mut memory.confidence, value).value());
        }
        if let Some(value) = self.decay_rate.and_then(|value| DecayRate::new(value).ok())
            && value != memory.decay_rate
        {
            back.decay_rate = Some(std::mem::replace(&mut memory.decay_rate, value).value());
        }
        back
    }
}

/// What a change did.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Effect {
    /// A memory came into being.
    Created,
    /// Fields changed.
    Updated,
    /// A memory ended.
    Ended,
    /// An ended memory became active.
    Reopened,
    /// A link was made.
    Linked,
    /// A link was removed.
    Unlinked,
    /// Two entities became one.
    Merged,
    /// A merged entity came back.
    Split,
    /// Names were found in a memory.
    Mentioned,
    /// Names that were found in a memory were taken away from it.
    Unmentioned,
    /// A memory went to another project.
    Moved,
    /// A memory was destroyed; only this note of it remains.
    Purged,
}

impl Effect {
    /// All of them.
    pub const ALL: [Self; 12] = [
        Self::Created,
        Self::Updated,
        Self::Ended,
        Self::Reopened,
        Self::Linked,
        Self::Unlinked,
        Self::Merged,
        Self::Split,
        Self::Mentioned,
        Self::Unmentioned,
        Self::Moved,
        Self::Purged,
    ];

    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Created => "created",
            Self::Updated => "updated",
            Self::Ended => "ended",
            Self::Reopened => "reopened",
            Self::Linked => "linked",
            Self::Unlinked => "unlinked",
            Self::Merged => "merged",
            Self::Split => "split",
            Self::Mentioned => "mentioned",
            Self::Unmentioned => "unmentioned",
            Self::Moved => "moved",
            Self::Purged => "purged",
        }
    }

    /// The effect with this name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|effect| effect.name() == name)
    }

    /// Whether it gave a memory's fields new values, and so a new version.
    #[must_use]
    pub fn is_of_fields(self) -> bool {
        matches!(self, Self::Created | Self::Updated | Self::Ended | Self::Reopened)
    }

    /// What a patch that touches `ended` amounts to.
    #[must_use]
    pub fn of_patch(patch: &Patch) -> Self {
        match patch.ended {
            Some(Some(_)) => Self::Ended,
            Some(None) => Self::Reopened,
            None => Self::Updated,
        }
    }
}

/// What was there before a change, as history keeps it.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Before {
    /// The values that changed.
    #[serde(skip_serializing_if = "Patch::is_empty")]
    pub fields: Patch,
    /// The link that was made or removed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub link: Option<Link>,
    /// The entity that was merged away.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub entity: Option<MergedEntity>,
    /// The entities that the memory was linked to or parted from.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub mentions: Vec<MentionedEntity>,
    /// From where to where the memory went. Only the owner is told.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub moved: Option<Moved>,
}

/// A memory's way from one project to another.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Moved {
    /// Where it lived before.
    pub from: Scope,
    /// Where it lives since.
    pub to: Scope,
}

/// An entity that a memory mentions, with what is needed to make it again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MentionedEntity {
    /// Its id.
    pub id: EntityId,
    /// Its name.
    pub name: String,
    /// Its type.
    pub entity_type: EntityType,
}

/// An entity that was merged into another, with all that is needed to bring it
/// back.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MergedEntity {
    /// Its id.
    pub id: EntityId,
    /// The one that took it in.
    pub into: EntityId,
    /// Its name.
    pub name: String,
    /// Its type.
    pub entity_type: EntityType,
    /// Its other names.
    pub aliases: Vec<String>,
    /// Its summary.
    pub summary: Option<String>,
    /// Whether it was protected.
    pub protected: bool,
    /// The memories that mentioned it.
    pub memories: Vec<MemoryId>,
    /// Those of them that already mentioned the other one.
    pub shared: Vec<MemoryId>,
    /// The names the other one did not have before.
    pub added_aliases: Vec<String>,
}

/// One row of history.
#[derive(Debug, Clone, PartialEq)]
pub struct HistoryEntry {
    /// The memory it is about; none for a change to entities.
    pub memory_id: Option<MemoryId>,
    /// The run it was part of.
    pub run: RunId,
    /// When.
    pub at: Timestamp,
    /// Who.
    pub actor: String,
    /// The operation's name.
    pub operation: String,
    /// What it did.
    pub effect: Effect,
    /// The memory's version after it.
    pub version: u64,
    /// What was there before.
    pub before: Before,
    /// The run that undid it, unless that was undone itself.
    pub undone_by: Option<RunId>,
}

/// What to undo.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UndoTarget {
    /// The last run in view that was not a capture and is not undone yet.
    Last,
    /// The last run that changed this memory and is not undone yet.
    Memory(MemoryId),
    /// This run.
    Run(RunId),
}

/// What a change left behind.
#[derive(Debug, Clone, PartialEq)]
pub enum Applied {
    /// The memory as it is now.
    Memory(Box<Memory>),
    /// A memory with the same client id was there already; nothing changed.
    Duplicate(MemoryId),
    /// The text was purged from this scope and stays away.
    Purged,
    /// A link was made or removed; false if it was so already.
    Link(bool),
    /// So many of the mentions are new.
    Mentions(usize),
}

/// A position in the feed of changes and the memory that changed there.
#[derive(Debug, Clone, PartialEq)]
pub struct FeedItem {
    /// Grows with every change; gaps are normal.
    pub position: u64,
    /// What happened.
    pub effect: Effect,
    /// The memory as it is now; none if it is gone, or for entity changes.
    pub memory: Option<Memory>,
}

/// What was undone.
#[derive(Debug, Clone, PartialEq)]
pub struct Undone {
    /// The run that was undone.
    pub run: RunId,
    /// Its operation.
    pub operation: String,
    /// The memories it had changed.
    pub memories: Vec<MemoryId>,
    /// How many changes were taken back.
    pub changes: usize,
}

/// What a purge destroyed.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Purged {
    /// The memories, those derived from them included.
    pub memories: Vec<MemoryId>,
    /// How many history rows lost their contents.
    pub history_rows: usize,
    /// Everything that was destroyed, visible to the caller or not, for the
    /// indexes derived from it. Not for showing.
    pub items: Vec<(Scope, ItemKey)>,
    /// Someone who reads an earlier state keeps the bytes in the store's log.
    /// They go as soon as that one has finished and something is written, or
    /// when the store is next opened.
    pub still_in_log: bool,
}

/// The mark that counts purges.
pub const PURGES: &str = "purges";

/// The mark that says how many of the purges the index files have followed.
pub const PURGES_IN_INDEX: &str = "purges_in_index";

fn swap<T: Clone + PartialEq>(new: &Option<T>, current: &mut T, back: &mut Option<T>) {
    if let Some(new) = new
        && new != current
    {
        *back = Some(std::mem::replace(current, new.clone()));
    }
}

fn given<'de, D: serde::Deserializer<'de>, T: Deserialize<'de>>(deserializer: D) -> Result<Option<T>, D::Error> {
    // Present but null means "make it active", which plain serde cannot tell
    // from absent.
    T::deserialize(deserializer).map(Some)
}
