//! What is due now.

use scrubjay_core::scope::{Scope, View};
use scrubjay_core::time::{DAY_MS, Timestamp};
use scrubjay_store::change::NewJob;
use scrubjay_store::query::JobState;
use serde_json::json;

use super::cron::Cron;
use super::work::Work;
use crate::times::time_zone;
use crate::{Ctx, EngineError, Result};

/// The name of the job that does one piece of upkeep.
pub const JOB: &str = "maintain";

/// How far back a time that was slept through is looked for.
const BACK_MS: i64 = 400 * DAY_MS;

/// A piece of upkeep whose time has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Due {
    /// What to do.
    pub work: Work,
    /// When it was due; the last time, if several passed.
    pub at: Timestamp,
}

/// The mark under which the store keeps for which time a piece of upkeep was done last, in milliseconds.
#[must_use]
pub fn mark_name(work: Work) -> String {
    format!("maintain:{}", work.name())
}

/// What is due now. What was never done before is due at its next time, not at once; what was missed, however often,
/// is due once.
///
/// # Errors
/// When the store fails or a time in the settings makes no sense.
pub async fn due(ctx: &Ctx) -> Result<Vec<Due>> {
    let store = ctx.store().await?;
    let now = ctx.now();
    let zone = time_zone(ctx)?;
    let mut due = Vec::new();
    for work in Work::ALL {
        let Some(cron) = times(ctx, work)? else { continue };
        let name = mark_name(work);
        let done = store.mark(&name).await?.and_then(|done| i64::try_from(done).ok()).map(Timestamp::from_millis);
        let upcoming = cron.next_after(now, &zone);
        let done = match done {
            // A time beyond the next one was noted by a clock that was wrong; it would keep us waiting for ever.
            Some(done) if upcoming.is_none_or(|upcoming| done <= upcoming) => done,
            _ => {
                store.set_mark(&name, u64::try_from(now.millis()).unwrap_or(0)).await?;
                continue;
            }
        };
        let mut from = Timestamp::from_millis(done.millis().max(now.plus_millis(-BACK_MS).millis()));
        let mut last = None;
        while let Some(at) = cron.next_after(from, &zone).filter(|at| *at <= now) {
            last = Some(at);
            from = at;
        }
        due.extend(last.map(|at| Due { work, at }));
    }
    // Names are looked for before facts are drawn, and facts before the week is looked back upon.
    Ok(due)
}

/// Queues what is due and is not queued or running already; says what it queued. Harmless to call as often as one
/// likes, also from several processes.
///
/// # Errors
/// When the store fails or a time in the settings makes no sense.
pub async fn tick(ctx: &Ctx) -> Result<Vec<Due>> {
    if !ctx.config().settings.maintain.enabled {
        return Ok(Vec::new());
    }
    let due = due(ctx).await?;
    if due.is_empty() {
        return Ok(due);
    }
    let store = ctx.store().await?;
    let mut taken = Vec::new();
    for state in [JobState::Queued, JobState::Running] {
        let jobs = store.jobs(&View::global(), Some(state), 10_000).await?;
        taken.extend(jobs.into_iter().filter(|job| job.kind == JOB).map(|job| job.key));
    }
    let mut queued = Vec::new();
    for one in due.into_iter().filter(|due| taken.iter().all(|key| key != due.work.name())) {
        store.enqueue(vec![job(ctx, one.work, one.at)?], ctx.now()).await?;
        queued.push(one);
    }
    Ok(queued)
}

// A job for one piece of upkeep that was due at a time.
fn job(ctx: &Ctx, work: Work, due: Timestamp) -> Result<NewJob> {
    Ok(NewJob {
        id: ctx.job_id()?,
        kind: JOB.to_owned(),
        key: work.name().to_owned(),
        scope: Scope::Global,
        payload: json!({"work": work.name(), "due": due.millis()}),
        run_after: ctx.now(),
    })
}

/// When something is due next; for whoever wants to sleep until then.
///
/// # Errors
/// When a time in the settings makes no sense.
pub fn next(ctx: &Ctx) -> Result<Option<Due>> {
    let zone = time_zone(ctx)?;
    let mut soonest: Option<Due> = None;
    for work in Work::ALL {
        let Some(cron) = times(ctx, work)? else { continue };
        if let Some(at) = cron.next_after(ctx.now(), &zone)
            && soonest.is_none_or(|soonest| at < soonest.at)
        {
            soonest = Some(Due { work, at });
        }
    }
    Ok(soonest)
}

fn times(ctx: &Ctx, work: Work) -> Result<Option<Cron>> {
    let settings = &ctx.config().settings.maintain;
    let text = match work {
        Work::Enrich => &settings.enrich,
        Work::Consolidate => &settings.consolidate,
        Work::Decay => &settings.decay,
        Work::Reflect => &settings.reflect,
        Work::Tidy => &settings.tidy,
        Work::Backup => &settings.backup,
    };
    if text.trim().is_empty() {
        return Ok(None);
    }
    let cron = Cron::parse(text).map_err(|error| EngineError::invalid(format!("maintain.{}: {error}", work.name())))?;
    Ok(Some(cron))
}
