//! Doing at once what the background would do in its own time.

use std::time::Duration;

use crate::embed::{current_generation, settle};
use crate::schedule::drain_kinds;
use crate::schedule::jobs::{KINDS, LinkEntities};
use crate::{Ctx, EngineError, Result};

/// Links names, gives vectors to everything and writes the index files.
///
/// # Errors
/// When the embedder or the store fails, or names cannot be linked.
pub(super) async fn settle_store(ctx: &Ctx) -> Result<()> {
    let linking = KINDS.iter().position(|kind| kind.name == LinkEntities::NAME);
    if let Some(linking) = linking {
        let drained = drain_kinds(ctx, &KINDS[linking..=linking], Duration::MAX).await?;
        if drained.failed > 0 {
            return Err(EngineError::defect("linking names failed"));
        }
    }
    if let Some(embedder) = ctx.embedder().await? {
        let plan = current_generation(ctx, &*embedder).await?;
        if let Some(serving) = plan.serving {
            settle(ctx, &*embedder, serving.id).await?;
        }
    }
    let store = ctx.store().await?;
    ctx.index().await?.bring_up_to_date(&*store, false).await?;
    Ok(())
}
