//! What was done can be taken back, exactly, and what was taken back redone.

use scrubjay_core::entity::EntityType;
use scrubjay_core::error::ErrorCode;
use scrubjay_core::memory::{EndedBy, Memory, Relation};

use super::case::{Failure, Outcome, cases, equal, holds, present, refused};
use super::fixture::{Fixture, importance, link, text, view};
use crate::change::{Change, Patch, UndoTarget};
use crate::{Store, StoreError};

cases![
    undoing_an_update_restores_every_field,
    undoing_a_creation_ends_it,
    undoing_an_end_and_a_reopening,
    undoing_links,
    undoing_a_merge_brings_the_entity_back,
    a_run_of_many_changes_is_undone_as_one,
    the_last_run_is_not_a_capture_and_not_an_undoing,
    the_last_run_of_a_memory,
    captured_messages_are_undone_one_by_one,
    undoing_one_after_the_other_leads_to_the_start,
    redoing_and_undoing_again,
    history_says_what_undid_it,
    what_is_buried_cannot_be_undone,
    a_buried_link_cannot_be_undone,
    a_buried_merge_cannot_be_undone,
    an_undoing_is_redone_only_while_nothing_followed,
    nothing_is_undone_twice,
    a_purge_is_never_undone,
    a_run_outlives_the_purge_of_a_part_of_it,
    an_unknown_run_is_not_found,
    an_entity_whose_place_is_taken_stays_away,
];

fn without_version(memory: Memory) -> Memory {
    Memory { version: 0, ..memory }
}

async fn undoing_an_update_restores_every_field(store: &dyn Store) -> Outcome {
    let mut fixture = Fixture::new(store);
    let view = view("project/a");
    let mut new = fixture.fact("project/a", "before");
    new.memory.tags = vec!["old".to_owned()];
    new.memory.attributes.insert("old".to_owned(), serde_json::json!({"deep": [1, 2]}));
    let before = fixture.create(new).await?;
    let patch = Patch {
        memory_type: "decision".parse().ok(),
        importance: Some(4.75),
        confidence: Some(0.1),
        decay_rate: Some(0.9),
        event_time: Some(fixture.now()),
        source_ids: Some(vec![fixture.memory_id(scrubjay_core::memory::Kind::Episode)]),
        tags: Some(Vec::new()),
        attributes: Some(scrubjay_core::memory::Attributes::new()),
        ..text("after")
    };
    let run = fixture.update(&view, before.id, patch).await?;
    let stamp = fixture.stamp("undo");
    let undone = store.undo(&view, stamp, UndoTarget::Run(run)).await?;
    equal("what was undone", (undone.run, undone.operation.as_str(), undone.changes), (run, "test", 1))?;
    equal("memories", undone.memories, vec![before.id])?;
    equal("the memory", fixture.read(&view, before.id).await?, Memory { version: 3, ..before })
}

async fn undoing_a_creation_ends_it(store: &dyn Store) -> Outcome {
    let mut fixture = Fixture::new(store);
    let view = view("project/a");
    let memory = fixture.remember("project/a", "a mistake").await?;
    let stamp = fixture.stamp("undo");
    let at = stamp.at;
    store.undo(&view, stamp, UndoTarget::Last).await?;
    let ended = present("its end", fixture.read(&view, memory.id).await?.ended)?;
    equal("its end", (ended.at, ended.by), (at, EndedBy::Forgotten))?;
    let undone = store.history(&view, memory.id).await?;
    equal("history", undone.len(), 2)
}

async fn undoing_an_end_and_a_reopening(store: &dyn Store) -> Outcome {
    let mut fixture = Fixture::new(store);
    let view = view("project/a");
    let memory = fixture.remember("project/a", "one").await?;
    fixture.end(&view, memory.id).await?;
    let ended = fixture.read(&view, memory.id).await?;
    fixture.undo(&view, UndoTarget::Last).await?;
    equal("it is active", without_version(fixture.read(&view, memory.id).await?), without_version(memory.clone()))?;
    fixture.end(&view, memory.id).await?;
    fixture.apply(&view, vec![Change::Reopen { id: memory.id }]).await?;
    fixture.undo(&view, UndoTarget::Last).await?;
    let again = present("its end", fixture.read(&view, memory.id).await?.ended)?;
    holds("it ended when it ended, not when that was restored", Some(again.at) > ended.ended.map(|ended| ended.at))?;
    equal("why", again.by, EndedBy::Forgotten)
}

async fn undoing_links(store: &dyn Store) -> Outcome {
    let mut fixture = Fixture::new(store);
    let view = view("project/a");
    let (one, two) = (fixture.remember("project/a", "one").await?, fixture.remember("project/a", "two").await?);
    let link = link(one.id, Relation::Contradicts, two.id);
    fixture.link(&view, link.clone()).await?;
    fixture.undo(&view, UndoTarget::Last).await?;
    equal("links", store.links(&view, one.id).await?, Vec::new())?;
    fixture.link(&view, link.clone()).await?;
    fixture.apply(&view, vec![Change::Unlink(link.clone())]).await?;
    fixture.undo(&view, UndoTarget::Memory(one.id)).await?;
    equal("links", store.links(&view, two.id).await?, vec![link])
}

async fn undoing_a_merge_brings_the_entity_back(store: &dyn Store) -> Outcome {
    let mut fixture = Fixture::new(store);
    let view = view("project/a");
    let mut texts = Vec::new();
    for names in [&["Ada"][..], &["Ada Lovelace"], &["Ada", "Ada Lovelace"]] {
        let mut new = fixture.fact("project/a", "about someone");
        new.mentions = names.iter().map(|name| fixture.mention(name, EntityType::Person)).collect();
        texts.push(fixture.create(new).await?.id);
    }
    let mut ada = present("Ada", store.find_entities(&view, "ada").await?.pop())?;
    ada.aliases = vec!["the countess".to_owned()];
    ada.summary = Some("wrote a program".to_owned());
    let ada = store.upsert_entity(ada).await?;
    let lovelace = present("Ada Lovelace", store.find_entities(&view, "ada lovelace").await?.pop())?;
    let stamp = fixture.stamp("merge_entities");
    let merged = store.merge_entities(&view, stamp, lovelace.id, ada.id).await?;
    equal("mentions", merged.mention_count, 3)?;
    equal("aliases", merged.aliases, vec!["Ada".to_owned(), "the countess".to_owned()])?;
    let undo = fixture.undo(&view, UndoTarget::Last).await?;
    equal("Ada", store.find_entities(&view, "the countess").await?, vec![ada.clone()])?;
    equal("Ada Lovelace", store.find_entities(&view, "ada lovelace").await?, vec![lovelace.clone()])?;
    let mentioned = store.mentioned(&view, texts[2]).await?;
    equal("mentioned together", mentioned, vec![ada.clone(), lovelace.clone()])?;
    equal("mentioned alone", store.mentioned(&view, texts[0]).await?, vec![ada.clone()])?;
    fixture.undo(&view, UndoTarget::Run(undo)).await?;
    let again = store.find_entities(&view, "ada").await?;
    equal(
        "merged again",
        again.iter().map(|entity| (entity.id, entity.mention_count)).collect(),
        vec![(lovelace.id, 3)],
    )
}

async fn a_run_of_many_changes_is_undone_as_one(store: &dyn Store) -> Outcome {
    let mut fixture = Fixture::new(store);
    let view = view("project/a");
    let (old, other) = (fixture.remember("project/a", "old").await?, fixture.remember("project/a", "other").await?);
    let new = fixture.fact("project/a", "new");
    let id = new.memory.id;
    let changes = vec![
        Change::Create(Box::new(new)),
        Change::Link(link(id, Relation::Supersedes, old.id)),
        Change::Update {
            id: old.id,
            expected_version: None,
            patch: Box::new(Patch { confidence: Some(0.3), ..Patch::default() }),
        },
        Change::Update {
            id: old.id,
            expected_version: None,
            patch: Box::new(Patch { confidence: Some(0.2), ..text("older") }),
        },
        Change::End { id: old.id, expected_version: None, by: EndedBy::Superseded },
        Change::Update { id: other.id, expected_version: None, patch: Box::new(importance(5.0)) },
    ];
    let (run, _) = fixture.apply(&view, changes).await?;
    let undo = fixture.undo(&view, UndoTarget::Last).await?;
    equal("old", without_version(fixture.read(&view, old.id).await?), without_version(old.clone()))?;
    equal("other", without_version(fixture.read(&view, other.id).await?), without_version(other.clone()))?;
    holds("new has ended", !fixture.read(&view, id).await?.is_active())?;
    equal("links", store.links(&view, old.id).await?, Vec::new())?;
    fixture.undo(&view, UndoTarget::Run(undo)).await?;
    equal("redone", fixture.read(&view, old.id).await?.content, "older".to_owned())?;
    holds("new is active", fixture.read(&view, id).await?.is_active())?;
    equal("links", store.links(&view, old.id).await?.len(), 1)?;
    fixture.undo(&view, UndoTarget::Run(run)).await?;
    equal("old", without_version(fixture.read(&view, old.id).await?), without_version(old))
}

async fn the_last_run_is_not_a_capture_and_not_an_undoing(store: &dyn Store) -> Outcome {
    let mut fixture = Fixture::new(store);
    let view = view("project/a");
    refused("nothing", fixture.undo(&view, UndoTarget::Last).await, ErrorCode::Conflict)?;
    let memory = fixture.remember("project/a", "one").await?;
    fixture.update(&view, memory.id, text("two")).await?;
    let message = fixture.message("project/a", "s", "said meanwhile");
    let said = message.memory.id;
    fixture.capture(message).await?;
    fixture.undo(&view, UndoTarget::Last).await?;
    equal("the text", fixture.read(&view, memory.id).await?.content, "one".to_owned())?;
    fixture.undo(&view, UndoTarget::Last).await?;
    holds("the creation went next", !fixture.read(&view, memory.id).await?.is_active())?;
    refused("nothing more", fixture.undo(&view, UndoTarget::Last).await, ErrorCode::Conflict)?;
    holds("the message stays", fixture.read(&view, said).await?.is_active())
}

async fn the_last_run_of_a_memory(store: &dyn Store) -> Outcome {
    let mut fixture = Fixture::new(store);
    let view = view("project/a");
    let message = fixture.message("project/a", "s", "said");
    let said = message.memory.id;
    fixture.capture(message).await?;
    fixture.update(&view, said, text("corrected")).await?;
    let other = fixture.remember("project/a", "something else").await?;
    fixture.undo(&view, UndoTarget::Memory(said)).await?;
    equal("the text", fixture.read(&view, said).await?.content, "said".to_owned())?;
    // By name, even a capture can be taken back.
    fixture.undo(&view, UndoTarget::Memory(said)).await?;
    holds("it ended", !fixture.read(&view, said).await?.is_active())?;
    refused("nothing more", fixture.undo(&view, UndoTarget::Memory(said)).await, ErrorCode::Conflict)?;
    equal("the other", fixture.read(&view, other.id).await?, other)
}

async fn captured_messages_are_undone_one_by_one(store: &dyn Store) -> Outcome {
    let mut fixture = Fixture::new(store);
    let view = view("project/a");
    let messages = ["one", "two", "three"].map(|content| fixture.message("project/a", "s", content));
    let ids = messages.each_ref().map(|message| message.memory.id);
    let stamp = fixture.stamp("capture");
    let run = stamp.run;
    store.capture(stamp, messages.to_vec(), Vec::new()).await?;
    refused("the whole run", fixture.undo(&view, UndoTarget::Run(run)).await, ErrorCode::NotFound)?;
    let undo = fixture.undo(&view, UndoTarget::Memory(ids[1])).await?;
    let mut active = Vec::new();
    for id in ids {
        active.push(fixture.read(&view, id).await?.is_active());
    }
    equal("active", active, vec![true, false, true])?;
    refused("again", fixture.undo(&view, UndoTarget::Memory(ids[1])).await, ErrorCode::Conflict)?;
    fixture.undo(&view, UndoTarget::Run(undo)).await?;
    holds("it is active again", fixture.read(&view, ids[1]).await?.is_active())
}

async fn undoing_one_after_the_other_leads_to_the_start(store: &dyn Store) -> Outcome {
    let mut fixture = Fixture::new(store);
    let view = view("project/a");
    let first = fixture.remember("project/a", "0").await?;
    let mut states = vec![without_version(first.clone())];
    for number in 1..6 {
        fixture.update(&view, first.id, text(&number.to_string())).await?;
        states.push(without_version(fixture.read(&view, first.id).await?));
    }
    states.pop();
    while let Some(state) = states.pop() {
        fixture.undo(&view, UndoTarget::Last).await?;
        equal("the state", without_version(fixture.read(&view, first.id).await?), state)?;
    }
    Ok(())
}

async fn redoing_and_undoing_again(store: &dyn Store) -> Outcome {
    let mut fixture = Fixture::new(store);
    let view = view("project/a");
    let memory = fixture.remember("project/a", "old").await?;
    let mut last = fixture.update(&view, memory.id, text("new")).await?;
    let first = last;
    for wanted in ["old", "new", "old", "new", "old"] {
        last = fixture.undo(&view, UndoTarget::Run(last)).await?;
        equal("the text", fixture.read(&view, memory.id).await?.content, wanted.to_owned())?;
    }
    // The update is undone, so the creation is the last run that is not.
    refused("the update again", fixture.undo(&view, UndoTarget::Run(first)).await, ErrorCode::Conflict)?;
    fixture.undo(&view, UndoTarget::Last).await?;
    let end = fixture.read(&view, memory.id).await?;
    equal("the text", (end.content.as_str(), end.is_active()), ("old", false))
}

async fn history_says_what_undid_it(store: &dyn Store) -> Outcome {
    let mut fixture = Fixture::new(store);
    let view = view("project/a");
    let memory = fixture.remember("project/a", "old").await?;
    let update = fixture.update(&view, memory.id, text("new")).await?;
    let undo = fixture.undo(&view, UndoTarget::Run(update)).await?;
    let told = |history: Vec<crate::change::HistoryEntry>| -> Vec<_> {
        history.into_iter().map(|entry| entry.undone_by).collect()
    };
    equal("undone", told(store.history(&view, memory.id).await?), vec![None, Some(undo), None])?;
    let redo = fixture.undo(&view, UndoTarget::Run(undo)).await?;
    equal("redone", told(store.history(&view, memory.id).await?), vec![None, None, Some(redo), None])?;
    let again = fixture.undo(&view, UndoTarget::Run(redo)).await?;
    let wanted = vec![None, Some(undo), None, Some(again), None];
    equal("undone again", told(store.history(&view, memory.id).await?), wanted)?;
    let history = store.history(&view, memory.id).await?;
    let operations: Vec<&str> = history.iter().map(|entry| entry.operation.as_str()).collect();
    equal("operations", operations, vec!["test", "test", "undo", "undo", "undo"])
}

async fn what_is_buried_cannot_be_undone(store: &dyn Store) -> Outcome {
    let mut fixture = Fixture::new(store);
    let view = view("project/a");
    let memory = fixture.remember("project/a", "one").await?;
    let second = fixture.update(&view, memory.id, text("two")).await?;
    let third = fixture.update(&view, memory.id, importance(5.0)).await?;
    let before = fixture.read(&view, memory.id).await?;
    refused("the second", fixture.undo(&view, UndoTarget::Run(second)).await, ErrorCode::Conflict)?;
    equal("the memory", fixture.read(&view, memory.id).await?, before)?;
    fixture.undo(&view, UndoTarget::Run(third)).await?;
    fixture.undo(&view, UndoTarget::Run(second)).await?;
    equal("the memory", without_version(fixture.read(&view, memory.id).await?), without_version(memory))
}

async fn a_buried_link_cannot_be_undone(store: &dyn Store) -> Outcome {
    let mut fixture = Fixture::new(store);
    let view = view("project/a");
    let (one, two) = (fixture.remember("project/a", "one").await?, fixture.remember("project/a", "two").await?);
    let made = link(one.id, Relation::Related, two.id);
    let linked = fixture.link(&view, made.clone()).await?;
    let (unlinked, _) = fixture.apply(&view, vec![Change::Unlink(made.clone())]).await?;
    refused("the link", fixture.undo(&view, UndoTarget::Run(linked)).await, ErrorCode::Conflict)?;
    // Another link does not stand on this one.
    fixture.link(&view, link(one.id, Relation::Elaborates, two.id)).await?;
    fixture.undo(&view, UndoTarget::Run(unlinked)).await?;
    equal("links", store.links(&view, one.id).await?.len(), 2)?;
    fixture.undo(&view, UndoTarget::Run(linked)).await?;
    equal("links", store.links(&view, one.id).await?, vec![link(one.id, Relation::Elaborates, two.id)])
}

async fn a_buried_merge_cannot_be_undone(store: &dyn Store) -> Outcome {
    let mut fixture = Fixture::new(store);
    let view = view("project/a");
    let mut entities = Vec::new();
    for name in ["one", "two", "three"] {
        let entity = fixture.entity("project/a", name, EntityType::Other);
        entities.push(store.upsert_entity(entity).await?);
    }
    let mut runs = Vec::new();
    for (into, from) in [(1, 0), (2, 1)] {
        let stamp = fixture.stamp("merge_entities");
        runs.push(stamp.run);
        store.merge_entities(&view, stamp, entities[into].id, entities[from].id).await?;
    }
    refused("the first merge", fixture.undo(&view, UndoTarget::Run(runs[0])).await, ErrorCode::Conflict)?;
    fixture.undo(&view, UndoTarget::Run(runs[1])).await?;
    fixture.undo(&view, UndoTarget::Run(runs[0])).await?;
    for entity in entities {
        equal("an entity", store.find_entities(&view, &entity.name).await?, vec![entity])?;
    }
    Ok(())
}

async fn an_undoing_is_redone_only_while_nothing_followed(store: &dyn Store) -> Outcome {
    let mut fixture = Fixture::new(store);
    let view = view("project/a");
    let memory = fixture.remember("project/a", "one").await?;
    fixture.update(&view, memory.id, text("two")).await?;
    let undo = fixture.undo(&view, UndoTarget::Last).await?;
    let follower = fixture.update(&view, memory.id, importance(5.0)).await?;
    refused("redo", fixture.undo(&view, UndoTarget::Run(undo)).await, ErrorCode::Conflict)?;
    fixture.undo(&view, UndoTarget::Run(follower)).await?;
    refused("redo", fixture.undo(&view, UndoTarget::Run(undo)).await, ErrorCode::Conflict)?;
    equal("the text", fixture.read(&view, memory.id).await?.content, "one".to_owned())
}

async fn nothing_is_undone_twice(store: &dyn Store) -> Outcome {
    let mut fixture = Fixture::new(store);
    let view = view("project/a");
    let memory = fixture.remember("project/a", "one").await?;
    let run = fixture.update(&view, memory.id, text("two")).await?;
    fixture.undo(&view, UndoTarget::Run(run)).await?;
    let version = fixture.read(&view, memory.id).await?.version;
    refused("again", fixture.undo(&view, UndoTarget::Run(run)).await, ErrorCode::Conflict)?;
    equal("the version", fixture.read(&view, memory.id).await?.version, version)
}

async fn a_purge_is_never_undone(store: &dyn Store) -> Outcome {
    let mut fixture = Fixture::new(store);
    let view = view("project/a");
    let memory = fixture.remember("project/a", "gone").await?;
    let stamp = fixture.stamp("purge");
    let run = stamp.run;
    store.purge(&view, stamp, vec![memory.id], false).await?;
    refused("the purge", fixture.undo(&view, UndoTarget::Run(run)).await, ErrorCode::Conflict)?;
    refused("the last", fixture.undo(&view, UndoTarget::Last).await, ErrorCode::Conflict)?;
    equal("the memory", store.get(&view, memory.id).await?, None)
}

async fn a_run_outlives_the_purge_of_a_part_of_it(store: &dyn Store) -> Outcome {
    let mut fixture = Fixture::new(store);
    let view = view("project/a");
    let (one, two) = (fixture.remember("project/a", "one").await?, fixture.remember("project/a", "two").await?);
    let changes = vec![
        Change::Update { id: one.id, expected_version: None, patch: Box::new(text("uno")) },
        Change::Link(link(one.id, Relation::Related, two.id)),
        Change::Update { id: two.id, expected_version: None, patch: Box::new(text("due")) },
    ];
    let (run, _) = fixture.apply(&view, changes).await?;
    fixture.purge(&view, vec![two.id]).await?;
    fixture.undo(&view, UndoTarget::Run(run)).await?;
    equal("the rest", without_version(fixture.read(&view, one.id).await?), without_version(one))
}

async fn an_unknown_run_is_not_found(store: &dyn Store) -> Outcome {
    let mut fixture = Fixture::new(store);
    let view = view("project/a");
    let run = fixture.run_id();
    let error = refused("a run", fixture.undo(&view, UndoTarget::Run(run)).await, ErrorCode::NotFound)?;
    match error {
        StoreError::NotFound { what } => equal("what", what, run.to_string())?,
        other => return Err(Failure::new(format!("{other:?}"))),
    }
    let id = fixture.memory_id(scrubjay_core::memory::Kind::Fact);
    refused("a memory", fixture.undo(&view, UndoTarget::Memory(id)).await, ErrorCode::NotFound).map(drop)
}

async fn an_entity_whose_place_is_taken_stays_away(store: &dyn Store) -> Outcome {
    let mut fixture = Fixture::new(store);
    let view = view("project/a");
    let kept = fixture.entity("project/a", "kept", EntityType::Project);
    let gone = fixture.entity("project/a", "gone", EntityType::Person);
    for entity in [&kept, &gone] {
        store.upsert_entity(entity.clone()).await?;
    }
    let stamp = fixture.stamp("merge_entities");
    let run = stamp.run;
    store.merge_entities(&view, stamp, kept.id, gone.id).await?;
    // Its name was given to another person meanwhile.
    let successor = fixture.entity("project/a", "gone", EntityType::Person);
    let successor = store.upsert_entity(successor).await?;
    refused("undo", fixture.undo(&view, UndoTarget::Run(run)).await, ErrorCode::Conflict)?;
    let found = store.find_entities(&view, "gone").await?;
    equal("both stay", found.len(), 2)?;
    holds("the successor is one of them", found.contains(&successor))
}
