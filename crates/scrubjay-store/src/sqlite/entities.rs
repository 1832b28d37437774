//! Named things and which memories mention them.

use rusqlite::{Connection, OptionalExtension, Row};
use scrubjay_core::entity::{Entity, EntityType, name_key};
use scrubjay_core::id::{EntityId, MemoryId};
use scrubjay_core::memory::Kind;
use scrubjay_core::scope::{Scope, View};
use uuid::Uuid;

use super::connection::Fault;
use super::{changes, row, scopes};
use crate::change::{Before, Effect, MentionedEntity, MergedEntity, NewMention, Stamp};
use crate::item::ItemKey;
use crate::query::{EntityPage, EntityQuery, NamedEntity};
use crate::{StoreError, rules};

const COLUMNS: &str = "e.id, s.name, e.name, e.type, e.summary, e.mention_count, e.protected, e.pk";
const FROM: &str = "entities e JOIN scopes s ON s.pk = e.scope";

/// Links a memory to the entity it mentions; makes the entity if it is new.
/// True if the link is new.
pub(super) fn link(connection: &Connection, memory: i64, scope: i64, mention: &NewMention) -> Result<bool, Fault> {
    let key = name_key(&mention.name);
    let entity = match find_in_scope(connection, scope, &key, mention.entity_type)? {
        Some(entity) => entity,
        None => insert(connection, scope, mention.id, &mention.name, mention.entity_type)?,
    };
    if let Some(alias) = &mention.alias {
        add_alias(connection, scope, entity, alias)?;
    }
    let new = connection
        .prepare_cached("INSERT OR IGNORE INTO memory_entities (memory, entity) VALUES (?1, ?2)")?
        .execute((memory, entity))?
        > 0;
    if new {
        connection
            .prepare_cached("UPDATE entities SET mention_count = mention_count + 1 WHERE pk = ?1")?
            .execute([entity])?;
    }
    Ok(new)
}

/// Links a memory to entities and notes in its history which of them are new to it. Says how many.
pub(super) fn mention(
    connection: &Connection,
    view: &View,
    stamp: &Stamp,
    id: MemoryId,
    mentions: &[NewMention],
) -> Result<usize, Fault> {
    let stored = row::need(connection, view, id)?;
    if matches!(stored.memory.scope, Scope::Task(..)) {
        return Ok(0);
    }
    let scope = scopes::number_or_new(connection, &stored.memory.scope)?;
    let mut new = Vec::new();
    for mention in mentions {
        if link(connection, stored.pk, scope, mention)?
            && let Some(pk) = find_in_scope(connection, scope, &name_key(&mention.name), mention.entity_type)?
        {
            let entity = by_pk(connection, pk)?;
            new.push(MentionedEntity { id: entity.id, name: entity.name, entity_type: entity.entity_type });
        }
    }
    let count = new.len();
    let before = Before { mentions: new, ..Before::default() };
    changes::record(
        connection,
        stamp,
        scope,
        Some(stored.pk),
        Effect::Mentioned,
        stored.memory.version,
        Some(&before),
    )?;
    Ok(count)
}

/// Takes mentions away from a memory again, and entities that nothing else mentions.
pub(super) fn unmention(
    connection: &Connection,
    view: &View,
    stamp: &Stamp,
    id: MemoryId,
    mentions: &[MentionedEntity],
) -> Result<(), Fault> {
    let stored = row::need(connection, view, id)?;
    let scope = scopes::number_or_new(connection, &stored.memory.scope)?;
    let mut by_id = connection.prepare_cached("SELECT pk FROM entities WHERE id = ?1 AND scope = ?2")?;
    for mention in mentions {
        // One that was merged away is the other's by now.
        let Some(entity) = by_id.query_row((mention.id.uuid(), scope), |row| row.get(0)).optional()? else { continue };
        connection
            .prepare_cached("DELETE FROM memory_entities WHERE memory = ?1 AND entity = ?2")?
            .execute((stored.pk, entity))?;
        recount_or_remove(connection, entity)?;
    }
    let before = Before { mentions: mentions.to_vec(), ..Before::default() };
    changes::record(
        connection,
        stamp,
        scope,
        Some(stored.pk),
        Effect::Unmentioned,
        stored.memory.version,
        Some(&before),
    )
}

/// Entities by name and type, most mentioned first.
pub(super) fn list(connection: &Connection, view: &View, query: &EntityQuery) -> Result<EntityPage, Fault> {
    let visible = scopes::visible(connection, view)?;
    let sql = format!(
        "SELECT {COLUMNS} FROM {FROM} WHERE e.scope IN ({visible}) AND (?1 IS NULL OR e.type = ?1)
           AND (?2 IS NULL OR instr(e.name_key, ?2)
                OR EXISTS (SELECT 1 FROM entity_aliases a WHERE a.entity = e.pk AND instr(a.alias_key, ?2)))
         ORDER BY e.mention_count DESC, e.name_key, e.id LIMIT ?3 OFFSET ?4"
    );
    let limit = i64::try_from(query.limit).unwrap_or(i64::MAX);
    let mut statement = connection.prepare_cached(&sql)?;
    let rows = statement.query_map(
        (
            query.entity_type.map(EntityType::name),
            query.name_contains.as_deref().map(name_key),
            limit.saturating_add(1),
            i64::try_from(query.offset).unwrap_or(i64::MAX),
        ),
        read,
    )?;
    let mut found = rows.collect::<rusqlite::Result<Vec<_>>>()?;
    let more = found.len() > query.limit;
    found.truncate(query.limit);
    Ok(EntityPage { entities: with_aliases(connection, found)?, more })
}

/// A scope's own entities after an id, by id.
pub(super) fn list_by_id(
    connection: &Connection,
    scope: &Scope,
    after: Option<EntityId>,
    limit: usize,
) -> Result<Vec<Entity>, Fault> {
    let mut statement = connection.prepare_cached(&format!(
        "SELECT {COLUMNS} FROM {FROM} WHERE s.name = ?1 AND e.id > ifnull(?2, x'') ORDER BY e.id LIMIT ?3"
    ))?;
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    let rows = statement.query_map((scope.to_string(), after.map(|id| id.uuid()), limit), read)?;
    let found = rows.collect::<rusqlite::Result<Vec<_>>>()?;
    with_aliases(connection, found)
}

/// Those with this name, alias or id.
pub(super) fn find(connection: &Connection, view: &View, name: &str) -> Result<Vec<Entity>, Fault> {
    let sql = find_sql(&scopes::visible(connection, view)?);
    let id = name.parse::<EntityId>().ok().map(|id| id.uuid());
    let mut statement = connection.prepare_cached(&sql)?;
    let found = statement.query_map((id, name_key(name)), read)?.collect::<rusqlite::Result<Vec<_>>>()?;
    with_aliases(connection, found)
}

// The outer query must not name the scope, or SQLite goes through all entities of the scope for each name.
fn find_sql(visible: &str) -> String {
    format!(
        "SELECT {COLUMNS} FROM {FROM} WHERE e.pk IN (
             SELECT pk FROM entities WHERE id = ?1 AND scope IN ({visible})
             UNION SELECT pk FROM entities WHERE scope IN ({visible}) AND name_key = ?2
             UNION SELECT entity FROM entity_aliases WHERE scope IN ({visible}) AND alias_key = ?2)
         ORDER BY e.mention_count DESC, e.name_key, e.id"
    )
}

/// Those with any of these names, and the newest memories that mention them.
pub(super) fn named(
    connection: &Connection,
    view: &View,
    names: &[String],
    limit: usize,
) -> Result<Vec<NamedEntity>, Fault> {
    let mut found: Vec<Entity> = Vec::new();
    for name in names {
        for entity in find(connection, view, name)? {
            if !found.iter().any(|known| known.id == entity.id) {
                found.push(entity);
            }
        }
    }
    let visible = scopes::visible(connection, view)?;
    let sql = format!(
        "SELECT l.memory FROM memory_entities l JOIN memories m ON m.pk = l.memory
         WHERE l.entity = (SELECT pk FROM entities WHERE id = ?1) AND m.scope IN ({visible})
         ORDER BY l.memory DESC LIMIT ?2"
    );
    let mut statement = connection.prepare_cached(&sql)?;
    let mut named = Vec::with_capacity(found.len());
    for entity in found {
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        let memories = statement
            .query_map((entity.id.uuid(), limit), |row| Ok(ItemKey::memory(row.get::<_, i64>(0)?.unsigned_abs())))?
            .collect::<rusqlite::Result<_>>()?;
        named.push(NamedEntity { entity, memories });
    }
    Ok(named)
}

/// The entities a memory mentions.
pub(super) fn mentioned(connection: &Connection, view: &View, id: MemoryId) -> Result<Vec<Entity>, Fault> {
    let stored = row::need(connection, view, id)?;
    let sql = format!(
        "SELECT {COLUMNS} FROM {FROM} JOIN memory_entities l ON l.entity = e.pk WHERE l.memory = ?1 ORDER BY e.name_key, e.id"
    );
    let mut statement = connection.prepare_cached(&sql)?;
    let found = statement.query_map([stored.pk], read)?.collect::<rusqlite::Result<Vec<_>>>()?;
    with_aliases(connection, found)
}

/// Merges `from` into `into`.
pub(super) fn merge(
    connection: &Connection,
    view: &View,
    stamp: &Stamp,
    into: EntityId,
    from: EntityId,
) -> Result<Entity, Fault> {
    let (kept_pk, kept) = need(connection, view, into)?;
    let (gone_pk, gone) = need(connection, view, from)?;
    rules::check_merge(&kept, &gone)?;
    let scope = scopes::number_or_new(connection, &kept.scope)?;
    let memories = memories_of(connection, gone_pk, None)?;
    let shared = memories_of(connection, gone_pk, Some(kept_pk))?;
    let mut added_aliases = Vec::new();
    connection.prepare_cached("DELETE FROM entity_aliases WHERE entity = ?1")?.execute([gone_pk])?;
    for name in std::iter::once(&gone.name).chain(&gone.aliases) {
        if add_alias(connection, scope, kept_pk, name)? {
            added_aliases.push(name.clone());
        }
    }
    connection
        .prepare_cached("UPDATE OR IGNORE memory_entities SET entity = ?1 WHERE entity = ?2")?
        .execute((kept_pk, gone_pk))?;
    connection.prepare_cached("DELETE FROM memory_entities WHERE entity = ?1")?.execute([gone_pk])?;
    connection.prepare_cached("DELETE FROM entities WHERE pk = ?1")?.execute([gone_pk])?;
    recount(connection, kept_pk)?;
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
    changes::record(connection, stamp, scope, None, Effect::Merged, 0, Some(&before))?;
    Ok(need(connection, view, into)?.1)
}

/// Brings back an entity that was merged away.
pub(super) fn split(connection: &Connection, view: &View, stamp: &Stamp, merged: &MergedEntity) -> Result<(), Fault> {
    let refused = |fault| match fault {
        Fault::Store(StoreError::NotFound { .. } | StoreError::Conflict { .. }) => rules::cannot_split(merged).into(),
        other => other,
    };
    let (kept_pk, kept) = need(connection, view, merged.into).map_err(refused)?;
    let scope = scopes::number_or_new(connection, &kept.scope)?;
    for alias in &merged.added_aliases {
        connection
            .prepare_cached("DELETE FROM entity_aliases WHERE entity = ?1 AND alias_key = ?2")?
            .execute((kept_pk, name_key(alias)))?;
    }
    let back = insert(connection, scope, merged.id, &merged.name, merged.entity_type).map_err(refused)?;
    connection.prepare_cached("UPDATE entities SET summary = ?2, protected = ?3 WHERE pk = ?1")?.execute((
        back,
        &merged.summary,
        merged.protected,
    ))?;
    for alias in &merged.aliases {
        add_alias(connection, scope, back, alias)?;
    }
    for memory in &merged.memories {
        // A memory that was purged meanwhile stays gone.
        let Some(pk) = changes::pk_of(connection, *memory)? else { continue };
        connection
            .prepare_cached("INSERT OR IGNORE INTO memory_entities (memory, entity) VALUES (?1, ?2)")?
            .execute((pk, back))?;
        if !merged.shared.contains(memory) {
            connection
                .prepare_cached("DELETE FROM memory_entities WHERE memory = ?1 AND entity = ?2")?
                .execute((pk, kept_pk))?;
        }
    }
    recount(connection, back)?;
    recount(connection, kept_pk)?;
    let before = Before { entity: Some(merged.clone()), ..Before::default() };
    changes::record(connection, stamp, scope, None, Effect::Split, 0, Some(&before))
}

/// Creates an entity, or adds to the one with its name and type.
pub(super) fn upsert(connection: &Connection, entity: &Entity) -> Result<Entity, Fault> {
    let scope = scopes::number_or_new(connection, &entity.scope)?;
    let key = name_key(&entity.name);
    let pk = match find_in_scope(connection, scope, &key, entity.entity_type)? {
        Some(pk) => pk,
        None => insert(connection, scope, entity.id, &entity.name, entity.entity_type)?,
    };
    for alias in &entity.aliases {
        add_alias(connection, scope, pk, alias)?;
    }
    connection
        .prepare_cached(
            "UPDATE entities SET summary = ifnull(?2, summary), protected = max(protected, ?3) WHERE pk = ?1",
        )?
        .execute((pk, &entity.summary, entity.protected))?;
    by_pk(connection, pk)
}

fn by_pk(connection: &Connection, pk: i64) -> Result<Entity, Fault> {
    let mut statement = connection.prepare_cached(&format!("SELECT {COLUMNS} FROM {FROM} WHERE e.pk = ?1"))?;
    let found = statement.query_row([pk], read)?;
    let mut entities = with_aliases(connection, vec![found])?;
    entities.pop().ok_or_else(|| StoreError::not_found("the entity").into())
}

/// Forgets an entity for good, with the merges that remember its names.
pub(super) fn forget(connection: &Connection, view: &View, id: EntityId) -> Result<bool, Fault> {
    let pk = match need(connection, view, id) {
        Ok((pk, _)) => pk,
        Err(Fault::Store(StoreError::NotFound { .. })) => return Ok(false),
        Err(other) => return Err(other),
    };
    connection.prepare_cached("DELETE FROM memory_entities WHERE entity = ?1")?.execute([pk])?;
    connection.prepare_cached("DELETE FROM entity_aliases WHERE entity = ?1")?.execute([pk])?;
    connection.prepare_cached("DELETE FROM entities WHERE pk = ?1")?.execute([pk])?;
    for past in changes::pasts(connection, "c.memory IS NULL AND ?1 IS NULL", [None::<i64>])? {
        if past.entry.before.entity.is_some_and(|merged| merged.id == id || merged.into == id) {
            connection.prepare_cached("DELETE FROM changes WHERE seq = ?1")?.execute([past.seq])?;
        }
    }
    Ok(true)
}

/// Forgets a memory's mentions, and entities that nothing mentions any more.
pub(super) fn forget_memory(connection: &Connection, memory: i64) -> Result<(), Fault> {
    let mut statement = connection.prepare_cached("SELECT entity FROM memory_entities WHERE memory = ?1")?;
    let entities = statement.query_map([memory], |row| row.get::<_, i64>(0))?.collect::<rusqlite::Result<Vec<_>>>()?;
    connection.prepare_cached("DELETE FROM memory_entities WHERE memory = ?1")?.execute([memory])?;
    for entity in entities {
        recount_or_remove(connection, entity)?;
    }
    Ok(())
}

/// Lets a memory that moved to another scope mention the same things there. They are found by name and type, or come
/// along with their other names and summary.
pub(super) fn follow(connection: &Connection, memory: i64, scope: i64, to: &Scope) -> Result<(), Fault> {
    let mut statement = connection.prepare_cached("SELECT entity FROM memory_entities WHERE memory = ?1")?;
    let numbers = statement.query_map([memory], |row| row.get::<_, i64>(0))?.collect::<rusqlite::Result<Vec<_>>>()?;
    let entities = numbers.into_iter().map(|pk| by_pk(connection, pk)).collect::<Result<Vec<_>, Fault>>()?;
    forget_memory(connection, memory)?;
    for entity in entities {
        if find_in_scope(connection, scope, &name_key(&entity.name), entity.entity_type)?.is_none() {
            let stays =
                connection.prepare_cached("SELECT 1 FROM entities WHERE id = ?1")?.exists([entity.id.uuid()])?;
            let id = if stays { rules::entity_elsewhere(entity.id, to) } else { entity.id };
            upsert(connection, &Entity { id, scope: to.clone(), ..entity.clone() })?;
        }
        let mention = NewMention { id: entity.id, name: entity.name, entity_type: entity.entity_type, alias: None };
        link(connection, memory, scope, &mention)?;
    }
    Ok(())
}

// Counts an entity's mentions again; one that nothing mentions goes.
fn recount_or_remove(connection: &Connection, entity: i64) -> Result<(), Fault> {
    recount(connection, entity)?;
    let orphan = connection
        .prepare_cached("SELECT 1 FROM entities WHERE pk = ?1 AND mention_count = 0 AND NOT protected")?
        .exists([entity])?;
    if orphan {
        connection.prepare_cached("DELETE FROM entity_aliases WHERE entity = ?1")?.execute([entity])?;
        connection.prepare_cached("DELETE FROM entities WHERE pk = ?1")?.execute([entity])?;
    }
    Ok(())
}

/// Sets an entity's count to the number of memories that mention it.
pub(super) fn recount(connection: &Connection, entity: i64) -> Result<(), Fault> {
    connection
        .prepare_cached(
            "UPDATE entities SET mention_count = (SELECT count(*) FROM memory_entities WHERE entity = ?1) WHERE pk = ?1",
        )?
        .execute([entity])?;
    Ok(())
}

fn find_in_scope(
    connection: &Connection,
    scope: i64,
    key: &str,
    entity_type: EntityType,
) -> Result<Option<i64>, Fault> {
    let mut by_name =
        connection.prepare_cached("SELECT pk FROM entities WHERE scope = ?1 AND name_key = ?2 AND type = ?3")?;
    if let Some(pk) = by_name.query_row((scope, key, entity_type.name()), |row| row.get(0)).optional()? {
        return Ok(Some(pk));
    }
    let mut by_alias = connection.prepare_cached(
        "SELECT e.pk FROM entity_aliases a JOIN entities e ON e.pk = a.entity
         WHERE a.scope = ?1 AND a.alias_key = ?2 AND e.type = ?3 ORDER BY e.pk LIMIT 1",
    )?;
    Ok(by_alias.query_row((scope, key, entity_type.name()), |row| row.get(0)).optional()?)
}

fn insert(
    connection: &Connection,
    scope: i64,
    id: EntityId,
    name: &str,
    entity_type: EntityType,
) -> Result<i64, Fault> {
    connection
        .prepare_cached(
            "INSERT INTO entities (id, scope, name, name_key, type, mention_count, protected) VALUES (?1, ?2, ?3, ?4, ?5, 0, 0)",
        )?
        .execute((id.uuid(), scope, name, name_key(name), entity_type.name()))
        .map_err(|error| row::taken_or(error, id))?;
    Ok(connection.last_insert_rowid())
}

// True if the entity did not have the name before.
fn add_alias(connection: &Connection, scope: i64, entity: i64, alias: &str) -> Result<bool, Fault> {
    let key = name_key(alias);
    let own_name =
        connection.prepare_cached("SELECT 1 FROM entities WHERE pk = ?1 AND name_key = ?2")?.exists((entity, &key))?;
    if own_name || key.is_empty() {
        return Ok(false);
    }
    let mut statement = connection.prepare_cached(
        "INSERT OR IGNORE INTO entity_aliases (scope, alias_key, entity, alias) VALUES (?1, ?2, ?3, ?4)",
    )?;
    Ok(statement.execute((scope, key, entity, alias))? > 0)
}

fn need(connection: &Connection, view: &View, id: EntityId) -> Result<(i64, Entity), Fault> {
    let visible = scopes::visible(connection, view)?;
    let sql = format!("SELECT {COLUMNS} FROM {FROM} WHERE e.id = ?1 AND e.scope IN ({visible})");
    let mut statement = connection.prepare_cached(&sql)?;
    let found = statement.query_row([id.uuid()], read).optional()?;
    let (pk, entity) = found.ok_or_else(|| StoreError::not_found(id))?;
    let mut entities = with_aliases(connection, vec![(pk, entity)])?;
    entities.pop().map(|entity| (pk, entity)).ok_or_else(|| StoreError::not_found(id).into())
}

fn memories_of(connection: &Connection, entity: i64, also: Option<i64>) -> Result<Vec<MemoryId>, Fault> {
    let mut statement = connection.prepare_cached(
        "SELECT m.id, m.kind FROM memory_entities l JOIN memories m ON m.pk = l.memory
         WHERE l.entity = ?1 AND (?2 IS NULL OR EXISTS (SELECT 1 FROM memory_entities o WHERE o.memory = l.memory AND o.entity = ?2))
         ORDER BY m.id",
    )?;
    let rows = statement
        .query_map((entity, also), |row| Ok(MemoryId::new(row::parse::<Kind>(row, 1)?, row::uuid(row, 0)?)))?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

fn read(row: &Row<'_>) -> rusqlite::Result<(i64, Entity)> {
    let bytes: [u8; 16] = row.get(0)?;
    let entity = Entity {
        id: EntityId::from(Uuid::from_bytes(bytes)),
        scope: row::parse(row, 1)?,
        name: row.get(2)?,
        entity_type: row::parse(row, 3)?,
        aliases: Vec::new(),
        summary: row.get(4)?,
        mention_count: row.get::<_, i64>(5)?.unsigned_abs(),
        protected: row.get(6)?,
    };
    Ok((row.get(7)?, entity))
}

fn with_aliases(connection: &Connection, found: Vec<(i64, Entity)>) -> Result<Vec<Entity>, Fault> {
    let mut statement =
        connection.prepare_cached("SELECT alias FROM entity_aliases WHERE entity = ?1 ORDER BY alias")?;
    found
        .into_iter()
        .map(|(pk, mut entity)| {
            entity.aliases = statement.query_map([pk], |row| row.get(0))?.collect::<rusqlite::Result<_>>()?;
            Ok(entity)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_looked_up() {
        let plan = super::super::migrate::plan_of(&find_sql("1,2"));
        assert!(plan.iter().any(|step| step == "SEARCH e USING INTEGER PRIMARY KEY (rowid=?)"), "{plan:?}");
        assert!(plan.iter().any(|step| step.contains("(scope=? AND name_key=?)")), "{plan:?}");
        assert!(!plan.iter().any(|step| step.starts_with("SCAN")), "{plan:?}");
    }
}
