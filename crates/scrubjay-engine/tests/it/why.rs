//! Why something is handed over or found, and why not.

use std::time::Duration;

use scrubjay_core::memory::{Link, Relation};
use scrubjay_core::scope::View;
use scrubjay_engine::Ctx;
use scrubjay_ingest::Vocabulary;
use scrubjay_store::change::Change;
use scrubjay_test::TestApp;
use scrubjay_test::app::{block_on, call};
use serde_json::{Value, json};

fn remember(ctx: &Ctx, content: &str) -> String {
    call(ctx, "remember", json!({"content": content})).unwrap()["id"].as_str().unwrap().to_owned()
}

fn reflect(ctx: &Ctx, content: &str) -> String {
    let input = json!({"content": content, "kind": "reflection", "type": "weekly"});
    call(ctx, "remember", input).unwrap()["id"].as_str().unwrap().to_owned()
}

fn inject(ctx: &Ctx, input: Value) -> Value {
    call(ctx, "inject", input).unwrap()
}

fn ids(answer: &Value) -> Vec<&str> {
    answer["items"].as_array().unwrap().iter().map(|item| item["id"].as_str().unwrap()).collect()
}

fn reason<'a>(answer: &'a Value, id: &str) -> &'a str {
    let left_out = answer["explanation"]["left_out"].as_array().unwrap();
    left_out.iter().find(|left| left["id"] == id).map_or("", |left| left["reason"].as_str().unwrap())
}

const HOUR: Duration = Duration::from_secs(60 * 60);

#[test]
fn a_reflection_comes_along_once_a_day_whatever_the_session() {
    for app in [TestApp::in_memory(), TestApp::on_sqlite()] {
        let (here, there) = (app.in_project("apple"), app.in_project("birch"));
        for ctx in [&here, &there] {
            remember(ctx, "Ada owns the billing service");
        }
        let insight = reflect(&app.owner, "The owners of the billing service wrote invoices");
        let comes_along = |ctx: &Ctx, session: &str| {
            // It fits the prompt, too, and that does not make it come more often.
            let asked = json!({"text": "who owns the billing service?", "session": session, "min_score": 0.1});
            let answer = inject(ctx, asked);
            assert!(answer["text"].as_str().unwrap().contains("Ada owns"), "{answer}");
            ids(&answer).contains(&insight.as_str())
        };
        assert!(comes_along(&here, "monday"));
        assert!(!comes_along(&here, "monday again"));
        assert!(comes_along(&there, "monday elsewhere"), "each scope has a day of its own");
        app.clock.advance(23 * HOUR);
        assert!(!comes_along(&here, "tuesday morning"));
        assert_eq!(inject(&here, json!({"session": "tuesday at the beginning"}))["text"], "");
        app.clock.advance(HOUR);
        assert!(comes_along(&here, "tuesday"));
        assert!(!comes_along(&here, "tuesday again"));
    }
}

#[test]
fn a_reflection_never_takes_more_than_a_fifth() {
    let app = TestApp::in_memory();
    let here = app.in_project("apple");
    remember(&here, "Ada owns the billing service");
    reflect(&here, &"Most of the work on the billing service went into invoices, less of it into refunds. ".repeat(40));
    for (number, budget) in [200, 300, 500, 1000, 4000].into_iter().enumerate() {
        // With something relevant, and alone.
        for text in ["who owns the billing service?", ""] {
            app.clock.advance(25 * HOUR);
            let session = format!("s{number}{text}");
            let answer = inject(&here, json!({"text": text, "session": session, "budget": budget, "min_score": 0.1}));
            let block = answer["text"].as_str().unwrap();
            let start = block.find("\n## Weekly insight\n").unwrap_or_else(|| panic!("{budget}: {answer}"));
            let end = block.rfind("\n</scrubjay-memory").unwrap();
            let tokens = Vocabulary::Cl100kBase.count(&block[start..end]);
            assert!(tokens * 5 <= budget, "{tokens} of {budget}: {block}");
            assert!(tokens * 10 >= budget || budget <= 300, "{tokens} of {budget}: what it may have is used");
        }
    }
}

#[test]
fn an_injection_says_why_and_why_not() {
    let app = TestApp::on_sqlite();
    let here = app.in_project("apple");
    let question = "which port does the billing service have?";
    let known = remember(&here, "The billing service has port 9090 on staging");
    let first = inject(&here, json!({"text": question, "session": "s"}));
    assert_eq!(ids(&first), [known.as_str()]);
    assert_eq!((&first["explanation"], &first["items"][0]["snippet"]), (&Value::Null, &Value::Null), "only on request");

    let old = remember(&here, "The billing service has port 8080");
    let new = remember(&here, "The billing service has port 7070 in production");
    block_on(async {
        let store = here.store().await.unwrap();
        let link = Link { from: new.parse().unwrap(), relation: Relation::Supersedes, to: old.parse().unwrap() };
        store
            .apply(here.view(), here.stamp("consolidate").unwrap(), vec![Change::Link(link)], Vec::new())
            .await
            .unwrap();
    });
    let page = json!({"content": "The billing service has port 6666, says a page", "origin": "web"});
    let page = call(&here, "remember", page).unwrap()["id"].as_str().unwrap().to_owned();
    let asked = json!({"messages": [{"session_id": "t", "role": "user", "content": "Which port does billing have?"}]});
    let asked = call(&here, "capture", asked).unwrap()["results"][0]["id"].as_str().unwrap().to_owned();
    let insight = reflect(&here, "Most of the work went into invoices");
    inject(&here, json!({"session": "another"}));

    let plain = inject(&here, json!({"text": question, "session": "u", "min_score": 0.1}));
    let answer = inject(&here, json!({"text": question, "session": "s", "min_score": 0.1, "explain": true}));
    assert_eq!(ids(&answer), [new.as_str()], "{answer}");
    for (id, why) in [
        (&known, "shown"),
        (&old, "superseded"),
        (&page, "foreign"),
        (&asked, "states_nothing"),
        (&insight, "once_a_day"),
    ] {
        assert_eq!(reason(&answer, id), why, "{answer:#}");
    }
    let left_out = answer["explanation"]["left_out"].as_array().unwrap();
    let of_old = left_out.iter().find(|left| left["id"] == old.as_str()).unwrap();
    assert_eq!(of_old["detail"], format!("superseded on 2026-05-01 by {new}"));
    assert_eq!(of_old["snippet"], "The billing service has port 8080");
    let item = &answer["items"][0];
    assert_eq!(item["snippet"], "The billing service has port 7070 in production");
    assert!(item["explanation"]["arms"]["lexical"]["rank"].is_u64(), "{item}");
    assert!(item["explanation"]["weights"]["importance"].is_number(), "{item}");
    assert_eq!(item["event_time"], "2026-05-01T12:00:00.000Z");
    // Asking why changes nothing.
    let again = inject(&here, json!({"text": question, "session": "v", "min_score": 0.1, "explain": true}));
    assert_eq!(ids(&plain), ids(&again));

    let few = inject(&here, json!({"text": question, "session": "w", "min_score": 0.1, "explain": true, "limit": 1}));
    assert!(few["explanation"]["left_out"].to_string().contains("\"too_many\""), "{few:#}");
    let small = inject(&here, json!({"text": question, "min_score": 0.1, "explain": true, "budget": 70}));
    let reasons = small["explanation"]["left_out"].to_string();
    assert!(reasons.contains("\"no_room\"") && reasons.contains("did not fit the budget of 70 tokens"), "{small:#}");
}

#[test]
fn what_a_newer_hit_speaks_of_is_left_out_with_its_reason() {
    let app = TestApp::on_sqlite();
    let here = app.in_project("apple");
    let say = |session: &str, content: &str, time: &str| {
        let message = json!({"session_id": session, "role": "user", "content": content, "time": time});
        let kept = call(&here, "capture", json!({"messages": [message]})).unwrap();
        kept["results"][0]["id"].as_str().unwrap().to_owned()
    };
    let newer = say("b", "The staging database listens on port 6001", "2026-03-02T10:00:00Z");
    let older = say("a", "The staging database listens on port 5433", "2026-01-02T10:00:00Z");
    for other in ["The canteen serves soup on Mondays", "Ada signs the release notes", "The logo is a blue bird"] {
        say("c", other, "2026-02-02T10:00:00Z");
    }
    call(&app.owner, "reembed", json!({})).unwrap();
    call(&here, "reembed", json!({})).unwrap();
    let answer = inject(&here, json!({"text": "on which port does the staging database listen?", "explain": true}));
    assert_eq!((ids(&answer), reason(&answer, &older)), (vec![newer.as_str()], "newer"), "{answer:#}");
    let left_out = answer["explanation"]["left_out"].as_array().unwrap();
    let of_older = left_out.iter().find(|left| left["id"] == older.as_str()).unwrap();
    assert_eq!(of_older["detail"], format!("newer on the same matter: {newer} of 2026-03-02"));
}

#[test]
fn an_empty_injection_says_what_was_missing() {
    let app = TestApp::in_memory();
    let here = app.in_project("apple");
    let fact = remember(&here, "Ada owns the billing service and its staging database");
    remember(&here, "Most of the work went into the logo of the canteen");
    let answer =
        inject(&here, json!({"text": "zookeeper quorum of the staging database?", "min_score": 0.99, "explain": true}));
    assert_eq!(ids(&answer), [""; 0]);
    let why = &answer["explanation"];
    assert_eq!(reason(&answer, &fact), "below_threshold", "{why:#}");
    assert_eq!((&why["threshold"], &why["following_threshold"]), (&json!(0.99), &json!(0.495)));
    assert_eq!(why["missing"]["unknown_words"], json!(["zookeeper", "quorum"]), "{why:#}");
    assert_eq!(why["missing"]["best"], why["left_out"][0]["relevance"]);
    let reasons = why["missing"]["reasons"].to_string();
    assert!(reasons.contains("the threshold is 0.99"), "{reasons}");

    // Where something is relevant, though it was shown before, less is enough for what would come along.
    for number in 0..2 {
        let asked = json!({"text": "who owns the billing?", "session": "s", "min_score": 0.9, "explain": true});
        let answer = inject(&here, asked);
        assert_eq!(ids(&answer).len(), 1 - number, "{answer:#}");
        let near = answer["explanation"]["left_out"].to_string();
        assert!(near.contains("below the threshold of 0.45") && !near.contains("threshold of 0.90"), "{answer:#}");
    }

    let thanks = inject(&here, json!({"text": "thanks, go on", "explain": true}));
    assert_eq!(thanks["explanation"]["missing"]["asks_for_nothing"], true, "{thanks}");
    assert_eq!(thanks["explanation"]["left_out"], json!([]));
}

#[test]
fn an_empty_answer_says_what_was_missing() {
    let app = TestApp::in_memory();
    let here = app.in_project("apple");
    for topic in ["owner", "database", "window", "garden", "canteen"] {
        remember(&here, &format!("The {topic} of the billing service is blue"));
    }
    let asked = json!({"query": "zookeeper quorum of the database", "min_score": 0.99, "explain": true});
    let answer = call(&here, "recall", asked).unwrap();
    let missing = &answer["missing"];
    assert_eq!((&answer["hits"], answer["near"].as_array().unwrap().len()), (&json!([]), 3), "{answer:#}");
    let best = answer["near"].as_array().unwrap().iter().map(|near| near["relevance"].as_f64().unwrap());
    assert_eq!(missing["best"].as_f64(), best.reduce(f64::max));
    assert_eq!(missing["threshold"], 0.99);
    assert_eq!(missing["unknown_words"], json!(["zookeeper", "quorum"]), "{missing:#}");
    assert_eq!(missing["arms"], json!({"vector": "nothing has vectors yet"}), "{missing:#}");
    assert_eq!(missing["asks_for_nothing"], false);

    let asked = json!({"query": "thanks", "min_score": 0.99, "explain": true, "without_arms": ["vector", "entity"]});
    let missing = call(&here, "recall", asked).unwrap()["missing"].clone();
    assert_eq!(missing["asks_for_nothing"], true, "{missing:#}");
    assert_eq!(missing["arms"], json!({"vector": "it is switched off", "entity": "it is switched off"}));
    // Not unless it is asked for, nor beside hits.
    let plain = call(&here, "recall", json!({"query": "zookeeper quorum", "min_score": 0.99})).unwrap();
    assert_eq!(plain["missing"], Value::Null);
    let found = call(&here, "recall", json!({"query": "database of the billing service", "explain": true})).unwrap();
    assert!(!found["hits"].as_array().unwrap().is_empty() && found["missing"].is_null(), "{found:#}");
}

#[test]
fn words_that_only_another_project_holds_are_unknown() {
    let app = TestApp::on_sqlite();
    remember(&app.in_project("birch"), "The zookeeper quorum has five members");
    let here = app.in_project("apple");
    remember(&here, "Ada owns the billing service");
    let missing =
        call(&here, "recall", json!({"query": "zookeeper quorum", "explain": true})).unwrap()["missing"].clone();
    assert_eq!(missing["unknown_words"], json!(["zookeeper", "quorum"]));
}

#[test]
fn receipts_say_what_was_handed_over() {
    let app = TestApp::on_sqlite();
    let here = app.in_project("apple");
    let question = "who owns or reviews the billing service?";
    let owner = remember(&here, "Ada owns the billing service");
    let reviewer = remember(&here, "Grace reviews the billing service");
    let receipt = inject(&here, json!({"text": question, "session": "s"}))["receipt"].clone();
    let items = || call(&here, "receipts", json!({"id": receipt})).unwrap()["receipts"][0]["items"].clone();
    let of = |items: &Value, id: &str| items.as_array().unwrap().iter().find(|item| item["id"] == id).cloned();
    let told = of(&items(), &owner).unwrap();
    assert_eq!((&told["snippet"], &told["state"]), (&json!("Ada owns the billing service"), &Value::Null));
    call(&here, "edit", json!({"id": owner, "content": "Brook owns the billing service"})).unwrap();
    let told = of(&items(), &owner).unwrap();
    assert_eq!((&told["snippet"], &told["state"]), (&json!("Brook owns the billing service"), &json!("changed")));
    call(&here, "purge", json!({"ids": [reviewer], "yes": true})).unwrap();
    let left = items();
    assert!(of(&left, &reviewer).is_none() && !left.to_string().contains("Grace"), "{left}");
}

#[test]
fn a_receipt_shows_no_more_than_its_reader_may_see() {
    let app = TestApp::on_sqlite();
    let here = app.in_project("apple");
    let task = call(&here, "task.begin", json!({"title": "Mend the login"})).unwrap()["id"].clone();
    call(&here, "task.add", json!({"task": task, "content": "The culprit is the clock"})).unwrap();
    let context = call(&here, "context", json!({"profile": "tiers", "task_id": task})).unwrap();
    assert!(context["messages"].to_string().contains("the clock"), "{context}");
    let receipt = context["receipt"].clone();
    let outside = app.owner.at(View::project("apple".parse().unwrap())).unwrap();
    let told = call(&outside, "receipts", json!({"id": receipt})).unwrap();
    let item = &told["receipts"][0]["items"][0];
    assert_eq!((&item["state"], &item["snippet"]), (&json!("gone"), &Value::Null), "{told:#}");
}
