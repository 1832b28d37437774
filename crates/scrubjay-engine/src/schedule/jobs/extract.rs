//! Drawing facts from a conversation.

use scrubjay_core::scope::View;
use scrubjay_store::query::Job;
use serde_json::Value;

use crate::consolidate::{Extent, consolidate};
use crate::{Ctx, Result, queue};

/// The kind of work.
pub struct Extract;

impl Extract {
    /// Its name in the store.
    pub const NAME: &'static str = queue::EXTRACT;

    /// Draws facts from everything in the conversation that is new. A conversation that is gone is no error.
    ///
    /// # Errors
    /// When the store or a model fails.
    pub async fn run(ctx: &Ctx, job: &Job) -> Result<()> {
        let Some(session_id) = job.payload.get("session_id").and_then(Value::as_str) else { return Ok(()) };
        let session = ctx.store().await?.session(&View::of(&job.scope), session_id).await?;
        if let Some(session) = session.filter(|session| session.scope == job.scope) {
            consolidate(ctx, &session, Extent::Apply).await?;
        }
        Ok(())
    }
}
