//! Giving vectors to what was stored.

use scrubjay_store::query::Job;

use crate::embed::embed_some;
use crate::models::backfill::POLL_MS;
use crate::{Ctx, Result, queue};

/// The kind of work.
pub struct Embed;

impl Embed {
    /// Its name in the store.
    pub const NAME: &'static str = queue::EMBED;

    /// Embeds the next few items and queues itself again if more are waiting, so
    /// that whoever has little time can stop in between.
    ///
    /// # Errors
    /// When the embedder or the store fails.
    pub async fn run(ctx: &Ctx, job: &Job) -> Result<()> {
        let embedded = embed_some(ctx).await?;
        if embedded.more || embedded.in_batches > 0 {
            let mut next = queue::embed(ctx, &job.scope)?;
            if !embedded.more {
                next.run_after = ctx.now().plus_millis(POLL_MS);
            }
            ctx.store().await?.enqueue(vec![next], ctx.now()).await?;
        }
        Ok(())
    }
}
