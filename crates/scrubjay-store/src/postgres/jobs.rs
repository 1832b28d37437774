//! Durable background work.
//!
//! Jobs of one agent are claimed one after the other, because a claim is a write like any other. So a job is claimed once,
//! and the oldest that is due comes first.

use scrubjay_core::id::JobId;
use scrubjay_core::scope::View;
use scrubjay_core::time::Timestamp;
use tokio_postgres::Row;
use uuid::Uuid;

use super::fault::Fault;
use super::scopes;
use super::value::{from_json, get, limit, parse, small, to_json};
use super::work::{Counter, Work};
use crate::StoreError;
use crate::change::NewJob;
use crate::query::{Horizon, Job, JobState};

const COLUMNS: &str = "j.id, j.kind, j.key, s.name, j.payload, j.state, j.tries, j.run_after, j.lease_until, \
     j.last_error, j.created_at, j.updated_at";
const FROM: &str = "jobs j JOIN scopes s ON s.agent = j.agent AND s.pk = j.scope";
/// Whether the same work was queued anew.
const QUEUED_ANEW: &str = "EXISTS (SELECT 1 FROM jobs q WHERE q.agent = jobs.agent AND q.kind = jobs.kind \
     AND q.key = jobs.key AND q.state = 'queued')";

/// Queues work that is not queued yet.
pub(super) async fn enqueue(work: &Work, jobs: &[NewJob], at: Timestamp) -> Result<(), Fault> {
    for job in jobs {
        let scope = scopes::number_or_new(work, &job.scope).await?;
        work.execute(
            "INSERT INTO jobs (agent, pk, id, kind, key, scope, payload, state, tries, run_after, created_at, updated_at)
             VALUES ($1, $2, $3, $4, $5, $6, $7, 'queued', 0, $8, $9, $9) ON CONFLICT DO NOTHING",
            &[
                &work.draw(Counter::Jobs)?,
                &job.id.uuid(),
                &job.kind,
                &job.key,
                &scope,
                &to_json(&job.payload)?,
                &job.run_after.millis(),
                &at.millis(),
            ],
        )
        .await?;
    }
    Ok(())
}

/// Takes the oldest job that is due.
pub(super) async fn claim(
    work: &Work,
    owner: &str,
    kinds: &[String],
    at: Timestamp,
    lease_ms: i64,
) -> Result<Option<Job>, Fault> {
    if kinds.is_empty() {
        return Ok(None);
    }
    // A job whose worker died may meanwhile have been queued anew under the same key; then the new one does the work and
    // the old one goes.
    let sql =
        format!("DELETE FROM jobs WHERE agent = $1 AND state = 'running' AND lease_until <= $2 AND {QUEUED_ANEW}");
    work.execute(&sql, &[&at.millis()]).await?;
    let sql = format!(
        "WITH claimed AS (
             UPDATE jobs SET state = 'running', tries = tries + 1, lease_owner = $4, lease_until = $5, updated_at = $3
             WHERE agent = $1 AND pk = (
                 SELECT pk FROM jobs WHERE agent = $1 AND kind = ANY ($2)
                     AND ((state = 'queued' AND run_after <= $3) OR (state = 'running' AND lease_until <= $3))
                 ORDER BY pk LIMIT 1)
             RETURNING *
         )
         SELECT {COLUMNS} FROM {}",
        FROM.replacen("jobs j", "claimed j", 1)
    );
    let until = at.plus_millis(lease_ms).millis();
    let claimed = work.row(&sql, &[&kinds.to_vec(), &at.millis(), &owner, &until]).await?;
    claimed.as_ref().map(read).transpose()
}

/// Extends the lease of a running job.
pub(super) async fn extend_lease(
    work: &Work,
    id: JobId,
    owner: &str,
    at: Timestamp,
    lease_ms: i64,
) -> Result<bool, Fault> {
    let sql = "UPDATE jobs SET lease_until = $4, updated_at = $5
               WHERE agent = $1 AND id = $2 AND state = 'running' AND lease_owner = $3";
    let until = at.plus_millis(lease_ms).millis();
    Ok(work.execute(sql, &[&id.uuid(), &owner, &until, &at.millis()]).await? > 0)
}

/// The work is done; the job goes.
pub(super) async fn finish(work: &Work, id: JobId, owner: &str) -> Result<bool, Fault> {
    let sql = "DELETE FROM jobs WHERE agent = $1 AND id = $2 AND state = 'running' AND lease_owner = $3";
    Ok(work.execute(sql, &[&id.uuid(), &owner]).await? > 0)
}

/// The try failed.
pub(super) async fn fail(
    work: &Work,
    id: JobId,
    owner: &str,
    error: &str,
    retry_at: Option<Timestamp>,
    at: Timestamp,
) -> Result<bool, Fault> {
    if retry_at.is_some() {
        // Queued anew meanwhile: that one will do the work.
        let sql = format!(
            "DELETE FROM jobs WHERE agent = $1 AND id = $2 AND state = 'running' AND lease_owner = $3 AND {QUEUED_ANEW}"
        );
        if work.execute(&sql, &[&id.uuid(), &owner]).await? > 0 {
            return Ok(true);
        }
    }
    let state = if retry_at.is_some() { JobState::Queued } else { JobState::Parked };
    let sql = "UPDATE jobs SET state = $4, run_after = coalesce($5, run_after), last_error = $6, lease_owner = NULL,
                   lease_until = NULL, updated_at = $7
               WHERE agent = $1 AND id = $2 AND state = 'running' AND lease_owner = $3";
    let changed = work
        .execute(sql, &[&id.uuid(), &owner, &state.name(), &retry_at.map(Timestamp::millis), &error, &at.millis()])
        .await?;
    Ok(changed > 0)
}

/// The work cannot be done for the moment; the try does not count.
pub(super) async fn postpone(
    work: &Work,
    id: JobId,
    owner: &str,
    why: &str,
    until: Timestamp,
    at: Timestamp,
) -> Result<bool, Fault> {
    let sql = "UPDATE jobs SET tries = greatest(tries - 1, 0)
               WHERE agent = $1 AND id = $2 AND state = 'running' AND lease_owner = $3";
    work.execute(sql, &[&id.uuid(), &owner]).await?;
    fail(work, id, owner, why, Some(until), at).await
}

/// Jobs, oldest first.
pub(super) async fn list(work: &Work, view: &View, state: Option<JobState>, most: usize) -> Result<Vec<Job>, Fault> {
    let visible = scopes::visible(work, view).await?;
    let sql = format!(
        "SELECT {COLUMNS} FROM {FROM} WHERE j.agent = $1 AND j.scope = ANY ($2) AND ($3 IS NULL OR j.state = $3)
         ORDER BY j.pk LIMIT $4"
    );
    work.rows(&sql, &[&visible, &state.map(JobState::name), &limit(most)]).await?.iter().map(read).collect()
}

/// Queues parked jobs again. Of several with one key the oldest is queued, and the others stay.
pub(super) async fn retry(work: &Work, view: &View, id: Option<JobId>, at: Timestamp) -> Result<usize, Fault> {
    let visible = scopes::visible(work, view).await?;
    let sql = format!(
        "UPDATE jobs SET state = 'queued', tries = 0, run_after = $4, updated_at = $4
         WHERE agent = $1 AND NOT {QUEUED_ANEW} AND pk IN (
             SELECT min(pk) FROM jobs
             WHERE agent = $1 AND scope = ANY ($2) AND state = 'parked' AND ($3 IS NULL OR id = $3)
             GROUP BY kind, key)"
    );
    let changed = work.execute(&sql, &[&visible, &id.map(|id| id.uuid()), &at.millis()]).await?;
    match id {
        Some(id) if changed == 0 => Err(StoreError::not_found(format!("parked job {id}")).into()),
        _ => Ok(usize::try_from(changed).unwrap_or(usize::MAX)),
    }
}

/// Removes a job that is not running.
pub(super) async fn cancel(work: &Work, view: &View, id: JobId) -> Result<bool, Fault> {
    let visible = scopes::visible(work, view).await?;
    let sql = "DELETE FROM jobs WHERE agent = $1 AND id = $2 AND state <> 'running' AND scope = ANY ($3)";
    Ok(work.execute(sql, &[&id.uuid(), &visible]).await? > 0)
}

/// How many jobs are queued and due.
pub(super) async fn due(work: &Work, at: Timestamp) -> Result<usize, Fault> {
    let sql = "SELECT count(*) FROM jobs WHERE agent = $1 AND state = 'queued' AND run_after <= $2";
    let count: i64 = get(&work.one(sql, &[&at.millis()]).await?, 0)?;
    Ok(usize::try_from(count).unwrap_or(0))
}

/// How many jobs wait or are held for longer than can be meant.
pub(super) async fn strays(work: &Work, horizon: &Horizon, at: Timestamp) -> Result<usize, Fault> {
    let held = "SELECT count(*) FROM jobs WHERE agent = $1 AND state = 'running' AND lease_until > $2";
    let mut count: i64 = get(&work.one(held, &[&at.plus_millis(horizon.lease_ms).millis()]).await?, 0)?;
    let waiting = "SELECT count(*) FROM jobs WHERE agent = $1 AND state = 'queued' AND kind = $2 AND run_after > $3";
    for (kind, wait_ms) in &horizon.wait_ms {
        count += get::<i64>(&work.one(waiting, &[kind, &at.plus_millis(*wait_ms).millis()]).await?, 0)?;
    }
    Ok(usize::try_from(count).unwrap_or(0))
}

/// Brings them back.
pub(super) async fn bring_back(work: &Work, horizon: &Horizon, lease_ms: i64, at: Timestamp) -> Result<usize, Fault> {
    let held = "UPDATE jobs SET lease_until = $3, updated_at = $4
                WHERE agent = $1 AND state = 'running' AND lease_until > $2";
    let until = at.plus_millis(lease_ms).millis();
    let mut changed = work.execute(held, &[&at.plus_millis(horizon.lease_ms).millis(), &until, &at.millis()]).await?;
    let waiting = "UPDATE jobs SET run_after = $4, updated_at = $4
                   WHERE agent = $1 AND state = 'queued' AND kind = $2 AND run_after > $3";
    for (kind, wait_ms) in &horizon.wait_ms {
        changed += work.execute(waiting, &[kind, &at.plus_millis(*wait_ms).millis(), &at.millis()]).await?;
    }
    Ok(usize::try_from(changed).unwrap_or(usize::MAX))
}

fn read(row: &Row) -> Result<Job, Fault> {
    Ok(Job {
        id: JobId::from(get::<Uuid>(row, 0)?),
        kind: get(row, 1)?,
        key: get(row, 2)?,
        scope: parse(row, 3)?,
        payload: from_json(row, 4)?,
        state: state(get(row, 5)?)?,
        tries: small(row, 6)?,
        run_after: Timestamp::from_millis(get(row, 7)?),
        lease_until: get::<Option<i64>>(row, 8)?.map(Timestamp::from_millis),
        last_error: get(row, 9)?,
        created_at: Timestamp::from_millis(get(row, 10)?),
        updated_at: Timestamp::from_millis(get(row, 11)?),
    })
}

// A state that a newer version may have written is not guessed at.
fn state(name: &str) -> Result<JobState, Fault> {
    JobState::ALL
        .into_iter()
        .find(|known| known.name() == name)
        .ok_or_else(|| StoreError::Unreadable { what: "job", detail: format!("`{name}` is no state of a job") }.into())
}
