//! Nobody sees, counts, changes, undoes or destroys what lives elsewhere, and a
//! foreign id answers like one that never was.

use std::collections::BTreeSet;
use std::fmt::Debug;

use scrubjay_core::entity::{Entity, EntityType};
use scrubjay_core::filter::Filter;
use scrubjay_core::id::{EntityId, JobId, MemoryId, RunId};
use scrubjay_core::memory::{EndedBy, Kind, Memory, Relation};
use scrubjay_core::scope::{Scope, View};

use super::case::{Failure, Outcome, cases, equal, holds, present};
use super::fixture::{Fixture, all, importance, link, scope, text, view};
use crate::change::{Change, NewMemory, Purged, UndoTarget};
use crate::query::{Activity, EntityQuery, ListQuery};
use crate::{Result as StoreResult, Store};

cases![
    a_view_shows_its_own_scopes_and_no_other,
    counts_depend_on_the_view_alone,
    a_foreign_id_answers_like_a_missing_one,
    attempts_on_foreign_rows_change_nothing,
    a_run_that_reached_elsewhere_cannot_be_undone_here,
    history_hides_links_to_elsewhere,
    a_purge_reaches_what_was_derived_but_names_only_what_is_seen,
    feeds_and_tombstones_are_of_one_scope,
];

const PLACES: [&str; 11] = [
    "global",
    "project/a",
    "project/b",
    "project/c",
    "project/d",
    "project/e",
    "task/a/t",
    "task/a/u",
    "task/b/t",
    "task/b/u",
    "task/e/t",
];

// What was planted in one place. Every text there says where it is.
struct Canary {
    scope: Scope,
    view: View,
    memories: Vec<Memory>,
    run: RunId,
    entity: Option<Entity>,
    job: JobId,
    session: String,
}

async fn plant(fixture: &mut Fixture<'_>, place: &str) -> Result<Canary, Failure> {
    let (scope, view) = (scope(place), view(place));
    let session = format!("session of {place}");
    let mut memories = Vec::new();
    for number in 0..3 {
        let mut new = fixture.message(place, &session, &format!("canary of {place} number {number}"));
        new.mentions = vec![fixture.mention(&format!("Canary of {place}"), EntityType::Person)];
        new.client_id = Some(format!("client id {number}"));
        let id = new.memory.id;
        fixture.capture(new).await?;
        memories.push(id);
    }
    let changes = vec![
        Change::Update { id: memories[0], expected_version: None, patch: Box::new(importance(5.0)) },
        Change::Link(link(memories[0], Relation::Related, memories[1])),
        Change::End { id: memories[2], expected_version: None, by: EndedBy::Forgotten },
    ];
    let (run, _) = fixture.apply(&view, changes).await?;
    let (job, now) = (fixture.job("work", place, place), fixture.now());
    fixture.store.enqueue(vec![job.clone()], now).await?;
    let worker = "someone";
    let claimed = fixture.store.claim(worker, &["work".to_owned()], now, 1000).await?;
    if let Some(claimed) = claimed {
        fixture.store.fail(claimed.id, worker, place, None, now).await?;
    }
    let mut stored = Vec::new();
    for id in memories {
        stored.push(fixture.read(&view, id).await?);
    }
    let entity = fixture.store.find_entities(&view, &format!("canary of {place}")).await?.pop();
    Ok(Canary { scope, view, memories: stored, run, entity, job: job.id, session })
}

async fn plant_all(fixture: &mut Fixture<'_>) -> Result<Vec<Canary>, Failure> {
    let mut canaries = Vec::new();
    for place in PLACES {
        canaries.push(plant(fixture, place).await?);
    }
    Ok(canaries)
}

// Everything a view can get hold of without knowing any id.
async fn everything(store: &dyn Store, view: &View) -> Result<String, Failure> {
    let memories = store.list(view, all(Activity::Any)).await?;
    // Positions and keys are for indexes; the rows are what could be shown.
    let tail = store.tail(Some(view), 0, 10_000).await?;
    let found: Vec<_> = tail.entries.into_iter().filter_map(|entry| entry.row.map(|row| row.item)).collect();
    let entities = store.entities(view, EntityQuery { limit: 1000, ..EntityQuery::default() }).await?;
    let sessions = store.sessions(view, 1000, 0).await?;
    let jobs = store.jobs(view, None, 1000).await?;
    let counts = store.counts(view).await?;
    let mut details = String::new();
    for memory in &memories.memories {
        let (history, links) = (store.history(view, memory.id).await?, store.links(view, memory.id).await?);
        let mentioned = store.mentioned(view, memory.id).await?;
        details.push_str(&format!("{history:?} {links:?} {mentioned:?}"));
    }
    Ok(format!("{memories:?} {found:?} {entities:?} {sessions:?} {jobs:?} {counts:?} {details}"))
}

async fn a_view_shows_its_own_scopes_and_no_other(store: &dyn Store) -> Outcome {
    let mut fixture = Fixture::new(store);
    let canaries = plant_all(&mut fixture).await?;
    for reader in &canaries {
        let shown = everything(store, &reader.view).await?;
        for canary in &canaries {
            let visible = reader.view.sees(&canary.scope);
            let what = format!("{} sees {}", reader.scope, canary.scope);
            // The quote ends the name, so that no place is part of another's.
            equal(&what, shown.contains(&format!("session of {}\"", canary.scope)), visible)?;
            for memory in &canary.memories {
                equal(&what, shown.contains(&format!("{:?}", memory.id.uuid())), visible)?;
                equal(&what, store.get(&reader.view, memory.id).await?.is_some(), visible)?;
            }
            equal(&what, store.session(&reader.view, &canary.session).await?.is_some(), visible)?;
            if let Some(entity) = &canary.entity {
                for name in [entity.name.clone(), entity.id.to_string()] {
                    equal(&what, store.find_entities(&reader.view, &name).await?.len(), usize::from(visible))?;
                }
                let query = ListQuery { entity: Some(entity.id), ..all(Activity::Any) };
                let listed = store.list(&reader.view, query).await?.memories.len();
                equal(&what, listed, if visible { canary.memories.len() } else { 0 })?;
            }
        }
        let memories = store.list(&reader.view, all(Activity::Any)).await?.memories;
        holds("all listed are seen", memories.iter().all(|memory| reader.view.sees(&memory.scope)))?;
        equal("how many", memories.len(), 3 * reader.view.scopes().len())?;
        // A filter cannot name its way out either.
        for place in PLACES {
            let filter = Filter::parse(&serde_json::json!({"scope": place})).unwrap_or_default();
            let listed = store.list(&reader.view, ListQuery { filter, ..all(Activity::Any) }).await?.memories.len();
            equal(place, listed, if reader.view.sees(&scope(place)) { 3 } else { 0 })?;
        }
    }
    Ok(())
}

async fn counts_depend_on_the_view_alone(store: &dyn Store) -> Outcome {
    let mut fixture = Fixture::new(store);
    plant(&mut fixture, "global").await?;
    plant(&mut fixture, "project/a").await?;
    let before = store.counts(&view("project/a")).await?;
    let shown = everything(store, &view("project/a")).await?;
    for place in ["project/b", "project/c", "task/a/t", "task/b/t"] {
        plant(&mut fixture, place).await?;
    }
    equal("counts", store.counts(&view("project/a")).await?, before)?;
    equal("everything", everything(store, &view("project/a")).await?, shown)
}

// Both calls must be answered in the same words, but for the id.
#[track_caller]
fn alike<T: Debug>(
    what: &str,
    results: (StoreResult<T>, StoreResult<T>),
    ids: &(impl ToString, impl ToString),
) -> Outcome {
    let words = |result: StoreResult<T>, id: String| match result {
        Ok(value) => format!("{value:?}").replace(&id, "<id>"),
        Err(error) => format!("{error} {error:?}").replace(&id, "<id>"),
    };
    equal(what, words(results.0, ids.0.to_string()), words(results.1, ids.1.to_string()))
}

async fn a_foreign_id_answers_like_a_missing_one(store: &dyn Store) -> Outcome {
    let mut fixture = Fixture::new(store);
    let canaries = plant_all(&mut fixture).await?;
    let missing_memory = fixture.memory_id(Kind::Episode);
    let (missing_run, missing_entity) = (fixture.run_id(), EntityId::from(fixture.uuid()));
    let missing_job = JobId::from(fixture.uuid());
    for reader in &canaries {
        let own = &reader.memories[0];
        let foreign = canaries.iter().filter(|canary| !reader.view.sees(&canary.scope));
        for (number, canary) in foreign.enumerate() {
            let view = &reader.view;
            let foreign = canary.memories[number % canary.memories.len()].id;
            memory_answers_alike(&mut fixture, view, own.id, foreign, missing_memory).await?;
            let runs = (canary.run, missing_run);
            let results = (
                fixture.undo(view, UndoTarget::Run(runs.0)).await.map(drop),
                fixture.undo(view, UndoTarget::Run(runs.1)).await.map(drop),
            );
            alike("undo", results, &(runs.0, runs.1))?;
            let now = fixture.now();
            let results = (
                store.retry_jobs(view, Some(canary.job), now).await,
                store.retry_jobs(view, Some(missing_job), now).await,
            );
            alike("retry", results, &(canary.job, missing_job))?;
            equal("cancel", store.cancel_job(view, canary.job).await?, false)?;
            let results = (
                store.end_session(view, &canary.session, now).await,
                store.end_session(view, "no such session", now).await,
            );
            alike("end", results, &(canary.session.clone(), "no such session"))?;
            let results = (
                store.reopen_session(view, &canary.session).await,
                store.reopen_session(view, "no such session").await,
            );
            alike("reopen", results, &(canary.session.clone(), "no such session"))?;
            if let (Some(entity), Some(own)) = (&canary.entity, &reader.entity) {
                let (stamp, second) = (fixture.stamp("merge_entities"), fixture.stamp("merge_entities"));
                let results = (
                    store.merge_entities(view, stamp, own.id, entity.id).await,
                    store.merge_entities(view, second, own.id, missing_entity).await,
                );
                alike("merge", results, &(entity.id, missing_entity))?;
            }
        }
    }
    Ok(())
}

async fn memory_answers_alike(
    fixture: &mut Fixture<'_>,
    view: &View,
    own: MemoryId,
    foreign: MemoryId,
    missing: MemoryId,
) -> Outcome {
    let store = fixture.store;
    equal("get", store.get(view, foreign).await?, None)?;
    let results = (store.history(view, foreign).await, store.history(view, missing).await);
    alike("history", results, &(foreign, missing))?;
    let results = (store.links(view, foreign).await, store.links(view, missing).await);
    alike("links", results, &(foreign, missing))?;
    let results = (store.mentioned(view, foreign).await, store.mentioned(view, missing).await);
    alike("mentioned", results, &(foreign, missing))?;
    let mentions = vec![fixture.mention("Nobody", EntityType::Person)];
    let results = (
        store.link_mentions(view, vec![(foreign, mentions.clone())]).await,
        store.link_mentions(view, vec![(missing, mentions)]).await,
    );
    alike("mentions", results, &(foreign, missing))?;
    let results = (
        fixture.undo(view, UndoTarget::Memory(foreign)).await.map(drop),
        fixture.undo(view, UndoTarget::Memory(missing)).await.map(drop),
    );
    alike("undo", results, &(foreign, missing))?;
    for dry_run in [true, false] {
        let (stamp, second) = (fixture.stamp("purge"), fixture.stamp("purge"));
        let results = (
            store.purge(view, stamp, vec![own, foreign], dry_run).await,
            store.purge(view, second, vec![own, missing], dry_run).await,
        );
        alike("purge", results, &(foreign, missing))?;
    }
    let changes: [fn(MemoryId, MemoryId) -> Change; 7] = [
        |_, id| Change::Update { id, expected_version: None, patch: Box::new(text("taken over")) },
        |_, id| Change::Update { id, expected_version: Some(99), patch: Box::new(text("taken over")) },
        |_, id| Change::End { id, expected_version: None, by: EndedBy::Forgotten },
        |_, id| Change::Reopen { id },
        |own, id| Change::Link(link(own, Relation::Related, id)),
        |own, id| Change::Link(link(id, Relation::Related, own)),
        |own, id| Change::Unlink(link(own, Relation::Related, id)),
    ];
    for change in changes {
        let results = (
            fixture.apply(view, vec![change(own, foreign)]).await.map(drop),
            fixture.apply(view, vec![change(own, missing)]).await.map(drop),
        );
        alike("a change", results, &(foreign, missing))?;
    }
    Ok(())
}

async fn attempts_on_foreign_rows_change_nothing(store: &dyn Store) -> Outcome {
    let mut fixture = Fixture::new(store);
    let victim = plant(&mut fixture, "project/a").await?;
    let task = plant(&mut fixture, "task/a/t").await?;
    let before = everything(store, &task.view).await?;
    let others = [view("project/b"), view("global"), view("task/b/t"), view("task/a/u")];
    for attacker in others.iter().filter(|attacker| !attacker.sees(&victim.scope)) {
        let ids: Vec<MemoryId> = victim.memories.iter().chain(&task.memories).map(|memory| memory.id).collect();
        let now = fixture.now();
        store.touch(attacker, ids.clone(), now).await?;
        for id in ids {
            let mut fake = fixture.fact("project/a", "planted from outside");
            fake.memory.source_ids = vec![id];
            for change in [
                Change::Create(Box::new(fake)),
                Change::Update { id, expected_version: None, patch: Box::new(text("taken over")) },
                Change::End { id, expected_version: None, by: EndedBy::Forgotten },
                Change::Reopen { id },
            ] {
                holds("a foreign change is refused", fixture.apply(attacker, vec![change]).await.is_err())?;
            }
            holds("a foreign purge is refused", fixture.purge(attacker, vec![id]).await.is_err())?;
            holds("undo is refused", fixture.undo(attacker, UndoTarget::Memory(id)).await.is_err())?;
        }
        for run in [victim.run, task.run] {
            holds("undo is refused", fixture.undo(attacker, UndoTarget::Run(run)).await.is_err())?;
        }
        for job in [victim.job, task.job] {
            equal("cancel", store.cancel_job(attacker, job).await?, false)?;
        }
        equal("retry", store.retry_jobs(attacker, None, now).await?, 0)?;
        holds("there is nothing of one's own to undo", fixture.undo(attacker, UndoTarget::Last).await.is_err())?;
    }
    equal("everything", everything(store, &task.view).await?, before)?;
    // A source that the caller cannot see is no link, so that a purge of the
    // source does not reach what only claims to come from it.
    let mut claim = fixture.fact("project/b", "claims to come from elsewhere");
    claim.memory.source_ids = vec![victim.memories[0].id];
    let claim = fixture.create(claim).await?;
    equal("links", store.links(&view("project/b"), claim.id).await?, Vec::new())?;
    fixture.purge(&victim.view, vec![victim.memories[0].id]).await?;
    equal("the claim stays", fixture.read(&view("project/b"), claim.id).await?, claim)
}

async fn a_run_that_reached_elsewhere_cannot_be_undone_here(store: &dyn Store) -> Outcome {
    let mut fixture = Fixture::new(store);
    let (inside, outside) = (view("project/a"), view("project/b"));
    let shared = fixture.remember("global", "shared").await?;
    let private = fixture.remember("project/a", "private").await?;
    let own = fixture.update(&outside, shared.id, importance(4.0)).await?;
    // One run changes both, another links both.
    let changes = vec![
        Change::Update { id: private.id, expected_version: None, patch: Box::new(text("still private")) },
        Change::Link(link(shared.id, Relation::Elaborates, private.id)),
    ];
    let (both, _) = fixture.apply(&inside, changes).await?;
    let linked = fixture.link(&inside, link(shared.id, Relation::Related, private.id)).await?;
    let missing = fixture.run_id();
    for run in [both, linked] {
        let results = (
            fixture.undo(&outside, UndoTarget::Run(run)).await.map(drop),
            fixture.undo(&outside, UndoTarget::Run(missing)).await.map(drop),
        );
        alike("undo", results, &(run, missing))?;
    }
    // From there, the last run is the last one that is wholly in view.
    let stamp = fixture.stamp("undo");
    let undone = store.undo(&outside, stamp, UndoTarget::Memory(shared.id)).await?;
    equal("the last run", undone.run, own)?;
    equal("the private one", fixture.read(&inside, private.id).await?.content, "still private".to_owned())?;
    equal("links", store.links(&inside, private.id).await?.len(), 2)?;
    fixture.undo(&inside, UndoTarget::Run(linked)).await?;
    fixture.undo(&inside, UndoTarget::Run(both)).await?;
    equal("links", store.links(&inside, private.id).await?, Vec::new())
}

async fn history_hides_links_to_elsewhere(store: &dyn Store) -> Outcome {
    let mut fixture = Fixture::new(store);
    let inside = view("project/a");
    let shared = fixture.remember("global", "shared").await?;
    let private = fixture.remember("project/a", "private").await?;
    fixture.link(&inside, link(shared.id, Relation::Related, private.id)).await?;
    fixture.link(&inside, link(private.id, Relation::Related, shared.id)).await?;
    let secret = format!("{:?}", private.id.uuid());
    for outside in [view("global"), view("project/b")] {
        let history = format!("{:?}", store.history(&outside, shared.id).await?);
        holds("history does not name it", !history.contains(&secret))?;
        equal("links", store.links(&outside, shared.id).await?, Vec::new())?;
        equal("counted", store.counts(&outside).await?.links, 0)?;
    }
    equal("links", store.links(&inside, shared.id).await?.len(), 2)?;
    equal("history", store.history(&inside, shared.id).await?.len(), 2)?;
    fixture.purge(&inside, vec![private.id]).await?;
    let history = format!("{:?}", store.history(&view("project/b"), shared.id).await?);
    holds("nor after it was purged", !history.contains(&secret))
}

async fn a_purge_reaches_what_was_derived_but_names_only_what_is_seen(store: &dyn Store) -> Outcome {
    let mut fixture = Fixture::new(store);
    let shared = fixture.remember("global", "shared").await?;
    let mut derived = fixture.fact("project/a", "derived from it");
    derived.memory.source_ids = vec![shared.id];
    let derived = fixture.create(derived).await?;
    fixture.update(&view("project/a"), derived.id, text("derived, reworded")).await?;
    let outside = view("project/b");
    let stamp = fixture.stamp("purge");
    let announced = store.purge(&outside, stamp, vec![shared.id], true).await?;
    let purged = fixture.purge(&outside, vec![shared.id]).await?;
    let wanted = Purged { memories: vec![shared.id], history_rows: 1, ..Purged::default() };
    equal("announced", announced, wanted.clone())?;
    equal("for the index", purged.items.len(), 2)?;
    equal("named", Purged { items: Vec::new(), ..purged }, wanted)?;
    equal("gone", store.get(&view("project/a"), derived.id).await?, None)
}

async fn feeds_and_tombstones_are_of_one_scope(store: &dyn Store) -> Outcome {
    let mut fixture = Fixture::new(store);
    let canaries = plant_all(&mut fixture).await?;
    for canary in &canaries {
        let feed = store.feed(&canary.scope, 0, 1000).await?;
        let ids: BTreeSet<MemoryId> =
            feed.iter().filter_map(|item| item.memory.as_ref()).map(|memory| memory.id).collect();
        equal("the feed", ids, canary.memories.iter().map(|memory| memory.id).collect())?;
    }
    let canary = present("a canary", canaries.iter().find(|canary| canary.scope == scope("project/a")))?;
    let said = NewMemory::plain(Memory { id: fixture.memory_id(Kind::Episode), ..canary.memories[1].clone() });
    fixture.purge(&canary.view, vec![canary.memories[1].id]).await?;
    for place in PLACES {
        let hash = scrubjay_core::text::TextHash::of_value(&said.memory.content);
        equal(place, store.is_purged(&scope(place), hash).await?, place == "project/a")?;
    }
    Ok(())
}
