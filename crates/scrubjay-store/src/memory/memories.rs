//! Reading memories: one, many, and how many.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use scrubjay_core::filter::{Cursor, Order};
use scrubjay_core::id::MemoryId;
use scrubjay_core::memory::{Kind, Memory};
use scrubjay_core::scope::{Scope, View};
use scrubjay_core::time::{DAY_MS, Timestamp};

use super::changes;
use super::tables::Tables;
use crate::change::FeedItem;
use crate::query::{Counts, DayCount, JobState, ListQuery, Page};

/// Memories by conditions, in order.
pub(super) fn list(tables: &Tables, view: &View, query: &ListQuery) -> Page {
    let entity = query.entity.map(|id| tables.entity_ids.get(&id.uuid()).copied());
    let mentions = |pk: u64| match entity {
        Some(Some(entity)) => tables.mentions.has(&(pk, entity)),
        Some(None) => false,
        None => true,
    };
    let mut found: Vec<&Memory> = tables
        .visible(view)
        .filter(|(pk, _)| mentions(*pk))
        .map(|(_, stored)| &stored.memory)
        .filter(|memory| query.activity.admits(memory) && query.filter.matches(memory))
        .filter(|memory| query.after.as_ref().is_none_or(|cursor| is_after(&query.order, memory, cursor)))
        .collect();
    found.sort_by(|a, b| query.order.compare(a, b));
    let more = found.len() > query.limit;
    let memories: Vec<Memory> = found.into_iter().take(query.limit).cloned().collect();
    let last = memories.last().filter(|_| more);
    let next = last.map(|memory| Cursor { key: query.order.key(memory), id: memory.id });
    Page { memories, next }
}

/// Notes that memories were used.
pub(super) fn touch(tables: &mut Tables, view: &View, ids: &[MemoryId], at: Timestamp) {
    for id in ids {
        let Some(pk) = tables.find(view, *id).map(|(pk, _)| pk) else { continue };
        tables.memories.change(&pk, |stored| {
            stored.memory.access_count += 1;
            stored.memory.last_accessed = stored.memory.last_accessed.max(Some(at));
        });
    }
}

/// What changed in one scope after a position.
pub(super) fn feed(tables: &Tables, scope: &Scope, after: u64, limit: usize) -> Vec<FeedItem> {
    let later = tables.changes.range(after.saturating_add(1)..).filter(|(_, past)| past.scope == *scope);
    let item = |(position, past): (&u64, &super::tables::Past)| {
        let memory = past.memory.and_then(|pk| tables.memories.get(&pk)).map(|stored| stored.memory.clone());
        // One that moved on is another project's.
        let memory = memory.filter(|memory| memory.scope == *scope);
        FeedItem { position: *position, effect: past.entry.effect, memory }
    };
    later.take(limit).map(item).collect()
}

/// Numbers about what the view can see.
pub(super) fn counts(tables: &Tables, view: &View) -> Counts {
    let mut active: BTreeMap<(String, &str, &str), (Scope, u64)> = BTreeMap::new();
    let (mut ended, mut latest) = (0, None);
    for (_, stored) in tables.visible(view) {
        let memory = &stored.memory;
        latest = latest.max(Some(memory.created_at));
        if memory.is_active() {
            let key = (memory.scope.to_string(), memory.kind().name(), memory.memory_type.as_str());
            active.entry(key).or_insert_with(|| (memory.scope.clone(), 0)).1 += 1;
        } else {
            ended += 1;
        }
    }
    let jobs = |state| {
        let visible = tables.jobs.iter().filter(|(_, claimed)| view.sees(&claimed.job.scope));
        visible.filter(|(_, claimed)| claimed.job.state == state).count() as u64
    };
    Counts {
        active: active
            .into_iter()
            .map(|((_, kind, memory_type), (scope, count))| (scope, kind.to_owned(), memory_type.to_owned(), count))
            .collect(),
        ended,
        latest,
        entities: tables.entities.iter().filter(|(_, entity)| view.sees(&entity.scope)).count() as u64,
        links: changes::visible_links(tables, view).count() as u64,
        sessions: tables.sessions.iter().filter(|((scope, _), _)| view.sees(scope)).count() as u64,
        jobs: JobState::ALL.map(|state| (state, jobs(state))).to_vec(),
    }
}

/// What happened since, day by day.
pub(super) fn growth(tables: &Tables, view: &View, since: Timestamp) -> Vec<DayCount> {
    let mut days: BTreeMap<i64, DayCount> = BTreeMap::new();
    let mut note = |at: Timestamp, note: &dyn Fn(&mut DayCount)| {
        let day = at.millis() / DAY_MS;
        note(days.entry(day).or_insert(DayCount { day, ..DayCount::default() }));
    };
    for (_, stored) in tables.visible(view).filter(|(_, stored)| stored.memory.event_time >= since) {
        match stored.memory.kind() {
            Kind::Fact | Kind::Reflection => note(stored.memory.event_time, &|day| day.facts += 1),
            Kind::Episode => note(stored.memory.event_time, &|day| day.episodes += 1),
            Kind::Scratch => {}
        }
    }
    for (_, receipt) in tables.receipts.iter().filter(|(_, one)| one.at >= since && view.sees(&one.scope)) {
        let used = receipt.items.iter().filter(|item| item.verdict.is_some_and(|verdict| verdict.used)).count();
        let handed_over = receipt.items.len();
        if handed_over > 0 {
            note(receipt.at, &|day| {
                day.handed_over += handed_over as u64;
                day.used += used as u64;
            });
        }
    }
    days.into_values().collect()
}

fn is_after(order: &Order, memory: &Memory, cursor: &Cursor) -> bool {
    let ordering = order.key(memory).compare(&cursor.key).then_with(|| memory.id.uuid().cmp(&cursor.id.uuid()));
    ordering == if order.ascending { Ordering::Greater } else { Ordering::Less }
}
