//! What was spent adds up, what was learned is found again, and a batch is
//! known until it is done with.

use scrubjay_core::time::Timestamp;
use serde_json::json;

use super::case::{Outcome, cases, equal, holds};
use super::fixture::Fixture;
use crate::Store;
use crate::item::GenerationId;
use crate::model::{Batch, Spend};

cases![
    what_is_spent_adds_up_by_day_role_and_model,
    what_was_learned_about_a_model_is_found_again,
    a_batch_is_known_until_it_is_removed,
];

fn spend(day: &str, role: &str, model: &str, calls: u64) -> Spend {
    Spend {
        day: day.to_owned(),
        role: role.to_owned(),
        model: model.to_owned(),
        calls,
        input_tokens: 10 * calls,
        output_tokens: calls,
        cost_micros: 3 * calls,
    }
}

async fn what_is_spent_adds_up_by_day_role_and_model(store: &dyn Store) -> Outcome {
    equal("nothing yet", store.spent_micros("2026-05-01").await?, 0)?;
    for spend in [
        spend("2026-05-02", "gate", "small", 1),
        spend("2026-05-01", "gate", "small", 2),
        spend("2026-05-01", "extract", "large", 4),
        spend("2026-05-01", "gate", "small", 8),
        spend("2026-04-30", "gate", "small", 16),
    ] {
        store.add_spend(spend).await?;
    }
    let expected = vec![
        spend("2026-05-01", "extract", "large", 4),
        spend("2026-05-01", "gate", "small", 10),
        spend("2026-05-02", "gate", "small", 1),
    ];
    equal("two days", store.spend("2026-05-01", "2026-05-02").await?, expected)?;
    equal("one day", store.spent_micros("2026-05-01").await?, 42)
}

async fn what_was_learned_about_a_model_is_found_again(store: &dyn Store) -> Outcome {
    let at = Fixture::new(store).now();
    equal("nothing yet", store.card("a/b").await?, None)?;
    store.put_card("a/b", "{\"dimensions\":3}", at).await?;
    store.put_card("a/b", "{\"dimensions\":4}", at).await?;
    equal("the newer", store.card("a/b").await?.as_deref(), Some("{\"dimensions\":4}"))?;
    equal("another model", store.card("a/c").await?, None)
}

async fn a_batch_is_known_until_it_is_removed(store: &dyn Store) -> Outcome {
    let made = |name: &str, at: i64| Batch {
        name: name.to_owned(),
        provider: "openai".to_owned(),
        model: "openai/m".to_owned(),
        generation: GenerationId(3),
        remote_id: None,
        items: json!([{"key": 1}, {"key": 2}]),
        tries: 1,
        created_at: Timestamp::from_millis(at),
        updated_at: Timestamp::from_millis(at),
    };
    store.put_batch(made("b", 2)).await?;
    store.put_batch(made("a", 5)).await?;
    let submitted = Batch {
        remote_id: Some("batch_1".to_owned()),
        tries: 2,
        updated_at: Timestamp::from_millis(9),
        ..made("b", 2)
    };
    store.put_batch(submitted.clone()).await?;
    equal("oldest first", store.batches().await?, vec![submitted, made("a", 5)])?;
    holds("it goes", store.remove_batch("b").await?)?;
    holds("only once", !store.remove_batch("b").await?)?;
    equal("the other stays", store.batches().await?.len(), 1)
}
