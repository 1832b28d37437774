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

#[test]
fn named_people_are_learned_from_where_only_people_talk() {
    let decided = "Decision: we ship the importer without a preview";
    let learned = |turns: &[(&str, &str)]| {
        let app = TestApp::on_sqlite();
        let here = app.in_project("shop");
        say(&here, "s", turns);
        call(&here, "consolidate", json!({})).unwrap();
        let found = facts(&here).into_iter().find(|fact| fact["content"] == decided);
        found.map(|fact| (fact["role"].clone(), fact["origin"]["kind"].clone()))
    };
    let among_people = learned(&[("ines", decided), ("tom", "fine, I tell the customer")]);
    // It is kept as hers, and trusted no more than what was captured.
    assert_eq!(among_people, Some((json!("ines"), json!("assistant"))));
    assert_eq!(
        learned(&[("user", "what about the preview"), ("ines", decided), ("user", "hm, what does it cost?")]),
        None
    );
    assert_eq!(learned(&[("planner", decided), ("coder", "what does it cost?")]), None);
    assert_eq!(learned(&[("tool", decided), ("ines", "hello there"), ("tom", "hi, good morning")]), None);
}

#[test]
fn two_people_are_not_one() {
    let app = TestApp::on_sqlite();
    let here = app.in_project("shop");
    say(&here, "s", &[("ines", "I live in Bern."), ("tom", "I live in Lyon."), ("ines", "How is the weather?")]);
    call(&here, "consolidate", json!({})).unwrap();
    let held = |fact: &Value| (fact["content"].clone(), fact["confidence"].as_f64().unwrap() > 0.3);
    let mut found: Vec<(Value, bool)> = facts(&here).iter().map(held).collect();
    found.sort_by_key(|(content, _)| content.to_string());
    assert_eq!(found, [(json!("I live in Bern."), true), (json!("I live in Lyon."), true)]);
}

#[test]
fn a_later_figure_takes_the_place_of_the_earlier_one() {
    let app = TestApp::on_sqlite();
    let here = app.in_project("shop");
    let turns = [
        "Which strap fits? By the way, I've had my Garmin watch for 6 months now, and it's been great.",
        "We now have 3 replicas in production.",
        "I've had my Garmin watch for nine months now - do you know a good route?",
        "By now we have 5 replicas in production.",
    ];
    for (number, text) in turns.iter().enumerate() {
        say(&here, &format!("s{number}"), &[("user", text)]);
        call(&here, "consolidate", json!({})).unwrap();
        app.clock.advance(std::time::Duration::from_secs(86_400));
    }
    let holding = facts(&here).into_iter().filter(|fact| fact["confidence"].as_f64().unwrap() > 0.3);
    let mut holding: Vec<String> = holding.map(|fact| fact["content"].as_str().unwrap().to_owned()).collect();
    holding.sort();
    assert_eq!(holding, ["By now we have 5 replicas in production.", "I've had my Garmin watch for nine months now"]);
}
