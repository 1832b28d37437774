//! Memories, their links and their history, and the things that they name.

use async_trait::async_trait;
use scrubjay_core::entity::Entity;
use scrubjay_core::id::{EntityId, MemoryId, RunId};
use scrubjay_core::memory::{Link, Memory};
use scrubjay_core::scope::{Scope, View};
use scrubjay_core::text::TextHash;
use scrubjay_core::time::Timestamp;
use scrubjay_store::change::{
    Applied, Captured, Change, FeedItem, HistoryEntry, NewJob, NewMemory, NewMention, Purged, Stamp, UndoTarget, Undone,
};
use scrubjay_store::query::{Counts, DayCount, EntityPage, EntityQuery, ListQuery, NamedEntity, Page};
use scrubjay_store::traits::{Entities, Memories};
use scrubjay_store::{Result, StoreError};

use super::store::ConfinedStore;

#[async_trait]
impl Memories for ConfinedStore {
    async fn capture(&self, stamp: Stamp, messages: Vec<NewMemory>, jobs: Vec<NewJob>) -> Result<Vec<Captured>> {
        self.queue(&jobs)?;
        for new in &messages {
            let what = format!("what holds for all projects ({})", new.memory.memory_type);
            self.write(&new.memory.scope, &new.memory.memory_type, &what)?;
        }
        self.inner.capture(stamp, messages, jobs).await
    }

    async fn apply(&self, view: &View, stamp: Stamp, changes: Vec<Change>, jobs: Vec<NewJob>) -> Result<Vec<Applied>> {
        self.check(view, &changes, &jobs).await?;
        self.inner.apply(view, stamp, changes, jobs).await
    }

    async fn get(&self, view: &View, id: MemoryId) -> Result<Option<Memory>> {
        self.look(view)?;
        self.inner.get(view, id).await
    }

    async fn list(&self, view: &View, query: ListQuery) -> Result<Page> {
        self.look(view)?;
        self.inner.list(view, query).await
    }

    // To read something counts, wherever it lives.
    async fn touch(&self, view: &View, ids: Vec<MemoryId>, at: Timestamp) -> Result<()> {
        self.look(view)?;
        self.inner.touch(view, ids, at).await
    }

    async fn history(&self, view: &View, id: MemoryId) -> Result<Vec<HistoryEntry>> {
        self.look(view)?;
        self.inner.history(view, id).await
    }

    async fn continues(&self, view: Option<&View>, run: RunId, operation: &'static str) -> Result<bool> {
        // The whole store is out of reach: no run can be joined there.
        let Some(view) = view else { return Ok(false) };
        self.look(view)?;
        self.inner.continues(Some(&self.reach.writable(view)), run, operation).await
    }

    async fn undo(&self, view: &View, stamp: Stamp, target: UndoTarget) -> Result<Undone> {
        self.look(view)?;
        if let UndoTarget::Memory(id) = target {
            self.check_memory(view, id, None).await?;
        }
        // An undo names a run, not what it touched: without global in view, a run that touched anything global
        // answers like one that never was.
        self.inner.undo(&view.without_global(), stamp, target).await
    }

    async fn purge(&self, view: &View, stamp: Stamp, ids: Vec<MemoryId>, dry_run: bool) -> Result<Purged> {
        self.look(view)?;
        for id in &ids {
            let memory = self.inner.get(view, *id).await?;
            if memory.is_some_and(|memory| memory.scope == Scope::Global) {
                return Err(StoreError::OwnerOnly { what: format!("{id}, which holds for all projects") });
            }
        }
        self.inner.purge(&view.without_global(), stamp, ids, dry_run).await
    }

    async fn is_purged(&self, scope: &Scope, value: TextHash) -> Result<bool> {
        self.look_in(scope)?;
        self.inner.is_purged(scope, value).await
    }

    async fn links(&self, view: &View, id: MemoryId) -> Result<Vec<Link>> {
        self.look(view)?;
        self.inner.links(view, id).await
    }

    async fn links_of(&self, view: &View, ids: Vec<MemoryId>) -> Result<Vec<Link>> {
        self.look(view)?;
        self.inner.links_of(view, ids).await
    }

    async fn feed(&self, scope: &Scope, after: u64, limit: usize) -> Result<Vec<FeedItem>> {
        self.look_in(scope)?;
        self.inner.feed(scope, after, limit).await
    }

    async fn counts(&self, view: &View) -> Result<Counts> {
        self.look(view)?;
        self.inner.counts(view).await
    }

    async fn growth(&self, view: &View, since: Timestamp) -> Result<Vec<DayCount>> {
        self.look(view)?;
        self.inner.growth(view, since).await
    }
}

#[async_trait]
impl Entities for ConfinedStore {
    async fn entities(&self, view: &View, query: EntityQuery) -> Result<EntityPage> {
        self.look(view)?;
        self.inner.entities(view, query).await
    }

    async fn entities_by_id(&self, scope: &Scope, after: Option<EntityId>, limit: usize) -> Result<Vec<Entity>> {
        self.look_in(scope)?;
        self.inner.entities_by_id(scope, after, limit).await
    }

    async fn find_entities(&self, view: &View, name: &str) -> Result<Vec<Entity>> {
        self.look(view)?;
        self.inner.find_entities(view, name).await
    }

    async fn named(&self, view: &View, names: Vec<String>, limit: usize) -> Result<Vec<NamedEntity>> {
        self.look(view)?;
        self.inner.named(view, names, limit).await
    }

    async fn mentioned(&self, view: &View, id: MemoryId) -> Result<Vec<Entity>> {
        self.look(view)?;
        self.inner.mentioned(view, id).await
    }

    async fn link_mentions(&self, view: &View, found: Vec<(MemoryId, Vec<NewMention>)>) -> Result<usize> {
        self.look(view)?;
        for (id, _) in &found {
            self.check_memory(view, *id, None).await?;
        }
        self.inner.link_mentions(view, found).await
    }

    async fn merge_entities(&self, view: &View, stamp: Stamp, into: EntityId, from: EntityId) -> Result<Entity> {
        self.look(view)?;
        self.check_entity(view, into).await?;
        self.check_entity(view, from).await?;
        self.inner.merge_entities(&self.reach.writable(view), stamp, into, from).await
    }

    async fn upsert_entity(&self, entity: Entity) -> Result<Entity> {
        self.write_in(&entity.scope)?;
        self.inner.upsert_entity(entity).await
    }

    async fn forget_entity(&self, view: &View, id: EntityId) -> Result<bool> {
        self.look(view)?;
        self.check_entity(view, id).await?;
        self.inner.forget_entity(&self.reach.writable(view), id).await
    }

    async fn sparse(&self, scope: &Scope, at_most: usize, without: &str, limit: usize) -> Result<Vec<Memory>> {
        self.look_in(scope)?;
        self.inner.sparse(scope, at_most, without, limit).await
    }
}
