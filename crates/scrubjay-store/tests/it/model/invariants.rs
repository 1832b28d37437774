//! What must be true whatever happened.

use std::collections::BTreeMap;

use proptest::prelude::*;
use scrubjay_core::id::MemoryId;
use scrubjay_core::memory::{Link, Memory};
use scrubjay_store::change::{Effect, HistoryEntry, Undone};

use super::state::State;

/// Nothing is lost, and history is complete.
pub(crate) fn check(state: &State, created: &BTreeMap<MemoryId, Memory>) -> Result<(), TestCaseError> {
    let memories = state.memories();
    let purged = state.feeds.iter().flatten().filter(|(effect, _)| *effect == Effect::Purged).count();
    prop_assert_eq!(memories.len() + purged, created.len(), "every memory is there, or was purged");
    let history = state.history();
    for (id, memory) in &memories {
        let first = &created[id];
        leads_back(memory, &history[id], first)?;
    }
    for link in state.links() {
        prop_assert!(memories.contains_key(&link.from) && memories.contains_key(&link.to), "links have ends");
    }
    for entity in state.entities().values() {
        let of = |seen: &super::state::Seen| {
            seen.mentioned.values().filter(|entities| entities.iter().any(|other| other.id == entity.id)).count()
        };
        let most = state.views.iter().map(of).max().unwrap_or(0);
        prop_assert_eq!(entity.mention_count, most as u64, "mentions of {}", entity.name);
    }
    Ok(())
}

/// After an undoing, what the run had changed is as it was before the run.
pub(crate) fn undone_exactly(before: &State, after: &State, undone: &Undone) -> Result<(), TestCaseError> {
    let (old, new) = (before.memories(), after.memories());
    let history = after.history();
    for id in &undone.memories {
        let Some(now) = new.get(id) else { continue };
        // A memory that was only linked may have been changed by others since.
        if !history[id].iter().any(|entry| entry.run == undone.run && entry.effect.is_of_fields()) {
            continue;
        }
        match old.get(id) {
            Some(then) => prop_assert_eq!(&essence(now), &essence(then), "{} after undoing {}", id, undone.operation),
            None => prop_assert!(!now.is_active(), "what was created has ended"),
        }
    }
    let both_there = |link: &Link| new.contains_key(&link.from) && new.contains_key(&link.to);
    for link in links_of(after, undone) {
        if both_there(&link) {
            prop_assert_eq!(after.links().contains(&link), before.links().contains(&link), "{:?}", link);
        }
    }
    Ok(())
}

// Versions go from one up without gaps, and what was before each leads from the
// present memory to the first.
fn leads_back(memory: &Memory, history: &[HistoryEntry], first: &Memory) -> Result<(), TestCaseError> {
    let of_fields: Vec<&HistoryEntry> = history.iter().filter(|entry| entry.effect.is_of_fields()).collect();
    let versions: Vec<u64> = of_fields.iter().map(|entry| entry.version).collect();
    prop_assert_eq!(&versions, &(1..=memory.version).collect::<Vec<_>>(), "versions of {}", memory.id);
    let mut past = memory.clone();
    for entry in of_fields.into_iter().rev() {
        prop_assert_eq!(past.version, entry.version);
        if entry.effect == Effect::Created {
            break;
        }
        entry.before.fields.apply(&mut past);
        past.version -= 1;
    }
    past.access_count = first.access_count;
    past.last_accessed = first.last_accessed;
    prop_assert_eq!(&past, first, "history leads back");
    Ok(())
}

// The links that an undone run had made or removed.
fn links_of(state: &State, undone: &Undone) -> Vec<Link> {
    let history = state.history();
    let entries = history.values().flatten().filter(|entry| entry.run == undone.run);
    entries.filter_map(|entry| entry.before.link.clone()).collect()
}

// A memory without what an undoing cannot and need not restore.
fn essence(memory: &Memory) -> Memory {
    Memory { version: 0, access_count: 0, last_accessed: None, ..memory.clone() }
}
