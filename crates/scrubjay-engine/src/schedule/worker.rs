//! The worker: takes jobs and runs them.

use std::time::Duration;

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
    let lease_ms = i64::try_from(settings.lease_ms).unwrap_or(i64::MAX).saturating_add(longest_call_ms(ctx));
    bring_back(ctx, kinds, lease_ms).await?;
    let started = ctx.elapsed();
    let mut drained = Drained::default();
    while ctx.elapsed().saturating_sub(started) < budget {
        their_turn = !their_turn;
        let settled = drained.done + drained.failed + drained.postponed;
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
            store.fail(job.id, &owner, error, None, ctx.now()).await?;
            drained.failed += 1;
            continue;
        }
        let system = ctx.clone().acting_as("system");
        match patiently((kind.run)(&system, &job), patience).await {
            Ok(()) => {
                store.finish(job.id, &owner).await?;
                drained.done += 1;
            }
            // A model that is away is nobody's fault; the work waits for it.
            Err(EngineError::Away { message, retry_in }) => {
                let until = ctx.now().plus_millis(wait_ms(retry_in));
                store.postpone(job.id, &owner, &message, until, ctx.now()).await?;
                drained.postponed += 1;
            }
            Err(error) => {
                // Parked when the tries are used up.
                let wait_ms = backoff_ms(&ctx.config().settings, job.tries);
                let retry_at = (job.tries < settings.max_tries).then(|| ctx.now().plus_millis(wait_ms));
                store.fail(job.id, &owner, &error.to_string(), retry_at, ctx.now()).await?;
                drained.failed += 1;
            }
        }
    }
    drained.left = store.due_jobs(ctx.now()).await?;
    Ok(drained)
}

// A program that answers may take longer than a lease; nobody else may begin the same work, and pay for it, meanwhile.
fn longest_call_ms(ctx: &Ctx) -> i64 {
    let settings = &ctx.config().settings;
    if !runs_commands(settings) {
        return 0;
    }
    i64::try_from(settings.chat.command.timeout_ms).unwrap_or(i64::MAX)
}

async fn patiently(work: impl Future<Output = Result<()>>, patience: Option<Duration>) -> Result<()> {
    let Some(patience) = patience else { return work.await };
    match tokio::time::timeout(patience, work).await {
        Ok(result) => result,
        Err(_) => Err(EngineError::away("a model takes longer to answer than a command waits")),
    }
}
