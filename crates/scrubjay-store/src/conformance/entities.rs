//! Named things are found by any of their names and counted once per memory.

use scrubjay_core::entity::{Entity, EntityType};
use scrubjay_core::error::ErrorCode;
use scrubjay_core::id::EntityId;
use scrubjay_core::memory::Kind;

use super::case::{Failure, Outcome, cases, equal, holds, present, refused};
use super::fixture::{Fixture, all, scope, view};
use crate::Store;
use crate::change::{Applied, Change, NewMention, UndoTarget};
use crate::query::{Activity, EntityQuery, ListQuery};

cases![
    a_mention_makes_or_finds_its_entity,
    a_mention_counts_once_per_memory,
    an_alias_leads_to_its_entity,
    a_type_of_its_own_is_an_entity_of_its_own,
    mentions_can_be_linked_later,
    mentions_are_taken_back_whole,
    a_task_mentions_nobody,
    upserting_adds_and_never_takes_away,
    an_entity_id_is_used_once,
    entities_are_listed_by_mentions,
    entities_are_paged_by_id_whatever_comes_and_goes,
    entities_are_found_by_part_of_a_name,
    memories_are_listed_by_entity,
    names_lead_to_the_newest_memories,
    merging_moves_names_and_mentions,
    what_cannot_be_merged_is_refused,
];

// Stores a fact that mentions these people.
async fn mentioning(fixture: &mut Fixture<'_>, names: &[&str]) -> Result<scrubjay_core::id::MemoryId, Failure> {
    let mut new = fixture.fact("project/a", &format!("about {names:?}"));
    new.mentions = names.iter().map(|name| fixture.mention(name, EntityType::Person)).collect();
    Ok(fixture.create(new).await?.id)
}

async fn one(store: &dyn Store, name: &str) -> Result<Entity, Failure> {
    let mut found = store.find_entities(&view("project/a"), name).await?;
    equal(name, found.len(), 1)?;
    present(name, found.pop())
}

async fn a_mention_makes_or_finds_its_entity(store: &dyn Store) -> Outcome {
    let mut fixture = Fixture::new(store);
    mentioning(&mut fixture, &["Ada  Lovelace"]).await?;
    let entity = one(store, "ada lovelace").await?;
    equal("its name", (entity.name.as_str(), &entity.scope), ("Ada  Lovelace", &scope("project/a")))?;
    mentioning(&mut fixture, &["ADA LOVELACE"]).await?;
    let again = one(store, " Ada Lovelace ").await?;
    equal("the same", (again.id, again.name.as_str(), again.mention_count), (entity.id, "Ada  Lovelace", 2))?;
    equal("by id", one(store, &entity.id.to_string()).await?, again)
}

async fn a_mention_counts_once_per_memory(store: &dyn Store) -> Outcome {
    let mut fixture = Fixture::new(store);
    let memory = mentioning(&mut fixture, &["Ada", "ada", "Grace"]).await?;
    equal("Ada", one(store, "Ada").await?.mention_count, 1)?;
    let names: Vec<String> =
        store.mentioned(&view("project/a"), memory).await?.into_iter().map(|entity| entity.name).collect();
    equal("mentioned", names, vec!["Ada".to_owned(), "Grace".to_owned()])
}

async fn an_alias_leads_to_its_entity(store: &dyn Store) -> Outcome {
    let mut fixture = Fixture::new(store);
    let mut new = fixture.fact("project/a", "about the countess");
    let mention = fixture.mention("Ada Lovelace", EntityType::Person);
    new.mentions = vec![
        NewMention { alias: Some("The Countess".to_owned()), ..mention.clone() },
        NewMention { alias: Some("the  countess".to_owned()), ..mention.clone() },
        NewMention { alias: Some("ada lovelace".to_owned()), ..mention },
    ];
    fixture.create(new).await?;
    equal("aliases", one(store, "the countess").await?.aliases, vec!["The Countess".to_owned()])?;
    mentioning(&mut fixture, &["the countess"]).await?;
    equal("mentions", one(store, "Ada Lovelace").await?.mention_count, 2)
}

async fn a_type_of_its_own_is_an_entity_of_its_own(store: &dyn Store) -> Outcome {
    let mut fixture = Fixture::new(store);
    let mut new = fixture.fact("project/a", "mercury and Mercury");
    new.mentions = [EntityType::Person, EntityType::Project, EntityType::Person]
        .map(|entity_type| fixture.mention("Mercury", entity_type))
        .to_vec();
    fixture.create(new).await?;
    let found = store.find_entities(&view("project/a"), "mercury").await?;
    equal("entities", found.len(), 2)?;
    holds("each counts once", found.iter().all(|entity| entity.mention_count == 1))
}

async fn mentions_can_be_linked_later(store: &dyn Store) -> Outcome {
    let mut fixture = Fixture::new(store);
    let view = view("project/a");
    let memory = mentioning(&mut fixture, &["Ada"]).await?;
    let mentions = vec![fixture.mention("Ada", EntityType::Person), fixture.mention("Grace", EntityType::Person)];
    equal("new", store.link_mentions(&view, vec![(memory, mentions.clone())]).await?, 1)?;
    equal("new", store.link_mentions(&view, vec![(memory, mentions.clone())]).await?, 0)?;
    equal("Grace", one(store, "Grace").await?.mention_count, 1)?;
    let unknown = fixture.memory_id(Kind::Fact);
    let other = vec![fixture.mention("Hedy", EntityType::Person)];
    let found = vec![(memory, other), (unknown, mentions)];
    refused("no memory", store.link_mentions(&view, found).await, ErrorCode::NotFound).map(drop)?;
    equal("nor the others", store.find_entities(&view, "Hedy").await?, Vec::new())
}

async fn mentions_are_taken_back_whole(store: &dyn Store) -> Outcome {
    let mut fixture = Fixture::new(store);
    let view = view("project/a");
    let (first, second) = (mentioning(&mut fixture, &["Ada"]).await?, mentioning(&mut fixture, &["Grace"]).await?);
    let names = ["Ada", "Grace", "Hedy"].map(|name| fixture.mention(name, EntityType::Person)).to_vec();
    let changes = [first, second].map(|id| Change::Mention { id, mentions: names.clone() }).to_vec();
    let stamp = fixture.stamp("enrich");
    let applied = store.apply(&view, stamp.clone(), changes, Vec::new()).await?;
    equal("new to each", applied, vec![Applied::Mentions(2), Applied::Mentions(2)])?;
    equal("counted", one(store, "Hedy").await?.mention_count, 2)?;
    let hedy = one(store, "Hedy").await?.id;
    let undone = store.undo(&view, fixture.stamp("undo"), UndoTarget::Run(stamp.run)).await?;
    equal("changes", undone.changes, 2)?;
    equal("nobody mentions her", store.find_entities(&view, "Hedy").await?, Vec::new())?;
    for name in ["Ada", "Grace"] {
        equal(name, one(store, name).await?.mention_count, 1)?;
    }
    equal("left alone", store.sparse(&scope("project/a"), 5, "enriched_at", 10).await?, Vec::new())?;
    let again = present("the undoing", store.history(&view, first).await?.pop())?.run;
    store.undo(&view, fixture.stamp("undo"), UndoTarget::Run(again)).await?;
    let found = one(store, "Hedy").await?;
    equal("again", (found.id, found.mention_count), (hedy, 2))
}

async fn a_task_mentions_nobody(store: &dyn Store) -> Outcome {
    let mut fixture = Fixture::new(store);
    let mut new = fixture.fact("task/a/t", "a note about Ada");
    new.mentions = vec![fixture.mention("Ada", EntityType::Person)];
    let id = fixture.create(new.clone()).await?.id;
    equal("linked", store.link_mentions(&view("task/a/t"), vec![(id, new.mentions)]).await?, 0)?;
    equal("entities", store.find_entities(&view("task/a/t"), "Ada").await?, Vec::new())
}

async fn upserting_adds_and_never_takes_away(store: &dyn Store) -> Outcome {
    let mut fixture = Fixture::new(store);
    let mut entity = fixture.entity("project/a", "Ada", EntityType::Person);
    entity.aliases = vec!["b".to_owned(), "a".to_owned(), "ADA".to_owned(), " ".to_owned()];
    entity.mention_count = 99;
    let stored = store.upsert_entity(entity.clone()).await?;
    let wanted = Entity { aliases: vec!["a".to_owned(), "b".to_owned()], mention_count: 0, ..entity.clone() };
    equal("stored", &stored, &wanted)?;
    let mut more = fixture.entity("project/a", "ada", EntityType::Person);
    more.aliases = vec!["c".to_owned(), "A".to_owned()];
    more.summary = Some("a mathematician".to_owned());
    more.protected = true;
    let wanted = Entity {
        aliases: vec!["a".to_owned(), "b".to_owned(), "c".to_owned()],
        summary: more.summary.clone(),
        protected: true,
        ..wanted
    };
    equal("with more", &store.upsert_entity(more).await?, &wanted)?;
    equal("without", store.upsert_entity(entity).await?, wanted)
}

async fn an_entity_id_is_used_once(store: &dyn Store) -> Outcome {
    let mut fixture = Fixture::new(store);
    let entity = fixture.entity("project/a", "Ada", EntityType::Person);
    store.upsert_entity(entity.clone()).await?;
    for place in ["project/a", "project/b"] {
        let other = Entity { name: "Grace".to_owned(), scope: scope(place), ..entity.clone() };
        refused(place, store.upsert_entity(other).await, ErrorCode::Conflict)?;
    }
    let mut new = fixture.fact("project/b", "about Grace");
    let mention = NewMention { id: entity.id, ..fixture.mention("Grace", EntityType::Person) };
    new.mentions = vec![mention];
    let id = new.memory.id;
    let change = crate::change::Change::Create(Box::new(new));
    refused("a mention", fixture.apply(&view("project/b"), vec![change]).await, ErrorCode::Conflict)?;
    equal("the memory", store.get(&view("project/b"), id).await?, None)
}

async fn entities_are_listed_by_mentions(store: &dyn Store) -> Outcome {
    let mut fixture = Fixture::new(store);
    for names in [&["b", "c", "a"][..], &["c", "d"], &["c", "b"]] {
        mentioning(&mut fixture, names).await?;
    }
    let wanted = ["c", "b", "a", "d"];
    for limit in 1..6 {
        let mut seen = Vec::new();
        loop {
            let query = EntityQuery { limit, offset: seen.len(), ..EntityQuery::default() };
            let page = store.entities(&view("project/a"), query).await?;
            seen.extend(page.entities.into_iter().map(|entity| entity.name));
            if !page.more {
                break;
            }
        }
        equal("names", seen, wanted.map(str::to_owned).to_vec())?;
    }
    let query = EntityQuery { limit: usize::MAX, offset: usize::MAX, ..EntityQuery::default() };
    equal("far away", store.entities(&view("project/a"), query).await?.entities, Vec::new())
}

async fn entities_are_paged_by_id_whatever_comes_and_goes(store: &dyn Store) -> Outcome {
    let mut fixture = Fixture::new(store);
    let here = scope("project/a");
    let early = fixture.entity("project/a", "Early", EntityType::Person);
    mentioning(&mut fixture, &["Ada", "Grace"]).await?;
    mentioning(&mut fixture, &["Edsger", "Barbara"]).await?;
    store.upsert_entity(fixture.entity("global", "Elsewhere", EntityType::Person)).await?;
    let all = store.entities_by_id(&here, None, usize::MAX).await?;
    let names = |page: &[Entity]| page.iter().map(|entity| entity.name.clone()).collect::<Vec<_>>();
    equal("all", names(&all), ["Ada", "Grace", "Edsger", "Barbara"].map(str::to_owned).to_vec())?;
    let first = store.entities_by_id(&here, None, 2).await?;
    equal("first page", &first, &all[..2].to_vec())?;
    // What was returned already changes its rank and goes; what is to come gains one before the key and one after it.
    mentioning(&mut fixture, &["Barbara"]).await?;
    equal("forgotten", store.forget_entity(&view("project/a"), all[0].id).await?, true)?;
    store.upsert_entity(early).await?;
    mentioning(&mut fixture, &["Niklaus"]).await?;
    let rest = store.entities_by_id(&here, Some(all[1].id), usize::MAX).await?;
    equal("the rest", names(&rest), ["Edsger", "Barbara", "Niklaus"].map(str::to_owned).to_vec())?;
    let from_gone = store.entities_by_id(&here, Some(all[0].id), 1).await?;
    equal("from a key that is gone", names(&from_gone), vec!["Grace".to_owned()])?;
    equal("the end", store.entities_by_id(&here, rest.last().map(|entity| entity.id), 2).await?, Vec::new())
}

async fn entities_are_found_by_part_of_a_name(store: &dyn Store) -> Outcome {
    let mut fixture = Fixture::new(store);
    mentioning(&mut fixture, &["Ada Lovelace", "Grace Hopper", "100% sure_thing"]).await?;
    let mut alias = fixture.entity("project/a", "Grace Hopper", EntityType::Person);
    alias.aliases = vec!["Amazing Grace".to_owned()];
    store.upsert_entity(alias).await?;
    let tag = fixture.entity("project/a", "lovelace", EntityType::Tag);
    store.upsert_entity(tag).await?;
    for (part, entity_type, wanted) in [
        ("LOVE", None, vec!["Ada Lovelace", "lovelace"]),
        ("love", Some(EntityType::Tag), vec!["lovelace"]),
        ("zing  gr", None, vec!["Grace Hopper"]),
        ("%", None, vec!["100% sure_thing"]),
        ("_", None, vec!["100% sure_thing"]),
        ("nobody", None, vec![]),
    ] {
        let query = EntityQuery { name_contains: Some(part.to_owned()), entity_type, limit: 10, offset: 0 };
        let page = store.entities(&view("project/a"), query).await?;
        let names: Vec<&str> = page.entities.iter().map(|entity| entity.name.as_str()).collect();
        equal(part, names, wanted)?;
    }
    Ok(())
}

async fn memories_are_listed_by_entity(store: &dyn Store) -> Outcome {
    let mut fixture = Fixture::new(store);
    let first = mentioning(&mut fixture, &["Ada"]).await?;
    mentioning(&mut fixture, &["Grace"]).await?;
    let both = mentioning(&mut fixture, &["Grace", "Ada"]).await?;
    let entity = one(store, "Ada").await?.id;
    let query = ListQuery { entity: Some(entity), ..all(Activity::Any) };
    let page = store.list(&view("project/a"), query).await?;
    equal("listed", page.memories.iter().map(|memory| memory.id).collect::<Vec<_>>(), vec![both, first])?;
    let query = ListQuery { entity: Some(EntityId::from(fixture.uuid())), ..all(Activity::Any) };
    equal("of nobody", store.list(&view("project/a"), query).await?.memories, Vec::new())
}

async fn merging_moves_names_and_mentions(store: &dyn Store) -> Outcome {
    let mut fixture = Fixture::new(store);
    let view = view("project/a");
    let memories = [
        mentioning(&mut fixture, &["Ada"]).await?,
        mentioning(&mut fixture, &["A. Lovelace"]).await?,
        mentioning(&mut fixture, &["Ada", "A. Lovelace"]).await?,
    ];
    let (ada, lovelace) = (one(store, "ada").await?, one(store, "a. lovelace").await?);
    let stamp = fixture.stamp("merge_entities");
    let merged = store.merge_entities(&view, stamp, ada.id, lovelace.id).await?;
    let wanted = Entity { aliases: vec!["A. Lovelace".to_owned()], mention_count: 3, ..ada.clone() };
    equal("merged", &merged, &wanted)?;
    for memory in memories {
        equal("mentioned", store.mentioned(&view, memory).await?, vec![merged.clone()])?;
    }
    equal("by the old name", one(store, "a. lovelace").await?, merged)?;
    equal("by the old id", store.find_entities(&view, &lovelace.id.to_string()).await?, Vec::new())?;
    equal("counted", store.counts(&view).await?.entities, 1)?;
    mentioning(&mut fixture, &["A. Lovelace"]).await?;
    equal("mentions", one(store, "Ada").await?.mention_count, 4)
}

async fn what_cannot_be_merged_is_refused(store: &dyn Store) -> Outcome {
    let mut fixture = Fixture::new(store);
    let view = view("project/a");
    let here = fixture.entity("project/a", "here", EntityType::Other);
    let everywhere = fixture.entity("global", "everywhere", EntityType::Other);
    for entity in [&here, &everywhere] {
        store.upsert_entity(entity.clone()).await?;
    }
    let nobody = EntityId::from(fixture.uuid());
    for (into, from, code) in [
        (here.id, here.id, ErrorCode::Conflict),
        (here.id, everywhere.id, ErrorCode::Conflict),
        (here.id, nobody, ErrorCode::NotFound),
        (nobody, here.id, ErrorCode::NotFound),
    ] {
        let stamp = fixture.stamp("merge_entities");
        refused("a merge", store.merge_entities(&view, stamp, into, from).await, code)?;
    }
    equal("entities", store.counts(&view).await?.entities, 2)
}

async fn names_lead_to_the_newest_memories(store: &dyn Store) -> Outcome {
    let mut fixture = Fixture::new(store);
    let first = mentioning(&mut fixture, &["Ada"]).await?;
    let second = mentioning(&mut fixture, &["Ada", "Grace"]).await?;
    let third = mentioning(&mut fixture, &["Grace"]).await?;
    let keys = store.keys_of(&view("project/a"), vec![first, second, third]).await?;
    let key = |id| present("a key", keys.iter().find(|(known, _)| *known == id).map(|(_, key)| *key));
    let names = ["ada", "nobody", "grace", "ADA"].map(str::to_owned).to_vec();
    let found = store.named(&view("project/a"), names.clone(), 10).await?;
    let found: Vec<_> = found.into_iter().map(|named| (named.entity.name, named.memories)).collect();
    let wanted = vec![
        ("Ada".to_owned(), vec![key(second)?, key(first)?]),
        ("Grace".to_owned(), vec![key(third)?, key(second)?]),
    ];
    equal("who is named", found, wanted)?;
    let few = store.named(&view("project/a"), names.clone(), 1).await?;
    holds("no more than wanted", few.iter().all(|named| named.memories.len() == 1))?;
    equal("elsewhere", store.named(&view("project/b"), names, 10).await?, Vec::new())
}
