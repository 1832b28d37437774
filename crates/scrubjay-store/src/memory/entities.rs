//! Named things and which memories mention them.

use std::cmp::Reverse;

use scrubjay_core::entity::{Entity, EntityType, name_key};
use scrubjay_core::id::{EntityId, MemoryId};
use scrubjay_core::scope::{Scope, View};

use super::changes;
use super::tables::Tables;
use crate::change::{Before, Effect, MentionedEntity, MergedEntity, NewMention, Stamp};
use crate::item::ItemKey;
use crate::query::{EntityPage, EntityQuery, NamedEntity};
use crate::{Result, StoreError, rules};

/// Links a memory to the entity it mentions; makes the entity if it is new.
/// True if the link is new. A task's notes mention nobody: they are gone soon.
pub(super) fn link(tables: &mut Tables, memory: u64, scope: &Scope, mention: &NewMention) -> Result<bool> {
    if matches!(scope, Scope::Task(..)) {
        return Ok(false);
    }
    let entity = find_or_insert(tables, scope, mention.id, &mention.name, mention.entity_type)?;
    if let Some(alias) = &mention.alias {
        add_alias(tables, scope, entity, alias);
    }
    let new = mention_once(tables, memory, entity);
    if new {
        tables.entities.change(&entity, |entity| entity.mention_count += 1);
    }
    Ok(new)
}

/// Links a memory to entities and notes in its history which of them are new to it. Says how many.
pub(super) fn mention(
    tables: &mut Tables,
    view: &View,
    stamp: &Stamp,
    id: MemoryId,
    mentions: &[NewMention],
) -> Result<usize> {
    let (memory, stored) = tables.need(view, id)?;
    let (scope, version) = (stored.memory.scope.clone(), stored.memory.version);
    if matches!(scope, Scope::Task(..)) {
        return Ok(0);
    }
    let mut new = Vec::new();
    for mention in mentions {
        if link(tables, memory, &scope, mention)? {
            let pk = find_or_insert(tables, &scope, mention.id, &mention.name, mention.entity_type)?;
            new.extend(tables.entities.get(&pk).map(|entity| MentionedEntity {
                id: entity.id,
                name: entity.name.clone(),
                entity_type: entity.entity_type,
            }));
        }
    }
    let count = new.len();
    let before = Before { mentions: new, ..Before::default() };
    changes::record_row(tables, stamp, &scope, Some((memory, Some(id))), Effect::Mentioned, version, Some(before));
    Ok(count)
}

/// Takes mentions away from a memory again, and entities that nothing else mentions.
pub(super) fn unmention(
    tables: &mut Tables,
    view: &View,
    stamp: &Stamp,
    id: MemoryId,
    mentions: &[MentionedEntity],
) -> Result<()> {
    let (memory, stored) = tables.need(view, id)?;
    let (scope, version) = (stored.memory.scope.clone(), stored.memory.version);
    for mention in mentions {
        // One that was merged away is the other's by now.
        let Some(entity) = tables.entity_ids.get(&mention.id.uuid()).copied() else { continue };
        part(tables, memory, entity);
    }
    let before = Before { mentions: mentions.to_vec(), ..Before::default() };
    changes::record_row(tables, stamp, &scope, Some((memory, Some(id))), Effect::Unmentioned, version, Some(before));
    Ok(())
}

/// Entities by name and type, most mentioned first.
pub(super) fn list(tables: &Tables, view: &View, query: &EntityQuery) -> EntityPage {
    let wanted = query.name_contains.as_deref().map(name_key);
    let mut found = sorted(tables, view, |pk, entity| {
        let is_named = |part: &String| keys(tables, pk, entity).any(|key| key.contains(part.as_str()));
        query.entity_type.is_none_or(|wanted| wanted == entity.entity_type) && wanted.as_ref().is_none_or(is_named)
    });
    found.drain(..query.offset.min(found.len()));
    let more = found.len() > query.limit;
    found.truncate(query.limit);
    EntityPage { entities: found, more }
}

/// A scope's own entities after an id, by id.
pub(super) fn list_by_id(tables: &Tables, scope: &Scope, after: Option<EntityId>, limit: usize) -> Vec<Entity> {
    let own = tables.entities.iter().filter(|(_, entity)| entity.scope == *scope);
    let mut found: Vec<(EntityId, u64)> = own
        .filter(|(_, entity)| after.is_none_or(|after| entity.id > after))
        .map(|(pk, entity)| (entity.id, *pk))
        .collect();
    found.sort_unstable();
    found.into_iter().take(limit).filter_map(|(_, pk)| whole(tables, pk)).collect()
}

/// Those with this name, alias or id.
pub(super) fn find(tables: &Tables, view: &View, name: &str) -> Vec<Entity> {
    let id = name.parse::<EntityId>().ok();
    let wanted = name_key(name);
    sorted(tables, view, |pk, entity| Some(entity.id) == id || keys(tables, pk, entity).any(|key| key == wanted))
}

/// Those with any of these names, and the newest memories that mention them.
pub(super) fn named(tables: &Tables, view: &View, names: &[String], limit: usize) -> Vec<NamedEntity> {
    let mut found: Vec<Entity> = Vec::new();
    for entity in names.iter().flat_map(|name| find(tables, view, name)) {
        if !found.iter().any(|known| known.id == entity.id) {
            found.push(entity);
        }
    }
    let memories = |entity: &Entity| {
        let Some(pk) = tables.entity_ids.get(&entity.id.uuid()) else { return Vec::new() };
        let mentioning = tables.mentioned_by.range((*pk, 0)..=(*pk, u64::MAX)).rev().map(|((_, memory), ())| *memory);
        let visible = |memory: &u64| tables.memories.get(memory).is_some_and(|stored| view.sees(&stored.memory.scope));
        mentioning.filter(visible).take(limit).map(ItemKey::memory).collect()
    };
    found.into_iter().map(|entity| NamedEntity { memories: memories(&entity), entity }).collect()
}

/// The entities a memory mentions.
pub(super) fn mentioned(tables: &Tables, view: &View, id: MemoryId) -> Result<Vec<Entity>> {
    let (memory, _) = tables.need(view, id)?;
    let mut found: Vec<Entity> = tables
        .mentions
        .range((memory, 0)..=(memory, u64::MAX))
        .filter_map(|((_, entity), ())| whole(tables, *entity))
        .collect();
    found.sort_by_key(|entity| (name_key(&entity.name), entity.id));
    Ok(found)
}

/// Merges `from` into `into`.
pub(super) fn merge(tables: &mut Tables, view: &View, stamp: &Stamp, into: EntityId, from: EntityId) -> Result<Entity> {
    let (kept_pk, kept) = need(tables, view, into)?;
    let (gone_pk, gone) = need(tables, view, from)?;
    rules::check_merge(&kept, &gone)?;
    let numbers = memories_of(tables, gone_pk);
    let shared: Vec<u64> = numbers.iter().copied().filter(|memory| tables.mentions.has(&(*memory, kept_pk))).collect();
    let (memories, shared) = (ids_of(tables, &numbers), ids_of(tables, &shared));
    remove(tables, gone_pk, &gone);
    let names = std::iter::once(&gone.name).chain(&gone.aliases);
    let added_aliases = names.filter(|name| add_alias(tables, &kept.scope, kept_pk, name)).cloned().collect();
    for memory in numbers {
        tables.mentions.take(&(memory, gone_pk));
        tables.mentioned_by.take(&(gone_pk, memory));
        mention_once(tables, memory, kept_pk);
    }
    recount(tables, kept_pk);
    let merged = MergedEntity {
        id: from,
        into,
        name: gone.name,
        entity_type: gone.entity_type,
        aliases: gone.aliases,
        summary: gone.summary,
        protected: gone.protected,
        memories,
        shared,
        added_aliases,
    };
    let before = Before { entity: Some(merged), ..Before::default() };
    changes::record_row(tables, stamp, &kept.scope, None, Effect::Merged, 0, Some(before));
    Ok(need(tables, view, into)?.1)
}

/// Brings back an entity that was merged away.
pub(super) fn split(tables: &mut Tables, view: &View, stamp: &Stamp, merged: &MergedEntity) -> Result<()> {
    let (kept_pk, kept) = need(tables, view, merged.into).map_err(|_| rules::cannot_split(merged))?;
    for alias in &merged.added_aliases {
        remove_alias(tables, &kept.scope, kept_pk, &name_key(alias));
    }
    let back = insert(tables, &kept.scope, merged.id, &merged.name, merged.entity_type)
        .map_err(|_| rules::cannot_split(merged))?;
    tables.entities.change(&back, |entity| {
        entity.summary.clone_from(&merged.summary);
        entity.protected = merged.protected;
    });
    for alias in &merged.aliases {
        add_alias(tables, &kept.scope, back, alias);
    }
    for id in &merged.memories {
        // A memory that was purged meanwhile stays gone.
        let Some(memory) = tables.memory_ids.get(&id.uuid()).copied() else { continue };
        mention_once(tables, memory, back);
        if !merged.shared.contains(id) {
            tables.mentions.take(&(memory, kept_pk));
            tables.mentioned_by.take(&(kept_pk, memory));
        }
    }
    recount(tables, back);
    recount(tables, kept_pk);
    let before = Before { entity: Some(merged.clone()), ..Before::default() };
    changes::record_row(tables, stamp, &kept.scope, None, Effect::Split, 0, Some(before));
    Ok(())
}

/// Creates an entity, or adds to the one with its name and type.
pub(super) fn upsert(tables: &mut Tables, entity: &Entity) -> Result<Entity> {
    let pk = find_or_insert(tables, &entity.scope, entity.id, &entity.name, entity.entity_type)?;
    for alias in &entity.aliases {
        add_alias(tables, &entity.scope, pk, alias);
    }
    tables.entities.change(&pk, |stored| {
        if entity.summary.is_some() {
            stored.summary.clone_from(&entity.summary);
        }
        stored.protected |= entity.protected;
    });
    whole(tables, pk).ok_or_else(|| StoreError::not_found(entity.id))
}

/// Forgets a memory's mentions, and entities that nothing mentions any more.
pub(super) fn forget_memory(tables: &mut Tables, memory: u64) {
    let entities: Vec<u64> =
        tables.mentions.range((memory, 0)..=(memory, u64::MAX)).map(|((_, entity), ())| *entity).collect();
    for pk in entities {
        part(tables, memory, pk);
    }
}

/// Forgets an entity for good, with the merges that remember its names.
pub(super) fn forget(tables: &mut Tables, view: &View, id: EntityId) -> bool {
    let Ok((pk, entity)) = need(tables, view, id) else { return false };
    for memory in memories_of(tables, pk) {
        tables.mentions.take(&(memory, pk));
        tables.mentioned_by.take(&(pk, memory));
    }
    remove(tables, pk, &entity);
    let is_about = |merged: &MergedEntity| merged.id == id || merged.into == id;
    let merges = tables.changes.iter().filter(|(_, past)| past.entry.before.entity.as_ref().is_some_and(is_about));
    let merges: Vec<u64> = merges.map(|(seq, _)| *seq).collect();
    for seq in merges {
        tables.changes.take(&seq);
    }
    true
}

/// Forgets all entities of a scope.
pub(super) fn clear(tables: &mut Tables, scope: &Scope) {
    let gone = tables.entities.iter().filter(|(_, entity)| entity.scope == *scope);
    let gone: Vec<u64> = gone.map(|(pk, _)| *pk).collect();
    for pk in gone {
        for memory in memories_of(tables, pk) {
            tables.mentions.take(&(memory, pk));
            tables.mentioned_by.take(&(pk, memory));
        }
        if let Some(entity) = whole(tables, pk) {
            remove(tables, pk, &entity);
        }
    }
}

/// Lets a memory that moved to another scope mention the same things there. They are found by name and type, or come
/// along with their other names and summary.
pub(super) fn follow(tables: &mut Tables, memory: u64, to: &Scope) -> Result<()> {
    let numbers: Vec<u64> =
        tables.mentions.range((memory, 0)..=(memory, u64::MAX)).map(|((_, entity), ())| *entity).collect();
    let entities: Vec<Entity> = numbers.into_iter().filter_map(|pk| whole(tables, pk)).collect();
    forget_memory(tables, memory);
    for entity in entities {
        if find_in_scope(tables, to, &entity.name, entity.entity_type).is_none() {
            let stays = tables.entity_ids.has(&entity.id.uuid());
            let id = if stays { rules::entity_elsewhere(entity.id, to) } else { entity.id };
            upsert(tables, &Entity { id, scope: to.clone(), ..entity.clone() })?;
        }
        let mention = NewMention { id: entity.id, name: entity.name, entity_type: entity.entity_type, alias: None };
        link(tables, memory, to, &mention)?;
    }
    Ok(())
}

// Forgets that a memory mentions an entity; one that nothing mentions goes.
fn part(tables: &mut Tables, memory: u64, pk: u64) {
    tables.mentions.take(&(memory, pk));
    tables.mentioned_by.take(&(pk, memory));
    recount(tables, pk);
    if let Some(orphan) = whole(tables, pk).filter(|entity| entity.mention_count == 0 && !entity.protected) {
        remove(tables, pk, &orphan);
    }
}

/// Sets an entity's count to the number of memories that mention it; true if it
/// was another one.
pub(super) fn recount(tables: &mut Tables, pk: u64) -> bool {
    let count = memories_of(tables, pk).len() as u64;
    if tables.entities.get(&pk).is_none_or(|entity| entity.mention_count == count) {
        return false;
    }
    tables.entities.change(&pk, |entity| entity.mention_count = count);
    true
}

fn sorted(tables: &Tables, view: &View, admits: impl Fn(u64, &Entity) -> bool) -> Vec<Entity> {
    let visible = tables.entities.iter().filter(|(pk, entity)| view.sees(&entity.scope) && admits(**pk, entity));
    let mut found: Vec<Entity> = visible.filter_map(|(pk, _)| whole(tables, *pk)).collect();
    found.sort_by_key(|entity| (Reverse(entity.mention_count), name_key(&entity.name), entity.id));
    found
}

// The keys of all its names.
fn keys<'a>(tables: &'a Tables, pk: u64, entity: &Entity) -> impl Iterator<Item = String> + use<'a> {
    std::iter::once(name_key(&entity.name)).chain(aliases_of(tables, pk).map(|(key, _)| key.clone()))
}

fn aliases_of(tables: &Tables, pk: u64) -> impl Iterator<Item = (&String, &String)> {
    let rows = tables.aliases.range((pk, String::new())..);
    rows.take_while(move |((entity, _), _)| *entity == pk).map(|((_, key), alias)| (key, alias))
}

// An entity with its aliases.
fn whole(tables: &Tables, pk: u64) -> Option<Entity> {
    let mut entity = tables.entities.get(&pk)?.clone();
    entity.aliases = aliases_of(tables, pk).map(|(_, alias)| alias.clone()).collect();
    entity.aliases.sort();
    Some(entity)
}

fn need(tables: &Tables, view: &View, id: EntityId) -> Result<(u64, Entity)> {
    let pk = tables.entity_ids.get(&id.uuid()).copied();
    let found = pk.and_then(|pk| Some((pk, whole(tables, pk)?)));
    found.filter(|(_, entity)| view.sees(&entity.scope)).ok_or_else(|| StoreError::not_found(id))
}

// By name and type, then by alias and type, else a new one.
fn find_or_insert(
    tables: &mut Tables,
    scope: &Scope,
    id: EntityId,
    name: &str,
    entity_type: EntityType,
) -> Result<u64> {
    tables.know(scope);
    match find_in_scope(tables, scope, name, entity_type) {
        Some(pk) => Ok(pk),
        None => insert(tables, scope, id, name, entity_type),
    }
}

fn find_in_scope(tables: &Tables, scope: &Scope, name: &str, entity_type: EntityType) -> Option<u64> {
    let key = name_key(name);
    if let Some(pk) = tables.entity_names.get(&(scope.clone(), key.clone(), entity_type)) {
        return Some(*pk);
    }
    let by_alias = tables.alias_keys.range((scope.clone(), key.clone(), 0)..=(scope.clone(), key, u64::MAX));
    let of_type = |pk: &u64| tables.entities.get(pk).is_some_and(|entity| entity.entity_type == entity_type);
    by_alias.map(|((_, _, pk), ())| *pk).find(of_type)
}

fn insert(tables: &mut Tables, scope: &Scope, id: EntityId, name: &str, entity_type: EntityType) -> Result<u64> {
    let name_place = (scope.clone(), name_key(name), entity_type);
    if tables.entity_ids.has(&id.uuid()) || tables.entity_names.has(&name_place) {
        return Err(rules::taken(id));
    }
    let pk = tables.next_number("entities");
    tables.entity_ids.put(id.uuid(), pk);
    tables.entity_names.put(name_place, pk);
    let entity = Entity {
        id,
        scope: scope.clone(),
        name: name.to_owned(),
        entity_type,
        aliases: Vec::new(),
        summary: None,
        mention_count: 0,
        protected: false,
    };
    tables.entities.put(pk, entity);
    Ok(pk)
}

fn remove(tables: &mut Tables, pk: u64, entity: &Entity) {
    for alias in &entity.aliases {
        remove_alias(tables, &entity.scope, pk, &name_key(alias));
    }
    tables.entities.take(&pk);
    tables.entity_ids.take(&entity.id.uuid());
    tables.entity_names.take(&(entity.scope.clone(), name_key(&entity.name), entity.entity_type));
}

// True if the entity did not have the name before.
fn add_alias(tables: &mut Tables, scope: &Scope, pk: u64, alias: &str) -> bool {
    let key = name_key(alias);
    let own_name = tables.entities.get(&pk).is_some_and(|entity| name_key(&entity.name) == key);
    let place = (pk, key);
    if own_name || place.1.is_empty() || tables.aliases.has(&place) {
        return false;
    }
    tables.alias_keys.put((scope.clone(), place.1.clone(), pk), ());
    tables.aliases.put(place, alias.to_owned())
}

fn remove_alias(tables: &mut Tables, scope: &Scope, pk: u64, key: &str) {
    tables.aliases.take(&(pk, key.to_owned()));
    tables.alias_keys.take(&(scope.clone(), key.to_owned(), pk));
}

fn mention_once(tables: &mut Tables, memory: u64, entity: u64) -> bool {
    if tables.mentions.has(&(memory, entity)) {
        return false;
    }
    tables.mentioned_by.put((entity, memory), ());
    tables.mentions.put((memory, entity), ())
}

fn memories_of(tables: &Tables, entity: u64) -> Vec<u64> {
    tables.mentioned_by.range((entity, 0)..=(entity, u64::MAX)).map(|((_, memory), ())| *memory).collect()
}

fn ids_of(tables: &Tables, numbers: &[u64]) -> Vec<MemoryId> {
    let mut ids: Vec<MemoryId> =
        numbers.iter().filter_map(|pk| tables.memories.get(pk)).map(|stored| stored.memory.id).collect();
    ids.sort_by_key(MemoryId::uuid);
    ids
}
