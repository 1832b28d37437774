//! Named things and which memories mention them.

use scrubjay_core::entity::{Entity, EntityType, name_key};
use scrubjay_core::id::{EntityId, MemoryId};
use scrubjay_core::scope::{Scope, View};
use tokio_postgres::Row;
use uuid::Uuid;

use super::fault::Fault;
use super::value::{count, get, limit, parse};
use super::work::{Counter, Work};
use super::{changes, row, scopes};
use crate::change::{Before, Effect, MentionedEntity, NewMention, Stamp};
use crate::item::ItemKey;
use crate::query::{EntityPage, EntityQuery, NamedEntity};
use crate::{StoreError, rules};

pub(super) use super::entity_merges::{merge, split};

const COLUMNS: &str = "e.id, s.name, e.name, e.type, e.summary, e.mention_count, e.protected, e.pk";
const FROM: &str = "entities e JOIN scopes s ON s.agent = e.agent AND s.pk = e.scope";

/// Links a memory to the entity it mentions; makes the entity if it is new. True if the link is new.
pub(super) async fn link(work: &Work, memory: i64, scope: i64, mention: &NewMention) -> Result<bool, Fault> {
    let key = name_key(&mention.name);
    let entity = match find_in_scope(work, scope, &key, mention.entity_type).await? {
        Some(entity) => entity,
        None => insert(work, scope, mention.id, &mention.name, mention.entity_type).await?,
    };
    if let Some(alias) = &mention.alias {
        add_alias(work, scope, entity, alias).await?;
    }
    let new = insert_mention(work, memory, entity).await?;
    if new {
        let sql = "UPDATE entities SET mention_count = mention_count + 1 WHERE agent = $1 AND pk = $2";
        work.execute(sql, &[&entity]).await?;
    }
    Ok(new)
}

/// Links memories to what is found in them, as far as they are in view. Says how many links are new.
pub(super) async fn link_all(work: &Work, view: &View, found: &[(MemoryId, Vec<NewMention>)]) -> Result<usize, Fault> {
    let mut new = 0;
    for (id, mentions) in found {
        let stored = row::need(work, view, *id).await?;
        if matches!(stored.memory.scope, Scope::Task(..)) {
            continue;
        }
        let scope = scopes::number_or_new(work, &stored.memory.scope).await?;
        for mention in mentions {
            new += usize::from(link(work, stored.pk, scope, mention).await?);
        }
    }
    Ok(new)
}

/// Links a memory to entities and notes in its history which of them are new to it. Says how many.
pub(super) async fn mention(
    work: &Work,
    view: &View,
    stamp: &Stamp,
    id: MemoryId,
    mentions: &[NewMention],
) -> Result<usize, Fault> {
    let stored = row::need(work, view, id).await?;
    if matches!(stored.memory.scope, Scope::Task(..)) {
        return Ok(0);
    }
    let scope = scopes::number_or_new(work, &stored.memory.scope).await?;
    let mut new = Vec::new();
    for mention in mentions {
        if link(work, stored.pk, scope, mention).await?
            && let Some(pk) = find_in_scope(work, scope, &name_key(&mention.name), mention.entity_type).await?
        {
            let entity = by_number(work, pk).await?;
            new.push(MentionedEntity { id: entity.id, name: entity.name, entity_type: entity.entity_type });
        }
    }
    let found = new.len();
    let before = Before { mentions: new, ..Before::default() };
    let version = stored.memory.version;
    changes::record(work, stamp, scope, Some(stored.pk), Effect::Mentioned, version, Some(&before)).await?;
    Ok(found)
}

/// Takes mentions away from a memory again, and entities that nothing else mentions.
pub(super) async fn unmention(
    work: &Work,
    view: &View,
    stamp: &Stamp,
    id: MemoryId,
    mentions: &[MentionedEntity],
) -> Result<(), Fault> {
    let stored = row::need(work, view, id).await?;
    let scope = scopes::number_or_new(work, &stored.memory.scope).await?;
    for mention in mentions {
        // One that was merged away is the other's by now.
        let sql = "SELECT pk FROM entities WHERE agent = $1 AND id = $2 AND scope = $3";
        let Some(found) = work.row(sql, &[&mention.id.uuid(), &scope]).await? else { continue };
        let entity = get(&found, 0)?;
        remove_mention(work, stored.pk, entity).await?;
        recount_or_remove(work, entity).await?;
    }
    let before = Before { mentions: mentions.to_vec(), ..Before::default() };
    let version = stored.memory.version;
    changes::record(work, stamp, scope, Some(stored.pk), Effect::Unmentioned, version, Some(&before)).await
}

/// Entities by name and type, most mentioned first.
pub(super) async fn list(work: &Work, view: &View, query: &EntityQuery) -> Result<EntityPage, Fault> {
    let visible = scopes::visible(work, view).await?;
    let sql = format!(
        "SELECT {COLUMNS} FROM {FROM} WHERE e.agent = $1 AND e.scope = ANY ($2) AND ($3 IS NULL OR e.type = $3)
           AND ($4 IS NULL OR strpos(e.name_key, $4) > 0
                OR EXISTS (SELECT 1 FROM entity_aliases a
                           WHERE a.agent = e.agent AND a.entity = e.pk AND strpos(a.alias_key, $4) > 0))
         ORDER BY e.mention_count DESC, e.name_key, e.id LIMIT $5 OFFSET $6"
    );
    let most = limit(query.limit).saturating_add(1);
    let rows = work
        .rows(
            &sql,
            &[
                &visible,
                &query.entity_type.map(EntityType::name),
                &query.name_contains.as_deref().map(name_key),
                &most,
                &limit(query.offset),
            ],
        )
        .await?;
    let mut entities = read_all(work, &rows).await?;
    let more = entities.len() > query.limit;
    entities.truncate(query.limit);
    Ok(EntityPage { entities, more })
}

/// A scope's own entities after an id, by id.
pub(super) async fn list_by_id(
    work: &Work,
    scope: &Scope,
    after: Option<EntityId>,
    most: usize,
) -> Result<Vec<Entity>, Fault> {
    let sql = format!(
        "SELECT {COLUMNS} FROM {FROM} WHERE e.agent = $1 AND s.name = $2 AND ($3 IS NULL OR e.id > $3) ORDER BY e.id
         LIMIT $4"
    );
    let rows = work.rows(&sql, &[&scope.to_string(), &after.map(|id| id.uuid()), &limit(most)]).await?;
    read_all(work, &rows).await
}

/// Those with this name, alias or id.
pub(super) async fn find(work: &Work, view: &View, name: &str) -> Result<Vec<Entity>, Fault> {
    let visible = scopes::visible(work, view).await?;
    let sql = format!(
        "SELECT {COLUMNS} FROM {FROM} WHERE e.agent = $1 AND e.pk IN (
             SELECT pk FROM entities WHERE agent = $1 AND id = $2 AND scope = ANY ($4)
             UNION SELECT pk FROM entities WHERE agent = $1 AND scope = ANY ($4) AND name_key = $3
             UNION SELECT entity FROM entity_aliases WHERE agent = $1 AND scope = ANY ($4) AND alias_key = $3)
         ORDER BY e.mention_count DESC, e.name_key, e.id"
    );
    let id: Option<Uuid> = name.parse::<EntityId>().ok().map(|id| id.uuid());
    let rows = work.rows(&sql, &[&id, &name_key(name), &visible]).await?;
    read_all(work, &rows).await
}

/// Those with any of these names, and the newest memories that mention them.
pub(super) async fn named(work: &Work, view: &View, names: &[String], most: usize) -> Result<Vec<NamedEntity>, Fault> {
    let mut found: Vec<Entity> = Vec::new();
    for name in names {
        for entity in find(work, view, name).await? {
            if !found.iter().any(|known| known.id == entity.id) {
                found.push(entity);
            }
        }
    }
    let visible = scopes::visible(work, view).await?;
    let sql = "SELECT l.memory FROM memory_entities l JOIN memories m ON m.agent = l.agent AND m.pk = l.memory
               WHERE l.agent = $1 AND l.entity = (SELECT pk FROM entities WHERE agent = $1 AND id = $2)
                   AND m.scope = ANY ($3)
               ORDER BY l.memory DESC LIMIT $4";
    let mut named = Vec::with_capacity(found.len());
    for entity in found {
        let rows = work.rows(sql, &[&entity.id.uuid(), &visible, &limit(most)]).await?;
        let memories = rows.iter().map(|row| count(row, 0).map(ItemKey::memory)).collect::<Result<_, _>>()?;
        named.push(NamedEntity { entity, memories });
    }
    Ok(named)
}

/// The entities a memory mentions.
pub(super) async fn mentioned(work: &Work, view: &View, id: MemoryId) -> Result<Vec<Entity>, Fault> {
    let stored = row::need(work, view, id).await?;
    let sql = format!(
        "SELECT {COLUMNS} FROM {FROM} JOIN memory_entities l ON l.agent = e.agent AND l.entity = e.pk
         WHERE e.agent = $1 AND l.memory = $2 ORDER BY e.name_key, e.id"
    );
    let rows = work.rows(&sql, &[&stored.pk]).await?;
    read_all(work, &rows).await
}

/// Creates an entity, or adds to the one with its name and type.
pub(super) async fn upsert(work: &Work, entity: &Entity) -> Result<Entity, Fault> {
    let scope = scopes::number_or_new(work, &entity.scope).await?;
    let key = name_key(&entity.name);
    let pk = match find_in_scope(work, scope, &key, entity.entity_type).await? {
        Some(pk) => pk,
        None => insert(work, scope, entity.id, &entity.name, entity.entity_type).await?,
    };
    for alias in &entity.aliases {
        add_alias(work, scope, pk, alias).await?;
    }
    let sql = "UPDATE entities SET summary = coalesce($3, summary), protected = protected OR $4
               WHERE agent = $1 AND pk = $2";
    work.execute(sql, &[&pk, &entity.summary, &entity.protected]).await?;
    by_number(work, pk).await
}

/// Forgets an entity for good, with the merges that remember its names.
pub(super) async fn forget(work: &Work, view: &View, id: EntityId) -> Result<bool, Fault> {
    let pk = match need(work, view, id).await {
        Ok((pk, _)) => pk,
        Err(Fault::Store(StoreError::NotFound { .. })) => return Ok(false),
        Err(other) => return Err(other),
    };
    work.execute("DELETE FROM memory_entities WHERE agent = $1 AND entity = $2", &[&pk]).await?;
    remove(work, pk).await?;
    for past in changes::pasts(work, "c.memory IS NULL", &[]).await? {
        if past.entry.before.entity.is_some_and(|merged| merged.id == id || merged.into == id) {
            work.execute("DELETE FROM changes WHERE agent = $1 AND seq = $2", &[&past.seq]).await?;
        }
    }
    Ok(true)
}

/// Forgets a memory's mentions, and entities that nothing mentions any more.
pub(super) async fn forget_memory(work: &Work, memory: i64) -> Result<(), Fault> {
    let sql = "DELETE FROM memory_entities WHERE agent = $1 AND memory = $2 RETURNING entity";
    for row in work.rows(sql, &[&memory]).await? {
        recount_or_remove(work, get(&row, 0)?).await?;
    }
    Ok(())
}

/// Lets a memory that moved to another scope mention the same things there. They are found by name and type, or come
/// along with their other names and summary.
pub(super) async fn follow(work: &Work, memory: i64, scope: i64, to: &Scope) -> Result<(), Fault> {
    let sql = "SELECT entity FROM memory_entities WHERE agent = $1 AND memory = $2 ORDER BY entity";
    let mut entities = Vec::new();
    for row in work.rows(sql, &[&memory]).await? {
        entities.push(by_number(work, get(&row, 0)?).await?);
    }
    forget_memory(work, memory).await?;
    for entity in entities {
        if find_in_scope(work, scope, &name_key(&entity.name), entity.entity_type).await?.is_none() {
            let known = "SELECT 1 FROM entities WHERE agent = $1 AND id = $2";
            let stays = work.exists(known, &[&entity.id.uuid()]).await?;
            let id = if stays { rules::entity_elsewhere(entity.id, to) } else { entity.id };
            upsert(work, &Entity { id, scope: to.clone(), ..entity.clone() }).await?;
        }
        let mention = NewMention { id: entity.id, name: entity.name, entity_type: entity.entity_type, alias: None };
        link(work, memory, scope, &mention).await?;
    }
    Ok(())
}

/// Links a memory to an entity; false if it was linked before.
pub(super) async fn insert_mention(work: &Work, memory: i64, entity: i64) -> Result<bool, Fault> {
    let sql = "INSERT INTO memory_entities (agent, memory, entity) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING";
    Ok(work.execute(sql, &[&memory, &entity]).await? > 0)
}

/// Parts a memory from an entity.
pub(super) async fn remove_mention(work: &Work, memory: i64, entity: i64) -> Result<(), Fault> {
    let sql = "DELETE FROM memory_entities WHERE agent = $1 AND memory = $2 AND entity = $3";
    work.execute(sql, &[&memory, &entity]).await?;
    Ok(())
}

/// Removes an entity that nothing mentions any more, with its other names.
pub(super) async fn remove(work: &Work, entity: i64) -> Result<(), Fault> {
    work.execute("DELETE FROM entity_aliases WHERE agent = $1 AND entity = $2", &[&entity]).await?;
    work.execute("DELETE FROM entities WHERE agent = $1 AND pk = $2", &[&entity]).await?;
    Ok(())
}

/// Sets an entity's count to the number of memories that mention it.
pub(super) async fn recount(work: &Work, entity: i64) -> Result<(), Fault> {
    work.execute(
        "UPDATE entities SET mention_count = (SELECT count(*) FROM memory_entities WHERE agent = $1 AND entity = $2)
         WHERE agent = $1 AND pk = $2",
        &[&entity],
    )
    .await?;
    Ok(())
}

/// Makes an entity; gives its row number.
pub(super) async fn insert(
    work: &Work,
    scope: i64,
    id: EntityId,
    name: &str,
    entity_type: EntityType,
) -> Result<i64, Fault> {
    let pk = work.draw(Counter::Entities)?;
    work.execute(
        "INSERT INTO entities (agent, pk, id, scope, name, name_key, type, mention_count, protected)
         VALUES ($1, $2, $3, $4, $5, $6, $7, 0, false)",
        &[&pk, &id.uuid(), &scope, &name, &name_key(name), &entity_type.name()],
    )
    .await
    .map_err(|fault| fault.if_taken(|| rules::taken(id)))?;
    Ok(pk)
}

/// Gives an entity another name. True if it did not have it before.
pub(super) async fn add_alias(work: &Work, scope: i64, entity: i64, alias: &str) -> Result<bool, Fault> {
    let key = name_key(alias);
    if key.is_empty() {
        return Ok(false);
    }
    let added = work
        .execute(
            "INSERT INTO entity_aliases (agent, scope, alias_key, entity, alias)
             SELECT $1, $2, $3, $4, $5
             WHERE NOT EXISTS (SELECT 1 FROM entities WHERE agent = $1 AND pk = $4 AND name_key = $3)
             ON CONFLICT DO NOTHING",
            &[&scope, &key, &entity, &alias],
        )
        .await?;
    Ok(added > 0)
}

/// The visible entity with this id, and its row number.
pub(super) async fn need(work: &Work, view: &View, id: EntityId) -> Result<(i64, Entity), Fault> {
    let visible = scopes::visible(work, view).await?;
    let sql = format!("SELECT {COLUMNS} FROM {FROM} WHERE e.agent = $1 AND e.id = $2 AND e.scope = ANY ($3)");
    let found = work.row(&sql, &[&id.uuid(), &visible]).await?.ok_or_else(|| StoreError::not_found(id))?;
    let entity = read_all(work, std::slice::from_ref(&found)).await?.pop();
    Ok((get(&found, 7)?, entity.ok_or_else(|| StoreError::not_found(id))?))
}

async fn by_number(work: &Work, pk: i64) -> Result<Entity, Fault> {
    let sql = format!("SELECT {COLUMNS} FROM {FROM} WHERE e.agent = $1 AND e.pk = $2");
    let rows = work.rows(&sql, &[&pk]).await?;
    read_all(work, &rows).await?.pop().ok_or_else(|| StoreError::not_found("the entity").into())
}

// Counts an entity's mentions again; one that nothing mentions goes.
async fn recount_or_remove(work: &Work, entity: i64) -> Result<(), Fault> {
    recount(work, entity).await?;
    let orphan = "SELECT 1 FROM entities WHERE agent = $1 AND pk = $2 AND mention_count = 0 AND NOT protected";
    if work.exists(orphan, &[&entity]).await? {
        remove(work, entity).await?;
    }
    Ok(())
}

// By its name, else by one of its other names.
async fn find_in_scope(work: &Work, scope: i64, key: &str, entity_type: EntityType) -> Result<Option<i64>, Fault> {
    let sql = "SELECT pk, 0 AS rank FROM entities WHERE agent = $1 AND scope = $2 AND name_key = $3 AND type = $4
               UNION ALL
               SELECT e.pk, 1 FROM entity_aliases a JOIN entities e ON e.agent = a.agent AND e.pk = a.entity
               WHERE a.agent = $1 AND a.scope = $2 AND a.alias_key = $3 AND e.type = $4
               ORDER BY rank, pk LIMIT 1";
    let found = work.row(sql, &[&scope, &key, &entity_type.name()]).await?;
    found.map(|row| get(&row, 0)).transpose()
}

async fn read_all(work: &Work, rows: &[Row]) -> Result<Vec<Entity>, Fault> {
    let mut found = rows.iter().map(read).collect::<Result<Vec<_>, _>>()?;
    let numbers: Vec<i64> = found.iter().map(|(pk, _)| *pk).collect();
    if !numbers.is_empty() {
        let sql = "SELECT entity, alias FROM entity_aliases WHERE agent = $1 AND entity = ANY ($2) ORDER BY alias";
        for row in work.rows(sql, &[&numbers]).await? {
            let entity: i64 = get(&row, 0)?;
            for (_, owner) in found.iter_mut().filter(|(pk, _)| *pk == entity) {
                owner.aliases.push(get(&row, 1)?);
            }
        }
    }
    Ok(found.into_iter().map(|(_, entity)| entity).collect())
}

fn read(row: &Row) -> Result<(i64, Entity), Fault> {
    let entity = Entity {
        id: EntityId::from(get::<Uuid>(row, 0)?),
        scope: parse(row, 1)?,
        name: get(row, 2)?,
        entity_type: parse(row, 3)?,
        aliases: Vec::new(),
        summary: get(row, 4)?,
        mention_count: count(row, 5)?,
        protected: get(row, 6)?,
    };
    Ok((get(row, 7)?, entity))
}
