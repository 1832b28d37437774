//! What a person deleted or corrected does not come back.

use std::time::Duration;

use scrubjay_engine::Ctx;
use scrubjay_test::TestApp;
use scrubjay_test::app::{block_on, call};
use serde_json::{Value, json};

use super::talks::say;

const TALK: &[(&str, &str)] =
    &[("user", "I live in Bern."), ("assistant", "Nice."), ("user", "I'm allergic to peanuts.")];

fn facts(ctx: &Ctx) -> Vec<String> {
    let list = call(ctx, "list", json!({"kind": "fact", "order_by": "-created_at"})).unwrap();
    list["memories"].as_array().unwrap().iter().map(|fact| fact["content"].as_str().unwrap().to_owned()).collect()
}

fn id_of(ctx: &Ctx, content: &str) -> Value {
    let list = call(ctx, "list", json!({"kind": "fact"})).unwrap();
    list["memories"].as_array().unwrap().iter().find(|fact| fact["content"] == content).unwrap()["id"].clone()
}

// The same conversation again, as if nothing had ever been drawn from it.
fn from_the_beginning(app: &TestApp, ctx: &Ctx, session: &str) {
    let store = block_on(ctx.store()).unwrap();
    let mut copy = block_on(store.session(ctx.view(), session)).unwrap().unwrap();
    copy.consolidated_through = None;
    app.clock.advance(Duration::from_secs(60));
    // A dry run starts where the session is said to stand, and tells what would become of each candidate.
    let done =
        block_on(scrubjay_engine::consolidate::consolidate(ctx, &copy, scrubjay_engine::consolidate::Extent::DryRun));
    for outcome in done.unwrap().outcomes {
        assert_ne!(outcome.fate, scrubjay_engine::consolidate::Fate::New, "{outcome:?}");
        assert_ne!(outcome.fate, scrubjay_engine::consolidate::Fate::Merged, "{outcome:?}");
    }
    // And the same text under another name, captured anew.
    let again = format!("{session}-again");
    let messages: Vec<Value> = TALK
        .iter()
        .map(|(role, content)| json!({"session_id": again, "role": role, "content": content, "time": "2026-05-01T12:00:00Z"}))
        .collect();
    call(ctx, "capture", json!({"messages": messages})).unwrap();
}

#[test]
fn forgotten_stays_forgotten() {
    let app = TestApp::on_sqlite();
    say(&app.owner, "s", TALK);
    call(&app.owner, "consolidate", json!({})).unwrap();
    assert_eq!(facts(&app.owner), ["I live in Bern.", "I'm allergic to peanuts."]);
    call(&app.owner, "forget", json!({"ids": [id_of(&app.owner, "I live in Bern.")]})).unwrap();
    from_the_beginning(&app, &app.owner, "s");
    assert_eq!(facts(&app.owner), ["I'm allergic to peanuts."]);
}

#[test]
fn purged_stays_purged() {
    let app = TestApp::on_sqlite();
    say(&app.owner, "s", TALK);
    call(&app.owner, "consolidate", json!({})).unwrap();
    let id = id_of(&app.owner, "I live in Bern.");
    call(&app.owner, "purge", json!({"ids": [id], "yes": true})).unwrap();
    from_the_beginning(&app, &app.owner, "s");
    call(&app.owner, "consolidate", json!({})).unwrap();
    assert_eq!(facts(&app.owner), ["I'm allergic to peanuts."], "whoever says it, and wherever");
}

#[test]
fn corrected_and_undone_and_rejected_stay_away() {
    let app = TestApp::on_sqlite();
    say(&app.owner, "s", TALK);
    let run = call(&app.owner, "consolidate", json!({})).unwrap()["sessions"][0]["run"].clone();
    call(&app.owner, "correct", json!({"id": id_of(&app.owner, "I live in Bern."), "content": "I live in Biel."}))
        .unwrap();
    from_the_beginning(&app, &app.owner, "s");
    assert!(facts(&app.owner).contains(&"I live in Biel.".to_owned()));
    call(&app.owner, "undo", json!({})).unwrap();
    call(&app.owner, "undo", json!({"target": run})).unwrap();
    assert_eq!(facts(&app.owner), [] as [&str; 0]);
    from_the_beginning(&app, &app.owner, "s");
    assert_eq!(facts(&app.owner), [] as [&str; 0]);
}

#[test]
fn said_again_later_it_is_news() {
    let app = TestApp::on_sqlite();
    say(&app.owner, "s", TALK);
    call(&app.owner, "consolidate", json!({})).unwrap();
    call(&app.owner, "forget", json!({"ids": [id_of(&app.owner, "I live in Bern.")]})).unwrap();
    app.clock.advance(Duration::from_secs(24 * 60 * 60));
    say(&app.owner, "t", &[("user", "I live in Bern.")]);
    call(&app.owner, "consolidate", json!({})).unwrap();
    assert!(facts(&app.owner).contains(&"I live in Bern.".to_owned()));
}

#[test]
fn what_was_superseded_and_is_said_again_holds_anew() {
    let app = TestApp::on_sqlite();
    for (session, text) in [("a", "I live in Bern."), ("b", "I live in Basel."), ("c", "I live in Bern.")] {
        say(&app.owner, session, &[("user", text)]);
        call(&app.owner, "consolidate", json!({})).unwrap();
        app.clock.advance(Duration::from_secs(24 * 60 * 60));
    }
    let list = call(&app.owner, "list", json!({"kind": "fact", "order_by": "-created_at"})).unwrap();
    let told: Vec<(String, f64)> = list["memories"]
        .as_array()
        .unwrap()
        .iter()
        .map(|fact| (fact["content"].as_str().unwrap().to_owned(), fact["confidence"].as_f64().unwrap()))
        .collect();
    let expected = [("I live in Bern.", 0.3), ("I live in Basel.", 0.3), ("I live in Bern.", 0.9)];
    assert_eq!(told, expected.map(|(text, confidence)| (text.to_owned(), confidence)));
}

#[test]
fn an_older_talk_that_comes_in_late_does_not_win() {
    let app = TestApp::on_sqlite();
    say(&app.owner, "now", &[("user", "I live in Basel.")]);
    call(&app.owner, "consolidate", json!({})).unwrap();
    let old = json!({"session_id": "old", "role": "user", "content": "I live in Bern.", "time": "2024-01-01"});
    call(&app.owner, "capture", json!({"messages": [old]})).unwrap();
    call(&app.owner, "consolidate", json!({})).unwrap();
    let list = call(&app.owner, "list", json!({"kind": "fact"})).unwrap();
    for fact in list["memories"].as_array().unwrap() {
        let expected = if fact["content"] == "I live in Basel." { 0.9 } else { 0.3 };
        assert_eq!(fact["confidence"], expected, "{fact}");
    }
}
