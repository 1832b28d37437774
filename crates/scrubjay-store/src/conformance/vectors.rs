//! Vectors belong to a generation, follow their items, and switch at once.

use scrubjay_core::error::ErrorCode;
use scrubjay_core::text::TextHash;

use super::case::{Failure, Outcome, cases, equal, holds, present, refused};
use super::fixture::{Fixture, importance, text, view};
use crate::Store;
use crate::item::{Coverage, Generation, GenerationId, GenerationState, NewGeneration, NewVectors, Waiting};

cases![
    the_first_generation_serves_at_once,
    the_same_model_is_the_same_generation,
    older_items_are_queued_in_portions,
    new_and_changed_texts_queue_themselves,
    vectors_come_with_their_items,
    a_text_that_changed_meanwhile_waits_again,
    the_switch_is_one_step,
    another_plan_retires_the_one_being_built,
    retired_vectors_go_in_portions,
    a_purge_takes_vectors_along,
    vectors_of_gone_items_are_passed_over,
    what_waits_is_counted_where_it_can_be_seen,
];

fn spec(model: &str) -> NewGeneration {
    NewGeneration { model: model.to_owned(), dimensions: 4, scheme: "plain".to_owned() }
}

fn vectors(waiting: &[Waiting], marker: u8) -> Vec<NewVectors> {
    let made = waiting.iter().map(|waiting| NewVectors {
        key: waiting.row.key,
        ticket: waiting.ticket,
        text: TextHash::of_message(waiting.row.item.text()),
        encoded: vec![marker; 4],
    });
    made.collect()
}

async fn begin(fixture: &mut Fixture<'_>, model: &str) -> Result<Generation, Failure> {
    let at = fixture.now();
    Ok(fixture.store.begin_generation(spec(model), at).await?)
}

async fn waiting_texts(store: &dyn Store, generation: GenerationId) -> Result<Vec<String>, Failure> {
    let waiting = store.waiting(generation, 100).await?;
    Ok(waiting.iter().map(|waiting| waiting.row.item.text().to_owned()).collect())
}

async fn embed_all(store: &dyn Store, generation: GenerationId, marker: u8) -> Result<usize, Failure> {
    while store.queue_older(generation, 100).await? {}
    let waiting = store.waiting(generation, 1000).await?;
    Ok(store.put_vectors(generation, vectors(&waiting, marker)).await?)
}

async fn the_first_generation_serves_at_once(store: &dyn Store) -> Outcome {
    let mut fixture = Fixture::new(store);
    let first = begin(&mut fixture, "one").await?;
    equal("state", first.state, GenerationState::Serving)?;
    let second = begin(&mut fixture, "two").await?;
    equal("state", second.state, GenerationState::Building)?;
    equal("both", store.generations().await?, vec![first, second])
}

async fn the_same_model_is_the_same_generation(store: &dyn Store) -> Outcome {
    let mut fixture = Fixture::new(store);
    let first = begin(&mut fixture, "one").await?;
    equal("the same", begin(&mut fixture, "one").await?, first.clone())?;
    let at = fixture.now();
    let other = store.begin_generation(NewGeneration { dimensions: 8, ..spec("one") }, at).await?;
    holds("other dimensions are another generation", other.id != first.id)
}

async fn older_items_are_queued_in_portions(store: &dyn Store) -> Outcome {
    let mut fixture = Fixture::new(store);
    for number in 0..5 {
        fixture.remember("project/a", &format!("number {number}")).await?;
    }
    let document = fixture.document("project/a", "file");
    store.put_document(document, fixture.chunks(&["chunk 0", "chunk 1"])).await?;
    let generation = begin(&mut fixture, "one").await?.id;
    equal("nothing yet", waiting_texts(store, generation).await?.len(), 0)?;
    let mut portions = 0;
    while store.queue_older(generation, 2).await? {
        portions += 1;
        holds("it ends", portions < 20)?;
    }
    equal("all of them", waiting_texts(store, generation).await?.len(), 7)?;
    equal("at its end", store.queue_older(generation, 2).await?, false)?;
    equal("no twice", waiting_texts(store, generation).await?.len(), 7)
}

async fn new_and_changed_texts_queue_themselves(store: &dyn Store) -> Outcome {
    let mut fixture = Fixture::new(store);
    let generation = begin(&mut fixture, "one").await?.id;
    let memory = fixture.remember("project/a", "osprey").await?;
    equal("the new one", waiting_texts(store, generation).await?, vec!["osprey".to_owned()])?;
    embed_all(store, generation, 1).await?;
    equal("done", waiting_texts(store, generation).await?.len(), 0)?;
    fixture.update(&view("project/a"), memory.id, importance(5.0)).await?;
    equal("the text is the same", waiting_texts(store, generation).await?.len(), 0)?;
    fixture.update(&view("project/a"), memory.id, text("heron")).await?;
    equal("the changed one", waiting_texts(store, generation).await?, vec!["heron".to_owned()])
}

async fn vectors_come_with_their_items(store: &dyn Store) -> Outcome {
    let mut fixture = Fixture::new(store);
    let generation = begin(&mut fixture, "one").await?.id;
    fixture.remember("project/a", "osprey").await?;
    let before = store.tail(None, 0, 100).await?.through;
    equal("stored", embed_all(store, generation, 9).await?, 1)?;
    let tail = store.tail(None, before, 100).await?;
    let row = present("a row", tail.entries.first().and_then(|entry| entry.row.clone()))?;
    let stored = present("vectors", row.vectors.first())?;
    equal("what is stored", (stored.generation, stored.encoded.clone()), (generation, vec![9; 4]))?;
    equal("whose text", stored.text, TextHash::of_message("osprey"))?;
    equal("how far", store.coverage(generation).await?, Coverage { embedded: 1, items: 1 })
}

async fn a_text_that_changed_meanwhile_waits_again(store: &dyn Store) -> Outcome {
    let mut fixture = Fixture::new(store);
    let generation = begin(&mut fixture, "one").await?.id;
    let memory = fixture.remember("project/a", "osprey").await?;
    let drawn = store.waiting(generation, 10).await?;
    fixture.update(&view("project/a"), memory.id, text("heron")).await?;
    store.put_vectors(generation, vectors(&drawn, 1)).await?;
    equal("it waits", waiting_texts(store, generation).await?, vec!["heron".to_owned()])
}

async fn the_switch_is_one_step(store: &dyn Store) -> Outcome {
    let mut fixture = Fixture::new(store);
    let first = begin(&mut fixture, "one").await?.id;
    fixture.remember("project/a", "osprey").await?;
    embed_all(store, first, 1).await?;
    let second = begin(&mut fixture, "two").await?.id;
    embed_all(store, second, 2).await?;
    let row = present("a row", store.all_items(None, 10).await?.into_iter().next())?;
    let both: Vec<u8> = row.vectors.iter().map(|stored| stored.encoded[0]).collect();
    equal("both side by side", both, vec![1, 2])?;
    store.serve_generation(second).await?;
    store.serve_generation(second).await?;
    let states: Vec<_> = store.generations().await?.iter().map(|generation| generation.state).collect();
    equal("states", states, vec![GenerationState::Retired, GenerationState::Serving])?;
    let row = present("a row", store.all_items(None, 10).await?.into_iter().next())?;
    equal("the new one alone", row.vectors.iter().map(|stored| stored.encoded[0]).collect(), vec![2])?;
    refused("back to a retired one", store.serve_generation(first).await, ErrorCode::NotFound)?;
    refused("an unknown one", store.serve_generation(GenerationId(99)).await, ErrorCode::NotFound)?;
    Ok(())
}

async fn another_plan_retires_the_one_being_built(store: &dyn Store) -> Outcome {
    let mut fixture = Fixture::new(store);
    for model in ["one", "two", "three"] {
        begin(&mut fixture, model).await?;
    }
    let states: Vec<_> = store.generations().await?.iter().map(|generation| generation.state).collect();
    equal("states", states, vec![GenerationState::Serving, GenerationState::Retired, GenerationState::Building])
}

async fn retired_vectors_go_in_portions(store: &dyn Store) -> Outcome {
    let mut fixture = Fixture::new(store);
    let first = begin(&mut fixture, "one").await?.id;
    for number in 0..5 {
        fixture.remember("project/a", &format!("number {number}")).await?;
    }
    embed_all(store, first, 1).await?;
    let second = begin(&mut fixture, "two").await?.id;
    store.serve_generation(second).await?;
    let mut portions = 0;
    while store.remove_retired(2).await? {
        portions += 1;
        holds("it ends", portions < 20)?;
    }
    equal("one is left", store.generations().await?.len(), 1)?;
    equal("no vectors", store.coverage(first).await?.embedded, 0)
}

async fn a_purge_takes_vectors_along(store: &dyn Store) -> Outcome {
    let mut fixture = Fixture::new(store);
    let generation = begin(&mut fixture, "one").await?.id;
    let memory = fixture.remember("project/a", "osprey").await?;
    let waiting = fixture.remember("project/a", "heron").await?;
    let drawn = store.waiting(generation, 1).await?;
    store.put_vectors(generation, vectors(&drawn, 1)).await?;
    fixture.purge(&view("project/a"), vec![memory.id, waiting.id]).await?;
    equal("vectors", store.coverage(generation).await?, Coverage { embedded: 0, items: 0 })?;
    equal("queue", waiting_texts(store, generation).await?.len(), 0)
}

async fn vectors_of_gone_items_are_passed_over(store: &dyn Store) -> Outcome {
    let mut fixture = Fixture::new(store);
    let generation = begin(&mut fixture, "one").await?.id;
    let memory = fixture.remember("project/a", "osprey").await?;
    let drawn = store.waiting(generation, 10).await?;
    fixture.purge(&view("project/a"), vec![memory.id]).await?;
    equal("stored", store.put_vectors(generation, vectors(&drawn, 1)).await?, 0)?;
    equal("nothing", store.coverage(generation).await?, Coverage { embedded: 0, items: 0 })
}

async fn what_waits_is_counted_where_it_can_be_seen(store: &dyn Store) -> Outcome {
    let mut fixture = Fixture::new(store);
    fixture.remember("project/a", "osprey").await?;
    fixture.remember("project/b", "heron").await?;
    fixture.remember("project/b", "egret").await?;
    let first = begin(&mut fixture, "one").await?.id;
    let counts = async |generation| {
        let (a, b) = (view("project/a"), view("project/b"));
        Ok::<_, Failure>((store.count_waiting(&a, generation).await?, store.count_waiting(&b, generation).await?))
    };
    equal("not queued yet", counts(first).await?, (1, 2))?;
    while store.queue_older(first, 1).await? {
        equal("partly queued", counts(first).await?, (1, 2))?;
    }
    embed_all(store, first, 1).await?;
    equal("all done", counts(first).await?, (0, 0))?;
    let memory = fixture.remember("project/a", "osprey again").await?;
    equal("a new one", counts(first).await?, (1, 0))?;
    embed_all(store, first, 1).await?;
    let second = begin(&mut fixture, "two").await?.id;
    fixture.update(&view("project/a"), memory.id, text("kestrel")).await?;
    equal("once each, although it is old and changed", counts(second).await?, (2, 2))?;
    equal("a changed one", counts(first).await?, (1, 0))
}
