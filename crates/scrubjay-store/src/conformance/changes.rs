//! Changes do what they say, leave history, and happen all or not at all.

use scrubjay_core::error::ErrorCode;
use scrubjay_core::memory::{Attributes, Ended, EndedBy, Kind, OriginKind, Relation};
use scrubjay_core::time::Timestamp;
use serde_json::json;

use super::case::{Failure, Outcome, cases, equal, holds, present, refused};
use super::fixture::{Fixture, all, importance, link, scope, text, view};
use crate::Store;
use crate::change::{Applied, Change, Effect, Patch};
use crate::query::Activity;

cases![
    an_update_changes_what_it_names,
    an_update_of_nothing_leaves_no_trace,
    ending_and_reopening,
    ending_twice_and_reopening_the_active_are_refused,
    history_tells_everything_in_order,
    history_leads_back_to_the_first_version,
    links_are_made_once_and_removed_once,
    links_of_several_memories_come_once_each,
    a_memory_is_not_linked_to_itself,
    sources_are_links,
    sources_named_later_are_links_too,
    foreign_origin_is_inherited,
    a_foreign_source_named_later_is_inherited_and_taken_back,
    a_run_is_all_or_nothing,
    jobs_of_a_failed_run_are_not_queued,
    deep_attributes_are_refused_before_they_cannot_be_read,
];

async fn an_update_changes_what_it_names(store: &dyn Store) -> Outcome {
    let mut fixture = Fixture::new(store);
    let view = view("project/a");
    let source = fixture.remember("project/a", "a source").await?;
    let before = fixture.remember("project/a", "before").await?;
    let mut wanted = before.clone();
    let patch = Patch {
        memory_type: "decision".parse().ok(),
        content: Some("after".to_owned()),
        importance: Some(4.5),
        confidence: Some(0.25),
        decay_rate: Some(0.5),
        event_time: Some(Timestamp::from_millis(12_345)),
        ended: Some(Some(Ended { at: fixture.now(), by: EndedBy::Corrected })),
        source_ids: Some(vec![source.id]),
        origin: None,
        tags: Some(vec!["b".to_owned(), "a".to_owned()]),
        attributes: Some(Attributes::from([("x".to_owned(), json!([1, {"y": null}]))])),
    };
    patch.apply(&mut wanted);
    wanted.version = 2;
    let change = Change::Update { id: before.id, expected_version: Some(1), patch: Box::new(patch) };
    let (_, applied) = fixture.apply(&view, vec![change]).await?;
    equal("the answer", applied, vec![Applied::Memory(Box::new(wanted.clone()))])?;
    equal("the memory", fixture.read(&view, before.id).await?, wanted)?;
    let empty = Patch {
        ended: Some(None),
        source_ids: Some(Vec::new()),
        tags: Some(Vec::new()),
        attributes: Some(Attributes::new()),
        ..Patch::default()
    };
    fixture.update(&view, before.id, empty).await?;
    let emptied = fixture.read(&view, before.id).await?;
    holds("it is active", emptied.is_active())?;
    holds("lists are empty", emptied.tags.is_empty() && emptied.source_ids.is_empty() && emptied.attributes.is_empty())
}

async fn an_update_of_nothing_leaves_no_trace(store: &dyn Store) -> Outcome {
    let mut fixture = Fixture::new(store);
    let view = view("project/a");
    let memory = fixture.remember("project/a", "as it is").await?;
    let same = Patch { tags: Some(Vec::new()), ended: Some(None), ..text("as it is") };
    for patch in [Patch::default(), same] {
        let change = Change::Update { id: memory.id, expected_version: Some(1), patch: Box::new(patch) };
        let (_, applied) = fixture.apply(&view, vec![change]).await?;
        equal("the answer", applied, vec![Applied::Memory(Box::new(memory.clone()))])?;
    }
    equal("history", store.history(&view, memory.id).await?.len(), 1)
}

async fn ending_and_reopening(store: &dyn Store) -> Outcome {
    let mut fixture = Fixture::new(store);
    let view = view("project/a");
    for by in EndedBy::ALL {
        let memory = fixture.remember("project/a", "to be ended").await?;
        let stamp = fixture.stamp("test");
        let at = stamp.at;
        let change = Change::End { id: memory.id, expected_version: Some(1), by };
        store.apply(&view, stamp, vec![change], Vec::new()).await?;
        let ended = fixture.read(&view, memory.id).await?;
        equal("its end", (ended.ended, ended.version), (Some(Ended { at, by }), 2))?;
        fixture.apply(&view, vec![Change::Reopen { id: memory.id }]).await?;
        let active = fixture.read(&view, memory.id).await?;
        equal("its end", (active.ended, active.version), (None, 3))?;
    }
    Ok(())
}

async fn ending_twice_and_reopening_the_active_are_refused(store: &dyn Store) -> Outcome {
    let mut fixture = Fixture::new(store);
    let view = view("project/a");
    let memory = fixture.remember("project/a", "one").await?;
    let result = fixture.apply(&view, vec![Change::Reopen { id: memory.id }]).await;
    refused("reopening", result, ErrorCode::Conflict)?;
    fixture.end(&view, memory.id).await?;
    refused("ending", fixture.end(&view, memory.id).await, ErrorCode::Conflict)?;
    equal("history", store.history(&view, memory.id).await?.len(), 2)
}

async fn history_tells_everything_in_order(store: &dyn Store) -> Outcome {
    let mut fixture = Fixture::new(store);
    let view = view("project/a");
    let memory = fixture.remember("project/a", "one").await?;
    let other = fixture.remember("project/a", "two").await?;
    let updated = fixture.update(&view, memory.id, text("uno")).await?;
    fixture.link(&view, link(memory.id, Relation::Related, other.id)).await?;
    fixture.apply(&view, vec![Change::Unlink(link(memory.id, Relation::Related, other.id))]).await?;
    fixture.end(&view, memory.id).await?;
    fixture.apply(&view, vec![Change::Reopen { id: memory.id }]).await?;
    let history = store.history(&view, memory.id).await?;
    let told: Vec<(Effect, u64)> = history.iter().map(|entry| (entry.effect, entry.version)).collect();
    let wanted = vec![
        (Effect::Created, 1),
        (Effect::Updated, 2),
        (Effect::Linked, 2),
        (Effect::Unlinked, 2),
        (Effect::Ended, 3),
        (Effect::Reopened, 4),
    ];
    equal("effects", told, wanted)?;
    let second = present("the update", history.get(1))?;
    equal("its run", (second.run, second.memory_id, second.undone_by), (updated, Some(memory.id), None))?;
    equal("who", (second.actor.as_str(), second.operation.as_str()), ("tester", "test"))?;
    equal("before", &second.before.fields, &text("one"))?;
    let linked = Some(link(memory.id, Relation::Related, other.id));
    equal("the link", (&history[2].before.link, &history[3].before.link), (&linked, &linked))
}

async fn history_leads_back_to_the_first_version(store: &dyn Store) -> Outcome {
    let mut fixture = Fixture::new(store);
    let view = view("project/a");
    let first = fixture.remember("project/a", "zero").await?;
    for number in 1..=9 {
        let patch = match number % 3 {
            0 => importance(1.0 + f64::from(number) / 3.0),
            1 => text(&format!("number {number}")),
            _ => Patch { tags: Some(vec![number.to_string()]), ..Patch::default() },
        };
        fixture.update(&view, first.id, patch).await?;
    }
    let mut memory = fixture.read(&view, first.id).await?;
    for entry in store.history(&view, first.id).await?.iter().rev() {
        equal("the version", memory.version, entry.version)?;
        if entry.effect != Effect::Created {
            entry.before.fields.apply(&mut memory);
            memory.version -= 1;
        }
    }
    equal("the first version", memory, first)
}

async fn links_are_made_once_and_removed_once(store: &dyn Store) -> Outcome {
    let mut fixture = Fixture::new(store);
    let view = view("project/a");
    let (one, two) = (fixture.remember("project/a", "one").await?, fixture.remember("global", "two").await?);
    for relation in Relation::ALL {
        let link = link(one.id, relation, two.id);
        for (change, wanted) in [
            (Change::Unlink(link.clone()), false),
            (Change::Link(link.clone()), true),
            (Change::Link(link.clone()), false),
        ] {
            let (_, applied) = fixture.apply(&view, vec![change]).await?;
            equal("the answer", applied, vec![Applied::Link(wanted)])?;
        }
    }
    for id in [one.id, two.id] {
        let links = store.links(&view, id).await?;
        equal("links", links.len(), Relation::ALL.len())?;
        holds("they lead from one to two", links.iter().all(|link| (link.from, link.to) == (one.id, two.id)))?;
    }
    let (_, applied) = fixture.apply(&view, vec![Change::Unlink(link(one.id, Relation::Related, two.id))]).await?;
    equal("the answer", applied, vec![Applied::Link(true)])?;
    equal("links left", store.links(&view, two.id).await?.len(), Relation::ALL.len() - 1)
}

async fn links_of_several_memories_come_once_each(store: &dyn Store) -> Outcome {
    let mut fixture = Fixture::new(store);
    let (here, there) = (view("project/a"), view("project/b"));
    let one = fixture.remember("project/a", "one").await?.id;
    let two = fixture.remember("project/a", "two").await?.id;
    let three = fixture.remember("global", "three").await?.id;
    let foreign = fixture.remember("project/b", "foreign").await?.id;
    fixture.link(&here, link(one, Relation::Supersedes, two)).await?;
    fixture.link(&here, link(two, Relation::Related, three)).await?;
    fixture.link(&there, link(foreign, Relation::Related, three)).await?;
    let wanted = vec![link(one, Relation::Supersedes, two), link(two, Relation::Related, three)];
    let missing = fixture.memory_id(Kind::Fact);
    equal("links", store.links_of(&here, vec![two, one, three, foreign, missing, two]).await?, wanted.clone())?;
    equal("of an end", store.links_of(&here, vec![three]).await?, wanted[1..].to_vec())?;
    equal("of none", store.links_of(&here, Vec::new()).await?, Vec::new())?;
    equal("out of view", store.links_of(&here, vec![foreign]).await?, Vec::new())
}

async fn a_memory_is_not_linked_to_itself(store: &dyn Store) -> Outcome {
    let mut fixture = Fixture::new(store);
    let memory = fixture.remember("global", "one").await?;
    let result = fixture.link(&view("global"), link(memory.id, Relation::Related, memory.id)).await;
    refused("a link to itself", result, ErrorCode::Conflict)?;
    let mut own_source = fixture.fact("global", "made from itself");
    own_source.memory.source_ids = vec![own_source.memory.id];
    let id = fixture.create(own_source).await?.id;
    equal("links", store.links(&view("global"), id).await?, Vec::new())
}

async fn sources_are_links(store: &dyn Store) -> Outcome {
    let mut fixture = Fixture::new(store);
    let source = fixture.remember("project/a", "a source").await?;
    let missing = fixture.memory_id(Kind::Episode);
    let mut derived = fixture.fact("project/a", "derived");
    derived.memory.source_ids = vec![source.id, missing];
    let derived = fixture.create(derived).await?;
    let wanted = vec![link(derived.id, Relation::DerivedFrom, source.id)];
    equal("links", store.links(&view("project/a"), source.id).await?, wanted.clone())?;
    equal("links", store.links(&view("project/a"), derived.id).await?, wanted)
}

async fn sources_named_later_are_links_too(store: &dyn Store) -> Outcome {
    let mut fixture = Fixture::new(store);
    let view = view("project/a");
    let (source, derived) = (fixture.remember("project/a", "one").await?, fixture.remember("project/a", "two").await?);
    let patch = Patch { source_ids: Some(vec![source.id]), ..Patch::default() };
    let run = fixture.update(&view, derived.id, patch).await?;
    let wanted = vec![link(derived.id, Relation::DerivedFrom, source.id)];
    equal("links", store.links(&view, source.id).await?, wanted)?;
    fixture.undo(&view, crate::change::UndoTarget::Run(run)).await?;
    equal("links after undo", store.links(&view, source.id).await?, Vec::new())
}

async fn foreign_origin_is_inherited(store: &dyn Store) -> Outcome {
    let mut fixture = Fixture::new(store);
    let mut page = fixture.fact("project/a", "what a page said");
    page.memory.origin = OriginKind::Web.into();
    let page = fixture.create(page).await?;
    let own = fixture.remember("project/a", "what a person said").await?;
    let mut made = fixture.fact("project/a", "made from both");
    made.memory.source_ids = vec![own.id, page.id];
    let made = fixture.create(made).await?;
    equal("the answer's origin", made.origin.kind, OriginKind::Web)?;
    let mut again = fixture.fact("project/a", "made from that");
    again.memory.source_ids = vec![made.id];
    let again = fixture.create(again).await?;
    let kept = fixture.read(&view("project/a"), again.id).await?;
    equal("the origin two steps on", kept.origin.kind, OriginKind::Web)?;
    // Nobody learns from an origin what another project holds.
    let mut elsewhere = fixture.fact("project/b", "it names a foreign id");
    elsewhere.memory.source_ids = vec![page.id];
    equal("another project's", fixture.create(elsewhere).await?.origin.kind, OriginKind::User)
}

async fn a_foreign_source_named_later_is_inherited_and_taken_back(store: &dyn Store) -> Outcome {
    let mut fixture = Fixture::new(store);
    let view = view("project/a");
    let mut printed = fixture.fact("project/a", "what a tool printed");
    printed.memory.origin = OriginKind::Tool.into();
    let printed = fixture.create(printed).await?;
    let own = fixture.remember("project/a", "what a person said").await?;
    let patch = Patch { source_ids: Some(vec![printed.id]), ..Patch::default() };
    let run = fixture.update(&view, own.id, patch).await?;
    equal("the origin", fixture.read(&view, own.id).await?.origin.kind, OriginKind::Tool)?;
    fixture.undo(&view, crate::change::UndoTarget::Run(run)).await?;
    equal("the origin after undo", fixture.read(&view, own.id).await?.origin.kind, OriginKind::User)
}

async fn a_run_is_all_or_nothing(store: &dyn Store) -> Outcome {
    let mut fixture = Fixture::new(store);
    let view = view("project/a");
    let (one, two) = (fixture.remember("project/a", "one").await?, fixture.remember("project/a", "two").await?);
    let mut mentioned = fixture.fact("project/a", "three");
    mentioned.mentions = vec![fixture.mention("Ada", scrubjay_core::entity::EntityType::Person)];
    mentioned.memory.session_id = Some("s".to_owned());
    let feed = store.feed(&scope("project/a"), 0, 100).await?;
    let changes = vec![
        Change::Create(Box::new(mentioned)),
        Change::Update { id: one.id, expected_version: None, patch: Box::new(text("changed")) },
        Change::Link(link(one.id, Relation::Related, two.id)),
        Change::End { id: two.id, expected_version: None, by: EndedBy::Forgotten },
        // And then one that cannot be.
        Change::End { id: two.id, expected_version: None, by: EndedBy::Forgotten },
    ];
    refused("the run", fixture.apply(&view, changes).await, ErrorCode::Conflict)?;
    let memories = store.list(&view, all(Activity::Any)).await?.memories;
    equal("memories", memories, vec![two.clone(), one.clone()])?;
    equal("the feed", store.feed(&scope("project/a"), 0, 100).await?, feed)?;
    equal("links", store.links(&view, one.id).await?, Vec::new())?;
    equal("entities", store.find_entities(&view, "Ada").await?, Vec::new())?;
    equal("sessions", store.sessions(&view, 10, 0).await?, Vec::new())?;
    equal("history", store.history(&view, one.id).await?.len(), 1)
}

async fn jobs_of_a_failed_run_are_not_queued(store: &dyn Store) -> Outcome {
    let mut fixture = Fixture::new(store);
    let view = view("project/a");
    let new = fixture.fact("project/a", "one");
    let (id, unknown) = (new.memory.id, fixture.memory_id(Kind::Fact));
    let job = fixture.job("embed", "one", "project/a");
    let (good, bad) = (Change::Create(Box::new(new)), Change::Reopen { id: unknown });
    let stamp = fixture.stamp("test");
    let result = store.apply(&view, stamp.clone(), vec![good.clone(), bad], vec![job.clone()]).await;
    refused("the run", result, ErrorCode::NotFound)?;
    equal("jobs", store.jobs(&view, None, 10).await?.len(), 0)?;
    store.apply(&view, stamp, vec![good], vec![job.clone()]).await?;
    let jobs = store.jobs(&view, None, 10).await?;
    equal("jobs", jobs.iter().map(|job| job.id).collect::<Vec<_>>(), vec![job.id])?;
    fixture.read(&view, id).await.map(drop)
}

async fn deep_attributes_are_refused_before_they_cannot_be_read(store: &dyn Store) -> Outcome {
    let mut fixture = Fixture::new(store);
    let view = view("global");
    let nested = |levels: usize| {
        let value = (0..levels)
            .fold(json!(1), |inner, level| if level % 2 == 0 { json!([inner]) } else { json!({"x": inner}) });
        Attributes::from([("deep".to_owned(), value)])
    };
    for levels in [1, 40, 60, 64, 65, 100, 120, 126, 200] {
        let mut new = fixture.fact("global", &format!("{levels} levels"));
        new.memory.attributes = nested(levels);
        let id = new.memory.id;
        if fixture.apply(&view, vec![Change::Create(Box::new(new))]).await.is_err() {
            holds("60 levels are enough for anyone", levels > 60)?;
            continue;
        }
        // What was taken can be read, changed, undone and purged.
        let run = fixture.update(&view, id, Patch { attributes: Some(Attributes::new()), ..Patch::default() }).await?;
        store.history(&view, id).await?;
        fixture.undo(&view, crate::change::UndoTarget::Run(run)).await?;
        equal("attributes", fixture.read(&view, id).await?.attributes, nested(levels))?;
        fixture.purge(&view, vec![id]).await?;
    }
    let memory = fixture.remember("global", "plain").await?;
    match fixture.update(&view, memory.id, Patch { attributes: Some(nested(126)), ..Patch::default() }).await {
        Err(error) if error.code() == ErrorCode::Conflict => Ok(()),
        other => Err(Failure::new(format!("an update with deep attributes: {other:?}"))),
    }
}
