//! What belongs to no scope: indexes, vectors, caches, accounts, upkeep. No caller's words end up there, and searching
//! needs all of it, so it is passed on; what acts on the store as a whole is not.

use std::path::Path;

use async_trait::async_trait;
use scrubjay_core::id::MemoryId;
use scrubjay_core::scope::{Scope, View};
use scrubjay_core::text::TextHash;
use scrubjay_core::time::Timestamp;
use scrubjay_store::item::{
    CacheKey, Coverage, Generation, GenerationId, IndexRow, Item, ItemKey, NewGeneration, NewVectors, Tail, Waiting,
};
use scrubjay_store::model::{Batch, Spend};
use scrubjay_store::query::Finding;
use scrubjay_store::traits::{BackupCopy, EmbeddingCache, Indexing, Ledger, ModelNotes, Upkeep, Vectors};
use scrubjay_store::{Result, StoreError};

use super::store::ConfinedStore;

#[async_trait]
impl Indexing for ConfinedStore {
    async fn tail(&self, view: Option<&View>, after: u64, limit: usize) -> Result<Tail> {
        view.map_or(Ok(()), |view| self.look(view))?;
        self.inner.tail(view, after, limit).await
    }

    async fn all_items(&self, after: Option<ItemKey>, limit: usize) -> Result<Vec<IndexRow>> {
        self.inner.all_items(after, limit).await
    }

    async fn items(&self, view: &View, keys: Vec<ItemKey>) -> Result<Vec<(ItemKey, Item)>> {
        self.look(view)?;
        self.inner.items(view, keys).await
    }

    async fn keys_of(&self, view: &View, ids: Vec<MemoryId>) -> Result<Vec<(MemoryId, ItemKey)>> {
        self.look(view)?;
        self.inner.keys_of(view, ids).await
    }

    async fn trim_log(&self, through: u64) -> Result<()> {
        self.inner.trim_log(through).await
    }
}

#[async_trait]
impl Vectors for ConfinedStore {
    async fn generations(&self) -> Result<Vec<Generation>> {
        self.inner.generations().await
    }

    async fn begin_generation(&self, spec: NewGeneration, at: Timestamp) -> Result<Generation> {
        self.inner.begin_generation(spec, at).await
    }

    async fn queue_older(&self, generation: GenerationId, limit: usize) -> Result<bool> {
        self.inner.queue_older(generation, limit).await
    }

    async fn waiting(&self, generation: GenerationId, limit: usize) -> Result<Vec<Waiting>> {
        self.inner.waiting(generation, limit).await
    }

    async fn put_vectors(&self, generation: GenerationId, vectors: Vec<NewVectors>) -> Result<usize> {
        self.inner.put_vectors(generation, vectors).await
    }

    async fn serve_generation(&self, generation: GenerationId) -> Result<()> {
        self.inner.serve_generation(generation).await
    }

    async fn remove_retired(&self, limit: usize) -> Result<bool> {
        self.inner.remove_retired(limit).await
    }

    async fn count_waiting(&self, view: &View, generation: GenerationId) -> Result<u64> {
        self.look(view)?;
        self.inner.count_waiting(view, generation).await
    }

    async fn coverage(&self, generation: GenerationId) -> Result<Coverage> {
        self.inner.coverage(generation).await
    }
}

#[async_trait]
impl EmbeddingCache for ConfinedStore {
    async fn cached(&self, key: &CacheKey, texts: Vec<TextHash>, at: Timestamp) -> Result<Vec<Option<Vec<u8>>>> {
        self.inner.cached(key, texts, at).await
    }

    async fn cache(
        &self,
        key: &CacheKey,
        vectors: Vec<(TextHash, Vec<u8>)>,
        max_entries: Option<u64>,
        at: Timestamp,
    ) -> Result<()> {
        self.inner.cache(key, vectors, max_entries, at).await
    }

    async fn cache_entries(&self) -> Result<u64> {
        self.inner.cache_entries().await
    }

    async fn clear_cache(&self) -> Result<()> {
        Err(whole_store())
    }
}

#[async_trait]
impl Ledger for ConfinedStore {
    async fn add_spend(&self, spend: Spend) -> Result<()> {
        self.inner.add_spend(spend).await
    }

    async fn spend(&self, from_day: &str, through_day: &str) -> Result<Vec<Spend>> {
        self.inner.spend(from_day, through_day).await
    }

    async fn spent_micros(&self, day: &str) -> Result<u64> {
        self.inner.spent_micros(day).await
    }
}

#[async_trait]
impl ModelNotes for ConfinedStore {
    async fn card(&self, id: &str) -> Result<Option<String>> {
        self.inner.card(id).await
    }

    async fn put_card(&self, id: &str, card: &str, at: Timestamp) -> Result<()> {
        self.inner.put_card(id, card, at).await
    }

    async fn batches(&self) -> Result<Vec<Batch>> {
        self.inner.batches().await
    }

    async fn put_batch(&self, batch: Batch) -> Result<()> {
        self.inner.put_batch(batch).await
    }

    async fn remove_batch(&self, name: &str) -> Result<bool> {
        self.inner.remove_batch(name).await
    }
}

#[async_trait]
impl Upkeep for ConfinedStore {
    fn location(&self) -> Option<&Path> {
        self.inner.location()
    }

    async fn check(&self, thorough: bool) -> Result<Vec<Finding>> {
        self.inner.check(thorough).await
    }

    async fn repair(&self) -> Result<Vec<String>> {
        Err(whole_store())
    }

    fn trouble(&self) -> Option<StoreError> {
        self.inner.trouble()
    }

    async fn checkpoint(&self) -> Result<()> {
        self.inner.checkpoint().await
    }

    async fn backup(&self, _to: &Path) -> Result<BackupCopy> {
        Err(whole_store())
    }

    async fn mark(&self, name: &str) -> Result<Option<u64>> {
        self.inner.mark(name).await
    }

    async fn set_mark(&self, name: &str, value: u64) -> Result<()> {
        self.inner.set_mark(name, value).await
    }

    async fn all_scopes(&self) -> Result<Vec<Scope>> {
        let mut scopes = self.inner.all_scopes().await?;
        scopes.retain(|scope| self.reach.reads(scope));
        Ok(scopes)
    }
}

fn whole_store() -> StoreError {
    StoreError::OwnerOnly { what: "the store as a whole".to_owned() }
}
