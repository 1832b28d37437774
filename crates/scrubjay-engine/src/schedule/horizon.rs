//! How far ahead the time of a job can be, and bringing back what is further away.
//!
//! A clock that was ahead once, by a wrong battery or a wrong year, leaves jobs that are due in years and leases that end
//! in years. Both look as if someone meant them. Nobody does: the longest wait is known for each kind of job.

use std::time::Duration;

use scrubjay_core::time::DAY_MS;
use scrubjay_models::http::LONGEST_REST;
use scrubjay_store::query::Horizon;

use super::jobs::JobKind;
use crate::config::Settings;
use crate::{Ctx, Result};

/// However often a job failed, it is tried again after a day.
pub(super) const LONGEST_BACKOFF_MS: i64 = DAY_MS;

/// The longest lease that settings allow, because other processes may have other settings.
const LONGEST_LEASE_MS: i64 = 3_600_000;

/// Two clocks that are right may still differ.
const SLACK_MS: i64 = 60_000;

/// The marks under which the store keeps when jobs were brought back last, and how many.
const WHEN: &str = "jobs:brought_back_at";
const COUNT: &str = "jobs:brought_back";

/// Jobs that were brought back from a time far ahead.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BroughtBack {
    /// When, in milliseconds since 1970.
    pub at_ms: i64,
    /// How many.
    pub count: u64,
}

/// How far ahead the times of these kinds of jobs can be.
#[must_use]
pub fn horizon(settings: &Settings, kinds: &[JobKind]) -> Horizon {
    let away_ms = wait_ms(LONGEST_REST);
    let longest = |kind: &JobKind| (kind.wait_ms)(settings).max(backoff_ms(settings, u32::MAX)).max(away_ms);
    let wait_ms = kinds.iter().map(|kind| (kind.name.to_owned(), longest(kind).saturating_add(SLACK_MS))).collect();
    Horizon { wait_ms, lease_ms: LONGEST_LEASE_MS + SLACK_MS }
}

/// Brings back what a clock that was ahead left behind.
///
/// # Errors
/// When the store fails.
pub(super) async fn bring_back(ctx: &Ctx, kinds: &[JobKind], lease_ms: i64) -> Result<()> {
    let store = ctx.store().await?;
    let horizon = horizon(&ctx.config().settings, kinds);
    // Looking is cheap; only a find is worth a write.
    if store.stray_jobs(&horizon, ctx.now()).await? == 0 {
        return Ok(());
    }
    let count = store.bring_back_jobs(&horizon, lease_ms, ctx.now()).await?;
    if count > 0 {
        store.set_mark(COUNT, count as u64).await?;
        store.set_mark(WHEN, u64::try_from(ctx.now().millis()).unwrap_or(0)).await?;
    }
    Ok(())
}

/// When jobs were brought back last; none if they never had to be.
///
/// # Errors
/// When the store fails.
pub async fn brought_back(ctx: &Ctx) -> Result<Option<BroughtBack>> {
    let store = ctx.store().await?;
    let (at, count) = (store.mark(WHEN).await?.unwrap_or(0), store.mark(COUNT).await?.unwrap_or(0));
    Ok((at > 0).then(|| BroughtBack { at_ms: i64::try_from(at).unwrap_or(i64::MAX), count }))
}

/// How long a job waits after so many failed tries: twice as long after each.
pub(super) fn backoff_ms(settings: &Settings, tries: u32) -> i64 {
    let jobs = &settings.jobs;
    let doublings = tries.min(jobs.max_tries.saturating_sub(1)).min(16);
    let wait_ms = jobs.backoff_ms.saturating_mul(1 << doublings);
    i64::try_from(wait_ms).unwrap_or(i64::MAX).min(LONGEST_BACKOFF_MS)
}

/// How long a job waits for a model, however long the model asks for.
pub(super) fn wait_ms(retry_in: Duration) -> i64 {
    i64::try_from(retry_in.min(LONGEST_REST).as_millis()).unwrap_or(i64::MAX)
}
