//! The worker: takes jobs and runs them.

use std::future::poll_fn;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::pin;
use std::task::Poll;
use std::time::Duration;

use scrubjay_core::id::JobId;
use scrubjay_store::Store;

use super::horizon::{backoff_ms, bring_back, wait_ms};
use super::jobs::{JobKind, KINDS};
use crate::models::runs_commands;
use crate::{Ctx, EngineError, Result};

/// How long a command waits for a model elsewhere, beyond its budget.
const PATIENCE: Duration = Duration::from_secs(5);

/// What a worker got done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Drained {
    /// Jobs done.
    pub done: usize,
    /// Tries that failed.
    pub failed: usize,
    /// Jobs that wait for a model that is away.
    pub postponed: usize,
    /// Jobs that another worker took over, because their lease ran out here. What became of them is its to say.
    pub lost: usize,
    /// Jobs that are still due.
    pub left: usize,
}

/// Runs jobs of every kind until none is due or the budget is spent. A job that
/// was begun is finished.
///
/// # Errors
/// When the store fails; a failing job is not an error here.
pub async fn drain(ctx: &Ctx, budget: Duration) -> Result<Drained> {
    drain_kinds(ctx, KINDS, budget).await
}

/// How many jobs are due now, in all scopes.
///
/// # Errors
/// When the store fails.
pub async fn due(ctx: &Ctx) -> Result<usize> {
    Ok(ctx.store().await?.due_jobs(ctx.now()).await?)
}

/// The same for a command that someone waits for: a job that asks a model elsewhere is put off if that takes long. One
/// that may run a program as a model is left to those who have time: to put it off halfway would cost its call.
///
/// # Errors
/// When the store fails; a failing job is not an error here.
pub async fn drain_briefly(ctx: &Ctx, budget: Duration) -> Result<Drained> {
    let patience = ctx.asks_outside().then_some(PATIENCE);
    if !runs_commands(&ctx.config().settings) {
        return drain_within(ctx, KINDS, budget, patience).await;
    }
    let kinds: Vec<JobKind> = KINDS.iter().copied().filter(|kind| !kind.asks_chat).collect();
    drain_within(ctx, &kinds, budget, patience).await
}

/// The same for some kinds of work.
///
/// # Errors
/// When the store fails; a failing job is not an error here.
pub async fn drain_kinds(ctx: &Ctx, kinds: &[JobKind], budget: Duration) -> Result<Drained> {
    drain_within(ctx, kinds, budget, None).await
}

async fn drain_within(ctx: &Ctx, kinds: &[JobKind], budget: Duration, patience: Option<Duration>) -> Result<Drained> {
    let store = ctx.store().await?;
    let settings = &ctx.config().settings.jobs;
    let owner = ctx.uuid()?.to_string();
    let names: Vec<String> = kinds.iter().map(|kind| kind.name.to_owned()).collect();
    let in_turn: Vec<String> = kinds.iter().filter(|kind| kind.takes_turns).map(|kind| kind.name.to_owned()).collect();
    // Often one job is all that there is time for. Who begins is left to chance, so that nobody waits for ever.
    let mut their_turn = ctx.uuid()?.as_bytes()[15] % 2 == 0;
    let lease_ms = i64::try_from(settings.lease_ms).unwrap_or(i64::MAX);
    bring_back(ctx, kinds, lease_ms).await?;
    let started = ctx.elapsed();
    let mut drained = Drained::default();
    while ctx.elapsed().saturating_sub(started) < budget {
        their_turn = !their_turn;
        let settled = drained.done + drained.failed + drained.postponed + drained.lost;
        let due = store.due_jobs(ctx.now()).await?;
        ctx.progress().step("jobs", settled as u64, Some((settled + due) as u64));
        let mut claimed = None;
        if their_turn {
            claimed = store.claim(&owner, &in_turn, ctx.now(), lease_ms).await?;
        }
        if claimed.is_none() {
            claimed = store.claim(&owner, &names, ctx.now(), lease_ms).await?;
        }
        let Some(job) = claimed else { break };
        let Some(kind) = kinds.iter().find(|kind| kind.name == job.kind) else { break };
        // A try that never came back, because it killed its worker, counts too.
        if job.tries > settings.max_tries {
            let error = job.last_error.as_deref().unwrap_or("its worker died each time");
            let is_ours = store.fail(job.id, &owner, error, None, ctx.now()).await?;
            *(if is_ours { &mut drained.failed } else { &mut drained.lost }) += 1;
            continue;
        }
        let system = ctx.clone().acting_as("system");
        let lease = Lease { store: &*store, job: job.id, owner: &owner, lease_ms };
        let work = caught(kind.name, (kind.run)(&system, &job));
        let Some(ended) = lease.hold(ctx, patiently(work, patience)).await else {
            drained.lost += 1;
            continue;
        };
        let (is_ours, count) = match ended {
            Ok(()) => (store.finish(job.id, &owner).await?, &mut drained.done),
            // A model that is away is nobody's fault; the work waits for it.
            Err(EngineError::Away { message, retry_in }) => {
                let until = ctx.now().plus_millis(wait_ms(retry_in));
                (store.postpone(job.id, &owner, &message, until, ctx.now()).await?, &mut drained.postponed)
            }
            Err(error) => {
                // Parked when the tries are used up.
                let wait_ms = backoff_ms(&ctx.config().settings, job.tries);
                let retry_at = (job.tries < settings.max_tries).then(|| ctx.now().plus_millis(wait_ms));
                (store.fail(job.id, &owner, &error.to_string(), retry_at, ctx.now()).await?, &mut drained.failed)
            }
        };
        *(if is_ours { count } else { &mut drained.lost }) += 1;
    }
    drained.left = store.due_jobs(ctx.now()).await?;
    Ok(drained)
}

/// What a worker has of a job for a while.
struct Lease<'a> {
    store: &'a dyn Store,
    job: JobId,
    owner: &'a str,
    lease_ms: i64,
}

impl Lease<'_> {
    // A model may take longer to answer than a lease lasts, and nobody else may begin the same work, and pay for it,
    // meanwhile: the lease is extended at every third of it. None if someone else has the job all the same, because
    // this process slept or the store could not be written to; then the work is dropped.
    async fn hold(&self, ctx: &Ctx, work: impl Future<Output = Result<()>>) -> Option<Result<()>> {
        let third = Duration::from_millis(u64::try_from(self.lease_ms / 3).unwrap_or(0).max(1));
        let mut work = pin!(work);
        loop {
            if let Ok(ended) = tokio::time::timeout(third, &mut work).await {
                return Some(ended);
            }
            // A failure is no loss yet: the next third tries again, and the end of the work says whose job it is.
            if let Ok(false) = self.store.extend_lease(self.job, self.owner, ctx.now(), self.lease_ms).await {
                return None;
            }
        }
    }
}

// A panic ends the try and not the worker: what waits behind the job would wait for ever.
async fn caught(kind: &str, work: impl Future<Output = Result<()>>) -> Result<()> {
    let mut work = pin!(work);
    poll_fn(|context| {
        // Nothing of the work is used after a panic; the store undoes what was not committed.
        let polled = catch_unwind(AssertUnwindSafe(|| work.as_mut().poll(context)));
        // What a panic says may quote a memory, so it is not kept.
        polled.unwrap_or_else(|_| Poll::Ready(Err(EngineError::defect(format!("the job {kind} panicked")))))
    })
    .await
}

async fn patiently(work: impl Future<Output = Result<()>>, patience: Option<Duration>) -> Result<()> {
    let Some(patience) = patience else { return work.await };
    match tokio::time::timeout(patience, work).await {
        Ok(result) => result,
        Err(_) => Err(EngineError::away("a model takes longer to answer than a command waits")),
    }
}
