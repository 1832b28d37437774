//! What must hold when two handles, as of two processes, write to one store at once.
//!
//! Which of them is first is left to chance; what they come to is not.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use scrubjay_core::entity::EntityType;
use scrubjay_core::error::ErrorCode;
use scrubjay_core::id::JobId;
use scrubjay_core::scope::View;
use tokio::task::JoinSet;

use super::case::{Failure, Outcome, equal, holds, present};
use super::fixture::{Fixture, all, importance, scope, view};
use crate::change::{Captured, Change, NewJob, NewMemory, Stamp};
use crate::item::ItemKey;
use crate::query::{Activity, SessionStep};
use crate::{Result, Store};

/// How often each handle does what a case is about.
const ROUNDS: usize = 12;

/// Two handles on one store.
type Handles = [Arc<dyn Store>; 2];

/// Runs every case on two handles, which `make` opens on an empty store. The answer names the cases that failed and why.
pub async fn run_with_two_handles<Making>(make: impl Fn() -> Making) -> Vec<String>
where
    Making: Future<Output = Handles>,
{
    let mut failures = Vec::new();
    let mut note = |name: &str, outcome: Outcome| {
        if let Err(failure) = outcome {
            failures.push(format!("{name}: {failure}"));
        }
    };
    note("a message from both is stored once", a_message_from_both_is_stored_once(make().await).await);
    note("a job is claimed once", a_job_is_claimed_once(make().await).await);
    note("a thing named by both is one entity", a_thing_named_by_both_is_one_entity(make().await).await);
    note("of two changes to one version one is made", one_of_two_changes_is_made(make().await).await);
    note("a step of consolidation is made once", a_step_of_consolidation_is_made_once(make().await).await);
    note("a follower misses nothing", a_follower_misses_nothing(make().await).await);
    failures
}

/// What each handle answers to its share of the work.
async fn at_once<T, Working>(
    handles: &Handles,
    shares: [Vec<T>; 2],
    work: fn(Arc<dyn Store>, Vec<T>) -> Working,
) -> std::result::Result<Vec<Working::Output>, Failure>
where
    Working: Future<Output: Send + 'static> + Send + 'static,
{
    let mut tasks = JoinSet::new();
    for (handle, share) in handles.iter().zip(shares) {
        tasks.spawn(work(Arc::clone(handle), share));
    }
    let mut answers = Vec::new();
    while let Some(answer) = tasks.join_next().await {
        answers.push(answer.map_err(Failure::new)?);
    }
    Ok(answers)
}

async fn capture_all(store: Arc<dyn Store>, share: Vec<(Stamp, NewMemory)>) -> Result<Vec<Captured>> {
    let mut captured = Vec::new();
    for (stamp, message) in share {
        captured.extend(store.capture(stamp, vec![message], Vec::new()).await?);
    }
    Ok(captured)
}

async fn a_message_from_both_is_stored_once(handles: Handles) -> Outcome {
    let mut fixture = Fixture::new(handles[0].as_ref());
    let mut shares = [Vec::new(), Vec::new()];
    for round in 0..ROUNDS {
        for share in &mut shares {
            let message = fixture.message("project/a", "s", &format!("message {round}"));
            share.push((fixture.stamp("capture"), message));
        }
    }
    let mut stored = BTreeSet::new();
    let mut named = BTreeSet::new();
    for answers in at_once(&handles, shares, capture_all).await? {
        for captured in answers? {
            match captured {
                Captured::Stored(id) => holds("an id is stored once", stored.insert(id))?,
                Captured::Duplicate(id) => drop(named.insert(id)),
                Captured::Purged => return Err(Failure::new("nothing was purged")),
            }
        }
    }
    equal("messages that were stored", stored.len(), ROUNDS)?;
    equal("what the other handle was told", named, stored)?;
    let session = present("the session", handles[1].session(&view("project/a"), "s").await?)?;
    equal("messages of the session", session.messages, ROUNDS as u64)
}

async fn claim_all(store: Arc<dyn Store>, owner: Vec<(String, i64)>) -> Result<Vec<JobId>> {
    let mut claimed = Vec::new();
    for (owner, at) in owner {
        let at = scrubjay_core::time::Timestamp::from_millis(at);
        while let Some(job) = store.claim(&owner, &["work".to_owned()], at, 60_000).await? {
            claimed.push(job.id);
        }
    }
    Ok(claimed)
}

async fn a_job_is_claimed_once(handles: Handles) -> Outcome {
    let mut fixture = Fixture::new(handles[0].as_ref());
    let jobs: Vec<NewJob> =
        (0..2 * ROUNDS).map(|number| fixture.job("work", &number.to_string(), "project/a")).collect();
    let wanted: BTreeSet<JobId> = jobs.iter().map(|job| job.id).collect();
    let now = fixture.now();
    handles[1].enqueue(jobs, now).await?;
    let owner = |name: &str| vec![(name.to_owned(), now.millis())];
    let mut claimed = BTreeSet::new();
    for answers in at_once(&handles, [owner("one"), owner("two")], claim_all).await? {
        for id in answers? {
            holds("a job is claimed by one worker alone", claimed.insert(id))?;
        }
    }
    equal("jobs that were claimed", claimed, wanted)
}

async fn a_thing_named_by_both_is_one_entity(handles: Handles) -> Outcome {
    let mut fixture = Fixture::new(handles[0].as_ref());
    let mut shares = [Vec::new(), Vec::new()];
    for round in 0..ROUNDS {
        for (number, share) in shares.iter_mut().enumerate() {
            let mut message = fixture.message("project/a", "s", &format!("message {round} of {number}"));
            message.mentions = vec![
                fixture.mention("Ada", EntityType::Person),
                fixture.mention(&format!("topic {round}"), EntityType::Tag),
            ];
            share.push((fixture.stamp("capture"), message));
        }
    }
    for answers in at_once(&handles, shares, capture_all).await? {
        answers?;
    }
    for (name, mentions) in [("Ada", 2 * ROUNDS as u64), ("topic 0", 2), ("topic 7", 2)] {
        let found = handles[1].find_entities(&view("project/a"), name).await?;
        equal(name, found.iter().map(|entity| entity.mention_count).collect::<Vec<_>>(), vec![mentions])?;
    }
    Ok(())
}

async fn apply_all(store: Arc<dyn Store>, share: Vec<(View, Stamp, Change)>) -> Vec<Result<()>> {
    let mut answers = Vec::new();
    for (view, stamp, change) in share {
        answers.push(store.apply(&view, stamp, vec![change], Vec::new()).await.map(drop));
    }
    answers
}

async fn one_of_two_changes_is_made(handles: Handles) -> Outcome {
    let mut fixture = Fixture::new(handles[0].as_ref());
    let here = view("project/a");
    let mut shares = [Vec::new(), Vec::new()];
    for round in 0..ROUNDS {
        let id = fixture.remember("project/a", &format!("fact {round}")).await?.id;
        for (share, value) in shares.iter_mut().zip([4.0, 5.0]) {
            let change = Change::Update { id, expected_version: Some(1), patch: Box::new(importance(value)) };
            share.push((here.clone(), fixture.stamp("test"), change));
        }
    }
    let mut made = 0;
    for answer in at_once(&handles, shares, apply_all).await?.into_iter().flatten() {
        match answer {
            Ok(()) => made += 1,
            Err(error) => equal("the refusal", error.code(), ErrorCode::Conflict)?,
        }
    }
    equal("changes that were made", made, ROUNDS)?;
    for memory in handles[1].list(&here, all(Activity::Any)).await?.memories {
        equal("its version", memory.version, 2)?;
    }
    Ok(())
}

async fn consolidate_all(store: Arc<dyn Store>, share: Vec<(Stamp, SessionStep, Change)>) -> Vec<Result<()>> {
    let mut answers = Vec::new();
    for (stamp, step, change) in share {
        answers.push(store.consolidate(stamp, step, vec![change], Vec::new()).await.map(drop));
    }
    answers
}

async fn a_step_of_consolidation_is_made_once(handles: Handles) -> Outcome {
    let mut fixture = Fixture::new(handles[0].as_ref());
    let message = fixture.message("project/a", "s", "Ada owns billing");
    let through = message.memory.id;
    fixture.capture(message).await?;
    let mut shares = [Vec::new(), Vec::new()];
    for share in &mut shares {
        let step = SessionStep {
            scope: scope("project/a"),
            session_id: "s".to_owned(),
            from: None,
            through,
            newest_fact: None,
            repeated: Vec::new(),
        };
        let fact = fixture.fact("project/a", "Ada owns billing");
        share.push((fixture.stamp("consolidate"), step, Change::Create(Box::new(fact))));
    }
    let answers: Vec<Result<()>> = at_once(&handles, shares, consolidate_all).await?.into_iter().flatten().collect();
    equal("steps that were made", answers.iter().filter(|answer| answer.is_ok()).count(), 1)?;
    let counts = handles[1].counts(&view("project/a")).await?;
    let facts = counts.active.iter().filter(|(_, kind, ..)| kind == "fact").map(|(.., count)| count).sum::<u64>();
    equal("facts", facts, 1)
}

// Reads what changed until the writers are done and there is no more. A position is never looked at again.
async fn follow(
    store: Arc<dyn Store>,
    writers_are_done: Arc<AtomicBool>,
) -> std::result::Result<Vec<ItemKey>, Failure> {
    let (mut seen, mut after) = (Vec::new(), 0);
    loop {
        let is_last = writers_are_done.load(Ordering::SeqCst);
        let tail = store.tail(None, after, 5).await?;
        holds("positions never go back", tail.through >= after)?;
        after = tail.through;
        seen.extend(tail.entries.into_iter().map(|entry| entry.key));
        if is_last && !tail.more {
            return Ok(seen);
        }
        tokio::task::yield_now().await;
    }
}

async fn a_follower_misses_nothing(handles: Handles) -> Outcome {
    let mut fixture = Fixture::new(handles[0].as_ref());
    let mut shares = [Vec::new(), Vec::new()];
    for round in 0..ROUNDS {
        for (number, share) in shares.iter_mut().enumerate() {
            let message = fixture.message("project/a", &number.to_string(), &format!("message {round} of {number}"));
            share.push((fixture.stamp("capture"), message));
        }
    }
    let writers_are_done = Arc::new(AtomicBool::new(false));
    let follower = tokio::spawn(follow(Arc::clone(&handles[1]), Arc::clone(&writers_are_done)));
    let answers = at_once(&handles, shares, capture_all).await;
    writers_are_done.store(true, Ordering::SeqCst);
    for answers in answers? {
        answers?;
    }
    let mut seen = follower.await.map_err(Failure::new)??;
    seen.sort();
    let stored = handles[0].all_items(None, 10 * ROUNDS).await?;
    equal("items, each seen once", seen, stored.into_iter().map(|row| row.key).collect::<Vec<_>>())
}
