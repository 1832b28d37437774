//! Tasks begin and end once; a tier that holds too much names what should go.

use scrubjay_core::error::ErrorCode;
use scrubjay_core::id::MemoryId;
use scrubjay_core::memory::{DecayRate, Importance, Relation};
use scrubjay_core::scope::Scope;

use super::case::{Failure, Outcome, cases, equal, holds, refused};
use super::fixture::{Fixture, link, scope, view};
use crate::Store;
use crate::change::UndoTarget;
use crate::context::{Capacity, Outdated, Task};

cases![
    tasks_begin_and_end_once,
    a_task_is_opened_again_by_what_is_known_of_its_end,
    tasks_are_of_one_project,
    the_least_important_tenth_is_named,
    protected_and_other_facts_do_not_count,
    what_was_superseded_is_known,
    a_source_is_outdated_with_its_fact,
];

fn task(fixture: &mut Fixture<'_>, place: &str, title: &str) -> Result<Task, Failure> {
    match scope(place) {
        Scope::Task(project, id) => Ok(Task {
            id,
            project,
            title: title.to_owned(),
            session_id: Some("s".to_owned()),
            started_at: fixture.now(),
            ended_at: None,
        }),
        other => Err(Failure::new(format!("{other} is no task"))),
    }
}

async fn tasks_begin_and_end_once(store: &dyn Store) -> Outcome {
    let mut fixture = Fixture::new(store);
    let view = view("project/a");
    let (first, second) = (task(&mut fixture, "task/a/t", "first")?, task(&mut fixture, "task/a/u", "second")?);
    store.begin_task(first.clone()).await?;
    store.begin_task(second.clone()).await?;
    refused("the same again", store.begin_task(first.clone()).await, ErrorCode::Conflict)?;
    equal("all", store.tasks(&view, false, 9).await?, vec![second.clone(), first.clone()])?;
    equal("one", store.tasks(&view, false, 1).await?, vec![second.clone()])?;
    let at = fixture.now();
    holds("it ends", store.end_task(&view, &second.id, at).await?)?;
    let later = fixture.now();
    holds("it ended already", !store.end_task(&view, &second.id, later).await?)?;
    equal("open ones", store.tasks(&view, true, 9).await?, vec![first])?;
    let ended = Task { ended_at: Some(at), ..second.clone() };
    equal("the ended one", store.task(&view, &second.id).await?, Some(ended))
}

async fn a_task_is_opened_again_by_what_is_known_of_its_end(store: &dyn Store) -> Outcome {
    let mut fixture = Fixture::new(store);
    let here = view("project/a");
    let task = task(&mut fixture, "task/a/t", "first")?;
    store.begin_task(task.clone()).await?;
    equal("nothing was changed", store.task_of_run(&here, None).await?, None)?;
    let note = fixture.remember("task/a/t", "a note").await?.id;
    equal("the last change", store.task_of_run(&here, None).await?, Some(task.id.clone()))?;
    let run = fixture.end(&view("task/a/t"), note).await?;
    let at = fixture.now();
    store.end_task(&here, &task.id, at).await?;
    equal("the run", store.task_of_run(&here, Some(run)).await?, Some(task.id.clone()))?;
    equal("from elsewhere", store.task_of_run(&view("project/b"), Some(run)).await?, None)?;
    holds("it opens", store.reopen_task(&here, &task.id).await?)?;
    holds("it is open", !store.reopen_task(&here, &task.id).await?)?;
    equal("as it was", store.task(&here, &task.id).await?, Some(task.clone()))?;
    fixture.undo(&view("task/a/t"), UndoTarget::Run(run)).await?;
    equal("an undone run", store.task_of_run(&here, Some(run)).await?, None)?;
    fixture.remember("project/a", "something else").await?;
    equal("another change came later", store.task_of_run(&here, None).await?, None)?;
    let unknown = store.reopen_task(&view("project/b"), &task.id).await;
    refused("a foreign task", unknown, ErrorCode::NotFound)?;
    Ok(())
}

async fn tasks_are_of_one_project(store: &dyn Store) -> Outcome {
    let mut fixture = Fixture::new(store);
    let (ours, theirs) = (task(&mut fixture, "task/a/t", "ours")?, task(&mut fixture, "task/b/t", "theirs")?);
    store.begin_task(ours.clone()).await?;
    store.begin_task(theirs.clone()).await?;
    let other = task(&mut fixture, "task/b/v", "another")?;
    store.begin_task(other.clone()).await?;
    equal("seen", store.tasks(&view("project/a"), false, 9).await?, vec![ours.clone()])?;
    equal("foreign", store.task(&view("project/a"), &other.id).await?, None)?;
    let at = fixture.now();
    refused("ending it", store.end_task(&view("project/a"), &other.id, at).await, ErrorCode::NotFound)?;
    store.end_task(&view("project/a"), &ours.id, at).await?;
    equal("theirs", store.task(&view("project/b"), &theirs.id).await?, Some(theirs))?;
    equal("outside", store.tasks(&view("global"), false, 9).await?, Vec::new())
}

fn capacity(max_items: u64) -> Capacity {
    Capacity { types: vec!["decision".to_owned(), "pattern".to_owned()], max_items }
}

async fn decision(fixture: &mut Fixture<'_>, place: &str, importance: f64, number: usize) -> Result<MemoryId, Failure> {
    let mut new = fixture.fact(place, &format!("decision {number}"));
    let broken = |error: scrubjay_core::memory::InvalidMemory| Failure::new(error.to_string());
    new.memory.memory_type = "decision".parse().map_err(broken)?;
    new.memory.importance = Importance::new(importance).map_err(broken)?;
    new.memory.decay_rate = DecayRate::new(0.1).map_err(broken)?;
    Ok(fixture.create(new).await?.id)
}

async fn the_least_important_tenth_is_named(store: &dyn Store) -> Outcome {
    let mut fixture = Fixture::new(store);
    let mut ids = Vec::new();
    for number in 0..25 {
        let importance = [4.0, 2.0, 3.0][number % 3];
        ids.push(decision(&mut fixture, "project/a", importance, number).await?);
    }
    decision(&mut fixture, "project/b", 1.0, 99).await?;
    let place = scope("project/a");
    equal("room enough", store.overfull(&place, capacity(25)).await?, Vec::new())?;
    equal("too many", store.overfull(&place, capacity(24)).await?, vec![ids[1], ids[4]])?;
    fixture.end(&view("project/a"), ids[1]).await?;
    equal("one went", store.overfull(&place, capacity(24)).await?, Vec::new())?;
    equal("nowhere", store.overfull(&scope("project/z"), capacity(0)).await?, Vec::new())
}

async fn protected_and_other_facts_do_not_count(store: &dyn Store) -> Outcome {
    let mut fixture = Fixture::new(store);
    let counted = decision(&mut fixture, "project/a", 3.0, 1).await?;
    fixture.remember("project/a", "a plain fact").await?;
    let mut protected = fixture.fact("project/a", "a protected decision");
    protected.memory.memory_type =
        "decision".parse().map_err(|error: scrubjay_core::memory::InvalidMemory| Failure::new(error.to_string()))?;
    fixture.create(protected).await?;
    equal("one counts", store.overfull(&scope("project/a"), capacity(1)).await?, Vec::new())?;
    equal("and goes", store.overfull(&scope("project/a"), capacity(0)).await?, vec![counted])
}

async fn what_was_superseded_is_known(store: &dyn Store) -> Outcome {
    let mut fixture = Fixture::new(store);
    let place = view("project/a");
    let old = fixture.remember("project/a", "the old").await?.id;
    let new = fixture.remember("project/a", "the new").await?.id;
    let other = fixture.remember("project/a", "another").await?.id;
    let theirs = fixture.remember("project/b", "theirs").await?.id;
    fixture.link(&place, link(new, Relation::Supersedes, old)).await?;
    fixture.link(&place, link(new, Relation::Related, other)).await?;
    let asked = vec![old, new, other, theirs];
    let known = |found: Vec<Outdated>| found.into_iter().map(|found| (found.id, found.by)).collect::<Vec<_>>();
    equal("superseded", known(store.outdated(&place, asked.clone()).await?), vec![(old, Some(new))])?;
    equal("elsewhere", known(store.outdated(&view("project/b"), asked.clone()).await?), Vec::new())?;
    fixture.end(&place, new).await?;
    equal("the newer one is gone", known(store.outdated(&place, asked).await?), Vec::new())
}

async fn a_source_is_outdated_with_its_fact(store: &dyn Store) -> Outcome {
    let mut fixture = Fixture::new(store);
    let place = view("project/a");
    let said = fixture.remember("project/a", "we said A").await?.id;
    let fact = fixture.remember("project/a", "A").await?.id;
    let said_later = fixture.remember("project/a", "we said B, not A").await?.id;
    let newer = fixture.remember("project/a", "B").await?.id;
    fixture.link(&place, link(fact, Relation::DerivedFrom, said)).await?;
    fixture.link(&place, link(fact, Relation::DerivedFrom, said_later)).await?;
    fixture.link(&place, link(newer, Relation::DerivedFrom, said_later)).await?;
    let asked = vec![said, said_later];
    let known = |found: Vec<Outdated>| found.into_iter().map(|found| (found.id, found.by)).collect::<Vec<_>>();
    equal("all hold", known(store.outdated(&place, asked.clone()).await?), Vec::new())?;
    fixture.link(&place, link(newer, Relation::Supersedes, fact)).await?;
    equal("superseded", known(store.outdated(&place, asked.clone()).await?), vec![(said, Some(newer))])?;
    equal("elsewhere", known(store.outdated(&view("project/b"), asked.clone()).await?), Vec::new())?;
    fixture.end(&place, newer).await?;
    equal("the newer is forgotten", known(store.outdated(&place, asked.clone()).await?), vec![(said_later, None)])?;
    fixture.end(&place, fact).await?;
    equal("forgotten", known(store.outdated(&place, asked).await?), vec![(said, None), (said_later, None)])
}
