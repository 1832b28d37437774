//! What both backends must decide alike: which changes are refused and why, what
//! stands on what, and how a change is taken back.
//!
//! Everything here is a pure function of rows that a backend has read. The words
//! of a refusal are here too, because an answer must not tell which backend, or
//! whose row, it comes from.

use std::collections::BTreeSet;

use scrubjay_core::entity::Entity;
use scrubjay_core::id::{EntityId, MemoryId, RunId};
use scrubjay_core::memory::{ATTRIBUTE_DEPTH, Attributes, Ended, EndedBy, Link, Memory, OriginKind, nest_too_deep};
use scrubjay_core::scope::{ProjectId, Scope, View};
use scrubjay_core::text::TextHash;
use scrubjay_core::time::Timestamp;

use crate::change::{Effect, HistoryEntry, MergedEntity, Patch};
use crate::item::NewChunk;
use crate::query::{Session, SessionStep, WaitingSession};
use crate::space::{Space, SpaceEntry};
use crate::{Result, StoreError};

/// Under which name undoing is recorded; such rows are never what "the last
/// change" means.
pub(crate) const UNDO: &str = "undo";

/// Two messages with the same text are two messages if both say when they were
/// sent and that is further apart than this.
pub(crate) const SAME_MESSAGE_MS: i64 = 60_000;

impl HistoryEntry {
    /// Whether this change stands on top of an earlier one of another run, so
    /// that the earlier one cannot be taken back first.
    ///
    /// Changes that are undone, and those undoings, cancel out and stand on
    /// nothing. An undoing itself can be taken back only while nothing at all
    /// came after it.
    pub(crate) fn stands_on(&self, earlier: &Self) -> bool {
        let counts = earlier.operation == UNDO || (self.operation != UNDO && self.undone_by.is_none());
        counts && self.run != earlier.run && self.is_about_the_same(earlier)
    }

    fn is_about_the_same(&self, other: &Self) -> bool {
        if self.effect == Effect::Moved || other.effect == Effect::Moved {
            return self.effect == other.effect && self.memory_id.is_some() && self.memory_id == other.memory_id;
        }
        match (&self.before.entity, &other.before.entity) {
            (Some(one), Some(two)) => [one.id, one.into].iter().any(|id| [two.id, two.into].contains(id)),
            (None, None) if self.effect.is_of_fields() => {
                other.effect.is_of_fields() && self.memory_id == other.memory_id
            }
            (None, None) => self.before.link.is_some() && self.before.link == other.before.link,
            _ => false,
        }
    }
}

impl MergedEntity {
    /// Drops memories that were purged; whether any of them was there.
    pub(crate) fn forget(&mut self, purged: &BTreeSet<MemoryId>) -> bool {
        let before = self.memories.len();
        self.memories.retain(|id| !purged.contains(id));
        self.shared.retain(|id| !purged.contains(id));
        self.memories.len() < before
    }
}

/// Refuses a purge that would reach out of the project of a caller who may only
/// read what holds for all projects.
pub(crate) fn check_purge(view: &View, doomed: &Scope) -> Result<()> {
    if view.hides_global() && doomed.project() != view.project_id() {
        return Err(StoreError::OwnerOnly { what: "what was made from it and holds for all projects".to_owned() });
    }
    Ok(())
}

/// Refuses a change that was meant for another version.
pub(crate) fn expect_version(memory: &Memory, expected: Option<u64>) -> Result<()> {
    match expected {
        Some(version) if version != memory.version => Err(StoreError::Changed { what: memory.id.to_string() }),
        _ => Ok(()),
    }
}

/// Refuses a step of consolidation that began where the session no longer
/// stands, or without a fact that came meanwhile.
pub(crate) fn expect_place(session: &Session, newest_fact: Option<MemoryId>, step: &SessionStep) -> Result<()> {
    if session.consolidated_through != step.from {
        return Err(StoreError::Changed { what: format!("session `{}`", session.session_id) });
    }
    if newest_fact != step.newest_fact {
        return Err(StoreError::Changed { what: format!("what is known in {}", step.scope) });
    }
    Ok(())
}

/// The order of waiting sessions, cut off.
pub(crate) fn longest_waiting_first(sessions: &mut Vec<WaitingSession>, limit: usize) {
    sessions.sort_by(|a, b| (a.since, &a.session.session_id).cmp(&(b.since, &b.session.session_id)));
    sessions.truncate(limit);
}

/// The patch that ends a memory, which must be active.
pub(crate) fn ending(memory: &Memory, ended: Ended) -> Result<Patch> {
    if let Some(ended) = memory.ended {
        let why = format!("{} already ended ({} on {})", memory.id, ended.by.name(), ended.at.date());
        return Err(StoreError::Conflict { why });
    }
    Ok(Patch { ended: Some(Some(ended)), ..Patch::default() })
}

/// The patch that makes a memory active, which must have ended.
pub(crate) fn reopening(memory: &Memory) -> Result<Patch> {
    if memory.is_active() {
        return Err(StoreError::Conflict { why: format!("{} is active; there is nothing to restore", memory.id) });
    }
    Ok(Patch { ended: Some(None), ..Patch::default() })
}

/// The patch that takes back one change to a memory's fields. A creation is
/// taken back by ending what was created.
pub(crate) fn taking_back(entry: &HistoryEntry, memory: &Memory, at: Timestamp) -> Patch {
    if entry.effect != Effect::Created {
        return entry.before.fields.clone();
    }
    let ended = memory.ended.unwrap_or(Ended { at, by: EndedBy::Forgotten });
    Patch { ended: Some(Some(ended)), ..Patch::default() }
}

/// The foreign origin that a memory takes over from what it is made from, if it
/// has not got it already.
///
/// This is the one place where text of a tool or the web is followed: every fact,
/// reflection, summary, promotion and merge names its sources and passes here, and
/// every surface goes by the origin.
pub(crate) fn inherited_origin(own: OriginKind, sources: &[OriginKind]) -> Option<OriginKind> {
    Some(own.made_from(sources.iter().copied())).filter(|made| *made != own)
}

/// Refuses a link from a memory to itself.
pub(crate) fn check_link(link: &Link) -> Result<()> {
    if link.from == link.to {
        return Err(StoreError::Conflict { why: "a memory cannot be linked to itself".to_owned() });
    }
    Ok(())
}

/// Refuses attributes that could be written but not read back.
pub(crate) fn check_attributes(attributes: &Attributes) -> Result<()> {
    if nest_too_deep(attributes) {
        let why = format!("attributes nest more than {ATTRIBUTE_DEPTH} levels deep; make them flatter");
        return Err(StoreError::Conflict { why });
    }
    Ok(())
}

/// The run that undid a change whose row names `undone_by`, unless that run was
/// undone in turn. `of_run` says which run undid a run.
///
/// Redoing an undoing, and undoing that again, makes a chain; every second link
/// of it leaves the change standing.
pub(crate) fn still_undone_by<E>(
    undone_by: Option<RunId>,
    mut of_run: impl FnMut(RunId) -> std::result::Result<Option<RunId>, E>,
) -> std::result::Result<Option<RunId>, E> {
    let mut chain = Vec::new();
    let mut next = undone_by;
    while let Some(run) = next.filter(|run| !chain.contains(run)) {
        chain.push(run);
        next = of_run(run)?;
    }
    Ok(undone_by.filter(|_| chain.len() % 2 == 1))
}

/// Refuses to take back a run, for each reason that both backends know.
pub(crate) fn check_undo(run: RunId, entries: &[HistoryEntry]) -> Result<()> {
    if let Some(undone) = entries.iter().find(|entry| entry.undone_by.is_some()) {
        return Err(StoreError::Conflict { why: format!("{run} ({}) is undone already", undone.operation) });
    }
    if entries.iter().any(|entry| entry.effect == Effect::Purged) {
        return Err(StoreError::Conflict { why: "a purge cannot be undone; that is its purpose".to_owned() });
    }
    Ok(())
}

/// The refusal to take back a change that a later one stands on.
pub(crate) fn buried(entry: &HistoryEntry) -> StoreError {
    let why = match entry.memory_id {
        Some(id) => format!("{id} was changed again after that; undo the later change first (`scrubjay undo {id}`)"),
        None => "the entity was merged again after that; undo the later merge first".to_owned(),
    };
    StoreError::Conflict { why }
}

/// Refuses a merge that makes no sense.
pub(crate) fn check_merge(kept: &Entity, gone: &Entity) -> Result<()> {
    let why = if kept.id == gone.id {
        "an entity cannot be merged into itself".to_owned()
    } else if kept.scope != gone.scope {
        let (kept_scope, gone_scope) = (&kept.scope, &gone.scope);
        format!(
            "{} lives in {kept_scope} and {} in {gone_scope}; only entities of one scope can be merged",
            kept.name, gone.name
        )
    } else {
        return Ok(());
    };
    Err(StoreError::Conflict { why })
}

/// The refusal to bring an entity back when its place is taken or gone.
pub(crate) fn cannot_split(merged: &MergedEntity) -> StoreError {
    let why =
        format!("{} cannot come back: the entity that took it in is gone, or its name or id is taken", merged.name);
    StoreError::Conflict { why }
}

/// The refusal to store something under an id that is taken.
pub(crate) fn taken(id: impl std::fmt::Display) -> StoreError {
    StoreError::Conflict { why: format!("{id} cannot be used") }
}

/// What tells whether a piece of a document is the same as before.
pub(crate) fn chunk_hash(chunk: &NewChunk) -> TextHash {
    TextHash::of_message(&format!("{}\n{}", chunk.context, chunk.text))
}

/// The refusal of a second task of the same name.
pub(crate) fn task_exists(id: &scrubjay_core::scope::TaskId) -> StoreError {
    StoreError::Conflict { why: format!("there is a task `{id}` already; choose another name") }
}

/// A receipt is judged as a whole.
pub(crate) fn expect_verdicts(items: usize, verdicts: usize) -> crate::Result<()> {
    if items == verdicts {
        return Ok(());
    }
    Err(StoreError::Conflict { why: format!("the receipt has {items} items, and {verdicts} verdicts were given") })
}

/// The vectors of a namespace have one number of dimensions, and at least one.
pub(crate) fn expect_dimensions(space: &Space, known: Option<usize>, entries: &[SpaceEntry]) -> crate::Result<()> {
    let Some(expected) = known.or_else(|| entries.first().map(|entry| entry.vector.len())) else { return Ok(()) };
    let other = entries.iter().map(|entry| entry.vector.len()).find(|own| *own != expected || *own == 0);
    let Some(other) = other else { return Ok(()) };
    let namespace = &space.namespace;
    let why = format!(
        "the vectors of the namespace `{namespace}` have {expected} dimensions, and one with {other} was given"
    );
    Err(StoreError::Conflict { why })
}

/// How many go when there are too many: a tenth, and at least one.
pub(crate) fn tenth(count: u64) -> u64 {
    (count / 10).max(1)
}

/// The id of an entity that goes along with a memory to another project while
/// its own project keeps it: always the same for the same way.
pub(crate) fn entity_elsewhere(id: EntityId, scope: &Scope) -> EntityId {
    let hash = TextHash::of_value(&format!("{id} {scope}"));
    let mut bytes = [0; 16];
    for (byte, hashed) in bytes.iter_mut().zip(hash.as_bytes()) {
        *byte = *hashed;
    }
    EntityId::from(uuid::Builder::from_custom_bytes(bytes).into_uuid())
}

/// The refusal to move memories to where they are.
pub(crate) fn check_move(from: &ProjectId, to: &ProjectId) -> Result<()> {
    if from == to {
        return Err(StoreError::Conflict { why: format!("`{from}` is one and the same project") });
    }
    Ok(())
}

/// The refusal when no run is left to take back.
pub(crate) fn nothing_to_undo() -> StoreError {
    StoreError::Conflict { why: "there is nothing to undo".to_owned() }
}
