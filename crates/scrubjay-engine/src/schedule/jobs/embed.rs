//! Giving vectors to what was stored.

use scrubjay_core::scope::Scope;
use scrubjay_store::change::NewJob;
use scrubjay_store::query::Job;

use super::kind::in_scope;
use crate::embed::embed_some;
use crate::models::backfill::POLL_MS;
use crate::{Ctx, Result};

/// The kind of work.
pub struct Embed;

impl Embed {
    /// Its name in the store.
    pub const NAME: &'static str = "embed";

    /// A job for what was stored in a scope.
    ///
    /// # Errors
    /// When there is no randomness for its id.
    pub fn job(ctx: &Ctx, scope: &Scope) -> Result<NewJob> {
        in_scope(ctx, Self::NAME, scope)
    }

    /// Embeds the next few items and queues itself again if more are waiting, so
    /// that whoever has little time can stop in between.
    ///
    /// # Errors
    /// When the embedder or the store fails.
    pub async fn run(ctx: &Ctx, job: &Job) -> Result<()> {
        let embedded = embed_some(ctx).await?;
        if embedded.more || embedded.in_batches > 0 {
            let mut next = Self::job(ctx, &job.scope)?;
            if !embedded.more {
                next.run_after = ctx.now().plus_millis(POLL_MS);
            }
            ctx.store().await?.enqueue(vec![next], ctx.now()).await?;
        }
        Ok(())
    }
}
