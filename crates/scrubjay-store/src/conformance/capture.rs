//! Messages are stored once, whichever way and however often they come.

use scrubjay_core::entity::EntityType;
use scrubjay_core::id::MemoryId;
use scrubjay_core::scope::View;

use super::case::{Failure, Outcome, cases, equal, holds, present};
use super::fixture::{Fixture, all, view};
use crate::Store;
use crate::change::{Captured, Change, NewMemory};
use crate::query::Activity;

cases![
    a_retry_with_a_client_id_is_a_duplicate,
    a_client_id_counts_within_its_session,
    the_same_text_in_a_session_is_a_duplicate,
    role_session_and_scope_make_another_message,
    given_times_tell_repetitions_apart,
    a_hook_and_a_transcript_give_one_message,
    two_named_messages_with_one_text_are_two,
    an_edited_message_is_still_known,
    a_batch_answers_in_order,
    a_batch_is_all_or_nothing,
    jobs_come_only_with_something_new,
    mentions_and_sessions_come_along,
    creating_twice_with_a_client_id_changes_nothing,
];

fn stored(captured: Captured) -> Result<MemoryId, Failure> {
    match captured {
        Captured::Stored(id) => Ok(id),
        other => Err(Failure::new(format!("not stored: {other:?}"))),
    }
}

fn named(mut message: NewMemory, client_id: &str) -> NewMemory {
    message.client_id = Some(client_id.to_owned());
    message
}

async fn a_retry_with_a_client_id_is_a_duplicate(store: &dyn Store) -> Outcome {
    let mut fixture = Fixture::new(store);
    let first = named(fixture.message("project/a", "s", "hello"), "m1");
    let id = stored(fixture.capture(first).await?)?;
    for text in ["hello", "another text"] {
        let again = named(fixture.message("project/a", "s", text), "m1");
        equal("a retry", fixture.capture(again).await?, Captured::Duplicate(id))?;
    }
    let session = present("the session", store.session(&view("project/a"), "s").await?)?;
    equal("messages", session.messages, 1)
}

async fn a_client_id_counts_within_its_session(store: &dyn Store) -> Outcome {
    let mut fixture = Fixture::new(store);
    for (place, session) in [("project/a", "s"), ("project/a", "t"), ("project/b", "s"), ("global", "s")] {
        let message = named(fixture.message(place, session, "hello"), "m1");
        stored(fixture.capture(message).await?)?;
    }
    let mut outside = named(fixture.fact("project/a", "no session"), "m1");
    let id = stored(fixture.capture(outside.clone()).await?)?;
    outside.memory.id = fixture.memory_id(outside.memory.kind());
    equal("a retry", fixture.capture(outside).await?, Captured::Duplicate(id))
}

async fn the_same_text_in_a_session_is_a_duplicate(store: &dyn Store) -> Outcome {
    let mut fixture = Fixture::new(store);
    let first = fixture.message("project/a", "s", "two\nlines");
    let id = stored(fixture.capture(first).await?)?;
    for text in ["two\nlines", "two\r\nlines  ", "\n two\nlines"] {
        let again = fixture.message("project/a", "s", text);
        equal("again", fixture.capture(again).await?, Captured::Duplicate(id))?;
    }
    let other = fixture.message("project/a", "s", "Two\nlines");
    stored(fixture.capture(other).await?)?;
    // Without a session there is no telling.
    for _ in 0..2 {
        let mut loose = fixture.message("project/a", "s", "two\nlines");
        loose.memory.session_id = None;
        stored(fixture.capture(loose).await?)?;
    }
    Ok(())
}

async fn role_session_and_scope_make_another_message(store: &dyn Store) -> Outcome {
    let mut fixture = Fixture::new(store);
    let first = fixture.message("project/a", "s", "yes");
    stored(fixture.capture(first).await?)?;
    for (place, session, role) in [
        ("project/a", "s", Some("assistant")),
        ("project/a", "s", None),
        ("project/a", "t", Some("user")),
        ("project/b", "s", Some("user")),
    ] {
        let mut other = fixture.message(place, session, "yes");
        other.memory.role = role.map(str::to_owned);
        stored(fixture.capture(other).await?)?;
    }
    Ok(())
}

async fn given_times_tell_repetitions_apart(store: &dyn Store) -> Outcome {
    let mut fixture = Fixture::new(store);
    let base = fixture.now();
    let mut at = |millis: i64, given: bool| {
        let mut message = fixture.message("project/a", "s", "yes");
        message.memory.event_time = base.plus_millis(millis);
        message.time_given = given;
        message
    };
    let messages =
        [at(0, true), at(60_000, true), at(60_001, true), at(500_000, false), at(-60_001, true), at(-60_000, true)];
    let mut answers = Vec::new();
    for message in messages {
        answers.push(matches!(fixture.capture(message).await?, Captured::Stored(_)));
    }
    equal("stored", answers, vec![true, false, true, false, true, false])
}

async fn a_hook_and_a_transcript_give_one_message(store: &dyn Store) -> Outcome {
    let mut fixture = Fixture::new(store);
    let hook = fixture.message("project/a", "s", "yes");
    let id = stored(fixture.capture(hook).await?)?;
    let transcript = named(fixture.message("project/a", "s", "yes"), "m1");
    equal("the same", fixture.capture(transcript.clone()).await?, Captured::Duplicate(id))?;
    // It has a name now, so another name is another message.
    let second = named(fixture.message("project/a", "s", "yes"), "m2");
    let second = stored(fixture.capture(second).await?)?;
    holds("the second is another one", second != id)?;
    equal("the first again", fixture.capture(transcript).await?, Captured::Duplicate(id))?;
    let hook = fixture.message("project/a", "s", "yes");
    equal("the hook again", fixture.capture(hook).await?, Captured::Duplicate(id))
}

async fn two_named_messages_with_one_text_are_two(store: &dyn Store) -> Outcome {
    let mut fixture = Fixture::new(store);
    for name in ["m1", "m2", "m3"] {
        let message = named(fixture.message("project/a", "s", "yes"), name);
        stored(fixture.capture(message).await?)?;
    }
    Ok(())
}

async fn an_edited_message_is_still_known(store: &dyn Store) -> Outcome {
    let mut fixture = Fixture::new(store);
    let message = fixture.message("project/a", "s", "as it was said");
    let id = stored(fixture.capture(message).await?)?;
    fixture.update(&view("project/a"), id, super::fixture::text("as it was corrected")).await?;
    let again = fixture.message("project/a", "s", "as it was said");
    equal("again", fixture.capture(again).await?, Captured::Duplicate(id))?;
    fixture.end(&view("project/a"), id).await?;
    let again = fixture.message("project/a", "s", "as it was said");
    equal("after it ended", fixture.capture(again).await?, Captured::Duplicate(id))
}

async fn a_batch_answers_in_order(store: &dyn Store) -> Outcome {
    let mut fixture = Fixture::new(store);
    let one = fixture.message("project/a", "s", "one");
    let one_again = fixture.message("project/a", "s", "one");
    let two = fixture.message("project/b", "s", "two");
    let (id, second) = (one.memory.id, two.memory.id);
    let stamp = fixture.stamp("capture");
    let answers = store.capture(stamp, vec![one, one_again, two], Vec::new()).await?;
    equal("answers", answers, vec![Captured::Stored(id), Captured::Duplicate(id), Captured::Stored(second)])
}

async fn a_batch_is_all_or_nothing(store: &dyn Store) -> Outcome {
    let mut fixture = Fixture::new(store);
    let known = fixture.remember("project/a", "known").await?;
    let good = fixture.message("project/a", "s", "good");
    let mut bad = fixture.message("project/a", "s", "bad");
    bad.memory.id = known.id;
    let job = fixture.job("extract", "s", "project/a");
    let stamp = fixture.stamp("capture");
    holds("it fails", store.capture(stamp, vec![good, bad], vec![job]).await.is_err())?;
    equal("memories", store.list(&view("project/a"), all(Activity::Any)).await?.memories, vec![known])?;
    equal("sessions", store.sessions(&view("project/a"), 10, 0).await?.len(), 0)?;
    equal("jobs", store.jobs(&view("project/a"), None, 10).await?.len(), 0)
}

async fn jobs_come_only_with_something_new(store: &dyn Store) -> Outcome {
    let mut fixture = Fixture::new(store);
    for (text, expected) in [("hello", 1), ("hello", 0), ("bye", 1)] {
        let message = fixture.message("project/a", "s", text);
        let job = fixture.job("extract", "s", "project/a");
        let id = job.id;
        let stamp = fixture.stamp("capture");
        store.capture(stamp, vec![message], vec![job]).await?;
        let jobs = store.jobs(&view("project/a"), None, 10).await?;
        equal(text, jobs.iter().filter(|job| job.id == id).count(), expected)?;
        for job in jobs {
            store.cancel_job(&view("project/a"), job.id).await?;
        }
    }
    Ok(())
}

async fn mentions_and_sessions_come_along(store: &dyn Store) -> Outcome {
    let mut fixture = Fixture::new(store);
    let view = view("project/a");
    let mut message = fixture.message("project/a", "s", "hello Ada");
    message.mentions = vec![fixture.mention("Ada", EntityType::Person)];
    let (id, when) = (message.memory.id, message.memory.event_time);
    stored(fixture.capture(message).await?)?;
    let names: Vec<String> = store.mentioned(&view, id).await?.into_iter().map(|entity| entity.name).collect();
    equal("mentioned", names, vec!["Ada".to_owned()])?;
    let session = present("the session", store.session(&view, "s").await?)?;
    equal("its span", (session.first_seen, session.last_seen, session.messages), (when, when, 1))
}

async fn creating_twice_with_a_client_id_changes_nothing(store: &dyn Store) -> Outcome {
    let mut fixture = Fixture::new(store);
    let first = named(fixture.fact("global", "once"), "key");
    let id = first.memory.id;
    fixture.create(first).await?;
    let again = named(fixture.fact("global", "once, in other words"), "key");
    let (_, applied) = fixture.apply(&View::global(), vec![Change::Create(Box::new(again))]).await?;
    equal("the answer", applied, vec![crate::change::Applied::Duplicate(id)])?;
    equal("memories", store.list(&View::global(), all(Activity::Any)).await?.memories.len(), 1)
}
