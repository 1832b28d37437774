//! Memories move between projects with everything that is theirs, and back; a project goes as a whole.

use scrubjay_core::entity::EntityType;
use scrubjay_core::error::ErrorCode;
use scrubjay_core::scope::ProjectId;
use scrubjay_core::text::TextHash;

use super::case::{Failure, Outcome, cases, equal, holds, present, refused};
use super::fixture::{Fixture, all, scope, view};
use crate::Store;
use crate::change::{Captured, Change, Effect, UndoTarget};
use crate::query::{Activity, CheckStatus};

cases![
    a_project_moves_with_everything_that_is_its_own,
    a_move_is_undone_to_the_letter,
    named_memories_move_and_are_taken_back_from_where_they_were,
    a_stranger_moves_nothing_and_takes_no_move_back,
    an_index_learns_that_something_left_and_arrived,
    a_project_is_cleared_and_its_tombstones_stay,
];

fn project(name: &str) -> Result<ProjectId, Failure> {
    present("the project", scope(&format!("project/{name}")).project().cloned())
}

async fn a_project_moves_with_everything_that_is_its_own(store: &dyn Store) -> Outcome {
    let mut fixture = Fixture::new(store);
    let mut message = fixture.message("project/a", "s1", "Ada keeps the keys.");
    message.client_id = Some("m1".to_owned());
    message.mentions = vec![fixture.mention("Ada", EntityType::Person)];
    let stamp = fixture.stamp("capture");
    store.capture(stamp, vec![message.clone()], Vec::new()).await?;
    let fact = fixture.fact("project/a", "The build runs on Sundays.");
    let stamp = fixture.stamp("remember");
    store.apply(&view("project/a"), stamp, vec![Change::Create(Box::new(fact.clone()))], Vec::new()).await?;
    let stamp = fixture.stamp("projects.merge");
    let moved = store.move_memories(stamp, &project("a")?, &project("b")?, None).await?;
    equal("both moved", moved.len(), 2)?;
    equal("none is left", store.list(&view("project/a"), all(Activity::Any)).await?.memories.len(), 0)?;
    let there = store.list(&view("project/b"), all(Activity::Any)).await?.memories;
    holds("they say where they live", there.len() == 2 && there.iter().all(|one| one.scope == scope("project/b")))?;
    holds("the session went along", store.session(&view("project/b"), "s1").await?.is_some())?;
    holds("and left", store.session(&view("project/a"), "s1").await?.is_none())?;
    let ada = store.find_entities(&view("project/b"), "Ada").await?;
    equal("the person is known there", ada.iter().map(|one| one.mention_count).collect::<Vec<_>>(), vec![1])?;
    equal("and not here", store.find_entities(&view("project/a"), "Ada").await?.len(), 0)?;
    let mut again = fixture.message("project/b", "s1", "Ada keeps the keys.");
    again.client_id = Some("m1".to_owned());
    let stamp = fixture.stamp("capture");
    let captured = store.capture(stamp, vec![again], Vec::new()).await?;
    holds("its key went along", matches!(captured[0], Captured::Duplicate(_)))?;
    let counts = store.projects().await?;
    let b = present("the project", counts.iter().find(|one| one.project == "b"))?;
    equal("it is counted there", (b.facts, b.episodes, b.sessions), (1, 1, 1))?;
    holds("nothing is wrong", store.check(true).await?.iter().all(|one| one.status == CheckStatus::Good))
}

async fn a_move_is_undone_to_the_letter(store: &dyn Store) -> Outcome {
    let mut fixture = Fixture::new(store);
    let mut one = fixture.message("project/a", "s1", "Ada keeps the keys.");
    one.mentions = vec![fixture.mention("Ada", EntityType::Person)];
    let other = fixture.message("project/b", "s2", "Grace keeps the lamps.");
    let stamp = fixture.stamp("capture");
    store.capture(stamp, vec![one, other], Vec::new()).await?;
    let before = (
        store.list(&view("project/a"), all(Activity::Any)).await?.memories,
        store.list(&view("project/b"), all(Activity::Any)).await?.memories,
        store.sessions(&view("project/a"), 10, 0).await?,
        store.sessions(&view("project/b"), 10, 0).await?,
    );
    let stamp = fixture.stamp("projects.merge");
    store.move_memories(stamp, &project("a")?, &project("b")?, None).await?;
    let stamp = fixture.stamp("undo");
    let undone = store.undo(&view("project/b"), stamp, UndoTarget::Last).await?;
    equal("the merge", (undone.operation.as_str(), undone.changes), ("projects.merge", 2))?;
    let after = (
        store.list(&view("project/a"), all(Activity::Any)).await?.memories,
        store.list(&view("project/b"), all(Activity::Any)).await?.memories,
        store.sessions(&view("project/a"), 10, 0).await?,
        store.sessions(&view("project/b"), 10, 0).await?,
    );
    equal("everything is where it was", after, before)?;
    equal("and so are the names", store.find_entities(&view("project/a"), "Ada").await?.len(), 1)
}

async fn named_memories_move_and_are_taken_back_from_where_they_were(store: &dyn Store) -> Outcome {
    let mut fixture = Fixture::new(store);
    let facts = [fixture.fact("project/a", "One."), fixture.fact("project/a", "Two.")];
    let changes = facts.iter().map(|fact| Change::Create(Box::new(fact.clone()))).collect();
    let stamp = fixture.stamp("remember");
    store.apply(&view("project/a"), stamp, changes, Vec::new()).await?;
    let id = facts[0].memory.id;
    let stamp = fixture.stamp("projects.move");
    store.move_memories(stamp, &project("a")?, &project("b")?, Some(vec![id])).await?;
    holds("it is there", store.get(&view("project/b"), id).await?.is_some())?;
    equal("the other stays", store.list(&view("project/a"), all(Activity::Any)).await?.memories.len(), 1)?;
    let history = store.history(&view("project/b"), id).await?;
    equal(
        "its history came along",
        history.iter().map(|row| row.effect).collect::<Vec<_>>(),
        vec![Effect::Created, Effect::Moved],
    )?;
    let again = fixture.stamp("projects.move");
    let gone = store.move_memories(again, &project("a")?, &project("b")?, Some(vec![id])).await;
    refused("it is not there any more", gone, ErrorCode::NotFound)?;
    let stamp = fixture.stamp("undo");
    store.undo(&view("project/a"), stamp, UndoTarget::Last).await?;
    holds("it is back", store.get(&view("project/a"), id).await?.is_some())
}

async fn a_stranger_moves_nothing_and_takes_no_move_back(store: &dyn Store) -> Outcome {
    let mut fixture = Fixture::new(store);
    let fact = fixture.fact("project/a", "One.");
    let stamp = fixture.stamp("remember");
    store.apply(&view("project/a"), stamp, vec![Change::Create(Box::new(fact.clone()))], Vec::new()).await?;
    let stamp = fixture.stamp("projects.merge");
    let run = stamp.run;
    store.move_memories(stamp, &project("a")?, &project("b")?, None).await?;
    let stamp = fixture.stamp("undo");
    let confined = view("project/b").without_global();
    refused("not theirs", store.undo(&confined, stamp, UndoTarget::Run(run)).await, ErrorCode::NotFound)?;
    holds("it stays", store.get(&view("project/b"), fact.memory.id).await?.is_some())
}

async fn an_index_learns_that_something_left_and_arrived(store: &dyn Store) -> Outcome {
    let mut fixture = Fixture::new(store);
    let fact = fixture.fact("project/a", "One.");
    let stamp = fixture.stamp("remember");
    store.apply(&view("project/a"), stamp, vec![Change::Create(Box::new(fact.clone()))], Vec::new()).await?;
    let begin = store.tail(None, 0, 100).await?.through;
    let stamp = fixture.stamp("projects.merge");
    store.move_memories(stamp, &project("a")?, &project("b")?, None).await?;
    let tail = store.tail(None, begin, 100).await?;
    let seen: Vec<(String, bool)> =
        tail.entries.iter().map(|entry| (entry.scope.to_string(), entry.row.is_some())).collect();
    equal("left and arrived", seen, vec![("project/a".to_owned(), false), ("project/b".to_owned(), true)])?;
    let theirs = store.tail(Some(&view("project/a")), begin, 100).await?;
    holds("who stays behind learns nothing of it", theirs.entries.iter().all(|entry| entry.row.is_none()))?;
    let feed = store.feed(&scope("project/a"), 0, 100).await?;
    holds("nor from the feed", feed.iter().all(|item| item.memory.is_none()))
}

async fn a_project_is_cleared_and_its_tombstones_stay(store: &dyn Store) -> Outcome {
    let mut fixture = Fixture::new(store);
    let mut message = fixture.message("project/a", "s1", "Ada keeps the keys.");
    message.mentions = vec![fixture.mention("Ada", EntityType::Person)];
    let id = message.memory.id;
    let stamp = fixture.stamp("capture");
    store.capture(stamp, vec![message.clone()], Vec::new()).await?;
    let document = fixture.document("project/a", "/repo/a/x.md");
    store.put_document(document, fixture.chunks(&["one"])).await?;
    let stamp = fixture.stamp("projects.purge");
    store.purge(&view("project/a"), stamp, vec![id], false).await?;
    store.clear_project(&project("a")?).await?;
    equal("nobody is known", store.find_entities(&view("project/a"), "Ada").await?.len(), 0)?;
    equal("no session", store.sessions(&view("project/a"), 10, 0).await?.len(), 0)?;
    equal("no file", store.documents(&scope("project/a"), "/", None, 10).await?.len(), 0)?;
    let value = TextHash::of_value(&message.memory.content);
    holds("it is not learned again", store.is_purged(&scope("project/a"), value).await?)
}
