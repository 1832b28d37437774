//! Keeping a project in bounds.

use scrubjay_core::memory::EndedBy;
use scrubjay_core::scope::Scope;
use scrubjay_store::change::Change;
use scrubjay_store::context::Capacity;

use crate::memory_types::counted;
use crate::{Ctx, Result};

/// Ends the least important tenth of a project that holds too much; gives how
/// many went. It is a run of its own, which `undo` takes back.
///
/// # Errors
/// When the store fails.
pub async fn evict(ctx: &Ctx, scope: &Scope) -> Result<usize> {
    if !matches!(scope, Scope::Project(_)) {
        return Ok(0);
    }
    let store = ctx.store().await?;
    let capacity = Capacity { types: counted(), max_items: ctx.config().settings.tiers.max_items };
    let ids = store.overfull(scope, capacity).await?;
    if ids.is_empty() {
        return Ok(0);
    }
    let gone = ids.len();
    let end = |id| Change::End { id, expected_version: None, by: EndedBy::Evicted };
    store.apply(ctx.view(), ctx.stamp("evict")?, ids.into_iter().map(end).collect(), Vec::new()).await?;
    Ok(gone)
}
