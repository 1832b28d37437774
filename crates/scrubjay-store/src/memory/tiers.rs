//! Tasks, and what keeps tiers in bounds.

use scrubjay_core::id::{MemoryId, RunId};
use scrubjay_core::memory::{DecayRate, EndedBy, Kind, Memory, Relation};
use scrubjay_core::scope::{Scope, TaskId, View};
use scrubjay_core::time::Timestamp;

use super::changes;
use super::tables::{Past, Tables};
use crate::change::Effect;
use crate::context::{Capacity, Outdated, Task};
use crate::{Result, StoreError, rules};

/// Begins a task.
pub(super) fn begin(tables: &mut Tables, task: Task) -> Result<()> {
    let scope = Scope::Project(task.project.clone());
    if tables.tasks.iter().any(|((of, _), known)| *of == scope && known.id == task.id) {
        return Err(rules::task_exists(&task.id));
    }
    tables.know(&scope);
    let number = tables.next_number("tasks");
    tables.tasks.put((scope, number), task);
    Ok(())
}

/// A project's tasks, newest first.
pub(super) fn list(tables: &Tables, view: &View, open: bool, limit: usize) -> Vec<Task> {
    let own = tables.tasks.iter().rev().filter(|((scope, _), _)| view.sees(scope)).map(|(_, task)| task);
    own.filter(|task| !open || task.ended_at.is_none()).take(limit).cloned().collect()
}

/// One of them.
pub(super) fn find(tables: &Tables, view: &View, id: &TaskId) -> Option<Task> {
    place(tables, view, id).and_then(|place| tables.tasks.get(&place)).cloned()
}

/// Declares a task over; false if it was.
pub(super) fn end(tables: &mut Tables, view: &View, id: &TaskId, at: Timestamp) -> Result<bool> {
    let place = place(tables, view, id).ok_or_else(|| StoreError::not_found(format!("task `{id}`")))?;
    let open = tables.tasks.get(&place).is_some_and(|task| task.ended_at.is_none());
    if open {
        tables.tasks.change(&place, |task| task.ended_at = Some(at));
    }
    Ok(open)
}

/// Opens a task again; false if it is open.
pub(super) fn reopen(tables: &mut Tables, view: &View, id: &TaskId) -> Result<bool> {
    let place = place(tables, view, id).ok_or_else(|| StoreError::not_found(format!("task `{id}`")))?;
    let ended = tables.tasks.get(&place).is_some_and(|task| task.ended_at.is_some());
    if ended {
        tables.tasks.change(&place, |task| task.ended_at = None);
    }
    Ok(ended)
}

/// The task whose notes a run changed, or those that were changed last.
pub(super) fn of_run(tables: &Tables, view: &View, run: Option<RunId>) -> Option<TaskId> {
    let project = view.project_id()?;
    let task_of = |scope: &Scope| match scope {
        Scope::Task(of, task) if of == project => Some(task.clone()),
        _ => None,
    };
    let is_meant = |past: &Past| {
        let entry = &past.entry;
        let is_deliberate = entry.operation != "capture" && changes::undone_by(tables, entry.undone_by).is_none();
        is_deliberate
            && match run {
                Some(run) => entry.run == run && task_of(&past.scope).is_some(),
                None => {
                    let is_undoable = entry.operation != rules::UNDO && entry.effect != Effect::Purged;
                    is_undoable && (view.sees(&past.scope) || task_of(&past.scope).is_some())
                }
            }
    };
    tables.changes.iter().rev().map(|(_, past)| past).find(|past| is_meant(past)).and_then(|past| task_of(&past.scope))
}

/// The least important tenth of a scope that has too much.
pub(super) fn overfull(tables: &Tables, scope: &Scope, capacity: &Capacity) -> Vec<MemoryId> {
    let counts = |memory: &Memory| {
        memory.scope == *scope
            && memory.kind() == Kind::Fact
            && memory.is_active()
            && memory.decay_rate != DecayRate::PROTECTED
            && capacity.types.iter().any(|name| name == memory.memory_type.as_str())
    };
    let mut items: Vec<(u64, &Memory)> =
        tables.memories.iter().map(|(pk, stored)| (*pk, &stored.memory)).filter(|(_, memory)| counts(memory)).collect();
    if items.len() as u64 <= capacity.max_items {
        return Vec::new();
    }
    items.sort_by(|(a_pk, a), (b_pk, b)| {
        let by_importance = a.importance.value().total_cmp(&b.importance.value());
        by_importance.then(a.event_time.cmp(&b.event_time)).then(a_pk.cmp(b_pk))
    });
    let tenth = usize::try_from(rules::tenth(items.len() as u64)).unwrap_or(0);
    items.into_iter().take(tenth).map(|(_, memory)| memory.id).collect()
}

/// Those that no longer hold.
pub(super) fn outdated(tables: &Tables, view: &View, ids: &[MemoryId]) -> Vec<Outdated> {
    let of = |id: &MemoryId| {
        let (pk, _) = tables.find(view, *id)?;
        let newer = superseder(tables, view, pk).map(|(_, newer)| (newer.created_at, Some(newer.id)));
        newer.or_else(|| by_source(tables, view, pk)).map(|(since, by)| Outdated { id: *id, since, by })
    };
    ids.iter().filter_map(of).collect()
}

// The newest active memory in view that took a place.
fn superseder<'a>(tables: &'a Tables, view: &View, pk: u64) -> Option<(u64, &'a Memory)> {
    let links = tables.links.iter().filter(|((_, relation, to), ())| *to == pk && *relation == Relation::Supersedes);
    let newer = links.filter_map(|((from, ..), ())| Some((*from, &tables.memories.get(from)?.memory)));
    newer.filter(|(_, memory)| memory.is_active() && view.sees(&memory.scope)).max_by_key(|(from, _)| *from)
}

// A fact made from it that was since superseded, corrected or forgotten, by something that was not made from it.
fn by_source(tables: &Tables, view: &View, pk: u64) -> Option<(Timestamp, Option<MemoryId>)> {
    let is_from = |from: u64, to: u64| tables.links.get(&(from, Relation::DerivedFrom, to)).is_some();
    let links = tables.links.iter().filter(|((_, relation, to), ())| *to == pk && *relation == Relation::DerivedFrom);
    let derived = links.filter_map(|((from, ..), ())| Some((*from, &tables.memories.get(from)?.memory)));
    let derived = derived.filter(|(_, memory)| memory.kind() == Kind::Fact && view.sees(&memory.scope));
    let outdated = derived.filter_map(|(from, memory)| {
        let newer = superseder(tables, view, from);
        if newer.is_some_and(|(newer, _)| is_from(newer, pk)) {
            return None;
        }
        let retracted = [EndedBy::Forgotten, EndedBy::Superseded, EndedBy::Corrected];
        let ended = memory.ended.filter(|ended| retracted.contains(&ended.by)).map(|ended| ended.at);
        let since = ended.or(newer.map(|(_, newer)| newer.created_at))?;
        Some(((newer.map(|(newer, _)| newer), from), (since, newer.map(|(_, newer)| newer.id))))
    });
    outdated.max_by_key(|(newest, _)| *newest).map(|(_, outdated)| outdated)
}

fn place(tables: &Tables, view: &View, id: &TaskId) -> Option<(Scope, u64)> {
    let mut own = tables.tasks.iter().filter(|((scope, _), _)| view.sees(scope));
    own.find(|(_, task)| task.id == *id).map(|(place, _)| place.clone())
}
