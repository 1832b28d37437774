//! Giving vectors to what was stored.

use scrubjay_store::query::Job;

use super::JobKind;
use crate::embed::embed_some;
use crate::models::backfill::POLL_MS;
use crate::{Ctx, Result, queue};

/// The kind of work.
pub struct Embed;

impl Embed {
    /// What the worker knows of it.
    pub(super) const KIND: JobKind = JobKind {
        name: Self::NAME,
        about: "gives vectors to what was stored, so that it is found by meaning",
        takes_turns: true,
        asks_chat: false,
        wait_ms: |_| POLL_MS,
        run: |ctx, job| Box::pin(Self::run(ctx, job)),
    };

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
            let mut next = queue::in_scope(ctx, Self::NAME, &job.scope)?;
            if !embedded.more {
                next.run_after = ctx.now().plus_millis(POLL_MS);
            }
            ctx.store().await?.enqueue(vec![next], ctx.now()).await?;
        }
        Ok(())
    }
}
