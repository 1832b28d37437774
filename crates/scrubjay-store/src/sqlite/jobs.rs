//! Durable background work.

use rusqlite::types::{Type, Value};
use rusqlite::{Connection, OptionalExtension, Row, params_from_iter};
use scrubjay_core::id::JobId;
use scrubjay_core::scope::View;
use scrubjay_core::time::Timestamp;
use uuid::Uuid;

use super::connection::Fault;
use super::{row, scopes};
use crate::StoreError;
use crate::change::NewJob;
use crate::query::{Horizon, Job, JobState};

const COLUMNS: &str = "j.id, j.kind, j.key, s.name, j.payload, j.state, j.tries, j.run_after, j.lease_until, \
     j.last_error, j.created_at, j.updated_at";
const FROM: &str = "jobs j JOIN scopes s ON s.pk = j.scope";

/// Queues work that is not queued yet.
pub(super) fn enqueue(connection: &Connection, jobs: &[NewJob], at: Timestamp) -> Result<(), Fault> {
    for job in jobs {
        let scope = scopes::number_or_new(connection, &job.scope)?;
        let mut statement = connection.prepare_cached(
            "INSERT OR IGNORE INTO jobs (id, kind, key, scope, payload, state, tries, run_after, created_at, updated_at)
             VALUES (?1, ?2, ?3, ?4, ?5, 'queued', 0, ?6, ?7, ?7)",
        )?;
        let payload = row::to_json(&job.payload)?;
        statement.execute((job.id.uuid(), &job.kind, &job.key, scope, payload, job.run_after.millis(), at.millis()))?;
    }
    Ok(())
}

/// Takes the oldest job that is due.
pub(super) fn claim(
    connection: &Connection,
    owner: &str,
    kinds: &[String],
    at: Timestamp,
    lease_ms: i64,
) -> Result<Option<Job>, Fault> {
    if kinds.is_empty() {
        return Ok(None);
    }
    // A job whose worker died may meanwhile have been queued anew under the same
    // key; then the new one does the work and the old one goes.
    connection
        .prepare_cached(
            "DELETE FROM jobs WHERE state = 'running' AND lease_until <= ?1 AND EXISTS
                 (SELECT 1 FROM jobs q WHERE q.kind = jobs.kind AND q.key = jobs.key AND q.state = 'queued')",
        )?
        .execute([at.millis()])?;
    let marks = vec!["?"; kinds.len()].join(",");
    let sql = format!(
        "SELECT j.pk FROM jobs j WHERE j.kind IN ({marks})
             AND ((j.state = 'queued' AND j.run_after <= ?) OR (j.state = 'running' AND j.lease_until <= ?))
         ORDER BY j.pk LIMIT 1"
    );
    let now = Value::Integer(at.millis());
    let values = kinds.iter().cloned().map(Value::Text).chain([now.clone(), now]);
    let mut statement = connection.prepare_cached(&sql)?;
    let Some(pk) = statement.query_row(params_from_iter(values), |row| row.get::<_, i64>(0)).optional()? else {
        return Ok(None);
    };
    connection
        .prepare_cached(
            "UPDATE jobs SET state = 'running', tries = tries + 1, lease_owner = ?2, lease_until = ?3, updated_at = ?4
             WHERE pk = ?1",
        )?
        .execute((pk, owner, at.plus_millis(lease_ms).millis(), at.millis()))?;
    let mut statement = connection.prepare_cached(&format!("SELECT {COLUMNS} FROM {FROM} WHERE j.pk = ?1"))?;
    Ok(Some(statement.query_row([pk], read)?))
}

/// Extends the lease of a running job.
pub(super) fn extend_lease(
    connection: &Connection,
    id: JobId,
    owner: &str,
    at: Timestamp,
    lease_ms: i64,
) -> Result<bool, Fault> {
    let mut statement = connection.prepare_cached(
        "UPDATE jobs SET lease_until = ?3, updated_at = ?4 WHERE id = ?1 AND state = 'running' AND lease_owner = ?2",
    )?;
    Ok(statement.execute((id.uuid(), owner, at.plus_millis(lease_ms).millis(), at.millis()))? > 0)
}

/// The work is done; the job goes.
pub(super) fn finish(connection: &Connection, id: JobId, owner: &str) -> Result<bool, Fault> {
    let mut statement =
        connection.prepare_cached("DELETE FROM jobs WHERE id = ?1 AND state = 'running' AND lease_owner = ?2")?;
    Ok(statement.execute((id.uuid(), owner))? > 0)
}

/// The try failed.
pub(super) fn fail(
    connection: &Connection,
    id: JobId,
    owner: &str,
    error: &str,
    retry_at: Option<Timestamp>,
    at: Timestamp,
) -> Result<bool, Fault> {
    if retry_at.is_some() {
        // Queued anew meanwhile: that one will do the work.
        let replaced = connection
            .prepare_cached(
                "DELETE FROM jobs WHERE id = ?1 AND state = 'running' AND lease_owner = ?2 AND EXISTS
                     (SELECT 1 FROM jobs q WHERE q.kind = jobs.kind AND q.key = jobs.key AND q.state = 'queued')",
            )?
            .execute((id.uuid(), owner))?;
        if replaced > 0 {
            return Ok(true);
        }
    }
    let state = if retry_at.is_some() { JobState::Queued } else { JobState::Parked };
    let mut statement = connection.prepare_cached(
        "UPDATE jobs SET state = ?3, run_after = ifnull(?4, run_after), last_error = ?5, lease_owner = NULL,
             lease_until = NULL, updated_at = ?6
         WHERE id = ?1 AND state = 'running' AND lease_owner = ?2",
    )?;
    let changed =
        statement.execute((id.uuid(), owner, state.name(), retry_at.map(Timestamp::millis), error, at.millis()))?;
    Ok(changed > 0)
}

/// The work cannot be done for the moment; the try does not count.
pub(super) fn postpone(
    connection: &Connection,
    id: JobId,
    owner: &str,
    why: &str,
    until: Timestamp,
    at: Timestamp,
) -> Result<bool, Fault> {
    connection
        .prepare_cached(
            "UPDATE jobs SET tries = max(tries - 1, 0) WHERE id = ?1 AND state = 'running' AND lease_owner = ?2",
        )?
        .execute((id.uuid(), owner))?;
    fail(connection, id, owner, why, Some(until), at)
}

/// Jobs, oldest first.
pub(super) fn list(
    connection: &Connection,
    view: &View,
    state: Option<JobState>,
    limit: usize,
) -> Result<Vec<Job>, Fault> {
    let visible = scopes::visible(connection, view)?;
    let sql = format!(
        "SELECT {COLUMNS} FROM {FROM} WHERE j.scope IN ({visible}) AND (?1 IS NULL OR j.state = ?1) ORDER BY j.pk LIMIT ?2"
    );
    let mut statement = connection.prepare_cached(&sql)?;
    let rows = statement.query_map((state.map(JobState::name), i64::try_from(limit).unwrap_or(i64::MAX)), read)?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

/// Queues parked jobs again.
pub(super) fn retry(connection: &Connection, view: &View, id: Option<JobId>, at: Timestamp) -> Result<usize, Fault> {
    let visible = scopes::visible(connection, view)?;
    let sql = format!(
        "UPDATE OR IGNORE jobs SET state = 'queued', tries = 0, run_after = ?2, updated_at = ?2
         WHERE scope IN ({visible}) AND state = 'parked' AND (?1 IS NULL OR id = ?1)"
    );
    let changed = connection.prepare_cached(&sql)?.execute((id.map(|id| id.uuid()), at.millis()))?;
    match id {
        Some(id) if changed == 0 => Err(StoreError::not_found(format!("parked job {id}")).into()),
        _ => Ok(changed),
    }
}

/// Removes a job that is not running.
pub(super) fn cancel(connection: &Connection, view: &View, id: JobId) -> Result<bool, Fault> {
    let visible = scopes::visible(connection, view)?;
    let sql = format!("DELETE FROM jobs WHERE id = ?1 AND state <> 'running' AND scope IN ({visible})");
    Ok(connection.prepare_cached(&sql)?.execute([id.uuid()])? > 0)
}

/// How many jobs are queued and due.
pub(super) fn due(connection: &Connection, at: Timestamp) -> Result<usize, Fault> {
    let mut statement =
        connection.prepare_cached("SELECT count(*) FROM jobs WHERE state = 'queued' AND run_after <= ?1")?;
    let count: i64 = statement.query_row([at.millis()], |row| row.get(0))?;
    Ok(usize::try_from(count).unwrap_or(0))
}

/// How many jobs wait or are held for longer than can be meant.
pub(super) fn strays(connection: &Connection, horizon: &Horizon, at: Timestamp) -> Result<usize, Fault> {
    let mut count: i64 = connection
        .prepare_cached("SELECT count(*) FROM jobs WHERE state = 'running' AND lease_until > ?1")?
        .query_row([at.plus_millis(horizon.lease_ms).millis()], |row| row.get(0))?;
    let mut statement = connection
        .prepare_cached("SELECT count(*) FROM jobs WHERE state = 'queued' AND kind = ?1 AND run_after > ?2")?;
    for (kind, wait_ms) in &horizon.wait_ms {
        count += statement.query_row((kind, at.plus_millis(*wait_ms).millis()), |row| row.get::<_, i64>(0))?;
    }
    Ok(usize::try_from(count).unwrap_or(0))
}

/// Brings them back.
pub(super) fn bring_back(
    connection: &Connection,
    horizon: &Horizon,
    lease_ms: i64,
    at: Timestamp,
) -> Result<usize, Fault> {
    let until = at.plus_millis(lease_ms).millis();
    let mut changed = connection
        .prepare_cached(
            "UPDATE jobs SET lease_until = ?2, updated_at = ?3 WHERE state = 'running' AND lease_until > ?1",
        )?
        .execute((at.plus_millis(horizon.lease_ms).millis(), until, at.millis()))?;
    let mut statement = connection.prepare_cached(
        "UPDATE jobs SET run_after = ?3, updated_at = ?3 WHERE state = 'queued' AND kind = ?1 AND run_after > ?2",
    )?;
    for (kind, wait_ms) in &horizon.wait_ms {
        changed += statement.execute((kind, at.plus_millis(*wait_ms).millis(), at.millis()))?;
    }
    Ok(changed)
}

fn read(row: &Row<'_>) -> rusqlite::Result<Job> {
    let bytes: [u8; 16] = row.get(0)?;
    Ok(Job {
        id: JobId::from(Uuid::from_bytes(bytes)),
        kind: row.get(1)?,
        key: row.get(2)?,
        scope: row::parse(row, 3)?,
        payload: row::from_json(row, 4)?,
        state: state(row, 5)?,
        tries: row.get(6)?,
        run_after: Timestamp::from_millis(row.get(7)?),
        lease_until: row.get::<_, Option<i64>>(8)?.map(Timestamp::from_millis),
        last_error: row.get(9)?,
        created_at: Timestamp::from_millis(row.get(10)?),
        updated_at: Timestamp::from_millis(row.get(11)?),
    })
}

// A state that a newer version may have written is not guessed at.
fn state(row: &Row<'_>, column: usize) -> rusqlite::Result<JobState> {
    let name: String = row.get(column)?;
    JobState::ALL.into_iter().find(|known| known.name() == name).ok_or_else(|| {
        rusqlite::Error::FromSqlConversionFailure(column, Type::Text, format!("`{name}` is no state of a job").into())
    })
}
