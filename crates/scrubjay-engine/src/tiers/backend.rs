//! Where a tier keeps its items.

use async_trait::async_trait;
use scrubjay_core::filter::{Filter, Order};
use scrubjay_core::id::MemoryId;
use scrubjay_core::memory::Memory;

use crate::Result;

/// Where a tier keeps its items. Small on purpose: whoever embeds the library can
/// bring another one.
///
/// An item that was added is found by every later call. Items that were deleted
/// or cleared are found by none. Each call is atomic; how durable it is when it
/// returns, each implementation says.
#[async_trait]
pub trait Backend: Send + Sync {
    /// Adds an item; one with the same id is replaced.
    async fn add(&self, item: Memory) -> Result<()>;

    /// The items that meet all conditions, in order, `limit` of them at most.
    async fn query(&self, filter: &Filter, order: &Order, limit: usize) -> Result<Vec<Memory>>;

    /// One item.
    async fn get(&self, id: MemoryId) -> Result<Option<Memory>>;

    /// Deletes an item; false if there is none.
    async fn delete(&self, id: MemoryId) -> Result<bool>;

    /// All items, newest first.
    async fn list_all(&self) -> Result<Vec<Memory>>;

    /// Deletes all items.
    async fn clear(&self) -> Result<()>;

    /// How many items there are.
    async fn count(&self) -> Result<usize>;
}
