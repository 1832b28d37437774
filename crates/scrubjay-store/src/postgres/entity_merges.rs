//! Two entities that become one, and one that becomes two again.

use scrubjay_core::entity::{Entity, name_key};
use scrubjay_core::id::{EntityId, MemoryId};
use scrubjay_core::scope::View;

use super::entities::{add_alias, insert, insert_mention, need, recount, remove, remove_mention};
use super::fault::Fault;
use super::work::Work;
use super::{changes, row, scopes};
use crate::change::{Before, Effect, MergedEntity, Stamp};
use crate::{StoreError, rules};

/// Merges `from` into `into`.
pub(super) async fn merge(
    work: &Work,
    view: &View,
    stamp: &Stamp,
    into: EntityId,
    from: EntityId,
) -> Result<Entity, Fault> {
    let (kept_pk, kept) = need(work, view, into).await?;
    let (gone_pk, gone) = need(work, view, from).await?;
    rules::check_merge(&kept, &gone)?;
    let scope = scopes::number_or_new(work, &kept.scope).await?;
    let memories = memories_of(work, gone_pk, None).await?;
    let shared = memories_of(work, gone_pk, Some(kept_pk)).await?;
    let mut added_aliases = Vec::new();
    work.execute("DELETE FROM entity_aliases WHERE agent = $1 AND entity = $2", &[&gone_pk]).await?;
    for name in std::iter::once(&gone.name).chain(&gone.aliases) {
        if add_alias(work, scope, kept_pk, name).await? {
            added_aliases.push(name.clone());
        }
    }
    let move_over = "INSERT INTO memory_entities (agent, memory, entity)
                     SELECT agent, memory, $2 FROM memory_entities WHERE agent = $1 AND entity = $3
                     ON CONFLICT DO NOTHING";
    work.execute(move_over, &[&kept_pk, &gone_pk]).await?;
    work.execute("DELETE FROM memory_entities WHERE agent = $1 AND entity = $2", &[&gone_pk]).await?;
    remove(work, gone_pk).await?;
    recount(work, kept_pk).await?;
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
    changes::record(work, stamp, scope, None, Effect::Merged, 0, Some(&before)).await?;
    Ok(need(work, view, into).await?.1)
}

/// Brings back an entity that was merged away.
pub(super) async fn split(work: &Work, view: &View, stamp: &Stamp, merged: &MergedEntity) -> Result<(), Fault> {
    let refused = |fault| match fault {
        Fault::Store(StoreError::NotFound { .. } | StoreError::Conflict { .. }) => rules::cannot_split(merged).into(),
        other => other,
    };
    let (kept_pk, kept) = need(work, view, merged.into).await.map_err(refused)?;
    let scope = scopes::number_or_new(work, &kept.scope).await?;
    for alias in &merged.added_aliases {
        let sql = "DELETE FROM entity_aliases WHERE agent = $1 AND entity = $2 AND alias_key = $3";
        work.execute(sql, &[&kept_pk, &name_key(alias)]).await?;
    }
    let back = insert(work, scope, merged.id, &merged.name, merged.entity_type).await.map_err(refused)?;
    let sql = "UPDATE entities SET summary = $3, protected = $4 WHERE agent = $1 AND pk = $2";
    work.execute(sql, &[&back, &merged.summary, &merged.protected]).await?;
    for alias in &merged.aliases {
        add_alias(work, scope, back, alias).await?;
    }
    for memory in &merged.memories {
        // A memory that was purged meanwhile stays gone.
        let Some(pk) = row::pk_of(work, *memory).await? else { continue };
        insert_mention(work, pk, back).await?;
        if !merged.shared.contains(memory) {
            remove_mention(work, pk, kept_pk).await?;
        }
    }
    recount(work, back).await?;
    recount(work, kept_pk).await?;
    let before = Before { entity: Some(merged.clone()), ..Before::default() };
    changes::record(work, stamp, scope, None, Effect::Split, 0, Some(&before)).await
}

async fn memories_of(work: &Work, entity: i64, also: Option<i64>) -> Result<Vec<MemoryId>, Fault> {
    let sql = "SELECT m.id, m.kind FROM memory_entities l JOIN memories m ON m.agent = l.agent AND m.pk = l.memory
               WHERE l.agent = $1 AND l.entity = $2
                   AND ($3 IS NULL OR EXISTS (SELECT 1 FROM memory_entities o
                                              WHERE o.agent = $1 AND o.memory = l.memory AND o.entity = $3))
               ORDER BY m.id";
    work.rows(sql, &[&entity, &also]).await?.iter().map(|found| row::id(found, 0)).collect()
}
