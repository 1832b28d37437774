//! The life of a session: it ends, or another begins; and what upkeep by hand goes through.

use std::sync::Arc;
use std::time::Duration;

use scrubjay_engine::Ctx;
use scrubjay_engine::changes::{Event, Follower};
use scrubjay_engine::schedule::drain;
use scrubjay_models::chat::Scripted;
use scrubjay_test::TestApp;
use scrubjay_test::app::{block_on, call};
use serde_json::{Value, json};

use super::talks::say;

const MINUTE: Duration = Duration::from_secs(60);

fn facts(ctx: &Ctx) -> Vec<String> {
    let listed = call(ctx, "list", json!({"kind": "fact"})).unwrap();
    listed["memories"].as_array().unwrap().iter().map(|memory| memory["content"].as_str().unwrap().to_owned()).collect()
}

/// Works off what is due now; what waits for its time stays.
fn work(app: &TestApp) {
    let drained = block_on(drain(&app.owner, Duration::from_secs(60))).unwrap();
    assert_eq!(drained.failed, 0, "{:?}", call(&app.owner, "jobs", json!({})));
}

#[test]
fn another_session_of_the_project_draws_facts_from_those_before() {
    let app = TestApp::on_sqlite();
    let (kiwi, plum) = (app.in_project("kiwi"), app.in_project("plum"));
    say(&kiwi, "one", &[("user", "We decided to use Kafka for the audit events.")]);
    say(&plum, "other", &[("user", "We decided to use NATS for the audit events.")]);
    work(&app);
    app.clock.advance(MINUTE);
    work(&app);
    assert_eq!(facts(&kiwi), [] as [&str; 0], "one message that is a minute old waits");
    say(&kiwi, "two", &[("user", "We decided to use Postgres for the ledger.")]);
    work(&app);
    let found = facts(&kiwi);
    assert!(found.len() == 1 && found[0].contains("Kafka"), "{found:?}");
    assert_eq!(facts(&plum), [] as [&str; 0], "another project's session is none of its business");
}

/// The sessions that a follower hears of.
fn completed(follower: &mut Follower) -> Vec<String> {
    let events = block_on(follower.look()).unwrap();
    let session = |event| match event {
        Event::SessionCompleted(session) => Some(format!("{} {}", session.scope, session.session_id)),
        Event::Changed(_) => None,
    };
    events.into_iter().filter_map(session).collect()
}

#[test]
fn a_session_that_was_gone_through_to_its_end_is_announced() {
    let app = TestApp::on_sqlite();
    let kiwi = app.in_project("kiwi");
    say(&kiwi, "before", &[("user", "Good evening.")]);
    call(&kiwi, "session.end", json!({"session_id": "before"})).unwrap();
    work(&app);
    let mut follower = block_on(Follower::begin(kiwi.clone())).unwrap();
    let mut elsewhere = block_on(Follower::begin(app.in_project("plum"))).unwrap();
    app.clock.advance(MINUTE);
    say(&kiwi, "one", &[("user", "We decided to use Kafka for the audit events.")]);
    app.clock.advance(10 * MINUTE);
    work(&app);
    assert_eq!(facts(&kiwi).len(), 1);
    assert_eq!(completed(&mut follower), [] as [&str; 0], "it may go on");
    say(&kiwi, "two", &[("user", "Good morning.")]);
    work(&app);
    assert_eq!(completed(&mut follower), ["project/kiwi one"]);
    call(&kiwi, "session.end", json!({"session_id": "two"})).unwrap();
    work(&app);
    assert_eq!(completed(&mut follower), ["project/kiwi two"]);
    // One that goes on is completed again, here by falling silent.
    app.clock.advance(MINUTE);
    say(&kiwi, "one", &[("user", "The audit events are kept for 90 days.")]);
    work(&app);
    assert_eq!(completed(&mut follower), [] as [&str; 0]);
    app.clock.advance(60 * MINUTE);
    call(&app.owner, "maintain", json!({"work": "consolidate"})).unwrap();
    assert_eq!(completed(&mut follower), ["project/kiwi one"]);
    call(&app.owner, "maintain", json!({"work": "consolidate"})).unwrap();
    assert_eq!(completed(&mut follower), [] as [&str; 0], "once");
    assert_eq!(completed(&mut elsewhere), [] as [&str; 0], "and to nobody who cannot see it");
    let sessions = call(&kiwi, "sessions", json!({})).unwrap();
    assert!(sessions["sessions"].as_array().unwrap().iter().all(|one| one["completed_at"].is_string()), "{sessions}");
}

#[test]
fn upkeep_by_hand_goes_through_what_is_not_idle_yet() {
    let app = TestApp::on_sqlite();
    say(&app.in_project("kiwi"), "one", &[("user", "We decided to use Kafka for the audit events.")]);
    let planned = call(&app.owner, "maintain", json!({"work": "consolidate", "dry_run": true})).unwrap();
    assert!(planned["done"][0]["told"][0].as_str().unwrap().contains("session one"), "{planned}");
    let done = call(&app.owner, "maintain", json!({"work": "consolidate"})).unwrap();
    assert_eq!(done["done"][0]["runs"].as_array().unwrap().len(), 1, "{done}");
    assert_eq!(facts(&app.in_project("kiwi")).len(), 1);
}

fn chat_that_names() -> Arc<Scripted> {
    let names = r#"{"names": [{"text": 1, "name": "Grace Hopper", "type": "person"}, {"text": 1, "name": "Initech", "type": "organization"}]}"#;
    Arc::new(Scripted::by(move |_| Some(names.to_owned())))
}

#[test]
fn names_found_at_night_are_taken_back_whole() {
    let app = TestApp::with_chat(chat_that_names());
    let kiwi = app.in_project("kiwi");
    say(&kiwi, "s", &[("user", "We met Grace Hopper at Initech on 2026-05-01.")]);
    let entities = || call(&kiwi, "entities", json!({})).unwrap()["entities"].clone();
    let memory = || call(&kiwi, "list", json!({"kind": "episode"})).unwrap()["memories"][0].clone();
    let (entities_before, before) = (entities(), memory());
    let enriched = call(&kiwi, "enrich", json!({})).unwrap();
    assert_eq!(enriched["mentions"], 2, "{enriched}");
    let run = enriched["runs"][0].as_str().unwrap_or_else(|| panic!("a run to undo: {enriched}")).to_owned();
    assert_eq!(entities().as_array().unwrap().len(), entities_before.as_array().unwrap().len() + 2);
    let undone = call(&kiwi, "undo", json!({"target": run})).unwrap();
    assert_eq!(entities(), entities_before, "{undone}");
    assert_eq!(memory()["attributes"], before["attributes"]);
    assert_eq!(call(&kiwi, "enrich", json!({})).unwrap()["looked_at"], 0, "what a person took back does not return");
    // An undoing can be undone, too.
    call(&kiwi, "undo", json!({"target": undone["run"]})).unwrap();
    let about = call(&kiwi, "entity", json!({"name": "grace hopper"})).unwrap();
    assert_eq!(about["memories"].as_array().unwrap().len(), 1, "{about}");
}

#[test]
fn a_second_summary_does_not_read_the_first() {
    let app = TestApp::on_sqlite();
    let turns = [
        ("user", "The login test fails on CI. Can you look at it?"),
        ("assistant", "The login test failed because the token expired after the clock was moved."),
        ("assistant", "Fixed: the login test now uses a fixed clock, and all 212 tests pass."),
    ];
    say(&app.owner, "s", &turns);
    let summarize = || call(&app.owner, "summarize", json!({"task": "fix the login test", "session": "s"})).unwrap();
    let (first, second) = (summarize(), summarize());
    assert_eq!(first["content"], second["content"]);
    let shown = call(&app.owner, "show", json!({"id": second["id"]})).unwrap();
    assert!(!shown["source_ids"].as_array().unwrap().contains(&first["id"]), "{shown}");
    assert_eq!(shown["source_ids"].as_array().unwrap().len(), turns.len());
}

#[test]
fn a_chat_model_can_be_among_those_who_look_for_names() {
    let settings = [("entities.accurate", "regex,dictionary,llm")];
    let app = TestApp::with_chat_and(chat_that_names(), &settings);
    let ctx = app.owner.clone();
    say(&ctx, "s", &[("user", "We met Grace Hopper at Initech.")]);
    work(&app);
    let names = |ctx: &Ctx| -> Vec<String> {
        let entities = call(ctx, "entities", json!({})).unwrap()["entities"].clone();
        let name = |entity: &Value| entity["name"].as_str().unwrap().to_owned();
        let mut names: Vec<String> = entities.as_array().unwrap().iter().map(name).collect();
        names.sort();
        names
    };
    assert_eq!(names(&ctx), ["Grace Hopper", "Initech"]);
    assert_eq!(call(&ctx, "enrich", json!({})).unwrap()["looked_at"], 0, "it is not asked about a memory twice");
    // Without a chat model the others go on.
    let app = TestApp::with(None, &settings);
    say(&app.owner, "s", &[("user", "We met on 2026-05-01.")]);
    work(&app);
    assert_eq!(names(&app.owner), ["2026-05-01"]);
}
