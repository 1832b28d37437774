//! The embedding cache finds what it was given, keeps to its size and forgets
//! what was purged.

use scrubjay_core::text::TextHash;

use super::case::{Outcome, cases, equal};
use super::fixture::{Fixture, view};
use crate::Store;
use crate::item::CacheKey;

cases![
    a_vector_is_found_under_its_model_only,
    over_the_maximum_the_least_used_go,
    a_purge_reaches_the_cache,
    a_cleared_cache_is_empty,
];

fn key(model: &str) -> CacheKey {
    CacheKey { provider: "builtin".to_owned(), model: model.to_owned(), provider_key: "k".to_owned() }
}

fn hash(text: &str) -> TextHash {
    TextHash::of_message(text)
}

async fn a_vector_is_found_under_its_model_only(store: &dyn Store) -> Outcome {
    let mut fixture = Fixture::new(store);
    let at = fixture.now();
    store.cache(&key("one"), vec![(hash("a"), vec![1]), (hash("b"), vec![2])], None, at).await?;
    let texts = vec![hash("b"), hash("c"), hash("a")];
    let found = store.cached(&key("one"), texts.clone(), at).await?;
    equal("in order", found, vec![Some(vec![2]), None, Some(vec![1])])?;
    equal("another model", store.cached(&key("two"), texts, at).await?, vec![None, None, None])?;
    store.cache(&key("one"), vec![(hash("a"), vec![7])], None, at).await?;
    equal("the newer one", store.cached(&key("one"), vec![hash("a")], at).await?, vec![Some(vec![7])])
}

async fn over_the_maximum_the_least_used_go(store: &dyn Store) -> Outcome {
    let mut fixture = Fixture::new(store);
    for text in ["a", "b", "c"] {
        let at = fixture.now();
        store.cache(&key("one"), vec![(hash(text), vec![1])], Some(3), at).await?;
    }
    let at = fixture.now();
    store.cached(&key("one"), vec![hash("a")], at).await?;
    let at = fixture.now();
    store.cache(&key("one"), vec![(hash("d"), vec![1])], Some(3), at).await?;
    equal("entries", store.cache_entries().await?, 3)?;
    let found = store.cached(&key("one"), ["a", "b", "c", "d"].map(hash).to_vec(), at).await?;
    equal("who is left", found.iter().map(Option::is_some).collect(), vec![true, false, true, true])
}

async fn a_purge_reaches_the_cache(store: &dyn Store) -> Outcome {
    let mut fixture = Fixture::new(store);
    let memory = fixture.remember("project/a", "osprey").await?;
    let at = fixture.now();
    store.cache(&key("one"), vec![(hash("osprey"), vec![1]), (hash("heron"), vec![1])], None, at).await?;
    fixture.purge(&view("project/a"), vec![memory.id]).await?;
    equal("entries", store.cache_entries().await?, 1)
}

async fn a_cleared_cache_is_empty(store: &dyn Store) -> Outcome {
    let mut fixture = Fixture::new(store);
    let at = fixture.now();
    store.cache(&key("one"), vec![(hash("a"), vec![1])], None, at).await?;
    store.clear_cache().await?;
    equal("entries", store.cache_entries().await?, 0)
}
