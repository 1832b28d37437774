//! Drawing facts from a conversation.

use scrubjay_core::scope::{Scope, View};
use scrubjay_core::time::Timestamp;
use scrubjay_store::change::NewJob;
use scrubjay_store::query::Job;
use serde_json::{Value, json};

use super::JobKind;
use crate::consolidate::{Extent, consolidate};
use crate::{Ctx, Result};

/// The kind of work.
pub struct Extract;

/// When a conversation is to be looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Urgency {
    /// At once, whatever else is queued for it.
    Now,
    /// Not before this time.
    At(Timestamp),
}

impl Extract {
    /// What the worker knows of it.
    pub(super) const KIND: JobKind = JobKind {
        name: Self::NAME,
        about: "draws facts from a conversation",
        takes_turns: false,
        asks_chat: true,
        wait_ms: |settings| i64::try_from(settings.extract.every_seconds.saturating_mul(1000)).unwrap_or(i64::MAX),
        run: |ctx, job| Box::pin(Self::run(ctx, job)),
    };

    /// Its name in the store.
    pub const NAME: &'static str = "extract";

    /// A job for what is new in a conversation.
    ///
    /// # Errors
    /// When there is no randomness for its id.
    pub fn job(ctx: &Ctx, scope: &Scope, session_id: &str, urgency: Urgency) -> Result<NewJob> {
        // Two keys, because one that waits for its time must not hold up one that is urgent.
        let (when, run_after) = match urgency {
            Urgency::Now => ("now", ctx.now()),
            Urgency::At(time) => ("later", time),
        };
        Ok(NewJob {
            id: ctx.job_id()?,
            kind: Self::NAME.to_owned(),
            key: format!("{scope} {when} {session_id}"),
            scope: scope.clone(),
            payload: json!({"session_id": session_id}),
            run_after,
        })
    }

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
