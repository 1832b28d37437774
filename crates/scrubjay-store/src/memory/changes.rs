//! Changes to memories, and the history they leave.

use std::collections::BTreeSet;

use scrubjay_core::id::{MemoryId, RunId};
use scrubjay_core::memory::{Ended, Link, Memory, Origin, OriginKind, Relation};
use scrubjay_core::scope::{Scope, View};
use scrubjay_core::text::TextHash;

use super::tables::{Past, Tables};
use super::{capture, entities, index_log, jobs, sessions};
use crate::change::{Applied, Before, Change, Effect, HistoryEntry, NewJob, NewMemory, Patch, Stamp};
use crate::item::ItemKey;
use crate::{Result, StoreError, rules};

/// Makes all changes of a run.
pub(super) fn apply(
    tables: &mut Tables,
    view: &View,
    stamp: &Stamp,
    changes: &[Change],
    new_jobs: &[NewJob],
) -> Result<Vec<Applied>> {
    let applied = changes.iter().map(|change| apply_one(tables, view, stamp, change)).collect::<Result<_>>()?;
    jobs::enqueue(tables, new_jobs, stamp.at);
    Ok(applied)
}

/// Applies a patch and records what it changed; nothing if it changed nothing.
pub(super) fn patch_memory(tables: &mut Tables, stamp: &Stamp, pk: u64, patch: &Patch) -> Result<Memory> {
    if let Some(attributes) = &patch.attributes {
        rules::check_attributes(attributes)?;
    }
    let patched = tables.memories.change(&pk, |stored| {
        let fields = patch.apply(&mut stored.memory);
        if !fields.is_empty() {
            stored.memory.version += 1;
        }
        (stored.memory.clone(), fields)
    });
    let (memory, fields) = patched.ok_or_else(|| StoreError::not_found("such a memory"))?;
    if !fields.is_empty() {
        index_log::note(tables, &memory.scope, ItemKey::memory(pk), fields.content.is_some());
        record(tables, stamp, pk, Effect::of_patch(patch), Some(Before { fields, ..Before::default() }));
    }
    Ok(memory)
}

/// Makes a link; false if it was there.
pub(super) fn link(tables: &mut Tables, view: &View, stamp: &Stamp, link: &Link) -> Result<bool> {
    let (from, to) = ends(tables, view, link)?;
    let key = (from, link.relation, to);
    let new = !tables.links.has(&key) && tables.links.put(key, ());
    if new {
        record(tables, stamp, from, Effect::Linked, Some(Before { link: Some(link.clone()), ..Before::default() }));
    }
    Ok(new)
}

/// Removes a link; false if there was none.
pub(super) fn unlink(tables: &mut Tables, view: &View, stamp: &Stamp, link: &Link) -> Result<bool> {
    let (from, to) = ends(tables, view, link)?;
    let gone = tables.links.take(&(from, link.relation, to)).is_some();
    if gone {
        record(tables, stamp, from, Effect::Unlinked, Some(Before { link: Some(link.clone()), ..Before::default() }));
    }
    Ok(gone)
}

/// Adds a row about a memory to history.
pub(super) fn record(tables: &mut Tables, stamp: &Stamp, pk: u64, effect: Effect, before: Option<Before>) {
    let Some(memory) = tables.memories.get(&pk).map(|stored| &stored.memory) else { return };
    let (scope, id, version) = (memory.scope.clone(), memory.id, memory.version);
    record_row(tables, stamp, &scope, Some((pk, Some(id))), effect, version, before);
}

/// Adds a row to history: about a memory, whose id is unknown once it was
/// purged, or about entities.
pub(super) fn record_row(
    tables: &mut Tables,
    stamp: &Stamp,
    scope: &Scope,
    memory: Option<(u64, Option<MemoryId>)>,
    effect: Effect,
    version: u64,
    before: Option<Before>,
) {
    let seq = tables.next_number("changes");
    let entry = HistoryEntry {
        memory_id: memory.and_then(|(_, id)| id),
        run: stamp.run,
        at: stamp.at,
        actor: stamp.actor.clone(),
        operation: stamp.operation.to_owned(),
        effect,
        version,
        before: before.unwrap_or_default(),
        undone_by: None,
    };
    tables.changes.put(seq, Past { scope: scope.clone(), memory: memory.map(|(pk, _)| pk), entry });
}

/// Everything that happened to a memory, oldest first. A link to a memory out
/// of view is nobody's business here.
pub(super) fn history(tables: &Tables, view: &View, id: MemoryId) -> Result<Vec<HistoryEntry>> {
    let (pk, _) = tables.need(view, id)?;
    let mine = tables.changes.iter().filter(|(_, past)| past.memory == Some(pk));
    let shown = mine.filter(|(_, past)| match &past.entry.before.link {
        Some(link) => tables.find(view, link.from).is_some() && tables.find(view, link.to).is_some(),
        None => true,
    });
    Ok(shown.map(|(_, past)| settled(tables, past)).collect())
}

/// A row of history with what is still true about its undoing.
pub(super) fn settled(tables: &Tables, past: &Past) -> HistoryEntry {
    HistoryEntry { undone_by: undone_by(tables, past.entry.undone_by), ..past.entry.clone() }
}

/// The run that undid a change whose row names one, unless it was undone itself.
pub(super) fn undone_by(tables: &Tables, undone_by: Option<RunId>) -> Option<RunId> {
    let of_run = |run| -> std::result::Result<_, std::convert::Infallible> {
        Ok(tables.changes.iter().filter(|(_, past)| past.entry.run == run).find_map(|(_, past)| past.entry.undone_by))
    };
    match rules::still_undone_by(undone_by, of_run) {
        Ok(undone_by) => undone_by,
        Err(never) => match never {},
    }
}

/// The links from and to a memory, both ends of which are visible.
pub(super) fn links(tables: &Tables, view: &View, id: MemoryId) -> Result<Vec<Link>> {
    let (pk, _) = tables.need(view, id)?;
    let mut links: Vec<Link> =
        visible_links(tables, view).filter(|(key, _)| key.0 == pk || key.2 == pk).map(|(_, link)| link).collect();
    links.sort_by_key(|link| (link.from.uuid(), link.relation.name(), link.to.uuid()));
    Ok(links)
}

/// The links from and to any of these memories, each once.
pub(super) fn links_of(tables: &Tables, view: &View, ids: &[MemoryId]) -> Vec<Link> {
    let wanted: BTreeSet<u64> = ids.iter().filter_map(|id| Some(tables.find(view, *id)?.0)).collect();
    let is_wanted = |key: &(u64, Relation, u64)| wanted.contains(&key.0) || wanted.contains(&key.2);
    let mut links: Vec<Link> =
        visible_links(tables, view).filter(|(key, _)| is_wanted(key)).map(|(_, link)| link).collect();
    links.sort_by_key(|link| (link.from.uuid(), link.relation.name(), link.to.uuid()));
    links
}

/// All links, both ends of which are visible.
pub(super) fn visible_links<'a>(
    tables: &'a Tables,
    view: &'a View,
) -> impl Iterator<Item = (&'a (u64, Relation, u64), Link)> {
    let end = |pk| tables.memories.get(pk).map(|stored| &stored.memory).filter(|memory| view.sees(&memory.scope));
    tables
        .links
        .iter()
        .filter_map(move |(key, ())| Some((key, Link { from: end(&key.0)?.id, relation: key.1, to: end(&key.2)?.id })))
}

fn apply_one(tables: &mut Tables, view: &View, stamp: &Stamp, change: &Change) -> Result<Applied> {
    Ok(match change {
        Change::Create(new) => create(tables, view, stamp, new)?,
        Change::Update { id, expected_version, patch } => {
            let (pk, stored) = tables.need(view, *id)?;
            rules::expect_version(&stored.memory, *expected_version)?;
            let origin =
                inherited_origin(tables, view, &stored.memory, patch.source_ids.as_deref().unwrap_or_default());
            let patch = Patch { origin: origin.or(patch.origin), ..(**patch).clone() };
            let memory = patch_memory(tables, stamp, pk, &patch)?;
            if patch.source_ids.is_some() {
                link_new_sources(tables, view, stamp, &memory)?;
            }
            Applied::Memory(Box::new(memory))
        }
        Change::End { id, expected_version, by } => {
            let (pk, stored) = tables.need(view, *id)?;
            rules::expect_version(&stored.memory, *expected_version)?;
            let patch = rules::ending(&stored.memory, Ended { at: stamp.at, by: *by })?;
            Applied::Memory(Box::new(patch_memory(tables, stamp, pk, &patch)?))
        }
        Change::Reopen { id } => {
            let (pk, stored) = tables.need(view, *id)?;
            let patch = rules::reopening(&stored.memory)?;
            Applied::Memory(Box::new(patch_memory(tables, stamp, pk, &patch)?))
        }
        Change::Link(link) => Applied::Link(self::link(tables, view, stamp, link)?),
        Change::Unlink(link) => Applied::Link(unlink(tables, view, stamp, link)?),
        Change::Mention { id, mentions } => Applied::Mentions(entities::mention(tables, view, stamp, *id, mentions)?),
    })
}

fn create(tables: &mut Tables, view: &View, stamp: &Stamp, new: &NewMemory) -> Result<Applied> {
    let memory = &new.memory;
    if !view.sees(&memory.scope) {
        return Err(StoreError::not_found("such a scope"));
    }
    tables.know(&memory.scope);
    if let Some(client_id) = &new.client_id
        && let Some(id) = capture::by_client_id(tables, &memory.scope, memory.session_id.as_deref(), client_id)
    {
        return Ok(Applied::Duplicate(id));
    }
    let value = TextHash::of_value(&memory.content);
    if capture::is_purged(tables, &memory.scope, value) {
        if !new.despite_purge {
            return Ok(Applied::Purged);
        }
        tables.tombstones.take(&(memory.scope.clone(), value));
    }
    let inheriting = inherited_origin(tables, view, memory, &memory.source_ids).map(|kind| {
        let memory = Memory { origin: Origin { kind, ..memory.origin.clone() }, ..memory.clone() };
        NewMemory { memory, ..new.clone() }
    });
    let new = inheriting.as_ref().unwrap_or(new);
    let memory = &new.memory;
    let pk = capture::store(tables, stamp, new)?;
    // What it was made from is a link as well, so that forgetting a source can
    // find everything derived from it.
    for source in memory.source_ids.iter().filter(|source| **source != memory.id) {
        if let Some((source, _)) = tables.find(view, *source) {
            tables.links.put((pk, Relation::DerivedFrom, source), ());
        }
    }
    if let Some(session_id) = &memory.session_id {
        sessions::saw(tables, &memory.scope, session_id, memory.event_time);
    }
    Ok(Applied::Memory(Box::new(memory.clone())))
}

fn inherited_origin(tables: &Tables, view: &View, memory: &Memory, source_ids: &[MemoryId]) -> Option<OriginKind> {
    let others = source_ids.iter().filter(|source| **source != memory.id);
    let sources: Vec<OriginKind> =
        others.filter_map(|source| Some(tables.find(view, *source)?.1.memory.origin.kind)).collect();
    rules::inherited_origin(memory.origin.kind, &sources)
}

// Sources named later are links as well, and are taken back with the update
// that named them.
fn link_new_sources(tables: &mut Tables, view: &View, stamp: &Stamp, memory: &Memory) -> Result<()> {
    for source in memory.source_ids.iter().filter(|source| **source != memory.id) {
        if tables.find(view, *source).is_some() {
            link(tables, view, stamp, &Link { from: memory.id, relation: Relation::DerivedFrom, to: *source })?;
        }
    }
    Ok(())
}

fn ends(tables: &Tables, view: &View, link: &Link) -> Result<(u64, u64)> {
    rules::check_link(link)?;
    Ok((tables.need(view, link.from)?.0, tables.need(view, link.to)?.0))
}
