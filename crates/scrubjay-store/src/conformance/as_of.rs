//! What was known and held at a time.

use std::collections::BTreeSet;

use scrubjay_core::memory::EndedBy;
use scrubjay_core::scope::View;
use scrubjay_core::time::Timestamp;

use super::case::{Failure, Outcome, cases, equal};
use super::fixture::{Fixture, all, view};
use crate::Store;
use crate::change::{Change, Stamp};
use crate::query::Activity;

cases![activity_selects, as_of_is_exact_at_its_edges, an_end_is_exact_at_its_edges];

async fn listed(store: &dyn Store, view: &View, activity: Activity) -> Result<BTreeSet<String>, Failure> {
    Ok(store.list(view, all(activity)).await?.memories.into_iter().map(|memory| memory.content).collect())
}

fn set(contents: &[&str]) -> BTreeSet<String> {
    contents.iter().map(|&content| content.to_owned()).collect()
}

// Two memories, the first of which ended; with the times of what happened.
async fn past(fixture: &mut Fixture<'_>) -> Result<(Timestamp, Timestamp, Timestamp), Failure> {
    let first = fixture.remember("project/a", "first heron").await?;
    let second = fixture.remember("project/a", "second heron").await?;
    let ended_at = fixture.now();
    let stamp = Stamp { at: ended_at, ..fixture.stamp("test") };
    let end = Change::End { id: first.id, expected_version: None, by: EndedBy::Superseded };
    fixture.store.apply(&view("project/a"), stamp, vec![end], Vec::new()).await?;
    Ok((first.created_at, second.created_at, ended_at))
}

async fn activity_selects(store: &dyn Store) -> Outcome {
    let mut fixture = Fixture::new(store);
    past(&mut fixture).await?;
    let view = view("project/a");
    equal("active", listed(store, &view, Activity::Active).await?, set(&["second heron"]))?;
    equal("ended", listed(store, &view, Activity::Ended).await?, set(&["first heron"]))?;
    equal("any", listed(store, &view, Activity::Any).await?, set(&["first heron", "second heron"]))
}

async fn as_of_is_exact_at_its_edges(store: &dyn Store) -> Outcome {
    let mut fixture = Fixture::new(store);
    let (first, second, ended) = past(&mut fixture).await?;
    let view = view("project/a");
    for (time, wanted) in [
        (first.plus_millis(-1), set(&[])),
        (first, set(&["first heron"])),
        (second.plus_millis(-1), set(&["first heron"])),
        (second, set(&["first heron", "second heron"])),
        (ended.plus_millis(-1), set(&["first heron", "second heron"])),
        (ended, set(&["second heron"])),
        (Timestamp::from_millis(i64::MAX), set(&["second heron"])),
        (Timestamp::from_millis(i64::MIN), set(&[])),
    ] {
        equal(&format!("as of {time}"), listed(store, &view, Activity::AsOf(time)).await?, wanted)?;
    }
    Ok(())
}

async fn an_end_is_exact_at_its_edges(store: &dyn Store) -> Outcome {
    let mut fixture = Fixture::new(store);
    let (first, _, ended) = past(&mut fixture).await?;
    let view = view("project/a");
    let both = set(&["first heron", "second heron"]);
    for (time, wanted) in [
        (first.plus_millis(-1), both.clone()),
        (ended.plus_millis(-1), both.clone()),
        (ended, set(&["second heron"])),
        (Timestamp::from_millis(i64::MAX), set(&["second heron"])),
        (Timestamp::from_millis(i64::MIN), both),
    ] {
        equal(&format!("not ended by {time}"), listed(store, &view, Activity::NotEndedBy(time)).await?, wanted)?;
    }
    Ok(())
}
