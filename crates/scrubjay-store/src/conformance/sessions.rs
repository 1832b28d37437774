//! Conversations have a span, an end and a count.

use scrubjay_core::error::ErrorCode;
use scrubjay_core::memory::Kind;
use scrubjay_core::time::Timestamp;

use super::case::{Outcome, cases, equal, holds, present, refused};
use super::fixture::{Fixture, scope, view};
use crate::Store;
use crate::query::Session;

cases![
    a_session_spans_its_messages,
    sessions_are_listed_most_recent_first,
    ending_a_session_happens_once,
    a_session_that_goes_on_is_not_over,
    the_innermost_session_of_a_name_is_meant,
    an_import_widens_a_session,
    facts_with_a_session_count_too,
];

async fn a_session_spans_its_messages(store: &dyn Store) -> Outcome {
    let mut fixture = Fixture::new(store);
    for (second, content) in [(50, "b"), (10, "a"), (90, "c"), (10, "a")] {
        let mut message = fixture.message("project/a", "s", content);
        message.memory.event_time = Timestamp::from_millis(second * 1000);
        fixture.capture(message).await?;
    }
    let session = present("the session", store.session(&view("project/a"), "s").await?)?;
    let wanted = Session {
        session_id: "s".to_owned(),
        scope: scope("project/a"),
        first_seen: Timestamp::from_millis(10_000),
        last_seen: Timestamp::from_millis(90_000),
        ended_at: None,
        messages: 3,
        consolidated_through: None,
    };
    equal("the session", session, wanted)
}

async fn sessions_are_listed_most_recent_first(store: &dyn Store) -> Outcome {
    let mut fixture = Fixture::new(store);
    for (session, second) in [("b", 5), ("a", 5), ("late", 9), ("early", 1)] {
        let mut message = fixture.message("project/a", session, "hello");
        message.memory.event_time = Timestamp::from_millis(second * 1000);
        fixture.capture(message).await?;
    }
    let wanted = ["late", "a", "b", "early"];
    for limit in [1, 3, 10] {
        let mut seen = Vec::new();
        loop {
            let page = store.sessions(&view("project/a"), limit, seen.len()).await?;
            if page.is_empty() {
                break;
            }
            seen.extend(page.into_iter().map(|session| session.session_id));
        }
        equal("sessions", seen, wanted.map(str::to_owned).to_vec())?;
    }
    equal("far away", store.sessions(&view("project/a"), usize::MAX, usize::MAX).await?, Vec::new())
}

async fn ending_a_session_happens_once(store: &dyn Store) -> Outcome {
    let mut fixture = Fixture::new(store);
    let view = view("project/a");
    let message = fixture.message("project/a", "s", "hello");
    fixture.capture(message).await?;
    let (first, second) = (fixture.now(), fixture.now());
    store.end_session(&view, "s", first).await?;
    store.end_session(&view, "s", second).await?;
    let session = present("the session", store.session(&view, "s").await?)?;
    equal("its end", session.ended_at, Some(first))?;
    refused("no session", store.end_session(&view, "t", first).await, ErrorCode::NotFound).map(drop)
}

async fn a_session_that_goes_on_is_not_over(store: &dyn Store) -> Outcome {
    let mut fixture = Fixture::new(store);
    let view = view("project/a");
    let message = fixture.message("project/a", "s", "hello");
    fixture.capture(message.clone()).await?;
    let now = fixture.now();
    store.end_session(&view, "s", now).await?;
    fixture.capture(message).await?;
    let session = present("the session", store.session(&view, "s").await?)?;
    equal("after a duplicate", session.ended_at, Some(now))?;
    let message = fixture.message("project/a", "s", "one more thing");
    fixture.capture(message).await?;
    let session = present("the session", store.session(&view, "s").await?)?;
    equal("after a message", session.ended_at, None)
}

async fn the_innermost_session_of_a_name_is_meant(store: &dyn Store) -> Outcome {
    let mut fixture = Fixture::new(store);
    for place in ["global", "project/a", "task/a/t", "project/b"] {
        let message = fixture.message(place, "s", "hello");
        fixture.capture(message).await?;
    }
    for place in ["global", "project/a", "task/a/t", "project/b"] {
        let session = present(place, store.session(&view(place), "s").await?)?;
        equal(place, session.scope, scope(place))?;
    }
    let now = fixture.now();
    store.end_session(&view("task/a/t"), "s", now).await?;
    for (place, ended) in [("global", None), ("project/a", None), ("task/a/t", Some(now))] {
        equal(place, present(place, store.session(&view(place), "s").await?)?.ended_at, ended)?;
    }
    equal("listed", store.sessions(&view("task/a/t"), 10, 0).await?.len(), 3)
}

async fn an_import_widens_a_session(store: &dyn Store) -> Outcome {
    let mut fixture = Fixture::new(store);
    let view = view("project/a");
    let at = |second: i64| Timestamp::from_millis(second * 1000);
    let imported = Session {
        session_id: "s".to_owned(),
        scope: scope("project/a"),
        first_seen: at(50),
        last_seen: at(60),
        ended_at: None,
        messages: 4,
        consolidated_through: Some(fixture.memory_id(Kind::Episode)),
    };
    store.put_session(imported.clone()).await?;
    equal("new", store.session(&view, "s").await?, Some(imported.clone()))?;
    let wider = Session { first_seen: at(10), last_seen: at(55), ended_at: Some(at(70)), ..imported.clone() };
    store.put_session(wider).await?;
    let session = present("the session", store.session(&view, "s").await?)?;
    let span = (session.first_seen, session.last_seen, session.ended_at, session.messages);
    equal("the span", span, (at(10), at(60), Some(at(70)), 4))?;
    store.put_session(Session { ended_at: Some(at(99)), ..imported }).await?;
    let session = present("the session", store.session(&view, "s").await?)?;
    equal("its end", session.ended_at, Some(at(70)))
}

async fn facts_with_a_session_count_too(store: &dyn Store) -> Outcome {
    let mut fixture = Fixture::new(store);
    let mut new = fixture.fact("project/a", "noted during a talk");
    new.memory.session_id = Some("s".to_owned());
    let when = fixture.create(new).await?.event_time;
    let session = present("the session", store.session(&view("project/a"), "s").await?)?;
    holds("it spans the fact", session.first_seen == when && session.messages == 1)
}
