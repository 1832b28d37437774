//! Conversations have a span, an end and a count.

use scrubjay_core::entity::EntityType;
use scrubjay_core::error::ErrorCode;
use scrubjay_core::id::MemoryId;
use scrubjay_core::memory::{Kind, Memory};
use scrubjay_core::time::Timestamp;

use super::case::{Failure, Outcome, cases, equal, holds, present, refused};
use super::fixture::{Fixture, scope, view};
use crate::Store;
use crate::change::{Change, NewMemory};
use crate::query::{Part, Session, SessionStep};

cases![
    a_session_spans_its_messages,
    sessions_are_listed_most_recent_first,
    sessions_are_paged_by_id_whatever_comes_and_goes,
    ending_a_session_happens_once,
    the_end_of_a_session_can_be_taken_back,
    a_session_that_goes_on_is_not_over,
    the_innermost_session_of_a_name_is_meant,
    an_import_widens_a_session,
    facts_with_a_session_count_too,
    episodes_come_in_the_order_they_were_stored,
    a_session_waits_until_it_was_looked_at,
    a_step_counts_once_and_whole,
    a_session_is_completed_once_and_opened_by_what_is_said_later,
    what_mentions_little_is_looked_at_again,
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
        completed_at: None,
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

async fn sessions_are_paged_by_id_whatever_comes_and_goes(store: &dyn Store) -> Outcome {
    let mut fixture = Fixture::new(store);
    let here = scope("project/a");
    let mut first = None;
    for (place, session) in
        [("project/a", "d"), ("project/a", "b"), ("global", "c"), ("project/b", "c"), ("project/a", "f")]
    {
        let message = fixture.message(place, session, "hello");
        let id = message.memory.id;
        fixture.capture(message).await?;
        first = first.or(Some(id).filter(|_| session == "b"));
    }
    let ids = |page: Vec<Session>| page.into_iter().map(|session| session.session_id).collect::<Vec<_>>();
    equal("first page", ids(store.sessions_by_id(&here, None, 2).await?), vec!["b".to_owned(), "d".to_owned()])?;
    // One before the key comes, one goes, one after it comes, and one of them is spoken in again.
    for session in ["a", "e", "f"] {
        let message = fixture.message("project/a", session, "hello again");
        fixture.capture(message).await?;
    }
    fixture.purge(&view("project/a"), vec![present("a message", first)?]).await?;
    equal("second page", ids(store.sessions_by_id(&here, Some("d"), 2).await?), vec!["e".to_owned(), "f".to_owned()])?;
    equal("the end", store.sessions_by_id(&here, Some("f"), 2).await?, Vec::new())?;
    equal("from a key that is gone", ids(store.sessions_by_id(&here, Some("b"), 1).await?), vec!["d".to_owned()])?;
    equal("all", store.sessions_by_id(&here, None, usize::MAX).await?.len(), 4)?;
    equal("elsewhere", store.sessions_by_id(&scope("project/none"), None, 9).await?, Vec::new())
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

async fn the_end_of_a_session_can_be_taken_back(store: &dyn Store) -> Outcome {
    let mut fixture = Fixture::new(store);
    let (here, elsewhere) = (view("project/a"), view("project/b"));
    for scope in ["project/a", "project/b"] {
        let message = fixture.message(scope, "s", "hello");
        fixture.capture(message).await?;
    }
    let now = fixture.now();
    equal("while it is open", store.reopen_session(&here, "s").await?, false)?;
    store.end_session(&here, "s", now).await?;
    store.end_session(&elsewhere, "s", now).await?;
    equal("it was over", store.reopen_session(&here, "s").await?, true)?;
    equal("its end", present("the session", store.session(&here, "s").await?)?.ended_at, None)?;
    equal("another's", present("the session", store.session(&elsewhere, "s").await?)?.ended_at, Some(now))?;
    refused("no session", store.reopen_session(&here, "t").await, ErrorCode::NotFound).map(drop)
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
    let mut earlier = fixture.message("project/a", "s", "told late");
    earlier.memory.event_time = now;
    fixture.capture(earlier).await?;
    let session = present("the session", store.session(&view, "s").await?)?;
    equal("after a message from before its end", session.ended_at, Some(now))?;
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
        completed_at: Some(at(80)),
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

async fn a_session_is_completed_once_and_opened_by_what_is_said_later(store: &dyn Store) -> Outcome {
    let mut fixture = Fixture::new(store);
    let (here, elsewhere) = (view("project/a"), view("project/b"));
    let at = |second: i64| Timestamp::from_millis(second * 1000);
    for (place, session, second) in [("project/a", "s", 10), ("project/a", "t", 20), ("project/b", "u", 30)] {
        let mut message = fixture.message(place, session, "hello");
        message.memory.event_time = at(second);
        fixture.capture(message).await?;
    }
    let ids = |sessions: Vec<Session>| sessions.into_iter().map(|session| session.session_id).collect::<Vec<_>>();
    let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
    let open = async |second| store.open_sessions(&scope("project/a"), at(second), 10).await.map(ids);
    equal("open", open(99).await?, names(&["s", "t"]))?;
    equal("those silent for long", open(20).await?, names(&["s"]))?;
    equal("the most silent", ids(store.open_sessions(&scope("project/a"), at(99), 1).await?), names(&["s"]))?;
    equal("later", store.began_after(&scope("project/a"), at(10)).await?, true)?;
    equal("not later", store.began_after(&scope("project/a"), at(20)).await?, false)?;
    let session = present("the session", store.session(&here, "s").await?)?;
    equal("completed", store.complete_session(session.clone(), at(50)).await?, true)?;
    equal("once", store.complete_session(session.clone(), at(51)).await?, false)?;
    equal("open", open(99).await?, names(&["t"]))?;
    let other = present("the other", store.session(&elsewhere, "u").await?)?;
    equal("completed", store.complete_session(other, at(60)).await?, true)?;
    let seen = store.completed_sessions(&here, 0, 10).await?;
    equal("when", seen.sessions[0].completed_at, Some(at(50)))?;
    equal("in view", (ids(seen.sessions), seen.through), (names(&["s"]), 2))?;
    let first = store.completed_sessions(&here, 0, 1).await?;
    equal("page by page", (ids(first.sessions), first.through), (names(&["s"]), 1))?;
    equal("nothing new", store.completed_sessions(&here, 2, 10).await?.sessions, Vec::new())?;
    let mut late = fixture.message("project/a", "s", "that was said before");
    late.memory.event_time = at(5);
    fixture.capture(late).await?;
    equal("open", open(99).await?, names(&["t"]))?;
    let mut message = fixture.message("project/a", "s", "one more thing");
    message.memory.event_time = at(70);
    fixture.capture(message).await?;
    equal("open again", open(99).await?, names(&["t", "s"]))?;
    equal("as it was read", store.complete_session(session, at(80)).await?, false)?;
    let session = present("the session", store.session(&here, "s").await?)?;
    equal("completed again", store.complete_session(session, at(80)).await?, true)?;
    let again = store.completed_sessions(&here, 2, 10).await?;
    equal("announced again", (ids(again.sessions), again.through), (names(&["s"]), 3))
}

async fn facts_with_a_session_count_too(store: &dyn Store) -> Outcome {
    let mut fixture = Fixture::new(store);
    let mut new = fixture.fact("project/a", "noted during a talk");
    new.memory.session_id = Some("s".to_owned());
    let when = fixture.create(new).await?.event_time;
    let session = present("the session", store.session(&view("project/a"), "s").await?)?;
    holds("it spans the fact", session.first_seen == when && session.messages == 1)
}

async fn talk(fixture: &mut Fixture<'_>, session: &str, lines: &[&str]) -> std::result::Result<Vec<MemoryId>, Failure> {
    let mut ids = Vec::new();
    for (place, content) in lines.iter().enumerate() {
        let mut message = fixture.message("project/a", session, content);
        // Times that run backwards: what counts is when we learned it.
        message.memory.event_time = Timestamp::from_millis(1_000_000 - place as i64 * 1000);
        ids.push(message.memory.id);
        fixture.capture(message).await?;
    }
    Ok(ids)
}

async fn episodes_come_in_the_order_they_were_stored(store: &dyn Store) -> Outcome {
    let mut fixture = Fixture::new(store);
    let ids = talk(&mut fixture, "s", &["a", "b", "c", "d"]).await?;
    talk(&mut fixture, "t", &["e"]).await?;
    let fact = fixture.fact("project/a", "noted");
    fixture.create(NewMemory { memory: with_session(fact.memory.clone(), "s"), ..fact }).await?;
    let here = scope("project/a");
    let texts = |part, limit| async move {
        let found = store.episodes(&scope("project/a"), "s", part, limit).await?;
        Ok::<_, Failure>(found.into_iter().map(|memory| memory.content).collect::<Vec<_>>().join(""))
    };
    equal("all", texts(Part::After(None), 10).await?, "abcd".to_owned())?;
    equal("the first", texts(Part::After(None), 2).await?, "ab".to_owned())?;
    equal("the rest", texts(Part::After(Some(ids[1])), 10).await?, "cd".to_owned())?;
    equal("the last two up to the third", texts(Part::UpTo(ids[2]), 2).await?, "bc".to_owned())?;
    fixture.purge(&view("project/a"), vec![ids[1]]).await?;
    equal("after one that was purged", texts(Part::After(Some(ids[1])), 10).await?, "cd".to_owned())?;
    equal("elsewhere", store.episodes(&scope("project/b"), "s", Part::After(None), 10).await?, Vec::new())?;
    equal("another session", store.episodes(&here, "u", Part::After(None), 10).await?, Vec::new())
}

async fn a_session_waits_until_it_was_looked_at(store: &dyn Store) -> Outcome {
    let mut fixture = Fixture::new(store);
    let ids = talk(&mut fixture, "s", &["a", "b", "c"]).await?;
    let later = talk(&mut fixture, "t", &["d"]).await?;
    let here = scope("project/a");
    let waiting = |session: Option<&'static str>| async move {
        let found = store.waiting_sessions(&scope("project/a"), session, 10).await?;
        Ok::<_, Failure>(found.into_iter().map(|one| (one.session.session_id, one.episodes)).collect::<Vec<_>>())
    };
    equal("both", waiting(None).await?, vec![("s".to_owned(), 3), ("t".to_owned(), 1)])?;
    equal("one", waiting(Some("t")).await?, vec![("t".to_owned(), 1)])?;
    let step = |session: &str, from, through| SessionStep {
        scope: here.clone(),
        session_id: session.to_owned(),
        from,
        through,
        newest_fact: None,
        repeated: Vec::new(),
    };
    let stamp = fixture.stamp("consolidate");
    store.consolidate(stamp, step("s", None, ids[1]), Vec::new(), Vec::new()).await?;
    equal("one is left", waiting(Some("s")).await?, vec![("s".to_owned(), 1)])?;
    let session = present("the session", store.session(&view("project/a"), "s").await?)?;
    equal("how far", session.consolidated_through, Some(ids[1]))?;
    let stamp = fixture.stamp("consolidate");
    store.consolidate(stamp, step("s", Some(ids[1]), ids[2]), Vec::new(), Vec::new()).await?;
    fixture.end(&view("project/a"), later[0]).await?;
    equal("none", waiting(None).await?, Vec::new())?;
    equal("elsewhere", store.waiting_sessions(&scope("project/b"), None, 10).await?, Vec::new())
}

async fn a_step_counts_once_and_whole(store: &dyn Store) -> Outcome {
    let mut fixture = Fixture::new(store);
    let here = view("project/a");
    let ids = talk(&mut fixture, "s", &["a", "b"]).await?;
    let known = fixture.remember("project/a", "known").await?;
    let over = fixture.now();
    store.end_session(&here, "s", over).await?;
    let step = |from, through, newest_fact, repeated| SessionStep {
        scope: scope("project/a"),
        session_id: "s".to_owned(),
        from,
        through,
        newest_fact,
        repeated,
    };
    fixture.remember("project/b", "elsewhere").await?;
    equal("the newest here", store.newest_fact(&scope("project/a")).await?, Some(known.id))?;
    equal("none there", store.newest_fact(&scope("project/c")).await?, None)?;
    let fact = fixture.fact("project/a", "drawn from a talk");
    let fact = NewMemory { memory: with_session(fact.memory.clone(), "s"), ..fact };
    let id = fact.memory.id;
    let stamp = fixture.stamp("consolidate");
    let changes = vec![Change::Create(Box::new(fact))];
    let unseen = step(None, ids[0], None, vec![known.id]);
    let refused = store.consolidate(stamp.clone(), unseen, changes.clone(), Vec::new()).await;
    holds("a fact that was not looked at refuses it", matches!(refused, Err(crate::StoreError::Changed { .. })))?;
    let seen = step(None, ids[0], Some(known.id), vec![known.id]);
    store.consolidate(stamp.clone(), seen, changes.clone(), Vec::new()).await?;
    let session = present("the session", store.session(&here, "s").await?)?;
    equal("it is still over", session.ended_at, Some(over))?;
    equal("what was said again was used", fixture.read(&here, known.id).await?.last_accessed, Some(stamp.at))?;
    let again = store.consolidate(stamp.clone(), step(None, ids[0], Some(id), Vec::new()), changes, Vec::new()).await;
    holds("the same step again is refused", matches!(again, Err(crate::StoreError::Changed { .. })))?;
    let wrong =
        vec![Change::Update { id, expected_version: Some(9), patch: Box::new(super::fixture::importance(5.0)) }];
    let refused = store.consolidate(stamp, step(Some(ids[0]), ids[1], Some(id), Vec::new()), wrong, Vec::new()).await;
    holds("a change made meanwhile refuses it", matches!(refused, Err(crate::StoreError::Changed { .. })))?;
    let session = present("the session", store.session(&here, "s").await?)?;
    equal("and it stays where it was", session.consolidated_through, Some(ids[0]))
}

async fn what_mentions_little_is_looked_at_again(store: &dyn Store) -> Outcome {
    let mut fixture = Fixture::new(store);
    let mut plain = fixture.fact("project/a", "plain");
    plain.memory.attributes.insert("enriched_at".to_owned(), serde_json::Value::Null);
    fixture.create(plain).await?;
    let one = fixture.remember("project/a", "one").await?;
    let many = fixture.remember("project/a", "many").await?;
    let mentions = ["x", "y", "z"].map(|name| fixture.mention(name, EntityType::Person)).to_vec();
    let mention = vec![fixture.mention("x", EntityType::Person)];
    store.link_mentions(&view("project/a"), vec![(many.id, mentions), (one.id, mention)]).await?;
    let ids = |found: Vec<Memory>| found.into_iter().map(|memory| memory.id).collect::<Vec<_>>();
    let here = scope("project/a");
    equal("few", ids(store.sparse(&here, 2, "enriched_at", 10).await?), vec![one.id])?;
    equal("more", ids(store.sparse(&here, 3, "enriched_at", 10).await?), vec![one.id, many.id])?;
    equal("elsewhere", store.sparse(&scope("project/b"), 3, "enriched_at", 10).await?, Vec::new())
}

fn with_session(memory: Memory, session: &str) -> Memory {
    Memory { session_id: Some(session.to_owned()), ..memory }
}
