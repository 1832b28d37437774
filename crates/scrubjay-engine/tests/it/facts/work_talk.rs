//! Work talk: what people say in passing while they work is learned, and stays true.

use scrubjay_test::TestApp;
use scrubjay_test::app::call;
use serde_json::{Value, json};

use super::talks::say;

fn facts(here: &scrubjay_engine::Ctx) -> Vec<Value> {
    call(here, "list", json!({"kind": "fact", "limit": 100})).unwrap()["memories"].as_array().unwrap().clone()
}

// What is learned of a single message.
fn learned(text: &str) -> Vec<String> {
    let app = TestApp::on_sqlite();
    let here = app.in_project("shop");
    say(&here, "s", &[("user", text)]);
    call(&here, "consolidate", json!({})).unwrap();
    facts(&here).iter().map(|fact| fact["content"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn what_is_said_in_passing_is_learned() {
    for (said, expected) in [
        ("We use pnpm here, never npm", "We use pnpm here, never npm"),
        ("yes go with redis, but fail open if redis is down", "Go with redis, but fail open if redis is down"),
        ("the platform team owns the gateway", "the platform team owns the gateway"),
        ("the staging db is on port 5433", "the staging db is on port 5433"),
        ("The payment gateway is Adyen. Please remember", "The payment gateway is Adyen."),
        ("Remember that the payments lead is on leave until May", "The payments lead is on leave until May"),
    ] {
        let learned = learned(said);
        assert_eq!(learned.len(), 1, "{said}: {learned:?}");
        assert_eq!(learned[0].to_lowercase(), expected.to_lowercase());
    }
}

#[test]
fn what_passes_is_not_learned() {
    for said in [
        "thanks, that works now",
        "continue with the next task please",
        "can you look at the failing test again",
        "when I click on save I get an error in the console",
        "We went to the cinema yesterday and had a great time",
        "Maybe we could use kafka for this at some point?",
        "2026-05-01 10:00:00 ERROR worker failed to connect to redis at port 6379",
    ] {
        assert_eq!(learned(said), Vec::<String>::new(), "{said}");
    }
}

#[test]
fn an_assistant_is_believed_once_nobody_objects() {
    let cause = "The root cause was that the worker kept a database connection from before the fork.";
    let told = |reply: &str| {
        let app = TestApp::on_sqlite();
        let here = app.in_project("shop");
        say(&here, "s", &[("user", "why does it hang?"), ("assistant", cause), ("user", reply)]);
        call(&here, "consolidate", json!({})).unwrap();
        facts(&here).iter().any(|fact| fact["content"] == cause)
    };
    assert!(told("yes, that fixed it"));
    assert!(!told("no, it still hangs"));
    assert!(!told("nope, wrong, the pool is made after the fork"));
}

#[test]
fn a_correction_supersedes_what_it_corrects() {
    let app = TestApp::on_sqlite();
    let here = app.in_project("shop");
    say(&here, "one", &[("user", "We decided to use PostgreSQL 16 for the billing service.")]);
    call(&here, "consolidate", json!({})).unwrap();
    app.clock.advance(std::time::Duration::from_secs(3600));
    say(&here, "two", &[("user", "Correction: the billing service will use MariaDB instead of PostgreSQL")]);
    call(&here, "consolidate", json!({})).unwrap();
    let facts = facts(&here);
    let confidence = |word: &str| {
        let fact = facts.iter().find(|fact| fact["content"].as_str().unwrap().contains(word));
        fact.unwrap_or_else(|| panic!("{word}: {facts:?}"))["confidence"].as_f64().unwrap()
    };
    assert!((confidence("PostgreSQL 16") - 0.3).abs() < 1e-9, "{facts:?}");
    assert!(confidence("MariaDB") > 0.5, "{facts:?}");
    let hits = call(&here, "recall", json!({"query": "which database does billing use"})).unwrap()["hits"].clone();
    assert!(hits[0]["snippet"].as_str().unwrap().contains("MariaDB"), "{hits}");
}

#[test]
fn a_person_who_remembers_another_value_supersedes_the_old_one() {
    let app = TestApp::on_sqlite();
    let here = app.in_project("shop");
    let first = call(&here, "remember", json!({"content": "Standup is at 9:30"})).unwrap();
    let second = call(&here, "remember", json!({"content": "Standup is at 9:45"})).unwrap();
    assert_eq!(second["supersedes"], first["id"], "{second}");
    assert!(second["warnings"][0].as_str().unwrap().contains("Standup is at 9:30"), "{second}");
    let old = call(&here, "show", json!({"id": first["id"]})).unwrap();
    assert_eq!(old["confidence"], 0.3);
    call(&here, "undo", json!({})).unwrap();
    let all = facts(&here);
    assert_eq!(all.len(), 1);
    assert_eq!(
        (all[0]["content"].as_str().unwrap(), all[0]["confidence"].as_f64().unwrap()),
        ("Standup is at 9:30", 1.0)
    );
}

#[test]
fn a_confirmed_fact_is_not_superseded() {
    let app = TestApp::on_sqlite();
    let here = app.in_project("shop");
    let first = call(&here, "remember", json!({"content": "Standup is at 9:30"})).unwrap();
    call(&here, "confirm", json!({"id": first["id"]})).unwrap();
    let second = call(&here, "remember", json!({"content": "Standup is at 9:45"})).unwrap();
    assert!(second["supersedes"].is_null() && second["warnings"][0].as_str().unwrap().contains("review"), "{second}");
    let old = call(&here, "show", json!({"id": first["id"]})).unwrap();
    assert_eq!(old["confidence"], 1.0);
    let review = call(&here, "review", json!({})).unwrap();
    assert!(review.to_string().contains("9:45"), "{review}");
}
