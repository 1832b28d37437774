//! Without a model.

use std::time::Duration;

use scrubjay_test::TestApp;
use scrubjay_test::app::call;
use serde_json::json;

use super::talks::{ADA, BILLING, JONAS, say, settle, tell, told};

#[test]
fn a_project() {
    let app = TestApp::on_sqlite();
    let here = app.in_project("billing");
    tell(&app, &here, BILLING);
    insta::assert_snapshot!(told(&here));
}

#[test]
fn a_person() {
    let app = TestApp::on_sqlite();
    tell(&app, &app.owner, ADA);
    insta::assert_snapshot!(told(&app.owner));
}

#[test]
fn another_language() {
    let app = TestApp::on_sqlite();
    let here = app.in_project("dienst");
    tell(&app, &here, JONAS);
    insta::assert_snapshot!(told(&here));
}

#[test]
fn a_week_is_looked_back_upon() {
    let app = TestApp::on_sqlite();
    let here = app.in_project("billing");
    tell(&app, &here, BILLING);
    let shown = call(&here, "reflect", json!({"dry_run": true})).unwrap();
    assert!(shown["id"].is_null(), "{shown}");
    let kept = call(&here, "reflect", json!({})).unwrap();
    assert_eq!(kept["content"], shown["content"]);
    assert_eq!(kept["by"], "digest");
    insta::assert_snapshot!(kept["content"].as_str().unwrap());
    let again = call(&here, "reflect", json!({})).unwrap();
    assert!(again["skipped"].as_str().unwrap().contains("the last one is of"), "{again}");
    app.clock.advance(Duration::from_secs(6 * 24 * 60 * 60));
    let late = call(&here, "reflect", json!({})).unwrap();
    assert!(late["skipped"].as_str().unwrap().contains("at least 3 are needed"), "{late}");
    let elsewhere = call(&app.in_project("other"), "reflect", json!({})).unwrap();
    assert_eq!(elsewhere["facts"], 0, "another project has no week");
    let latest = scrubjay_test::app::block_on(scrubjay_engine::reflect::latest(&here, here.view())).unwrap().unwrap();
    assert_eq!(latest.id.to_string(), kept["id"]);
    assert_eq!(latest.decay_rate.value(), 0.0);
}

#[test]
fn nothing_is_looked_at_before_its_time() {
    let app = TestApp::on_sqlite();
    let here = app.in_project("billing");
    say(&here, "s", &[("user", "I live in Bern.")]);
    settle(&app);
    assert_eq!(told(&here), "", "one message, just now");
    app.clock.advance(Duration::from_secs(299));
    settle(&app);
    assert_eq!(told(&here), "");
    app.clock.advance(Duration::from_secs(1));
    settle(&app);
    assert!(told(&here).starts_with("I live in Bern."), "after five minutes");
    let many: Vec<(&str, String)> = (0..10).map(|number| ("user", format!("line {number}"))).collect();
    let turns: Vec<(&str, &str)> = many.iter().map(|(role, text)| (*role, text.as_str())).collect();
    say(&here, "t", &turns[..9]);
    settle(&app);
    say(&here, "t", &[("user", "My name is Ada Moreau.")]);
    settle(&app);
    assert!(told(&here).contains("My name is Ada Moreau."), "at the tenth message");
    say(&here, "u", &[("user", "I work for Acme.")]);
    call(&here, "session.end", json!({"session_id": "u"})).unwrap();
    settle(&app);
    assert!(told(&here).contains("I work for Acme."), "when it is over");
    let session = call(&here, "sessions", json!({})).unwrap()["sessions"].clone();
    let over = session.as_array().unwrap().iter().find(|session| session["session_id"] == "u").unwrap().clone();
    assert!(!over["ended_at"].is_null(), "drawing facts does not reopen it: {over}");
}

#[test]
fn a_switch_turns_it_off_and_tasks_are_left_alone() {
    let app = TestApp::with(None, &[("extract.enabled", "false")]);
    say(&app.owner, "s", &[("user", "I live in Bern.")]);
    app.clock.advance(Duration::from_secs(3600));
    settle(&app);
    assert_eq!(told(&app.owner), "");
    let found = call(&app.owner, "consolidate", json!({})).unwrap();
    assert_eq!(found["sessions"][0]["facts"][0]["outcome"], "new", "by hand it works: {found}");
}

#[test]
fn a_dry_run_tells_what_would_be_and_changes_nothing() {
    let app = TestApp::on_sqlite();
    let here = app.in_project("billing");
    for (session, turns) in BILLING {
        say(&here, session, turns);
        app.clock.advance(Duration::from_secs(1));
    }
    let facts = |dry_run: bool| {
        let answer = call(&here, "consolidate", json!({"dry_run": dry_run})).unwrap();
        let sessions = answer["sessions"].as_array().unwrap().clone();
        let facts: Vec<(String, String, usize)> = sessions
            .iter()
            .flat_map(|session| session["facts"].as_array().unwrap().clone())
            .map(|fact| {
                let text = |name: &str| fact[name].as_str().unwrap().to_owned();
                (text("content"), text("outcome"), fact["supersedes"].as_array().unwrap().len())
            })
            .collect();
        (facts, sessions.iter().all(|session| session["run"].is_null()))
    };
    let (planned, unchanged) = facts(true);
    assert!(unchanged && planned.len() > 6, "{planned:?}");
    assert_eq!(told(&here), "");
    assert_eq!(facts(true).0, planned, "a second look sees the same");
    assert_eq!(facts(false).0, planned, "and so it comes");
    assert_eq!(facts(false).0, [], "once");
}
