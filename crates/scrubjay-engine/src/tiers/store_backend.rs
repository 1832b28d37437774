//! A tier in the store: on disk, or in memory if the context's store is.

use async_trait::async_trait;
use scrubjay_core::filter::{Field, Filter, Order};
use scrubjay_core::id::MemoryId;
use scrubjay_core::memory::{EndedBy, Kind, Memory};
use scrubjay_core::scope::{Scope, View};
use scrubjay_store::change::{Change, NewMemory, Patch};
use scrubjay_store::query::ListQuery;

use super::backend::Backend;
use crate::capture::{mentions, names_in};
use crate::queue::after_writing;
use crate::{Ctx, EngineError, Result};

/// Items read at a time.
const PAGE: usize = 1000;

/// The facts of one scope, or the notes of one task. Durable when a call returns,
/// as far as the store is; deleting is forgetting, which `undo` takes back.
pub struct StoreBackend {
    ctx: Ctx,
    scope: Scope,
}

impl StoreBackend {
    /// The tier of a scope.
    ///
    /// # Errors
    /// When the context may not see the scope.
    pub fn new(ctx: &Ctx, scope: Scope) -> Result<Self> {
        let ctx = ctx.at(View::of(&scope))?;
        Ok(Self { ctx, scope })
    }

    fn kind(&self) -> Kind {
        if matches!(self.scope, Scope::Task(..)) { Kind::Scratch } else { Kind::Fact }
    }

    fn own(&self, filter: &Filter) -> Filter {
        filter.clone().and_equal(Field::Scope, self.scope.to_string()).and_equal(Field::Kind, self.kind().name())
    }

    fn holds(&self, memory: &Memory) -> bool {
        memory.scope == self.scope && memory.kind() == self.kind() && memory.is_active()
    }

    async fn end(&self, operation: &'static str, ids: Vec<MemoryId>) -> Result<()> {
        let end = |id| Change::End { id, expected_version: None, by: EndedBy::Forgotten };
        let changes = ids.into_iter().map(end).collect();
        self.ctx.store().await?.apply(self.ctx.view(), self.ctx.stamp(operation)?, changes, Vec::new()).await?;
        Ok(())
    }
}

#[async_trait]
impl Backend for StoreBackend {
    async fn add(&self, item: Memory) -> Result<()> {
        if item.scope != self.scope || item.kind() != self.kind() {
            return Err(EngineError::invalid(format!("{} does not belong to {}", item.id, self.scope)));
        }
        let store = self.ctx.store().await?;
        let change = match store.get(self.ctx.view(), item.id).await? {
            Some(known) => Change::Update {
                id: known.id,
                expected_version: Some(known.version),
                patch: Box::new(Patch {
                    memory_type: Some(item.memory_type),
                    content: Some(item.content),
                    importance: Some(item.importance.value()),
                    confidence: Some(item.confidence.value()),
                    event_time: Some(item.event_time),
                    ended: known.ended.map(|_| None),
                    tags: Some(item.tags),
                    attributes: Some(item.attributes),
                    ..Patch::default()
                }),
            },
            None => {
                let mentions = mentions(&self.ctx, &names_in(&item.content))?;
                let despite_purge = self.ctx.actor() == "user";
                Change::Create(Box::new(NewMemory { mentions, despite_purge, ..NewMemory::plain(item) }))
            }
        };
        let jobs = after_writing(&self.ctx, &self.scope)?;
        store.apply(self.ctx.view(), self.ctx.stamp("tier.add")?, vec![change], jobs).await?;
        Ok(())
    }

    async fn query(&self, filter: &Filter, order: &Order, limit: usize) -> Result<Vec<Memory>> {
        let query = ListQuery { filter: self.own(filter), order: order.clone(), limit, ..ListQuery::default() };
        Ok(self.ctx.store().await?.list(self.ctx.view(), query).await?.memories)
    }

    async fn get(&self, id: MemoryId) -> Result<Option<Memory>> {
        Ok(self.ctx.store().await?.get(self.ctx.view(), id).await?.filter(|memory| self.holds(memory)))
    }

    async fn delete(&self, id: MemoryId) -> Result<bool> {
        if self.get(id).await?.is_none() {
            return Ok(false);
        }
        self.end("tier.delete", vec![id]).await?;
        Ok(true)
    }

    async fn list_all(&self) -> Result<Vec<Memory>> {
        let store = self.ctx.store().await?;
        let mut all = Vec::new();
        let mut query = ListQuery { filter: self.own(&Filter::default()), limit: PAGE, ..ListQuery::default() };
        loop {
            let page = store.list(self.ctx.view(), query.clone()).await?;
            all.extend(page.memories);
            match page.next {
                Some(next) => query.after = Some(next),
                None => return Ok(all),
            }
        }
    }

    async fn clear(&self) -> Result<()> {
        let ids: Vec<MemoryId> = self.list_all().await?.into_iter().map(|memory| memory.id).collect();
        if ids.is_empty() { Ok(()) } else { self.end("tier.clear", ids).await }
    }

    async fn count(&self) -> Result<usize> {
        Ok(self.list_all().await?.len())
    }
}
