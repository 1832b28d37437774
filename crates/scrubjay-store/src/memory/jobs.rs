//! Background work, for as long as the process lives.

use scrubjay_core::id::JobId;
use scrubjay_core::scope::View;
use scrubjay_core::time::Timestamp;

use super::tables::{Claimed, Tables};
use crate::change::NewJob;
use crate::query::{Horizon, Job, JobState};
use crate::{Result, StoreError};

/// Queues work that is not queued yet.
pub(super) fn enqueue(tables: &mut Tables, jobs: &[NewJob], at: Timestamp) {
    for new in jobs {
        tables.know(&new.scope);
        if is_queued(tables, &new.kind, &new.key) || number_of(tables, new.id).is_some() {
            continue;
        }
        let job = Job {
            id: new.id,
            kind: new.kind.clone(),
            key: new.key.clone(),
            scope: new.scope.clone(),
            payload: new.payload.clone(),
            state: JobState::Queued,
            tries: 0,
            run_after: new.run_after,
            lease_until: None,
            last_error: None,
            created_at: at,
            updated_at: at,
        };
        let number = tables.next_number("jobs");
        tables.jobs.put(number, Claimed { job, owner: None });
    }
}

/// Takes the oldest job that is due.
pub(super) fn claim(tables: &mut Tables, owner: &str, kinds: &[String], at: Timestamp, lease_ms: i64) -> Option<Job> {
    if kinds.is_empty() {
        return None;
    }
    // A job whose worker died may meanwhile have been queued anew under the same
    // key; then the new one does the work and the old one goes.
    let expired = |job: &Job| job.state == JobState::Running && job.lease_until.is_some_and(|until| until <= at);
    let abandoned = tables.jobs.iter().filter(|(_, claimed)| expired(&claimed.job));
    let replaced = abandoned.filter(|(_, claimed)| is_queued(tables, &claimed.job.kind, &claimed.job.key));
    let replaced: Vec<u64> = replaced.map(|(number, _)| *number).collect();
    for number in replaced {
        tables.jobs.take(&number);
    }
    let due = |job: &Job| (job.state == JobState::Queued && job.run_after <= at) || expired(job);
    let wanted = |claimed: &Claimed| kinds.contains(&claimed.job.kind) && due(&claimed.job);
    let number = tables.jobs.iter().find(|(_, claimed)| wanted(claimed)).map(|(number, _)| *number)?;
    tables.jobs.change(&number, |claimed| {
        claimed.owner = Some(owner.to_owned());
        claimed.job.state = JobState::Running;
        claimed.job.tries += 1;
        claimed.job.lease_until = Some(at.plus_millis(lease_ms));
        claimed.job.updated_at = at;
        claimed.job.clone()
    })
}

/// Extends the lease of a running job.
pub(super) fn extend_lease(tables: &mut Tables, id: JobId, owner: &str, at: Timestamp, lease_ms: i64) -> bool {
    let Some(number) = held(tables, id, owner) else { return false };
    let changed = tables.jobs.change(&number, |claimed| {
        claimed.job.lease_until = Some(at.plus_millis(lease_ms));
        claimed.job.updated_at = at;
    });
    changed.is_some()
}

/// The work is done; the job goes.
pub(super) fn finish(tables: &mut Tables, id: JobId, owner: &str) -> bool {
    held(tables, id, owner).is_some_and(|number| tables.jobs.take(&number).is_some())
}

/// The try failed.
pub(super) fn fail(
    tables: &mut Tables,
    id: JobId,
    owner: &str,
    error: &str,
    retry_at: Option<Timestamp>,
    at: Timestamp,
) -> bool {
    let Some(number) = held(tables, id, owner) else { return false };
    // Queued anew meanwhile: that one will do the work.
    let replaced = tables.jobs.get(&number).is_some_and(|held| is_queued(tables, &held.job.kind, &held.job.key));
    if retry_at.is_some() && replaced {
        return tables.jobs.take(&number).is_some();
    }
    let changed = tables.jobs.change(&number, |claimed| {
        claimed.owner = None;
        claimed.job.state = if retry_at.is_some() { JobState::Queued } else { JobState::Parked };
        claimed.job.run_after = retry_at.unwrap_or(claimed.job.run_after);
        claimed.job.lease_until = None;
        claimed.job.last_error = Some(error.to_owned());
        claimed.job.updated_at = at;
    });
    changed.is_some()
}

/// The work cannot be done for the moment; the try does not count.
pub(super) fn postpone(
    tables: &mut Tables,
    id: JobId,
    owner: &str,
    why: &str,
    until: Timestamp,
    at: Timestamp,
) -> bool {
    let Some(number) = held(tables, id, owner) else { return false };
    tables.jobs.change(&number, |claimed| claimed.job.tries = claimed.job.tries.saturating_sub(1));
    fail(tables, id, owner, why, Some(until), at)
}

/// Jobs, oldest first.
pub(super) fn list(tables: &Tables, view: &View, state: Option<JobState>, limit: usize) -> Vec<Job> {
    let visible = tables.jobs.iter().map(|(_, claimed)| &claimed.job).filter(|job| view.sees(&job.scope));
    visible.filter(|job| state.is_none_or(|state| state == job.state)).take(limit).cloned().collect()
}

/// Queues parked jobs again.
pub(super) fn retry(tables: &mut Tables, view: &View, id: Option<JobId>, at: Timestamp) -> Result<usize> {
    let parked = tables.jobs.iter().filter(|(_, claimed)| {
        let job = &claimed.job;
        job.state == JobState::Parked && view.sees(&job.scope) && id.is_none_or(|id| id == job.id)
    });
    let parked: Vec<(u64, String, String)> =
        parked.map(|(number, claimed)| (*number, claimed.job.kind.clone(), claimed.job.key.clone())).collect();
    let mut changed = 0;
    for (number, kind, key) in parked {
        if is_queued(tables, &kind, &key) {
            continue;
        }
        changed += 1;
        tables.jobs.change(&number, |claimed| {
            claimed.job.state = JobState::Queued;
            claimed.job.tries = 0;
            claimed.job.run_after = at;
            claimed.job.updated_at = at;
        });
    }
    match id {
        Some(id) if changed == 0 => Err(StoreError::not_found(format!("parked job {id}"))),
        _ => Ok(changed),
    }
}

/// Removes a job that is not running.
pub(super) fn cancel(tables: &mut Tables, view: &View, id: JobId) -> bool {
    let number = number_of(tables, id).filter(|number| {
        tables.jobs.get(number).is_some_and(|found| found.job.state != JobState::Running && view.sees(&found.job.scope))
    });
    number.is_some_and(|number| tables.jobs.take(&number).is_some())
}

/// How many jobs are queued and due.
pub(super) fn due(tables: &Tables, at: Timestamp) -> usize {
    let jobs = tables.jobs.iter().map(|(_, claimed)| &claimed.job);
    jobs.filter(|job| job.state == JobState::Queued && job.run_after <= at).count()
}

/// The jobs that wait or are held for longer than can be meant.
pub(super) fn strays(tables: &Tables, horizon: &Horizon, at: Timestamp) -> Vec<u64> {
    let waits = |job: &Job| {
        let wait = horizon.wait_ms.iter().find(|(kind, _)| *kind == job.kind);
        job.state == JobState::Queued && wait.is_some_and(|(_, wait_ms)| job.run_after > at.plus_millis(*wait_ms))
    };
    let is_held = |job: &Job| job.lease_until.is_some_and(|until| until > at.plus_millis(horizon.lease_ms));
    let strays = tables.jobs.iter().filter(|(_, claimed)| waits(&claimed.job) || is_held(&claimed.job));
    strays.map(|(number, _)| *number).collect()
}

/// Brings them back.
pub(super) fn bring_back(tables: &mut Tables, horizon: &Horizon, lease_ms: i64, at: Timestamp) -> usize {
    let strays = strays(tables, horizon, at);
    for number in &strays {
        tables.jobs.change(number, |claimed| {
            let job = &mut claimed.job;
            match job.state {
                JobState::Queued => job.run_after = at,
                _ => job.lease_until = Some(at.plus_millis(lease_ms)),
            }
            job.updated_at = at;
        });
    }
    strays.len()
}

fn is_queued(tables: &Tables, kind: &str, key: &str) -> bool {
    let mut jobs = tables.jobs.iter().map(|(_, claimed)| &claimed.job);
    jobs.any(|job| job.state == JobState::Queued && job.kind == kind && job.key == key)
}

fn number_of(tables: &Tables, id: JobId) -> Option<u64> {
    tables.jobs.iter().find(|(_, claimed)| claimed.job.id == id).map(|(number, _)| *number)
}

fn held(tables: &Tables, id: JobId, owner: &str) -> Option<u64> {
    number_of(tables, id).filter(|number| {
        let held = tables.jobs.get(number);
        held.is_some_and(|held| held.job.state == JobState::Running && held.owner.as_deref() == Some(owner))
    })
}
