//! Upkeep whose time has come.

use scrubjay_core::scope::Scope;
use scrubjay_core::time::Timestamp;
use scrubjay_store::change::NewJob;
use scrubjay_store::query::Job;
use serde_json::{Value, json};

use crate::consolidate::Extent;
use crate::maintain::{Occasion, Work, mark_name, run};
use crate::{Ctx, Result};

/// The kind of work.
pub struct Maintain;

impl Maintain {
    /// Its name in the store.
    pub const NAME: &'static str = "maintain";

    /// A job for one piece of upkeep that was due at a time.
    ///
    /// # Errors
    /// When there is no randomness for its id.
    pub fn job(ctx: &Ctx, work: Work, due: Timestamp) -> Result<NewJob> {
        Ok(NewJob {
            id: ctx.job_id()?,
            kind: Self::NAME.to_owned(),
            key: work.name().to_owned(),
            scope: Scope::Global,
            payload: json!({"work": work.name(), "due": due.millis()}),
            run_after: ctx.now(),
        })
    }

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
