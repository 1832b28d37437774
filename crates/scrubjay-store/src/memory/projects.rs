//! Projects as wholes.

use std::collections::BTreeMap;

use async_trait::async_trait;
use scrubjay_core::id::MemoryId;
use scrubjay_core::memory::Kind;
use scrubjay_core::scope::{ProjectId, Scope, View};

use super::MemoryStore;
use super::capture::client_key;
use super::table::Table;
use super::tables::Tables;
use super::{changes, documents, entities, index_log, sessions};
use crate::change::{Before, Effect, Moved, Stamp};
use crate::item::ItemKey;
use crate::query::ProjectCounts;
use crate::traits::Projects;
use crate::{Result, rules};

#[async_trait]
impl Projects for MemoryStore {
    async fn projects(&self) -> Result<Vec<ProjectCounts>> {
        Ok(self.read(counts))
    }

    async fn move_memories(
        &self,
        stamp: Stamp,
        from: &ProjectId,
        to: &ProjectId,
        ids: Option<Vec<MemoryId>>,
    ) -> Result<Vec<MemoryId>> {
        self.write(|tables| move_all(tables, &stamp, from, to, ids.as_deref()))
    }

    async fn clear_project(&self, project: &ProjectId) -> Result<()> {
        self.write(|tables| {
            clear(tables, project);
            Ok(())
        })
    }
}

/// Moves a memory back, unless it is elsewhere by now. That is noted where the caller stands, so that it can be taken
/// back from there.
pub(super) fn take_back(
    tables: &mut Tables,
    stamp: &Stamp,
    id: MemoryId,
    moved: &Moved,
    noted_in: &Scope,
) -> Result<()> {
    let found = tables.find(&View::of(&moved.to), id).filter(|(_, stored)| stored.memory.scope == moved.to);
    match found.map(|(pk, _)| pk) {
        Some(pk) => move_one(tables, stamp, pk, &moved.from, noted_in),
        None => Ok(()),
    }
}

fn counts(tables: &Tables) -> Vec<ProjectCounts> {
    let mut found: BTreeMap<String, ProjectCounts> = BTreeMap::new();
    let mut note = |scope: &Scope, note: &dyn Fn(&mut ProjectCounts)| {
        let Some(project) = scope.project().map(ToString::to_string) else { return };
        let new = || ProjectCounts { project: project.clone(), ..ProjectCounts::default() };
        note(found.entry(project.clone()).or_insert_with(new));
    };
    for (_, stored) in tables.memories.iter() {
        let memory = &stored.memory;
        note(&memory.scope, &|counts| {
            counts.last_used = counts.last_used.max(Some(memory.created_at));
            match memory.kind() {
                _ if !memory.is_active() => counts.ended += 1,
                Kind::Episode => counts.episodes += 1,
                Kind::Reflection => counts.reflections += 1,
                Kind::Fact | Kind::Scratch => counts.facts += 1,
            }
        });
    }
    for ((scope, _), session) in tables.sessions.iter() {
        note(scope, &|counts| {
            counts.sessions += 1;
            counts.last_used = counts.last_used.max(Some(session.last_seen));
        });
    }
    for (_, document) in tables.documents.iter() {
        note(&document.scope, &|counts| counts.documents += 1);
    }
    found.into_values().collect()
}

fn move_all(
    tables: &mut Tables,
    stamp: &Stamp,
    from: &ProjectId,
    to: &ProjectId,
    ids: Option<&[MemoryId]>,
) -> Result<Vec<MemoryId>> {
    rules::check_move(from, to)?;
    let (left, reached) = (Scope::Project(from.clone()), Scope::Project(to.clone()));
    let view = View::of(&left).without_global();
    // Whoever names memories stands where they were, and whoever moves all of them stands where they are then.
    let (ids, noted_in) = match ids {
        Some(ids) => (ids.to_vec(), &left),
        None => (tables.visible(&view).map(|(_, stored)| stored.memory.id).collect(), &reached),
    };
    for id in &ids {
        let (pk, _) = tables.need(&view, *id)?;
        move_one(tables, stamp, pk, &reached, noted_in)?;
    }
    if noted_in == &reached {
        // What was purged must not be learned again under another name.
        let purged = tables.tombstones.iter().filter(|((scope, _), _)| *scope == left);
        let purged: Vec<_> = purged.map(|((_, hash), at)| ((reached.clone(), *hash), *at)).collect();
        for (key, at) in purged {
            if !tables.tombstones.has(&key) {
                tables.tombstones.put(key, at);
            }
        }
        // Even if there was nothing to move, there is something to take back.
        tables.know(&reached);
        let before = Before { moved: Some(Moved { from: left.clone(), to: reached.clone() }), ..Before::default() };
        changes::record_row(tables, stamp, &reached, None, Effect::Moved, 0, Some(before));
    }
    Ok(ids)
}

fn move_one(tables: &mut Tables, stamp: &Stamp, pk: u64, to: &Scope, noted_in: &Scope) -> Result<()> {
    let Some(stored) = tables.memories.get(&pk).cloned() else { return Ok(()) };
    let memory = stored.memory;
    tables.know(to);
    tables.know(noted_in);
    // A message that both have keeps its own key in the project that it was in first.
    let client_id = stored.client_id.and_then(|client_id| {
        tables.client_ids.take(&client_key(&memory.scope, memory.session_id.as_deref(), &client_id));
        let key = client_key(to, memory.session_id.as_deref(), &client_id);
        let is_new = !tables.client_ids.has(&key);
        if is_new {
            tables.client_ids.put(key, pk);
        }
        is_new.then_some(client_id)
    });
    tables.memories.change(&pk, |stored| {
        stored.client_id = client_id;
        stored.memory.scope = to.clone();
    });
    let rows: Vec<u64> =
        tables.changes.iter().filter(|(_, past)| past.memory == Some(pk)).map(|(seq, _)| *seq).collect();
    for seq in rows {
        tables.changes.change(&seq, |past| past.scope = to.clone());
    }
    if let Some(session_id) = &memory.session_id {
        sessions::follow(tables, &memory.scope, to, session_id);
        sessions::saw(tables, to, session_id, memory.event_time);
        sessions::lost(tables, &memory.scope, session_id);
    }
    entities::follow(tables, pk, to)?;
    index_log::note(tables, &memory.scope, ItemKey::memory(pk), false);
    index_log::note(tables, to, ItemKey::memory(pk), false);
    let before = Before { moved: Some(Moved { from: memory.scope.clone(), to: to.clone() }), ..Before::default() };
    let row = Some((pk, Some(memory.id)));
    changes::record_row(tables, stamp, noted_in, row, Effect::Moved, memory.version, Some(before));
    Ok(())
}

fn clear(tables: &mut Tables, project: &ProjectId) {
    let scopes: Vec<Scope> = tables.scopes.iter().map(|(scope, ())| scope.clone()).collect();
    for scope in scopes.into_iter().filter(|scope| scope.project() == Some(project)) {
        let paths: Vec<String> = tables
            .documents
            .iter()
            .filter(|(_, document)| document.scope == scope)
            .map(|(_, document)| document.path.clone())
            .collect();
        documents::remove(tables, &scope, &paths, None);
        entities::clear(tables, &scope);
        drop_rows(&mut tables.receipts, |_, receipt| receipt.scope == scope);
        drop_rows(&mut tables.sessions, |(place, _), _| *place == scope);
        drop_rows(&mut tables.completed_sessions, |(place, _), _| *place == scope);
        drop_rows(&mut tables.confirmations, |_, confirmation| confirmation.scope == scope);
        drop_rows(&mut tables.tasks, |(place, _), _| *place == scope);
        drop_rows(&mut tables.jobs, |_, claimed| claimed.job.scope == scope);
        drop_rows(&mut tables.sources, |(place, ..), _| *place == scope);
        drop_rows(&mut tables.syncs, |(place, _), _| *place == scope);
        drop_rows(&mut tables.gone_names, |(place, _), _| *place == scope);
        drop_rows(&mut tables.space_entries, |(space, _), _| space.scope == scope);
    }
}

fn drop_rows<K: Ord + Clone, V: Clone>(table: &mut Table<K, V>, is_gone: impl Fn(&K, &V) -> bool) {
    let keys: Vec<K> = table.iter().filter(|(key, row)| is_gone(key, row)).map(|(key, _)| key.clone()).collect();
    for key in keys {
        table.take(&key);
    }
}
