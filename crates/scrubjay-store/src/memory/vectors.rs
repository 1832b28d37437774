//! Vectors by generation.

use std::collections::BTreeSet;

use scrubjay_core::scope::View;
use scrubjay_core::time::Timestamp;

use super::index_log;
use super::tables::{KeptGeneration, Tables};
use crate::item::{Coverage, Generation, GenerationId, GenerationState, ItemKey, NewGeneration, NewVectors, Waiting};
use crate::{Result, StoreError};

/// The generations, oldest first.
pub(super) fn generations(tables: &Tables) -> Vec<Generation> {
    tables.generations.iter().map(|(_, kept)| kept.generation.clone()).collect()
}

/// Begins a generation, or finds the one with this description.
pub(super) fn begin(tables: &mut Tables, spec: &NewGeneration, at: Timestamp) -> Generation {
    let mut state = GenerationState::Serving;
    for generation in generations(tables).into_iter().filter(|known| known.state != GenerationState::Retired) {
        if generation.spec == *spec {
            return generation;
        }
        match generation.state {
            GenerationState::Serving => state = GenerationState::Building,
            _ => set_state(tables, generation.id, GenerationState::Retired),
        }
    }
    let id = GenerationId(tables.next_number("generations"));
    let generation = Generation { id, spec: spec.clone(), state, created_at: at };
    let memories = tables.memories.iter().map(|(pk, _)| ItemKey::memory(*pk));
    let chunks = tables.chunks.iter().map(|(pk, _)| ItemKey::chunk(*pk));
    let older = memories.chain(chunks).collect();
    tables.generations.put(id, KeptGeneration { generation: generation.clone(), older });
    generation
}

/// Queues older items; false when all are queued.
pub(super) fn queue_older(tables: &mut Tables, generation: GenerationId, limit: usize) -> Result<bool> {
    need(tables, generation)?;
    let (batch, more) = tables
        .generations
        .change(&generation, |kept| {
            let rest = kept.older.split_off(limit.min(kept.older.len()));
            (std::mem::replace(&mut kept.older, rest), !kept.older.is_empty())
        })
        .unwrap_or_default();
    for key in batch {
        let exists = index_log::row(tables, key).is_some();
        if exists && !tables.vectors.has(&(generation, key)) && !tables.embed_queue.has(&(generation, key)) {
            tables.embed_queue.put((generation, key), 0);
        }
    }
    Ok(more)
}

/// Items that wait for vectors.
pub(super) fn waiting(tables: &Tables, generation: GenerationId, limit: usize) -> Vec<Waiting> {
    let first = (generation, ItemKey::from_number(0));
    let last = (generation, ItemKey::from_number(u64::MAX));
    let queued = tables.embed_queue.range(first..=last).take(limit);
    queued
        .filter_map(|((_, key), ticket)| Some(Waiting { ticket: *ticket, row: index_log::row(tables, *key)? }))
        .collect()
}

/// Stores vectors and takes their items off the queue.
pub(super) fn put(tables: &mut Tables, generation: GenerationId, vectors: &[NewVectors]) -> Result<usize> {
    need(tables, generation)?;
    let mut stored = 0;
    for new in vectors {
        let place = (generation, new.key);
        if tables.embed_queue.get(&place) == Some(&new.ticket) {
            tables.embed_queue.take(&place);
        }
        let Some(row) = index_log::row(tables, new.key) else { continue };
        tables.vectors.put(place, (new.text, new.encoded.clone()));
        index_log::note(tables, row.item.scope(), new.key, false);
        stored += 1;
    }
    Ok(stored)
}

/// Switches to a generation.
pub(super) fn serve(tables: &mut Tables, generation: GenerationId) -> Result<()> {
    match need(tables, generation)?.state {
        GenerationState::Serving => return Ok(()),
        GenerationState::Retired => return Err(StoreError::not_found("such a generation of vectors")),
        GenerationState::Building => {}
    }
    let former = generations(tables).into_iter().find(|known| known.state == GenerationState::Serving);
    if let Some(former) = former {
        set_state(tables, former.id, GenerationState::Retired);
    }
    set_state(tables, generation, GenerationState::Serving);
    Ok(())
}

/// Removes vectors of retired generations; false when none are left.
pub(super) fn remove_retired(tables: &mut Tables, limit: usize) -> bool {
    let retired = generations(tables).into_iter().filter(|known| known.state == GenerationState::Retired);
    let mut left = limit;
    for generation in retired.map(|generation| generation.id) {
        let range = || (generation, ItemKey::from_number(0))..=(generation, ItemKey::from_number(u64::MAX));
        let queued: Vec<_> = tables.embed_queue.range(range()).map(|(key, _)| *key).take(left).collect();
        left -= queued.len();
        for key in queued {
            tables.embed_queue.take(&key);
        }
        let stored: Vec<_> = tables.vectors.range(range()).map(|(key, _)| *key).take(left).collect();
        left -= stored.len();
        for key in stored {
            tables.vectors.take(&key);
        }
        if left == 0 {
            return true;
        }
        tables.generations.take(&generation);
    }
    false
}

/// How many of the visible items wait for vectors of a generation.
pub(super) fn count_waiting(tables: &Tables, view: &View, generation: GenerationId) -> u64 {
    let older = tables.generations.get(&generation).map_or(&[][..], |kept| kept.older.as_slice());
    let without = older.iter().filter(|key| !tables.vectors.has(&(generation, **key))).copied();
    let queued = tables.embed_queue.iter().filter(|((of, _), _)| *of == generation).map(|((_, key), _)| *key);
    let waiting: BTreeSet<ItemKey> = without.chain(queued).collect();
    let is_visible = |key: &ItemKey| index_log::row(tables, *key).is_some_and(|row| view.sees(row.item.scope()));
    waiting.iter().filter(|key| is_visible(key)).count() as u64
}

/// How far a generation has come.
pub(super) fn coverage(tables: &Tables, generation: GenerationId) -> Coverage {
    let embedded = tables.vectors.iter().filter(|((of, _), _)| *of == generation).count() as u64;
    let items = (tables.memories.iter().count() + tables.chunks.iter().count()) as u64;
    Coverage { embedded, items }
}

fn need(tables: &Tables, generation: GenerationId) -> Result<Generation> {
    let kept = tables.generations.get(&generation);
    kept.map(|kept| kept.generation.clone()).ok_or_else(|| StoreError::not_found("such a generation of vectors"))
}

fn set_state(tables: &mut Tables, generation: GenerationId, state: GenerationState) {
    tables.generations.change(&generation, |kept| kept.generation.state = state);
}
