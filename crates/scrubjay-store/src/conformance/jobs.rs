//! Work is queued once, done by one, and never lost or stuck.

use scrubjay_core::error::ErrorCode;
use scrubjay_core::id::JobId;
use scrubjay_core::time::Timestamp;

use super::case::{Failure, Outcome, cases, equal, holds, present, refused};
use super::fixture::{Fixture, scope, view};
use crate::Store;
use crate::query::{Horizon, Job, JobState};

cases![
    a_job_reads_back,
    work_of_one_key_is_queued_once,
    jobs_are_claimed_oldest_first_and_when_due,
    a_claimed_job_belongs_to_its_worker,
    a_lease_runs_out,
    a_lease_is_extended_by_its_owner_alone,
    a_running_job_does_not_hold_up_new_work,
    a_dead_worker_gives_way_to_newer_work,
    a_failed_job_comes_back_later,
    a_job_that_is_put_off_loses_no_try,
    a_failed_job_gives_way_to_newer_work,
    a_parked_job_waits_for_a_person,
    parked_jobs_never_queue_twice,
    a_running_job_is_not_cancelled,
    due_jobs_are_counted_everywhere,
    jobs_of_a_clock_that_was_ahead_are_brought_back,
];

const LEASE_MS: i64 = 60_000;

fn kinds(names: &[&str]) -> Vec<String> {
    names.iter().map(|&name| name.to_owned()).collect()
}

// Queues a job of the kind `work`, due at once; gives its id.
async fn queue(fixture: &mut Fixture<'_>, key: &str) -> Result<JobId, Failure> {
    let (job, now) = (fixture.job("work", key, "project/a"), fixture.now());
    let id = job.id;
    fixture.store.enqueue(vec![job], now).await?;
    Ok(id)
}

async fn claim(fixture: &mut Fixture<'_>, owner: &str) -> Result<Option<Job>, Failure> {
    let now = fixture.now();
    Ok(fixture.store.claim(owner, &kinds(&["work"]), now, LEASE_MS).await?)
}

async fn states(store: &dyn Store) -> Result<Vec<(JobId, JobState)>, Failure> {
    Ok(store.jobs(&view("project/a"), None, 100).await?.into_iter().map(|job| (job.id, job.state)).collect())
}

async fn a_job_reads_back(store: &dyn Store) -> Outcome {
    let mut fixture = Fixture::new(store);
    let mut new = fixture.job("work", "key", "project/a");
    new.payload = serde_json::json!({"list": [1, 2.5, "three", null], "text": "ж"});
    let now = fixture.now();
    store.enqueue(vec![new.clone()], now).await?;
    let wanted = Job {
        id: new.id,
        kind: new.kind,
        key: new.key,
        scope: new.scope,
        payload: new.payload,
        state: JobState::Queued,
        tries: 0,
        run_after: new.run_after,
        lease_until: None,
        last_error: None,
        created_at: now,
        updated_at: now,
    };
    equal("the job", store.jobs(&view("project/a"), Some(JobState::Queued), 10).await?, vec![wanted.clone()])?;
    let later = fixture.now();
    let claimed = present("the job", store.claim("me", &kinds(&["work"]), later, LEASE_MS).await?)?;
    let until = Some(later.plus_millis(LEASE_MS));
    let wanted = Job { state: JobState::Running, tries: 1, lease_until: until, updated_at: later, ..wanted };
    equal("claimed", &claimed, &wanted)?;
    equal("listed", store.jobs(&view("project/a"), Some(JobState::Running), 10).await?, vec![wanted])
}

async fn work_of_one_key_is_queued_once(store: &dyn Store) -> Outcome {
    let mut fixture = Fixture::new(store);
    let first = queue(&mut fixture, "key").await?;
    queue(&mut fixture, "key").await?;
    let other = queue(&mut fixture, "another").await?;
    let (kind, now) = (fixture.job("rest", "key", "project/a"), fixture.now());
    store.enqueue(vec![kind.clone()], now).await?;
    let queued: Vec<JobId> = states(store).await?.into_iter().map(|(id, _)| id).collect();
    equal("queued", queued, vec![first, other, kind.id])
}

async fn jobs_are_claimed_oldest_first_and_when_due(store: &dyn Store) -> Outcome {
    let mut fixture = Fixture::new(store);
    let mut later = fixture.job("work", "later", "project/a");
    let now = fixture.now();
    later.run_after = now.plus_millis(3_600_000);
    store.enqueue(vec![later.clone()], now).await?;
    let first = queue(&mut fixture, "first").await?;
    let second = queue(&mut fixture, "second").await?;
    equal("no kinds", store.claim("me", &[], now.plus_millis(i64::MAX), LEASE_MS).await?, None)?;
    equal("other kinds", store.claim("me", &kinds(&["rest"]), now.plus_millis(i64::MAX), LEASE_MS).await?, None)?;
    for wanted in [first, second] {
        equal("claimed", present("a job", claim(&mut fixture, "me").await?)?.id, wanted)?;
    }
    equal("nothing is due", claim(&mut fixture, "me").await?, None)?;
    let due = store.claim("me", &kinds(&["rest", "work"]), later.run_after, LEASE_MS).await?;
    // By then the leases of the others ran out as well, and it is the oldest.
    equal("due", present("a job", due)?.id, later.id)
}

async fn a_claimed_job_belongs_to_its_worker(store: &dyn Store) -> Outcome {
    let mut fixture = Fixture::new(store);
    let id = queue(&mut fixture, "key").await?;
    let now = fixture.now();
    equal("finishing what is queued", store.finish(id, "me").await?, false)?;
    equal("failing what is queued", store.fail(id, "me", "x", None, now).await?, false)?;
    present("a job", claim(&mut fixture, "me").await?)?;
    equal("another claim", claim(&mut fixture, "you").await?, None)?;
    equal("finished by another", store.finish(id, "you").await?, false)?;
    equal("failed by another", store.fail(id, "you", "x", None, now).await?, false)?;
    equal("finished", store.finish(id, "me").await?, true)?;
    equal("finished twice", store.finish(id, "me").await?, false)?;
    equal("jobs", states(store).await?, Vec::new())
}

async fn a_lease_runs_out(store: &dyn Store) -> Outcome {
    let mut fixture = Fixture::new(store);
    let id = queue(&mut fixture, "key").await?;
    let now = fixture.now();
    store.claim("me", &kinds(&["work"]), now, LEASE_MS).await?;
    let early = now.plus_millis(LEASE_MS - 1);
    equal("too early", store.claim("you", &kinds(&["work"]), early, LEASE_MS).await?, None)?;
    let late = now.plus_millis(LEASE_MS);
    let job = present("the job", store.claim("you", &kinds(&["work"]), late, LEASE_MS).await?)?;
    equal("claimed again", (job.id, job.tries), (id, 2))?;
    equal("finished by the first", store.finish(id, "me").await?, false)?;
    equal("finished by the second", store.finish(id, "you").await?, true)
}

async fn a_lease_is_extended_by_its_owner_alone(store: &dyn Store) -> Outcome {
    let mut fixture = Fixture::new(store);
    let id = queue(&mut fixture, "key").await?;
    let now = fixture.now();
    let work = kinds(&["work"]);
    equal("what is queued", store.extend_lease(id, "me", now, LEASE_MS).await?, false)?;
    present("the job", store.claim("me", &work, now, LEASE_MS).await?)?;
    let half = now.plus_millis(LEASE_MS / 2);
    equal("by another", store.extend_lease(id, "you", half, LEASE_MS).await?, false)?;
    equal("by its owner", store.extend_lease(id, "me", half, LEASE_MS).await?, true)?;
    let held = store.jobs(&view("project/a"), Some(JobState::Running), 10).await?;
    let lease = |job: &Job| (job.tries, job.lease_until, job.updated_at);
    equal("the lease", held.iter().map(lease).collect(), vec![(1, Some(half.plus_millis(LEASE_MS)), half)])?;
    let first_end = now.plus_millis(LEASE_MS);
    equal("after the first end", store.claim("you", &work, first_end, LEASE_MS).await?, None)?;
    // Late, but nobody has taken it.
    let late = half.plus_millis(2 * LEASE_MS);
    equal("late", store.extend_lease(id, "me", late, LEASE_MS).await?, true)?;
    equal("after that", store.claim("you", &work, late, LEASE_MS).await?, None)?;
    let lost = late.plus_millis(LEASE_MS);
    present("the job", store.claim("you", &work, lost, LEASE_MS).await?)?;
    equal("what another has", store.extend_lease(id, "me", lost, LEASE_MS).await?, false)?;
    equal("finished", store.finish(id, "you").await?, true)?;
    equal("what is gone", store.extend_lease(id, "you", lost, LEASE_MS).await?, false)
}

async fn a_running_job_does_not_hold_up_new_work(store: &dyn Store) -> Outcome {
    let mut fixture = Fixture::new(store);
    let first = queue(&mut fixture, "key").await?;
    claim(&mut fixture, "me").await?;
    let second = queue(&mut fixture, "key").await?;
    queue(&mut fixture, "key").await?;
    equal("jobs", states(store).await?, vec![(first, JobState::Running), (second, JobState::Queued)])?;
    equal("finished", store.finish(first, "me").await?, true)?;
    equal("next", present("a job", claim(&mut fixture, "me").await?)?.id, second)
}

async fn a_dead_worker_gives_way_to_newer_work(store: &dyn Store) -> Outcome {
    let mut fixture = Fixture::new(store);
    queue(&mut fixture, "key").await?;
    claim(&mut fixture, "dead").await?;
    let second = queue(&mut fixture, "key").await?;
    let late = fixture.now().plus_millis(2 * LEASE_MS);
    let job = present("a job", store.claim("me", &kinds(&["work"]), late, LEASE_MS).await?)?;
    equal("claimed", job.id, second)?;
    equal("jobs", states(store).await?, vec![(second, JobState::Running)])
}

async fn a_failed_job_comes_back_later(store: &dyn Store) -> Outcome {
    let mut fixture = Fixture::new(store);
    let id = queue(&mut fixture, "key").await?;
    claim(&mut fixture, "me").await?;
    let now = fixture.now();
    let retry_at = now.plus_millis(5_000);
    equal("failed", store.fail(id, "me", "no answer", Some(retry_at), now).await?, true)?;
    let job = present("the job", store.jobs(&view("project/a"), None, 10).await?.pop())?;
    equal("its state", (job.state, job.tries, job.run_after), (JobState::Queued, 1, retry_at))?;
    equal("why", (job.last_error.as_deref(), job.lease_until), (Some("no answer"), None))?;
    let early = store.claim("me", &kinds(&["work"]), retry_at.plus_millis(-1), LEASE_MS).await?;
    equal("too early", early, None)?;
    let again = present("the job", store.claim("me", &kinds(&["work"]), retry_at, LEASE_MS).await?)?;
    equal("tries", again.tries, 2)
}

async fn a_job_that_is_put_off_loses_no_try(store: &dyn Store) -> Outcome {
    let mut fixture = Fixture::new(store);
    let id = queue(&mut fixture, "key").await?;
    for _ in 0..20 {
        let claimed = present("the job", claim(&mut fixture, "me").await?)?;
        equal("tries", claimed.tries, 1)?;
        let now = fixture.now();
        holds("not another's", !store.postpone(id, "you", "away", now, now).await?)?;
        holds("put off", store.postpone(id, "me", "the provider is away", now.plus_millis(1), now).await?)?;
    }
    let job = present("the job", store.jobs(&view("project/a"), None, 1).await?.pop())?;
    equal("why", job.last_error.as_deref(), Some("the provider is away"))?;
    equal("state", job.state, JobState::Queued)
}

async fn a_failed_job_gives_way_to_newer_work(store: &dyn Store) -> Outcome {
    let mut fixture = Fixture::new(store);
    let first = queue(&mut fixture, "key").await?;
    claim(&mut fixture, "me").await?;
    let second = queue(&mut fixture, "key").await?;
    let now = fixture.now();
    equal("failed", store.fail(first, "me", "x", Some(now), now).await?, true)?;
    equal("jobs", states(store).await?, vec![(second, JobState::Queued)])
}

async fn a_parked_job_waits_for_a_person(store: &dyn Store) -> Outcome {
    let mut fixture = Fixture::new(store);
    let view = view("project/a");
    let id = queue(&mut fixture, "key").await?;
    claim(&mut fixture, "me").await?;
    let now = fixture.now();
    equal("failed", store.fail(id, "me", "poison", None, now).await?, true)?;
    equal("jobs", states(store).await?, vec![(id, JobState::Parked)])?;
    let late = Timestamp::from_millis(i64::MAX);
    equal("claimed", store.claim("me", &kinds(&["work"]), late, LEASE_MS).await?, None)?;
    let unknown = JobId::from(fixture.uuid());
    refused("another", store.retry_jobs(&view, Some(unknown), now).await, ErrorCode::NotFound)?;
    equal("retried", store.retry_jobs(&view, Some(id), now).await?, 1)?;
    refused("retried twice", store.retry_jobs(&view, Some(id), now).await, ErrorCode::NotFound)?;
    equal("nothing is parked", store.retry_jobs(&view, None, now).await?, 0)?;
    let job = present("the job", store.jobs(&view, Some(JobState::Queued), 10).await?.pop())?;
    equal("its tries are forgotten", (job.tries, job.run_after), (0, now))?;
    equal("why it failed is not", job.last_error.as_deref(), Some("poison"))
}

async fn parked_jobs_never_queue_twice(store: &dyn Store) -> Outcome {
    let mut fixture = Fixture::new(store);
    let view = view("project/a");
    for _ in 0..3 {
        let id = queue(&mut fixture, "key").await?;
        claim(&mut fixture, "me").await?;
        let now = fixture.now();
        store.fail(id, "me", "x", None, now).await?;
    }
    let now = fixture.now();
    equal("retried", store.retry_jobs(&view, None, now).await?, 1)?;
    let count = |state| async move { store.jobs(&view, Some(state), 10).await.map(|jobs| jobs.len()) };
    equal("queued", count(JobState::Queued).await?, 1)
}

async fn a_running_job_is_not_cancelled(store: &dyn Store) -> Outcome {
    let mut fixture = Fixture::new(store);
    let view = view("project/a");
    let id = queue(&mut fixture, "key").await?;
    claim(&mut fixture, "me").await?;
    equal("running", store.cancel_job(&view, id).await?, false)?;
    let now = fixture.now();
    store.fail(id, "me", "x", None, now).await?;
    equal("parked", store.cancel_job(&view, id).await?, true)?;
    equal("gone", store.cancel_job(&view, id).await?, false)?;
    let id = queue(&mut fixture, "key").await?;
    equal("queued", store.cancel_job(&view, id).await?, true)?;
    holds("nothing is left", states(store).await?.is_empty())
}

async fn due_jobs_are_counted_everywhere(store: &dyn Store) -> Outcome {
    let mut fixture = Fixture::new(store);
    let now = fixture.now();
    for (place, delay_ms) in [("project/a", -1), ("project/b", 0), ("global", 1), ("task/a/t", -1)] {
        let mut job = fixture.job("work", place, place);
        job.run_after = now.plus_millis(delay_ms);
        store.enqueue(vec![job], now).await?;
    }
    equal("due", store.due_jobs(now).await?, 3)?;
    store.claim("me", &kinds(&["work"]), now, LEASE_MS).await?;
    equal("due", store.due_jobs(now).await?, 2)?;
    holds("scopes are known", store.all_scopes().await?.contains(&scope("project/b")))
}

async fn jobs_of_a_clock_that_was_ahead_are_brought_back(store: &dyn Store) -> Outcome {
    const YEAR_MS: i64 = 365 * 86_400_000;
    let mut fixture = Fixture::new(store);
    let now = fixture.now();
    let ahead = now.plus_millis(3 * YEAR_MS);
    let horizon = Horizon { wait_ms: vec![("work".to_owned(), 600_000)], lease_ms: 3_600_000 };
    // A worker died years ahead, a job waits for a time years ahead, one of another kind may do so, one waits as it may.
    let held = fixture.job("work", "held", "project/a");
    store.enqueue(vec![held.clone()], now).await?;
    present("the job", store.claim("dead", &kinds(&["work"]), ahead, LEASE_MS).await?)?;
    let mut waits = fixture.job("work", "waits", "project/b");
    waits.run_after = ahead;
    let mut other = fixture.job("other", "key", "project/a");
    other.run_after = ahead;
    let mut soon = fixture.job("work", "soon", "project/a");
    soon.run_after = now.plus_millis(600_000);
    store.enqueue(vec![waits.clone(), other.clone(), soon.clone()], now).await?;
    equal("nothing is due", store.claim("worker", &kinds(&["work", "other"]), now, LEASE_MS).await?, None)?;
    equal("strays", store.stray_jobs(&horizon, now).await?, 2)?;
    equal("brought back", store.bring_back_jobs(&horizon, LEASE_MS, now).await?, 2)?;
    equal("no strays", store.stray_jobs(&horizon, now).await?, 0)?;
    equal("nothing left to do", store.bring_back_jobs(&horizon, LEASE_MS, now).await?, 0)?;
    let claimed = present("what waited", store.claim("worker", &kinds(&["work", "other"]), now, LEASE_MS).await?)?;
    equal("what waited", claimed.id, waits.id)?;
    let later = now.plus_millis(LEASE_MS);
    let claimed = present("what was held", store.claim("worker", &kinds(&["work", "other"]), later, LEASE_MS).await?)?;
    equal("what was held", claimed.id, held.id)?;
    let left = store.jobs(&view("project/a"), Some(JobState::Queued), 10).await?;
    let times: Vec<(JobId, Timestamp)> = left.iter().map(|job| (job.id, job.run_after)).collect();
    equal("the others", times, vec![(other.id, ahead), (soon.id, soon.run_after)])
}
