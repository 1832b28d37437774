//! Vectors that callers made themselves.

use async_trait::async_trait;
use scrubjay_store::Result;
use scrubjay_store::space::{Space, SpaceEntry};
use scrubjay_store::traits::VectorSpaces;

use super::store::ConfinedStore;

#[async_trait]
impl VectorSpaces for ConfinedStore {
    async fn space_dimensions(&self, space: &Space) -> Result<Option<usize>> {
        self.look_in(&space.scope)?;
        self.inner.space_dimensions(space).await
    }

    async fn put_in_space(&self, space: &Space, entries: Vec<SpaceEntry>) -> Result<()> {
        self.write_in(&space.scope)?;
        self.inner.put_in_space(space, entries).await
    }

    async fn space_entries(&self, space: &Space, after: Option<&str>, limit: usize) -> Result<Vec<SpaceEntry>> {
        self.look_in(&space.scope)?;
        self.inner.space_entries(space, after, limit).await
    }

    async fn remove_from_space(&self, space: &Space, ids: Vec<String>) -> Result<usize> {
        self.write_in(&space.scope)?;
        self.inner.remove_from_space(space, ids).await
    }

    async fn clear_space(&self, space: &Space) -> Result<usize> {
        self.write_in(&space.scope)?;
        self.inner.clear_space(space).await
    }

    async fn count_space(&self, space: &Space) -> Result<u64> {
        self.look_in(&space.scope)?;
        self.inner.count_space(space).await
    }
}
