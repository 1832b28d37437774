//! Taking a run back.

use std::collections::BTreeSet;

use scrubjay_core::id::{MemoryId, RunId};
use scrubjay_core::memory::Link;
use scrubjay_core::scope::View;

use super::tables::{Past, Tables};
use super::{changes, entities, projects};
use crate::change::{Effect, HistoryEntry, MentionedEntity, NewMention, Stamp, UndoTarget, Undone};
use crate::{Result, StoreError, rules};

const CAPTURE: &str = "capture";

/// What is taken back: a run, or of a run of captures the message with this
/// number alone. Messages that happened to share a commit are not undone
/// together.
type Target = (RunId, Option<u64>);

/// Takes a run back, newest change first.
pub(super) fn undo(tables: &mut Tables, view: &View, stamp: &Stamp, target: UndoTarget) -> Result<Undone> {
    let stamp = &Stamp { operation: rules::UNDO, ..stamp.clone() };
    let target = match target {
        UndoTarget::Run(run) => (run, None),
        UndoTarget::Last => last(tables, view, |past| {
            view.sees(&past.scope) && past.entry.operation != CAPTURE && past.entry.effect != Effect::Purged
        })?,
        UndoTarget::Memory(id) => {
            let (pk, _) = tables.need(view, id)?;
            last(tables, view, |past| past.memory == Some(pk))?
        }
    };
    let run = target.0;
    // A run that reached out of this view answers like one that never was.
    let pasts = in_view(tables, view, target).ok_or_else(|| StoreError::not_found(run))?;
    let entries: Vec<HistoryEntry> = pasts.iter().map(|(_, entry)| entry.clone()).collect();
    rules::check_undo(run, &entries)?;
    for (seq, entry) in &pasts {
        let later = tables.changes.range(seq + 1..).map(|(_, past)| changes::settled(tables, past));
        if later.into_iter().any(|later| later.stands_on(entry)) {
            return Err(rules::buried(entry));
        }
    }
    for (seq, entry) in &pasts {
        take_back(tables, view, stamp, entry)?;
        tables.changes.change(seq, |past| past.entry.undone_by = Some(stamp.run));
    }
    let memories: BTreeSet<MemoryId> = entries.iter().filter_map(|entry| entry.memory_id).collect();
    let operation = entries.into_iter().next().map(|entry| entry.operation).unwrap_or_default();
    Ok(Undone { run, operation, memories: memories.into_iter().collect(), changes: pasts.len() })
}

/// Whether a run has made changes, all by this operation and none out of view.
pub(super) fn continues(tables: &Tables, view: Option<&View>, run: RunId, operation: &str) -> bool {
    let mut pasts = tables.changes.iter().map(|(_, past)| past).filter(|past| past.entry.run == run).peekable();
    let fits = |past: &Past| past.entry.operation == operation && view.is_none_or(|view| view.sees(&past.scope));
    pasts.peek().is_some() && pasts.all(fits)
}

fn take_back(tables: &mut Tables, view: &View, stamp: &Stamp, entry: &HistoryEntry) -> Result<()> {
    match (entry.effect, entry.memory_id) {
        (Effect::Created | Effect::Updated | Effect::Ended | Effect::Reopened, Some(id)) => {
            let (pk, stored) = tables.need(view, id)?;
            let patch = rules::taking_back(entry, &stored.memory, stamp.at);
            changes::patch_memory(tables, stamp, pk, &patch)?;
        }
        (Effect::Linked, _) => {
            if let Some(link) = standing(tables, entry) {
                changes::unlink(tables, view, stamp, link)?;
            }
        }
        (Effect::Unlinked, _) => {
            if let Some(link) = standing(tables, entry) {
                changes::link(tables, view, stamp, link)?;
            }
        }
        (Effect::Merged, _) => {
            if let Some(merged) = &entry.before.entity {
                entities::split(tables, view, stamp, merged)?;
            }
        }
        (Effect::Split, _) => {
            if let Some(merged) = &entry.before.entity {
                entities::merge(tables, view, stamp, merged.into, merged.id)?;
            }
        }
        (Effect::Mentioned, Some(id)) => entities::unmention(tables, view, stamp, id, &entry.before.mentions)?,
        (Effect::Unmentioned, Some(id)) => {
            let again = |one: &MentionedEntity| NewMention {
                id: one.id,
                name: one.name.clone(),
                entity_type: one.entity_type,
                alias: None,
            };
            let mentions: Vec<NewMention> = entry.before.mentions.iter().map(again).collect();
            entities::mention(tables, view, stamp, id, &mentions)?;
        }
        (Effect::Moved, Some(id)) => {
            if let Some(moved) = &entry.before.moved {
                projects::take_back(tables, stamp, id, moved, &view.home())?;
            }
        }
        // Refused before, and a change without its memory was purged.
        (
            Effect::Purged
            | Effect::Moved
            | Effect::Created
            | Effect::Updated
            | Effect::Ended
            | Effect::Reopened
            | Effect::Mentioned
            | Effect::Unmentioned,
            _,
        ) => {}
    }
    Ok(())
}

// The link of a change while both its ends exist; a purge takes links along.
fn standing<'a>(tables: &Tables, entry: &'a HistoryEntry) -> Option<&'a Link> {
    entry.before.link.as_ref().filter(|link| tables.exists(link.from) && tables.exists(link.to))
}

// The last among those rows that is not an undoing, not undone and wholly in
// view.
fn last(tables: &Tables, view: &View, counts: impl Fn(&Past) -> bool) -> Result<Target> {
    let mut passed_over = BTreeSet::new();
    for (_, past) in tables.changes.iter().rev() {
        let entry = &past.entry;
        let target = (entry.run, past.memory.filter(|_| entry.operation == CAPTURE));
        if entry.operation == rules::UNDO || !counts(past) || passed_over.contains(&target) {
            continue;
        }
        if changes::undone_by(tables, entry.undone_by).is_some() {
            continue;
        }
        if in_view(tables, view, target).is_some() {
            return Ok(target);
        }
        passed_over.insert(target);
    }
    Err(rules::nothing_to_undo())
}

// The rows to be taken back, newest first; none if there are none, or if the run
// touched anything out of view.
fn in_view(tables: &Tables, view: &View, (run, message): Target) -> Option<Vec<(u64, HistoryEntry)>> {
    let is_meant = |past: &Past| {
        let captured = past.entry.operation == CAPTURE;
        past.entry.run == run && captured == message.is_some() && (message.is_none() || past.memory == message)
    };
    let mut rows = Vec::new();
    for (seq, past) in tables.changes.iter().rev().filter(|(_, past)| is_meant(past)) {
        let out_of_view = |link: &Link| tables.find(view, link.from).is_none() || tables.find(view, link.to).is_none();
        // Moving is the owner's, and so is moving back.
        let is_owners = view.hides_global() && past.entry.effect == Effect::Moved;
        if is_owners || !view.sees(&past.scope) || standing(tables, &past.entry).is_some_and(out_of_view) {
            return None;
        }
        rows.push((*seq, changes::settled(tables, past)));
    }
    Some(rows).filter(|rows| !rows.is_empty())
}
