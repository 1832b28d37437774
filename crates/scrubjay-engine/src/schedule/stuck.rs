//! Background work that does not get done by itself.

use scrubjay_store::query::JobState;

use crate::{Ctx, Result};

/// How long work may wait before it counts as stuck, in milliseconds: whoever works here now and then does it within that.
const PATIENCE_MS: i64 = 24 * 3_600_000;

/// How many jobs are looked at.
const AT_MOST: usize = 1000;

/// In one sentence, what is stuck: jobs that failed too often, or that have waited for long. None if nothing is.
///
/// # Errors
/// When the store fails.
pub async fn stuck(ctx: &Ctx) -> Result<Option<String>> {
    let store = ctx.store().await?;
    let parked = store.jobs(ctx.view(), Some(JobState::Parked), AT_MOST).await?.len();
    if parked > 0 {
        return Ok(Some(format!("{} failed too often and waits for you", counted(parked))));
    }
    let queued = store.jobs(ctx.view(), Some(JobState::Queued), AT_MOST).await?;
    let is_old = |at: scrubjay_core::time::Timestamp| ctx.now().millis() - at.millis() > PATIENCE_MS;
    // What was put off is due later, by intention.
    let waiting = queued.iter().filter(|job| is_old(job.created_at) && job.run_after <= ctx.now()).count();
    Ok((waiting > 0).then(|| format!("{} has waited for more than a day", counted(waiting))))
}

fn counted(jobs: usize) -> String {
    if jobs == 1 { "1 job".to_owned() } else { format!("work for {jobs} jobs") }
}
