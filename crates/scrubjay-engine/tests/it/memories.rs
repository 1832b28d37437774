//! The life of a memory through operations.

use std::time::Duration;

use scrubjay_core::error::ErrorCode;
use scrubjay_engine::Ctx;
use scrubjay_test::TestApp;
use scrubjay_test::app::call;
use serde_json::{Value, json};

fn remember(ctx: &Ctx, content: &str) -> String {
    call(ctx, "remember", json!({"content": content})).unwrap()["id"].as_str().unwrap().to_owned()
}

fn contents(ctx: &Ctx, input: Value) -> Vec<String> {
    let answer = call(ctx, "list", input).unwrap();
    answer["memories"].as_array().unwrap().iter().map(|memory| memory["content"].as_str().unwrap().to_owned()).collect()
}

fn code(result: scrubjay_engine::Result<Value>) -> ErrorCode {
    result.unwrap_err().code()
}

#[test]
fn a_fact_said_again_is_merged_and_counts_more() {
    let app = TestApp::in_memory();
    let here = app.in_project("apple");
    let id = remember(&here, "User prefers dark mode in the editor");
    let again =
        call(&here, "remember", json!({"content": "The user prefers dark mode in the editor.", "tags": ["ui"]}))
            .unwrap();
    assert_eq!((&again["id"], &again["merged_into"]), (&Value::Null, &json!(id)));
    let shown = call(&here, "show", json!({"id": id})).unwrap();
    assert_eq!((&shown["importance"], &shown["tags"]), (&json!(3.25), &json!(["ui"])));
    for different in ["User prefers light mode in the editor", "User never prefers dark mode in the editor"] {
        let answer = call(&here, "remember", json!({"content": different})).unwrap();
        assert!(answer["id"].is_string(), "{different} was merged: {answer}");
    }
    let elsewhere =
        call(&app.in_project("birch"), "remember", json!({"content": "User prefers dark mode in the editor"}));
    assert!(elsewhere.unwrap()["id"].is_string());
}

#[test]
fn a_correction_replaces_links_and_can_be_undone_whole() {
    let app = TestApp::on_sqlite();
    let here = app.in_project("apple");
    let old = remember(&here, "The build server runs on port 8080");
    let answer = call(&here, "correct", json!({"id": old, "content": "The build server runs on port 9090"})).unwrap();
    let new = answer["id"].as_str().unwrap();
    assert_eq!(contents(&here, json!({})), ["The build server runs on port 9090"]);
    let shown = call(&here, "show", json!({"id": old})).unwrap();
    assert_eq!(shown["ended_by"], "corrected");
    assert_eq!(shown["links"], json!([{"from": new, "relation": "supersedes", "to": old}]));
    let undone = call(&here, "undo", json!({})).unwrap();
    assert_eq!((&undone["operation"], &undone["changes"]), (&json!("correct"), &json!(3)));
    assert_eq!(contents(&here, json!({})), ["The build server runs on port 8080"]);
    call(&here, "undo", json!({"target": undone["run"]})).unwrap();
    assert_eq!(contents(&here, json!({})), ["The build server runs on port 9090"]);
}

#[test]
fn undo_goes_back_step_by_step() {
    let app = TestApp::on_sqlite();
    let here = app.in_project("apple");
    let id = remember(&here, "first wording");
    for wording in ["second wording", "third wording"] {
        call(&here, "edit", json!({"id": id, "content": wording})).unwrap();
    }
    for expected in ["second wording", "first wording"] {
        call(&here, "undo", json!({})).unwrap();
        assert_eq!(contents(&here, json!({})), [expected]);
    }
    call(&here, "undo", json!({})).unwrap();
    assert!(contents(&here, json!({})).is_empty());
    assert_eq!(code(call(&here, "undo", json!({}))), ErrorCode::Conflict);
    let history = call(&here, "history", json!({"id": id})).unwrap();
    let versions: Vec<u64> =
        history["changes"].as_array().unwrap().iter().map(|change| change["version"].as_u64().unwrap()).collect();
    assert_eq!(versions, [1, 2, 3, 4, 5, 6]);
}

#[test]
fn confirming_protects_and_time_fades_the_rest() {
    let app = TestApp::in_memory();
    let here = app.in_project("apple");
    let (kept, faded) = (remember(&here, "the office is in Bern"), remember(&here, "lunch is at noon"));
    call(&here, "confirm", json!({"id": kept})).unwrap();
    app.clock.advance(Duration::from_secs(10 * 86_400));
    let listed = call(&here, "list", json!({})).unwrap();
    let of = |id: &str| {
        let memories = listed["memories"].as_array().unwrap();
        memories.iter().find(|memory| memory["id"] == id).unwrap()["effective_confidence"].as_f64().unwrap()
    };
    assert_eq!(of(&kept), 1.0);
    assert!((of(&faded) - (-1.0f64).exp()).abs() < 1e-6);
}

#[test]
fn forgetting_by_condition_needs_consent() {
    let app = TestApp::in_memory();
    let here = app.in_project("apple");
    for number in 0..3 {
        call(&here, "remember", json!({"content": format!("note number {number}"), "tags": ["old"]})).unwrap();
    }
    remember(&here, "something else");
    assert_eq!(code(call(&here, "forget", json!({}))), ErrorCode::InvalidInput);
    assert_eq!(code(call(&here, "forget", json!({"tags": ["old"]}))), ErrorCode::Refused);
    let dry = call(&here, "forget", json!({"tags": ["old"], "dry_run": true})).unwrap();
    assert_eq!(dry["ids"].as_array().unwrap().len(), 3);
    assert_eq!(contents(&here, json!({})).len(), 4);
    let run = call(&here, "forget", json!({"tags": ["old"], "yes": true})).unwrap()["run"].clone();
    assert_eq!(contents(&here, json!({})), ["something else"]);
    call(&here, "undo", json!({"target": run})).unwrap();
    assert_eq!(contents(&here, json!({})).len(), 4);
}

#[test]
fn a_purged_text_does_not_come_back_by_itself() {
    let app = TestApp::on_sqlite();
    let here = app.in_project("apple");
    let message = json!({"messages": [{"session_id": "s", "role": "user", "content": "My number is in this line"}]});
    let id = call(&here, "capture", message.clone()).unwrap()["results"][0]["id"].clone();
    let derived =
        call(&here, "remember", json!({"content": "The user's number is known", "source_ids": [id]})).unwrap();
    assert_eq!(code(call(&here, "purge", json!({"ids": [id]}))), ErrorCode::Refused);
    let purged = call(&here, "purge", json!({"ids": [id], "yes": true})).unwrap();
    assert_eq!(purged["ids"].as_array().unwrap().len(), 2, "the derived fact goes too: {purged}");
    assert_eq!(code(call(&here, "show", json!({"id": derived["id"]}))), ErrorCode::NotFound);
    let again = call(&here, "capture", message).unwrap();
    assert!(again["results"][0]["skipped"].as_str().unwrap().contains("purged"), "{again}");
    let asked = call(&here, "remember", json!({"content": "My number is in this line"})).unwrap();
    assert!(asked["id"].is_string(), "a person may say it again: {asked}");
}

#[test]
fn recall_finds_what_fits_and_nothing_else() {
    let app = TestApp::on_sqlite();
    let here = app.in_project("apple");
    remember(&here, "We deploy on Fridays with the blue-green script");
    remember(&here, "Ada owns the billing service");
    let hits = |query: &str| {
        let answer = call(&here, "recall", json!({"query": query})).unwrap();
        answer["hits"]
            .as_array()
            .unwrap()
            .iter()
            .map(|hit| hit["snippet"].as_str().unwrap().to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(hits("who owns billing?"), ["Ada owns the billing service"]);
    assert_eq!(hits("deployed on a Friday?"), ["We deploy on Fridays with the blue-green script"]);
    assert!(hits("quantum chromodynamics lecture").is_empty());
    assert!(hits("").is_empty());
    for odd in ["\"", "AND OR NOT", "a* NEAR(b)", "{}[]()^$", "\u{0}", "'; DROP TABLE memories; --", "🦜", "重要な会議"]
    {
        call(&here, "recall", json!({"query": odd})).unwrap();
    }
}

#[test]
fn as_of_shows_the_past() {
    let app = TestApp::on_sqlite();
    let here = app.in_project("apple");
    let id = remember(&here, "the answer is 41");
    app.clock.advance(Duration::from_secs(3600));
    call(&here, "correct", json!({"id": id, "content": "the answer is 42"})).unwrap();
    assert_eq!(contents(&here, json!({"as_of": "2026-05-01T12:30:00Z"})), ["the answer is 41"]);
    assert_eq!(contents(&here, json!({"as_of": "2026-05-01T13:30:00Z"})), ["the answer is 42"]);
    assert!(contents(&here, json!({"as_of": "2026-05-01T11:00:00Z"})).is_empty());
}

#[test]
fn the_same_message_is_kept_once() {
    let app = TestApp::on_sqlite();
    let here = app.in_project("apple");
    let capture =
        |message: Value| call(&here, "capture", json!({"messages": [message]})).unwrap()["results"][0].clone();
    let hook = capture(json!({"session_id": "s", "role": "user", "content": "Run the tests"}));
    let transcript = capture(
        json!({"session_id": "s", "role": "user", "content": "Run the tests\n", "id": "m1", "time": "2026-05-01T11:59:58Z"}),
    );
    assert_eq!((&transcript["id"], &transcript["duplicate"]), (&hook["id"], &json!(true)));
    let second = capture(json!({"session_id": "s", "role": "user", "content": "Run the tests", "id": "m2"}));
    assert_ne!(second["id"], hook["id"], "another id is another message");
    let other_role = capture(json!({"session_id": "s", "role": "assistant", "content": "Run the tests"}));
    assert_ne!(other_role["id"], hook["id"]);
    let tool = capture(json!({"session_id": "s", "role": "tool", "content": "ok 12 passed"}));
    assert!(tool["skipped"].as_str().unwrap().contains("capture.roles"), "{tool}");
    let wrong = capture(json!({"session_id": "s", "role": "user", "content": "x", "origin": "mars"}));
    assert!(wrong["error"].as_str().unwrap().contains("mars"), "{wrong}");
}

#[test]
fn wrong_input_is_named() {
    let app = TestApp::in_memory();
    let message = |operation: &str, input: Value| call(&app.owner, operation, input).unwrap_err().to_string();
    assert!(message("remember", json!({"contant": "x"})).contains("did you mean `content`"));
    assert!(message("remember", json!({"content": "x", "importance": 9})).contains("between 1 and 5"));
    assert!(message("remember", json!({"content": "   "})).contains("nothing to remember"));
    assert!(message("show", json!({"id": "fact-1"})).contains("is not a memory id such as fact_"));
    assert!(message("list", json!({"where": {"importance": {"$near": 3}}})).contains("$near"));
    assert!(message("list", json!({"order_by": "colour"})).contains("colour"));
    assert!(message("list", json!({"cursor": "zzz"})).contains("cursor"));
    assert!(message("recall", json!({"query": "x", "min_score": 2})).contains("between 0 and 1"));
    assert!(message("remember", json!({"content": "x", "scope": "project/other"})).contains("not a scope here"));
}

#[test]
fn what_was_purged_is_refused_to_an_agent_and_taken_from_a_person() {
    let app = TestApp::in_memory();
    let here = app.in_project("apple");
    let agent = here.clone().acting_as("mcp");
    let id = remember(&here, "The vault opens with a song");
    let other = remember(&here, "The garden has seven herons");
    call(&here, "purge", json!({"ids": [id], "yes": true})).unwrap();
    let again = json!({"content": "The vault opens with a song"});
    assert_eq!(code(call(&agent, "remember", again.clone())), ErrorCode::Refused);
    let corrected = json!({"id": other, "content": "The vault opens with a song"});
    assert_eq!(code(call(&agent, "correct", corrected)), ErrorCode::Refused);
    assert!(call(&here, "remember", again).unwrap()["id"].is_string());
}

#[test]
fn attributes_nest_as_deep_for_an_operation_as_for_the_store() {
    let nested = |levels: usize| (0..levels).fold(json!(1), |inner, _| json!([inner]));
    for app in [TestApp::in_memory(), TestApp::on_sqlite()] {
        let keep = |levels: usize| {
            let input = json!({"content": format!("{levels} levels"), "attributes": {"deep": nested(levels)}});
            call(&app.in_project("apple"), "remember", input)
        };
        let kept = keep(64).unwrap();
        let shown = call(&app.in_project("apple"), "show", json!({"id": kept["id"]})).unwrap();
        assert_eq!(shown["attributes"]["deep"], nested(64));
        assert_eq!(code(keep(65)), ErrorCode::InvalidInput);
    }
}
