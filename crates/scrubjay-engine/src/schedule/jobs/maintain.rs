//! Upkeep whose time has come.

use scrubjay_store::query::Job;
use serde_json::Value;

use super::JobKind;
use crate::consolidate::Extent;
use crate::maintain::{JOB, Occasion, Work, mark_name, run};
use crate::{Ctx, Result};

/// The kind of work.
pub struct Maintain;

impl Maintain {
    /// What the worker knows of it.
    pub(super) const KIND: JobKind = JobKind {
        name: Self::NAME,
        about: "does upkeep whose time has come",
        takes_turns: false,
        asks_chat: true,
        wait_ms: |_| 0,
        run: |ctx, job| Box::pin(Self::run(ctx, job)),
    };

    /// Its name in the store.
    pub const NAME: &'static str = JOB;

    /// Does it, unless it was done for that time already, and notes that it was.
    ///
    /// # Errors
    /// When the store or a model fails.
    pub async fn run(ctx: &Ctx, job: &Job) -> Result<()> {
        let work = job.payload.get("work").and_then(Value::as_str).and_then(Work::from_name);
        let due = job.payload.get("due").and_then(Value::as_i64).and_then(|due| u64::try_from(due).ok());
        let (Some(work), Some(due)) = (work, due) else { return Ok(()) };
        let store = ctx.store().await?;
        let mark = mark_name(work);
        if store.mark(&mark).await?.is_some_and(|done| done >= due) {
            return Ok(());
        }
        run(ctx, work, Occasion::Due, Extent::Apply).await?;
        store.set_mark(&mark, due).await?;
        Ok(())
    }
}
