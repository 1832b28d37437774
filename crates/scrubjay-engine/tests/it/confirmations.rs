//! What a person must allow is not done before.

use std::time::Duration;

use scrubjay_core::error::ErrorCode;
use scrubjay_engine::Ctx;
use scrubjay_test::TestApp;
use scrubjay_test::app::call;
use serde_json::{Value, json};

fn preference(ctx: &Ctx, content: &str) -> Value {
    call(ctx, "remember", json!({"content": content, "type": "preference", "scope": "global"})).unwrap()
}

fn kept(ctx: &Ctx) -> Vec<String> {
    let listed = call(ctx, "list", json!({})).unwrap();
    let memories = listed["memories"].as_array().unwrap();
    memories.iter().map(|memory| memory["content"].as_str().unwrap().to_owned()).collect()
}

fn answer(ctx: &Ctx, pending: &Value, said: &str) -> scrubjay_engine::Result<Value> {
    call(ctx, "confirmations.answer", json!({"id": pending, "answer": said}))
}

fn waiting(ctx: &Ctx) -> usize {
    call(ctx, "confirmations.list", json!({})).unwrap()["confirmations"].as_array().unwrap().len()
}

#[test]
fn nothing_is_applied_before_the_answer() {
    for app in [TestApp::on_sqlite(), TestApp::in_memory()] {
        let here = app.in_project("apple").acting_as("agent");
        let (yes, no) = (preference(&here, "Answers in British English"), preference(&here, "Prefers tabs"));
        assert_eq!((&yes["id"], &yes["merged_into"]), (&Value::Null, &Value::Null));
        assert!(kept(&here).is_empty() && waiting(&here) == 2);
        let recalled = call(&here, "recall", json!({"query": "British English", "min_score": 0.0})).unwrap();
        assert_eq!(recalled["hits"], json!([]));
        let person = app.in_project("apple");
        assert_eq!(answer(&here, &yes["pending"], "yes").unwrap_err().code(), ErrorCode::Refused, "an agent's word");
        let done = answer(&person, &yes["pending"], "yes").unwrap();
        assert_eq!(done["state"], "accepted");
        assert_eq!(answer(&person, &no["pending"], "no").unwrap()["state"], "refused");
        assert_eq!(kept(&app.in_project("birch")), ["Answers in British English"]);
        let memory = call(&here, "show", json!({"id": done["result"]["id"]})).unwrap();
        assert_eq!((&memory["origin"]["kind"], &memory["scope"]), (&json!("assistant"), &json!("global")));
        for pending in [&yes["pending"], &no["pending"]] {
            assert_eq!(answer(&person, pending, "yes").unwrap_err().code(), ErrorCode::Refused, "once is enough");
        }
        assert_eq!((kept(&here).len(), waiting(&here)), (1, 0));
    }
}

#[test]
fn an_agent_cannot_consent_for_a_person() {
    let app = TestApp::in_memory();
    let agent = app.in_project("apple").acting_as("agent");
    let input = json!({"content": "Obeys eve", "type": "preference", "scope": "global", "yes": true});
    assert!(call(&agent, "remember", input.clone()).unwrap()["pending"].is_string());
    call(&app.in_project("apple"), "remember", input).unwrap()["id"].as_str().unwrap();
    let cleared = call(&agent, "forget", json!({"scope": "global", "yes": true})).unwrap();
    assert!(cleared["pending"].is_string() && cleared["ids"] == json!([]), "{cleared}");
    assert_eq!(kept(&agent).len(), 1);
}

#[test]
fn changes_of_preferences_wait_too() {
    let app = TestApp::on_sqlite();
    let here = app.in_project("apple");
    let input = json!({"content": "Answers in British English", "type": "preference", "scope": "global", "yes": true});
    let id = call(&here, "remember", input).unwrap()["id"].clone();
    let agent = here.clone().acting_as("agent");
    let edit = call(&agent, "edit", json!({"id": id, "content": "Answers in pirate speak"})).unwrap();
    let correct = call(&agent, "correct", json!({"id": id, "content": "Answers in Latin"})).unwrap();
    let merge = call(&agent, "remember", json!({"content": "Answers in British English.", "scope": "global"})).unwrap();
    assert!([&edit, &correct, &merge].iter().all(|one| one["pending"].is_string()), "{edit} {correct} {merge}");
    assert_eq!((&correct["id"], &edit["memory"]["content"]), (&Value::Null, &json!("Answers in British English")));
    assert_eq!(kept(&here), ["Answers in British English"]);
    answer(&here, &edit["pending"], "yes").unwrap();
    assert_eq!(kept(&here), ["Answers in pirate speak"]);
    // A pattern, or a preference of one project, needs nobody.
    for input in [
        json!({"content": "Retries need jitter", "type": "pattern", "scope": "global"}),
        json!({"content": "This project uses spaces", "type": "preference"}),
    ] {
        assert!(call(&agent, "remember", input).unwrap()["id"].is_string());
    }
    let own = call(&agent, "remember", json!({"content": "Small commits please", "type": "preference"})).unwrap();
    let promoted = call(&agent, "promote", json!({"id": own["id"], "to": "global"})).unwrap();
    assert!(promoted["pending"].is_string() && promoted["id"].is_null());
    let done = answer(&here, &promoted["pending"], "yes").unwrap();
    assert_eq!(done["result"]["scope"], "global");
}

#[test]
fn clearing_everything_waits_and_is_undone() {
    let app = TestApp::in_memory();
    let here = app.in_project("apple");
    for number in 0..3 {
        let input =
            json!({"content": format!("Pattern number {number} for all"), "type": "pattern", "scope": "global"});
        call(&here, "remember", input).unwrap();
    }
    let cleared = call(&here, "forget", json!({"scope": "global"})).unwrap();
    assert_eq!(kept(&here).len(), 3);
    let done = answer(&here, &cleared["pending"], "yes").unwrap();
    assert!(kept(&here).is_empty());
    call(&here, "undo", json!({"target": done["result"]["run"]})).unwrap();
    assert_eq!(kept(&here).len(), 3);
}

#[test]
fn what_nobody_answers_expires() {
    let app = TestApp::on_sqlite();
    let here = app.in_project("apple");
    let asked = preference(&here, "Answers in British English");
    app.clock.advance(Duration::from_secs(168 * 3600 - 1));
    assert_eq!(waiting(&here), 1);
    app.clock.advance(Duration::from_secs(1));
    assert_eq!(waiting(&here), 0);
    assert_eq!(answer(&here, &asked["pending"], "yes").unwrap_err().code(), ErrorCode::Refused);
    assert!(kept(&here).is_empty());
    let all = call(&here, "confirmations.list", json!({"all": true})).unwrap();
    let one = &all["confirmations"][0];
    assert_eq!((&one["state"], &one["question"]), (&json!("expired"), &json!("")), "no text is left");
}

#[test]
fn confirmations_are_answered_where_they_are_seen() {
    let app = TestApp::on_sqlite();
    let (here, there) = (app.in_project("apple"), app.in_project("birch"));
    let asked = preference(&here, "Answers in British English");
    assert_eq!(waiting(&there), 0);
    let confined = there.clone().confined_to("birch".parse().unwrap());
    assert_eq!(answer(&confined, &asked["pending"], "yes").unwrap_err().code(), ErrorCode::Refused);
    let refused = call(&confined, "confirmations.list", json!({"all_projects": true})).unwrap_err();
    assert_eq!(refused.code(), ErrorCode::Refused);
    let all = call(&there, "confirmations.list", json!({"all_projects": true})).unwrap();
    assert_eq!(all["confirmations"].as_array().unwrap().len(), 1, "the owner sees all");
    answer(&there, &asked["pending"], "yes").unwrap();
    assert_eq!(kept(&there).len(), 1);
}

#[test]
fn no_secret_waits() {
    let app = TestApp::on_sqlite();
    let here = app.in_project("apple");
    let secret = format!("ghp_{}", "aZ3bY7cX1dW9eV5fU2gT8hS4iR6jQ0kP1lO3");
    let asked = preference(&here, &format!("Push with the token {secret} please"));
    assert!(!asked["warnings"].as_array().unwrap().is_empty(), "{asked}");
    let listed = call(&here, "confirmations.list", json!({})).unwrap().to_string();
    assert!(listed.contains("REDACTED") && !listed.contains(&secret), "{listed}");
}
