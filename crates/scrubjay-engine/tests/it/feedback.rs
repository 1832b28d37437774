//! What people say about memories being handed over, why one was not found, and how memory grew.

use std::time::Duration;

use scrubjay_engine::Ctx;
use scrubjay_test::TestApp;
use scrubjay_test::app::{block_on, call};
use serde_json::{Value, json};

fn remember(ctx: &Ctx, content: &str) -> String {
    call(ctx, "remember", json!({"content": content})).unwrap()["id"].as_str().unwrap().to_owned()
}

fn ids(answer: &Value) -> Vec<&str> {
    answer["items"].as_array().unwrap().iter().map(|item| item["id"].as_str().unwrap()).collect()
}

#[test]
fn what_is_never_wanted_is_not_handed_over_and_still_found() {
    let app = TestApp::on_sqlite();
    let here = app.in_project("apple");
    let fact = remember(&here, "Ada owns the billing service");
    let asked = json!({"text": "who owns billing?", "explain": true});
    assert_eq!(ids(&call(&here, "inject", asked.clone()).unwrap()), [fact.as_str()]);
    let told = call(&here, "feedback", json!({"id": fact, "show": "never"})).unwrap();
    assert_eq!(told["memory"]["attributes"], json!({"injection": "never"}));
    let answer = call(&here, "inject", asked.clone()).unwrap();
    assert_eq!(ids(&answer), [""; 0]);
    assert_eq!(answer["explanation"]["left_out"][0]["reason"], "unwanted", "{answer}");
    for profile in ["loop", "tiers"] {
        let context = call(&here, "context", json!({"task": "who owns billing?", "profile": profile})).unwrap();
        assert!(!context["messages"].to_string().contains("Ada owns"), "{profile}: {context}");
    }
    let brief = || block_on(scrubjay_engine::context::brief(&here, None, 2000)).unwrap().text;
    assert_eq!(brief(), "");
    let found = call(&here, "recall", json!({"query": "who owns billing?"})).unwrap();
    assert_eq!(found["hits"][0]["id"], fact.as_str());
    call(&here, "undo", json!({"target": fact})).unwrap();
    assert_eq!(ids(&call(&here, "inject", asked.clone()).unwrap()), [fact.as_str()]);
    assert!(brief().contains("Ada owns"));
    call(&here, "feedback", json!({"id": fact, "show": "never"})).unwrap();
    call(&here, "feedback", json!({"id": fact, "show": "auto"})).unwrap();
    assert_eq!(ids(&call(&here, "inject", asked).unwrap()), [fact.as_str()]);
    for bad in [json!({"id": fact, "show": "often"}), json!({"id": fact}), json!({"id": "fact_x", "show": "never"})] {
        assert!(call(&here, "feedback", bad.clone()).is_err(), "{bad}");
    }
    let elsewhere = app.in_project("pear");
    assert!(call(&elsewhere, "feedback", json!({"id": fact, "show": "never"})).is_err());
}

#[test]
fn what_is_always_wanted_comes_first_and_below_the_threshold() {
    let app = TestApp::on_sqlite();
    let here = app.in_project("apple");
    let fits = remember(&here, "Ada owns the billing service");
    let other = remember(&here, "Invoices of the billing service are numbered by year");
    let asked = json!({"text": "who owns the billing service?", "limit": 1});
    assert_eq!(ids(&call(&here, "inject", asked.clone()).unwrap()), [fits.as_str()]);
    call(&here, "feedback", json!({"id": other, "show": "always"})).unwrap();
    assert_eq!(ids(&call(&here, "inject", asked).unwrap()), [other.as_str()]);
    let strict = json!({"text": "who owns the billing service?", "min_score": 1.0});
    assert_eq!(ids(&call(&here, "inject", strict).unwrap()), [other.as_str()], "no threshold holds it back");
    assert!(ids(&call(&here, "inject", json!({"text": "thanks"})).unwrap()).is_empty());
    // Once in a conversation, as everything else.
    let session = json!({"text": "who owns the billing service?", "session": "s", "min_score": 1.0});
    assert_eq!(ids(&call(&here, "inject", session.clone()).unwrap()), [other.as_str()]);
    assert!(ids(&call(&here, "inject", session).unwrap()).is_empty());
}

#[test]
fn why_not_names_what_keeps_a_memory_out() {
    let app = TestApp::on_sqlite();
    let here = app.in_project("apple");
    let fact = remember(&here, "Ada owns the billing service");
    let canteen = remember(&here, "The canteen closes at three");
    let gone = remember(&here, "Brook owned the billing service before");
    call(&here, "forget", json!({"ids": [gone]})).unwrap();
    let why = |id: &str| call(&here, "why-not", json!({"id": id, "query": "who owns billing?"})).unwrap();
    let hit = why(&fact);
    assert_eq!((&hit["verdict"], &hit["place"]), (&json!("hit"), &json!(1)), "{hit}");
    assert!(hit["hit"]["explanation"]["arms"].is_object(), "{hit}");
    let far = why(&canteen);
    assert!(["below_threshold", "not_found"].contains(&far["verdict"].as_str().unwrap()), "{far}");
    assert!(!far["reasons"][0].as_str().unwrap().is_empty(), "{far}");
    let ended = why(&gone);
    assert_eq!(ended["verdict"], "ended");
    assert!(ended["reasons"][0].as_str().unwrap().contains("ended on"), "{ended}");
    let elsewhere = app.in_project("pear");
    assert!(call(&elsewhere, "why-not", json!({"id": fact, "query": "who owns billing?"})).is_err());
    // Looking for it is no use of it.
    let listed = call(&here, "list", json!({})).unwrap();
    assert!(listed["memories"].as_array().unwrap().iter().all(|memory| memory["access_count"] == 0), "{listed}");
}

#[test]
fn a_look_leaves_no_trace() {
    let app = TestApp::on_sqlite();
    let here = app.in_project("apple");
    let fact = remember(&here, "Ada owns the billing service");
    let asked = |peek: bool| json!({"text": "who owns billing?", "session": "s", "peek": peek});
    for _ in 0..2 {
        let shown = call(&here, "show", json!({"id": fact, "peek": true})).unwrap();
        assert_eq!(shown["access_count"], 0);
        let found = call(&here, "recall", json!({"query": "who owns billing?", "peek": true})).unwrap();
        assert_eq!(found["hits"][0]["id"], fact.as_str());
        let block = call(&here, "inject", asked(true)).unwrap();
        assert_eq!((ids(&block), &block["receipt"]), (vec![fact.as_str()], &Value::Null));
    }
    let listed = call(&here, "list", json!({})).unwrap();
    assert_eq!(listed["memories"][0]["access_count"], 0, "{listed}");
    assert_eq!(call(&here, "receipts", json!({})).unwrap()["receipts"], json!([]));
    let (seen, given) = (call(&here, "inject", asked(true)).unwrap(), call(&here, "inject", asked(false)).unwrap());
    assert_eq!((ids(&seen), &seen["tokens"]), (ids(&given), &given["tokens"]));
    assert!(ids(&call(&here, "inject", asked(true)).unwrap()).is_empty(), "it was shown to the session now");
}

#[test]
fn growth_has_every_day() {
    let app = TestApp::on_sqlite();
    let here = app.in_project("apple");
    remember(&here, "Ada owns the billing service");
    app.clock.advance(Duration::from_secs(2 * 86_400));
    remember(&here, "The canteen closes at three");
    let messages =
        json!({"messages": [{"session_id": "s", "role": "user", "content": "Good morning, who owns billing?"}]});
    call(&here, "capture", messages).unwrap();
    call(&here, "inject", json!({"text": "who owns billing?"})).unwrap();
    let grown = call(&here, "growth", json!({"days": 3})).unwrap();
    let row = |day: &Value| ["facts", "episodes", "injected"].map(|name| day[name].as_u64().unwrap());
    let rows: Vec<[u64; 3]> = grown["days"].as_array().unwrap().iter().map(row).collect();
    assert_eq!(rows, [[1, 0, 0], [0, 0, 0], [1, 1, 1]], "{grown}");
    assert_eq!(call(&app.in_project("pear"), "growth", json!({"days": 1})).unwrap()["days"][0]["facts"], 0);
    for days in [0, 4000] {
        assert!(call(&here, "growth", json!({"days": days})).is_err());
    }
}
