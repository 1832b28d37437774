//! Writes wait until they are answered, once, and leave no text behind.

use scrubjay_core::error::ErrorCode;
use scrubjay_core::id::ConfirmationId;
use scrubjay_core::time::Timestamp;
use serde_json::{Value, json};

use super::case::{Outcome, cases, equal, holds, present, refused};
use super::fixture::{Fixture, scope, view};
use crate::Store;
use crate::context::{Confirmation, ConfirmationState, Settlement};

cases![
    confirmations_read_back_newest_first,
    an_answer_counts_once_and_leaves_no_text,
    an_accepted_write_keeps_its_input_until_it_is_done,
    what_nobody_answers_expires,
    confirmations_are_of_one_place,
];

fn waiting(fixture: &mut Fixture<'_>, place: &str, question: &str) -> Confirmation {
    let created_at = fixture.now();
    Confirmation {
        id: ConfirmationId::from(fixture.uuid()),
        scope: scope(place),
        operation: "remember".to_owned(),
        input: json!({"content": question}),
        question: question.to_owned(),
        actor: "agent".to_owned(),
        created_at,
        expires_at: created_at.plus_millis(60_000),
        state: ConfirmationState::Waiting,
        answered_at: None,
        answered_by: None,
        result: None,
    }
}

fn settlement(from: ConfirmationState, to: ConfirmationState, at: Timestamp, result: Option<Value>) -> Settlement {
    Settlement { from, to, at, by: "user".to_owned(), result }
}

async fn confirmations_read_back_newest_first(store: &dyn Store) -> Outcome {
    let mut fixture = Fixture::new(store);
    let mut asked = Vec::new();
    for number in 0..4 {
        let one = waiting(&mut fixture, "project/a", &format!("question {number}"));
        store.put_confirmation(one.clone()).await?;
        asked.insert(0, one);
    }
    let view = view("project/a");
    equal("all", store.confirmations(&view, None, 100).await?, asked.clone())?;
    equal("two", store.confirmations(&view, Some(ConfirmationState::Waiting), 2).await?, asked[..2].to_vec())?;
    equal("refused ones", store.confirmations(&view, Some(ConfirmationState::Refused), 9).await?, Vec::new())?;
    equal("one", store.confirmation(&view, asked[2].id).await?, Some(asked[2].clone()))
}

async fn an_answer_counts_once_and_leaves_no_text(store: &dyn Store) -> Outcome {
    let mut fixture = Fixture::new(store);
    let asked = waiting(&mut fixture, "project/a", "may it be?");
    store.put_confirmation(asked.clone()).await?;
    let (view, at) = (view("project/a"), fixture.now());
    let no = settlement(ConfirmationState::Waiting, ConfirmationState::Refused, at, None);
    let yes = settlement(ConfirmationState::Waiting, ConfirmationState::Accepted, at, None);
    holds("the first answer counts", store.settle_confirmation(&view, asked.id, no).await?)?;
    holds("the second does not", !store.settle_confirmation(&view, asked.id, yes).await?)?;
    let found = present("the confirmation", store.confirmation(&view, asked.id).await?)?;
    let wanted = Confirmation {
        state: ConfirmationState::Refused,
        answered_at: Some(at),
        answered_by: Some("user".to_owned()),
        input: Value::Null,
        question: String::new(),
        ..asked
    };
    equal("settled", found, wanted)?;
    let unknown = ConfirmationId::from(fixture.uuid());
    let none = settlement(ConfirmationState::Waiting, ConfirmationState::Refused, at, None);
    refused("unknown", store.settle_confirmation(&view, unknown, none).await, ErrorCode::NotFound).map(drop)
}

async fn an_accepted_write_keeps_its_input_until_it_is_done(store: &dyn Store) -> Outcome {
    let mut fixture = Fixture::new(store);
    let asked = waiting(&mut fixture, "project/a", "may it be?");
    store.put_confirmation(asked.clone()).await?;
    let (view, at) = (view("project/a"), fixture.now());
    let accepted = settlement(ConfirmationState::Waiting, ConfirmationState::Accepted, at, None);
    holds("accepted", store.settle_confirmation(&view, asked.id, accepted).await?)?;
    let found = present("the confirmation", store.confirmation(&view, asked.id).await?)?;
    equal("its input", found.input, asked.input.clone())?;
    let back = settlement(ConfirmationState::Accepted, ConfirmationState::Waiting, at, None);
    holds("it failed and waits again", store.settle_confirmation(&view, asked.id, back).await?)?;
    equal("as before", store.confirmation(&view, asked.id).await?, Some(asked.clone()))?;
    let done = Some(json!({"id": "x"}));
    let both = [(ConfirmationState::Waiting, None), (ConfirmationState::Accepted, done.clone())];
    for (from, result) in both {
        let step = settlement(from, ConfirmationState::Accepted, at, result);
        holds("goes on", store.settle_confirmation(&view, asked.id, step).await?)?;
    }
    let found = present("the confirmation", store.confirmation(&view, asked.id).await?)?;
    equal("what is left", (found.input, found.question, found.result), (Value::Null, String::new(), done))
}

async fn what_nobody_answers_expires(store: &dyn Store) -> Outcome {
    let mut fixture = Fixture::new(store);
    let (early, late) = (waiting(&mut fixture, "project/a", "early"), waiting(&mut fixture, "project/b", "late"));
    store.put_confirmation(early.clone()).await?;
    store.put_confirmation(late.clone()).await?;
    equal("before the time", store.expire_confirmations(early.expires_at.plus_millis(-1)).await?, 0)?;
    equal("at the time", store.expire_confirmations(early.expires_at).await?, 1)?;
    let found = present("the early one", store.confirmation(&view("project/a"), early.id).await?)?;
    equal("expired", (found.state, found.input), (ConfirmationState::Expired, Value::Null))?;
    equal("the late one", store.confirmation(&view("project/b"), late.id).await?, Some(late))
}

async fn confirmations_are_of_one_place(store: &dyn Store) -> Outcome {
    let mut fixture = Fixture::new(store);
    let mut ids = Vec::new();
    for place in ["global", "project/a", "project/b"] {
        let asked = waiting(&mut fixture, place, place);
        ids.push(asked.id);
        store.put_confirmation(asked).await?;
    }
    let here = view("project/a");
    let seen: Vec<_> = store.confirmations(&here, None, 9).await?.into_iter().map(|one| one.id).collect();
    equal("seen", seen, vec![ids[1], ids[0]])?;
    equal("a foreign one", store.confirmation(&here, ids[2]).await?, None)?;
    let yes = settlement(ConfirmationState::Waiting, ConfirmationState::Accepted, fixture.now(), None);
    refused("answering it", store.settle_confirmation(&here, ids[2], yes).await, ErrorCode::NotFound).map(drop)
}
