//! A purge destroys, reaches what was derived, and keeps the text away.

use std::collections::BTreeSet;

use scrubjay_core::entity::EntityType;
use scrubjay_core::error::ErrorCode;
use scrubjay_core::id::MemoryId;
use scrubjay_core::memory::{Kind, Relation};
use scrubjay_core::text::TextHash;

use super::case::{Outcome, cases, equal, holds, present, refused};
use super::fixture::{Fixture, all, link, scope, text, view};
use crate::Store;
use crate::change::{Applied, Captured, Change, UndoTarget};
use crate::query::Activity;

cases![
    a_purged_memory_is_gone_everywhere,
    a_dry_run_says_the_same_and_does_nothing,
    what_was_derived_goes_along,
    other_links_do_not_spread_a_purge,
    a_circle_of_sources_ends,
    a_purged_text_stays_away,
    every_wording_stays_away,
    a_person_may_bring_it_back,
    a_tombstone_counts_in_its_scope,
    a_purge_is_all_or_nothing,
    entities_go_with_their_last_mention,
    merges_forget_whom_nobody_mentions,
    a_session_shrinks_and_goes,
    a_client_id_is_free_again,
    a_view_without_global_destroys_and_undoes_nothing_global,
];

fn ids(memories: &[MemoryId]) -> BTreeSet<MemoryId> {
    memories.iter().copied().collect()
}

async fn a_purged_memory_is_gone_everywhere(store: &dyn Store) -> Outcome {
    let mut fixture = Fixture::new(store);
    let view = view("project/a");
    let (gone, kept) = (fixture.remember("project/a", "osprey").await?, fixture.remember("project/a", "heron").await?);
    fixture.link(&view, link(kept.id, Relation::Related, gone.id)).await?;
    fixture.update(&view, gone.id, text("osprey nest")).await?;
    let purged = fixture.purge(&view, vec![gone.id]).await?;
    equal("purged", (purged.memories, purged.history_rows), (vec![gone.id], 2))?;
    equal("the memory", store.get(&view, gone.id).await?, None)?;
    equal("the list", store.list(&view, all(Activity::Any)).await?.memories, vec![kept.clone()])?;
    refused("history", store.history(&view, gone.id).await, ErrorCode::NotFound)?;
    refused("links", store.links(&view, gone.id).await, ErrorCode::NotFound)?;
    refused("mentions", store.mentioned(&view, gone.id).await, ErrorCode::NotFound)?;
    equal("links", store.links(&view, kept.id).await?, Vec::new())?;
    equal("counted links", store.counts(&view).await?.links, 0)?;
    let items = store.all_items(None, 10).await?;
    equal("items", items.iter().map(|row| row.item.text()).collect::<Vec<_>>(), vec!["heron"])?;
    refused("purged again", fixture.purge(&view, vec![gone.id]).await, ErrorCode::NotFound).map(drop)
}

async fn a_dry_run_says_the_same_and_does_nothing(store: &dyn Store) -> Outcome {
    let mut fixture = Fixture::new(store);
    let view = view("project/a");
    let source = fixture.remember("project/a", "source").await?;
    let mut derived = fixture.fact("project/a", "derived");
    derived.memory.source_ids = vec![source.id];
    fixture.create(derived).await?;
    fixture.update(&view, source.id, text("the source")).await?;
    let before = store.list(&view, all(Activity::Any)).await?;
    let stamp = fixture.stamp("purge");
    let announced = store.purge(&view, stamp, vec![source.id], true).await?;
    equal("the list", store.list(&view, all(Activity::Any)).await?, before)?;
    equal("a tombstone", store.is_purged(&scope("project/a"), TextHash::of_value("source")).await?, false)?;
    let done = fixture.purge(&view, vec![source.id]).await?;
    equal("memories", ids(&announced.memories), ids(&done.memories))?;
    equal("history rows", (announced.history_rows, done.history_rows), (3, 3))
}

async fn what_was_derived_goes_along(store: &dyn Store) -> Outcome {
    let mut fixture = Fixture::new(store);
    let view = view("project/a");
    let source = fixture.remember("project/a", "source").await?;
    let other = fixture.remember("project/a", "another source").await?;
    let mut doomed = vec![source.id];
    for (sources, goes) in [(vec![source.id], true), (vec![other.id], false), (vec![other.id, source.id], true)] {
        let mut derived = fixture.fact("project/a", "derived");
        derived.memory.source_ids = sources;
        let id = fixture.create(derived).await?.id;
        let mut twice = fixture.memory(Kind::Reflection, "project/a", "derived from that");
        twice.source_ids = vec![id];
        let twice = fixture.create(crate::change::NewMemory::plain(twice)).await?.id;
        if goes {
            doomed.extend([id, twice]);
        }
    }
    let linked = fixture.remember("project/a", "linked by hand").await?;
    fixture.link(&view, link(linked.id, Relation::DerivedFrom, source.id)).await?;
    doomed.push(linked.id);
    let purged = fixture.purge(&view, vec![source.id]).await?;
    equal("purged", ids(&purged.memories), ids(&doomed))?;
    equal("left", store.list(&view, all(Activity::Any)).await?.memories.len(), 3)
}

async fn other_links_do_not_spread_a_purge(store: &dyn Store) -> Outcome {
    let mut fixture = Fixture::new(store);
    let view = view("project/a");
    let (gone, kept) = (fixture.remember("project/a", "one").await?, fixture.remember("project/a", "two").await?);
    for relation in Relation::ALL {
        if relation != Relation::DerivedFrom {
            fixture.link(&view, link(kept.id, relation, gone.id)).await?;
        }
    }
    // What it was derived from stays as well.
    fixture.link(&view, link(gone.id, Relation::DerivedFrom, kept.id)).await?;
    equal("purged", fixture.purge(&view, vec![gone.id]).await?.memories, vec![gone.id])
}

async fn a_circle_of_sources_ends(store: &dyn Store) -> Outcome {
    let mut fixture = Fixture::new(store);
    let view = view("project/a");
    let (one, two) = (fixture.remember("project/a", "one").await?, fixture.remember("project/a", "two").await?);
    fixture.link(&view, link(one.id, Relation::DerivedFrom, two.id)).await?;
    fixture.link(&view, link(two.id, Relation::DerivedFrom, one.id)).await?;
    let purged = fixture.purge(&view, vec![one.id, one.id]).await?;
    equal("purged", (ids(&purged.memories), purged.memories.len()), (ids(&[one.id, two.id]), 2))
}

async fn a_purged_text_stays_away(store: &dyn Store) -> Outcome {
    let mut fixture = Fixture::new(store);
    let view = view("project/a");
    let memory = fixture.remember("project/a", "My secret.").await?;
    fixture.purge(&view, vec![memory.id]).await?;
    let hash = TextHash::of_value("my secret");
    equal("a tombstone", store.is_purged(&scope("project/a"), hash).await?, true)?;
    for content in ["My secret.", "my  SECRET"] {
        let new = fixture.fact("project/a", content);
        let (_, applied) = fixture.apply(&view, vec![Change::Create(Box::new(new))]).await?;
        equal("created", applied, vec![Applied::Purged])?;
        let message = fixture.message("project/a", "s", content);
        equal("captured", fixture.capture(message).await?, Captured::Purged)?;
    }
    equal("sessions", store.sessions(&view, 10, 0).await?.len(), 0)?;
    equal("left", store.list(&view, all(Activity::Any)).await?.memories, Vec::new())
}

async fn every_wording_stays_away(store: &dyn Store) -> Outcome {
    let mut fixture = Fixture::new(store);
    let view = view("project/a");
    let memory = fixture.remember("project/a", "first wording").await?;
    for content in ["second wording", "third wording", "last wording"] {
        fixture.update(&view, memory.id, text(content)).await?;
    }
    fixture.undo(&view, UndoTarget::Last).await?;
    fixture.purge(&view, vec![memory.id]).await?;
    for content in ["first wording", "second wording", "third wording", "last wording"] {
        let hash = TextHash::of_value(content);
        equal(content, store.is_purged(&scope("project/a"), hash).await?, true)?;
    }
    Ok(())
}

async fn a_person_may_bring_it_back(store: &dyn Store) -> Outcome {
    let mut fixture = Fixture::new(store);
    let view = view("project/a");
    let memory = fixture.remember("project/a", "after all").await?;
    fixture.purge(&view, vec![memory.id]).await?;
    let mut said = fixture.message("project/a", "s", "after all");
    said.despite_purge = true;
    let id = said.memory.id;
    equal("captured", fixture.capture(said).await?, Captured::Stored(id))?;
    let mut new = fixture.fact("project/a", "after all");
    new.despite_purge = true;
    fixture.create(new).await?;
    // From then on it is a text like any other.
    fixture.remember("project/a", "after all").await?;
    let hash = TextHash::of_value("after all");
    equal("a tombstone", store.is_purged(&scope("project/a"), hash).await?, false)?;
    equal("left", store.list(&view, all(Activity::Any)).await?.memories.len(), 3)
}

async fn a_tombstone_counts_in_its_scope(store: &dyn Store) -> Outcome {
    let mut fixture = Fixture::new(store);
    let memory = fixture.remember("project/a", "shared").await?;
    fixture.purge(&view("project/a"), vec![memory.id]).await?;
    for place in ["project/b", "global", "task/a/t"] {
        equal(place, store.is_purged(&scope(place), TextHash::of_value("shared")).await?, false)?;
        fixture.remember(place, "shared").await?;
    }
    Ok(())
}

async fn a_purge_is_all_or_nothing(store: &dyn Store) -> Outcome {
    let mut fixture = Fixture::new(store);
    let view = view("project/a");
    let memory = fixture.remember("project/a", "one").await?;
    let unknown = fixture.memory_id(Kind::Fact);
    refused("the purge", fixture.purge(&view, vec![memory.id, unknown]).await, ErrorCode::NotFound)?;
    equal("the memory", fixture.read(&view, memory.id).await?, memory)?;
    let nothing = fixture.purge(&view, Vec::new()).await?;
    equal("nothing", nothing, crate::change::Purged::default())
}

async fn entities_go_with_their_last_mention(store: &dyn Store) -> Outcome {
    let mut fixture = Fixture::new(store);
    let view = view("project/a");
    let mut memories = Vec::new();
    for names in [&["Ada", "Grace", "Hedy"][..], &["Ada"]] {
        let mut new = fixture.fact("project/a", "about people");
        new.mentions = names.iter().map(|name| fixture.mention(name, EntityType::Person)).collect();
        memories.push(fixture.create(new).await?.id);
    }
    let mut hedy = fixture.entity("project/a", "Hedy", EntityType::Person);
    hedy.protected = true;
    store.upsert_entity(hedy).await?;
    fixture.purge(&view, vec![memories[0]]).await?;
    let count = |entities: Vec<scrubjay_core::entity::Entity>| entities.first().map(|entity| entity.mention_count);
    equal("Ada", count(store.find_entities(&view, "Ada").await?), Some(1))?;
    equal("Grace", count(store.find_entities(&view, "Grace").await?), None)?;
    equal("Hedy", count(store.find_entities(&view, "Hedy").await?), Some(0))
}

async fn merges_forget_whom_nobody_mentions(store: &dyn Store) -> Outcome {
    let mut fixture = Fixture::new(store);
    let view = view("project/a");
    let mut memories = Vec::new();
    for name in ["secret name", "public name"] {
        let mut new = fixture.fact("project/a", &format!("about {name}"));
        new.mentions = vec![fixture.mention(name, EntityType::Person)];
        memories.push(fixture.create(new).await?.id);
    }
    let secret = present("one", store.find_entities(&view, "secret name").await?.pop())?;
    let public = present("two", store.find_entities(&view, "public name").await?.pop())?;
    let stamp = fixture.stamp("merge_entities");
    let run = stamp.run;
    store.merge_entities(&view, stamp, public.id, secret.id).await?;
    fixture.purge(&view, vec![memories[0]]).await?;
    // Nothing is left of the merge that could tell the name.
    refused("the merge", fixture.undo(&view, UndoTarget::Run(run)).await, ErrorCode::NotFound)?;
    let left = present("the other", store.find_entities(&view, "public name").await?.pop())?;
    equal("mentions", left.mention_count, 1)
}

async fn a_session_shrinks_and_goes(store: &dyn Store) -> Outcome {
    let mut fixture = Fixture::new(store);
    let view = view("project/a");
    let mut said = Vec::new();
    for content in ["one", "two"] {
        let message = fixture.message("project/a", "s", content);
        said.push(message.memory.id);
        fixture.capture(message).await?;
    }
    fixture.purge(&view, vec![said[0]]).await?;
    let session = present("the session", store.session(&view, "s").await?)?;
    equal("messages", session.messages, 1)?;
    fixture.purge(&view, vec![said[1]]).await?;
    holds("the session is gone", store.session(&view, "s").await?.is_none())
}

async fn a_client_id_is_free_again(store: &dyn Store) -> Outcome {
    let mut fixture = Fixture::new(store);
    let mut message = fixture.message("project/a", "s", "one");
    message.client_id = Some("m1".to_owned());
    fixture.capture(message.clone()).await?;
    fixture.purge(&view("project/a"), vec![message.memory.id]).await?;
    equal("the same", fixture.capture(message.clone()).await?, Captured::Purged)?;
    let mut another = fixture.message("project/a", "s", "another text");
    another.client_id = Some("m1".to_owned());
    let id = another.memory.id;
    equal("another", fixture.capture(another).await?, Captured::Stored(id))
}

async fn a_view_without_global_destroys_and_undoes_nothing_global(store: &dyn Store) -> Outcome {
    let mut fixture = Fixture::new(store);
    let whole = view("project/a");
    let own_only = whole.without_global();
    let own = fixture.remember("project/a", "osprey").await?;
    let mut lifted = fixture.fact("global", "osprey everywhere");
    lifted.memory.source_ids = vec![own.id];
    let lifted_id = lifted.memory.id;
    fixture.apply(&whole, vec![Change::Create(Box::new(lifted))]).await?;
    refused("global itself", fixture.purge(&own_only, vec![lifted_id]).await, ErrorCode::NotFound)?;
    refused("what was derived", fixture.purge(&own_only, vec![own.id]).await, ErrorCode::Refused)?;
    let run = fixture.update(&whole, lifted_id, text("osprey nowhere")).await?;
    refused("a global run", fixture.undo(&own_only, UndoTarget::Run(run)).await, ErrorCode::NotFound)?;
    fixture.undo(&own_only, UndoTarget::Last).await?;
    holds("the last run of the project", !fixture.read(&whole, own.id).await?.is_active())?;
    equal("global", fixture.read(&whole, lifted_id).await?.content, "osprey nowhere".to_owned())
}
