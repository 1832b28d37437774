//! An id is found by part of it, among what is in view, and what is ambiguous is seen to be.

use scrubjay_core::abbreviation::{Abbreviation, IdKind};
use scrubjay_core::entity::EntityType;
use scrubjay_core::id::{MemoryId, RunId};
use scrubjay_core::memory::Kind;
use uuid::Uuid;

use super::case::{Failure, Outcome, cases, equal, present};
use super::fixture::{Fixture, view};
use crate::Store;
use crate::change::NewMemory;

cases![
    memories_are_found_by_the_ends_of_their_ids,
    an_ambiguous_part_names_all_that_it_could_mean,
    a_part_names_nothing_out_of_view,
    other_ids_are_found_too,
];

fn part(text: &str) -> Result<Abbreviation, Failure> {
    present("an abbreviation", Abbreviation::of(text))
}

async fn named(store: &dyn Store, place: &str, kind: IdKind, text: &str) -> Result<Vec<String>, Failure> {
    Ok(store.ids_named(&view(place), kind, &part(text)?, 5).await?)
}

fn tail(uuid: Uuid) -> String {
    uuid.simple().to_string()[24..].to_owned()
}

async fn memories_are_found_by_the_ends_of_their_ids(store: &dyn Store) -> Outcome {
    let mut fixture = Fixture::new(store);
    let fact = fixture.remember("project/a", "Ada owns billing").await?.id;
    for number in 0..20 {
        fixture.remember("project/a", &format!("fact {number}")).await?;
    }
    let hex = fact.uuid().simple().to_string();
    for text in [&hex[24..], &hex[24..30], &hex[20..], &hex[..16], &fact.uuid().to_string()[..20]] {
        for kind in [IdKind::Memory(None), IdKind::Memory(Some(Kind::Fact))] {
            equal(text, named(store, "project/a", kind, text).await?, vec![fact.to_string()])?;
        }
        equal(text, named(store, "project/a", IdKind::Memory(Some(Kind::Episode)), text).await?, vec![])?;
    }
    Ok(())
}

async fn an_ambiguous_part_names_all_that_it_could_mean(store: &dyn Store) -> Outcome {
    let mut fixture = Fixture::new(store);
    let base = fixture.uuid().as_u128() & !0xffff_ffff;
    let mut ids = Vec::new();
    for (kind, end) in [(Kind::Fact, 0x1c0b_0001u128), (Kind::Fact, 0x1c0b_0002), (Kind::Episode, 0x1c0b_0003)] {
        let mut memory = fixture.memory(kind, "project/a", &format!("text {end}"));
        memory.id = MemoryId::new(kind, Uuid::from_u128(base | end));
        ids.push(memory.id.to_string());
        fixture.create(NewMemory::plain(memory)).await?;
    }
    let any = IdKind::Memory(None);
    equal("all of them", named(store, "project/a", any, "1c0b").await?, ids.clone())?;
    equal(
        "those of a kind",
        named(store, "project/a", IdKind::Memory(Some(Kind::Fact)), "1c0b").await?,
        ids[..2].to_vec(),
    )?;
    equal("the one", named(store, "project/a", any, "1c0b0002").await?, vec![ids[1].clone()])?;
    let first = store.ids_named(&view("project/a"), any, &part("1c0b")?, 2).await?;
    equal("as many as asked for", first, ids[..2].to_vec())
}

async fn a_part_names_nothing_out_of_view(store: &dyn Store) -> Outcome {
    let mut fixture = Fixture::new(store);
    let here = fixture.remember("project/a", "here").await?.id;
    let global = fixture.remember("global", "everywhere").await?.id;
    let there = fixture.remember("project/b", "there").await?.id;
    let any = IdKind::Memory(None);
    for (id, is_seen) in [(here, true), (global, true), (there, false)] {
        for text in [tail(id.uuid()), id.uuid().to_string()[..23].to_owned()] {
            let wanted = if is_seen { vec![id.to_string()] } else { vec![] };
            equal("what is named", named(store, "project/a", any, &text).await?, wanted)?;
        }
    }
    Ok(())
}

async fn other_ids_are_found_too(store: &dyn Store) -> Outcome {
    let mut fixture = Fixture::new(store);
    let fact = fixture.remember("project/a", "Ada owns billing").await?.id;
    let run: RunId = fixture.end(&view("project/a"), fact).await?;
    let entity = fixture.entity("project/a", "Ada", EntityType::Person);
    store.upsert_entity(entity.clone()).await?;
    let document = fixture.document("project/a", "a.md");
    let chunks = fixture.chunks(&["one"]);
    store.put_document(document.clone(), chunks).await?;
    let job = fixture.job("embed", "key", "project/a");
    let at = fixture.now();
    let job_id = job.id;
    store.enqueue(vec![job], at).await?;
    let message = fixture.message("project/a", "s", "hello");
    let captured = fixture.stamp("capture");
    store.capture(captured.clone(), vec![message], Vec::new()).await?;
    for (kind, uuid, full) in [
        (IdKind::Run, run.uuid(), run.to_string()),
        (IdKind::Entity, entity.id.uuid(), entity.id.to_string()),
        (IdKind::Document, document.id.uuid(), document.id.to_string()),
        (IdKind::Job, job_id.uuid(), job_id.to_string()),
    ] {
        equal(kind.noun(), named(store, "project/a", kind, &tail(uuid)).await?, vec![full])?;
        equal(kind.noun(), named(store, "project/b", kind, &tail(uuid)).await?, vec![])?;
    }
    equal("a run that captured", named(store, "project/a", IdKind::Run, &tail(captured.run.uuid())).await?, vec![])
}
