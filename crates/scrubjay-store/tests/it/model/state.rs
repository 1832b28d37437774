//! Everything that can be seen of a store.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;
use scrubjay_core::entity::Entity;
use scrubjay_core::id::MemoryId;
use scrubjay_core::memory::{Link, Memory};
use scrubjay_core::text::TextHash;
use scrubjay_store::Store;
use scrubjay_store::change::{Effect, HistoryEntry};
use scrubjay_store::item::Item;
use scrubjay_store::query::{Counts, EntityQuery, Job, Session};

use super::world::{PLACES, TEXTS};
use crate::support::{all, scope, view};

/// What one view shows.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Seen {
    pub(crate) memories: BTreeMap<MemoryId, Memory>,
    pub(crate) history: BTreeMap<MemoryId, Vec<HistoryEntry>>,
    pub(crate) links: BTreeSet<Link>,
    pub(crate) mentioned: BTreeMap<MemoryId, Vec<Entity>>,
    pub(crate) entities: Vec<Entity>,
    pub(crate) sessions: Vec<Session>,
    pub(crate) jobs: Vec<Job>,
    pub(crate) counts: Counts,
    pub(crate) found: Vec<Item>,
}

/// What all views show, and what belongs to scopes.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct State {
    /// One for each place.
    pub(crate) views: Vec<Seen>,
    /// What happened in each place, without positions, which mean nothing.
    pub(crate) feeds: Vec<Vec<(Effect, Option<Memory>)>>,
    /// Which texts were purged from each place.
    pub(crate) purged: Vec<Vec<bool>>,
}

impl State {
    /// Every memory, wherever it lives.
    pub(crate) fn memories(&self) -> BTreeMap<MemoryId, Memory> {
        self.views.iter().flat_map(|seen| seen.memories.clone()).collect()
    }

    /// Every link, from wherever it can be seen.
    pub(crate) fn links(&self) -> BTreeSet<Link> {
        self.views.iter().flat_map(|seen| seen.links.clone()).collect()
    }

    /// Every entity, wherever it lives.
    pub(crate) fn entities(&self) -> BTreeMap<String, Entity> {
        let entities = self.views.iter().flat_map(|seen| seen.entities.clone());
        entities.map(|entity| (entity.id.to_string(), entity)).collect()
    }

    /// The fullest history of each memory.
    pub(crate) fn history(&self) -> BTreeMap<MemoryId, Vec<HistoryEntry>> {
        let mut fullest: BTreeMap<MemoryId, Vec<HistoryEntry>> = BTreeMap::new();
        for (id, history) in self.views.iter().flat_map(|seen| &seen.history) {
            let known = fullest.entry(*id).or_default();
            if history.len() > known.len() {
                known.clone_from(history);
            }
        }
        fullest
    }
}

/// Looks at everything. What belongs to single memories is looked at from the
/// views that together see all of them; `closely`, from all views.
pub(crate) async fn look(store: &dyn Store, closely: bool) -> Result<State, TestCaseError> {
    let mut state = State { views: Vec::new(), feeds: Vec::new(), purged: Vec::new() };
    for place in PLACES {
        let innermost = matches!(place, "task/a/t" | "project/b");
        state.views.push(look_from(store, place, closely || innermost).await);
        let feed = store.feed(&scope(place), 0, 100_000).await.unwrap();
        prop_assert!(feed.windows(2).all(|pair| pair[0].position < pair[1].position), "positions grow");
        state.feeds.push(feed.into_iter().map(|item| (item.effect, item.memory)).collect());
        let mut purged = Vec::new();
        for text in TEXTS {
            purged.push(store.is_purged(&scope(place), TextHash::of_value(text)).await.unwrap());
        }
        state.purged.push(purged);
    }
    Ok(state)
}

async fn look_from(store: &dyn Store, place: &str, closely: bool) -> Seen {
    let view = view(place);
    let memories: BTreeMap<MemoryId, Memory> =
        all(store, &view).await.into_iter().map(|memory| (memory.id, memory)).collect();
    let (mut history, mut mentioned, mut links) = (BTreeMap::new(), BTreeMap::new(), BTreeSet::new());
    for id in memories.keys().filter(|_| closely) {
        history.insert(*id, store.history(&view, *id).await.unwrap());
        mentioned.insert(*id, store.mentioned(&view, *id).await.unwrap());
        links.extend(store.links(&view, *id).await.unwrap());
    }
    let tail = store.tail(Some(&view), 0, 100_000).await.unwrap();
    let found = tail.entries.into_iter().filter_map(|entry| entry.row.map(|row| row.item)).collect();
    Seen {
        history,
        mentioned,
        links,
        entities: store.entities(&view, EntityQuery { limit: 1000, ..EntityQuery::default() }).await.unwrap().entities,
        sessions: store.sessions(&view, 1000, 0).await.unwrap(),
        jobs: store.jobs(&view, None, 1000).await.unwrap(),
        counts: store.counts(&view).await.unwrap(),
        found,
        memories,
    }
}
