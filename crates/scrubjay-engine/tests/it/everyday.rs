//! What recall and inject hand over in everyday work: nothing unasked, what still holds, statements before questions.

use proptest::prelude::*;
use scrubjay_engine::Ctx;
use scrubjay_test::TestApp;
use scrubjay_test::app::call;
use serde_json::{Value, json};

fn say(ctx: &Ctx, session: &str, role: &str, content: &str) -> String {
    let messages = json!({"messages": [{"session_id": session, "role": role, "content": content}]});
    call(ctx, "capture", messages).unwrap()["results"][0]["id"].as_str().unwrap().to_owned()
}

fn remember(ctx: &Ctx, content: &str, source: Option<&str>) -> String {
    let sources: Vec<&str> = source.into_iter().collect();
    let input = json!({"content": content, "source_ids": sources});
    call(ctx, "remember", input).unwrap()["id"].as_str().unwrap().to_owned()
}

fn recall(ctx: &Ctx, query: &str) -> Value {
    call(ctx, "recall", json!({"query": query})).unwrap()
}

fn injected(ctx: &Ctx, text: &str) -> Vec<String> {
    let answer = call(ctx, "inject", json!({"text": text})).unwrap();
    answer["items"].as_array().unwrap().iter().map(|item| item["id"].as_str().unwrap().to_owned()).collect()
}

fn hits(answer: &Value, list: &str) -> Vec<String> {
    let hits = answer[list].as_array();
    hits.into_iter().flatten().map(|hit| hit["id"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn a_prompt_that_asks_for_nothing_gets_nothing() {
    let app = TestApp::on_sqlite();
    let here = app.in_project("apple");
    // Each prompt was said before in the same words, as happens in every session.
    let prompts = [
        "thanks",
        "continue",
        "ok",
        "yes please",
        "looks good to me",
        "danke, mach weiter",
        "gracias",
        "dale, seguí",
        "jajaja qué va",
        "bonne soirée !",
        "kkkk boa",
        "继续",
    ];
    for prompt in prompts {
        say(&here, "earlier", "user", prompt);
        say(&here, "earlier", "assistant", &format!("{prompt}: done, the billing service is deployed."));
    }
    for prompt in prompts {
        assert!(injected(&here, prompt).is_empty(), "{prompt}");
        // Whoever types it into recall sees what was said so as near misses.
        let answer = recall(&here, prompt);
        assert!(hits(&answer, "hits").is_empty() && !hits(&answer, "near").is_empty(), "{prompt}: {answer}");
    }
    assert!(!injected(&here, "is the billing service deployed?").is_empty());
}

#[test]
fn what_a_fact_was_made_from_follows_the_fact() {
    let app = TestApp::on_sqlite();
    let here = app.in_project("apple");
    let question = "which port does the staging database use?";
    let turn = say(&here, "monday", "user", "for the record: on our side the staging database uses port 5433");
    let fact = remember(&here, "The staging database uses port 5433", Some(&turn));
    assert!(injected(&here, question).contains(&turn));

    let corrected = call(&here, "correct", json!({"id": fact, "content": "The staging database uses port 6000"}));
    let newer = corrected.unwrap()["id"].as_str().unwrap().to_owned();
    let block = injected(&here, question);
    assert!(block.contains(&newer) && !block.contains(&turn), "{block:?}");
    let answer = recall(&here, question);
    assert_eq!(hits(&answer, "hits")[0], newer);
    let old = answer["hits"].as_array().unwrap().iter().find(|hit| hit["id"] == turn.as_str()).unwrap();
    assert_eq!(old["superseded_by"], newer.as_str());
    assert!(old["outdated_since"].is_string(), "{old}");

    // Forgetting a fact takes the turn it was made from out of the block, too.
    call(&here, "forget", json!({"ids": [newer]})).unwrap();
    assert!(injected(&here, question).is_empty());
}

fn say_at(ctx: &Ctx, session: &str, role: &str, content: &str, time: &str) -> String {
    let message = json!({"session_id": session, "role": role, "content": content, "time": time});
    call(ctx, "capture", json!({"messages": [message]})).unwrap()["results"][0]["id"].as_str().unwrap().to_owned()
}

#[test]
fn the_newest_of_those_on_the_same_matter_comes_first() {
    let app = TestApp::on_sqlite();
    let here = app.in_project("apple");
    // Said the other way round, so that only the time tells them apart.
    let newer = say_at(&here, "b", "user", "The staging database listens on port 6001", "2026-03-02T10:00:00Z");
    let older = say_at(&here, "a", "user", "The staging database listens on port 5433", "2026-01-02T10:00:00Z");
    for other in [
        "The canteen serves soup on Mondays",
        "Ada signs the release notes",
        "Invoices are numbered by year",
        "The logo is a blue bird",
        "Our fonts are licensed until spring",
        "Holidays are entered by the end of May",
    ] {
        say_at(&here, "c", "user", other, "2026-02-02T10:00:00Z");
    }
    call(&app.owner, "reembed", json!({})).unwrap();
    call(&here, "reembed", json!({})).unwrap();

    let answer = recall(&here, "on which port does the staging database listen?");
    assert_eq!(hits(&answer, "hits")[..2], [newer.clone(), older.clone()], "{answer}");
    assert_eq!(answer["hits"][1]["newer"], newer.as_str(), "{answer}");
    assert_eq!(answer["hits"][0].get("newer"), None);
    assert_eq!(injected(&here, "on which port does the staging database listen?"), [newer]);

    // Who asks for how it was gets it.
    let past = recall(&here, "on which port did the staging database listen originally?");
    let marked = past["hits"].as_array().unwrap().iter().find(|hit| hit["id"] == older.as_str()).unwrap();
    assert_eq!(marked.get("newer"), None, "{past}");
}

/// What holds for one of two is not changed by what is said of the other, however alike the sentences are.
#[test]
fn a_newer_turn_about_something_else_replaces_nothing() {
    let app = TestApp::with_own_models(&[]);
    let here = app.in_project("apple");
    let staging = say_at(&here, "a", "user", "The staging database listens on port 5433", "2026-03-01T09:00:00Z");
    say_at(&here, "b", "user", "Ada owns the billing service and its backups", "2026-03-02T09:00:00Z");
    let other = say_at(&here, "c", "user", "The production database listens on port 5432", "2026-04-01T09:00:00Z");
    call(&here, "reembed", json!({})).unwrap();
    let question = "which port does the staging database listen on?";
    let answer = recall(&here, question);
    assert_eq!(hits(&answer, "hits")[0], staging, "{answer}");
    assert_eq!(answer["hits"][0].get("newer"), None, "{answer}");
    assert!(injected(&here, question).contains(&staging));
    // What is said of the same one later does replace it.
    let moved = "The staging database listens on port 6000 now";
    let moved = say_at(&here, "d", "user", moved, "2026-05-01T09:00:00Z");
    call(&here, "reembed", json!({})).unwrap();
    let answer = recall(&here, question);
    assert_eq!(hits(&answer, "hits")[0], moved, "{answer}");
    let block = injected(&here, question);
    assert!(block.contains(&moved) && !block.contains(&staging) && !block.contains(&other), "{answer}");
}

#[test]
fn nothing_that_fits_tells_what_came_nearest() {
    let app = TestApp::on_sqlite();
    let here = app.in_project("apple");
    remember(&here, "The canteen closes at three in the afternoon", None);
    let answer = recall(&here, "which canteen regulation forbids ordering bicycles online after dark in winter?");
    assert_eq!(answer["hits"], json!([]));
    let near = answer["near"].as_array().unwrap();
    assert!((1..=3).contains(&near.len()) && near[0]["relevance"].as_f64().unwrap() < 0.35, "{answer}");
    assert_eq!(recall(&here, "when does the canteen close?").get("near"), None);
}

#[test]
fn not_knowing_is_no_answer() {
    let app = TestApp::on_sqlite();
    let here = app.in_project("apple");
    let question = "who owns the billing service?";
    say(&here, "a", "user", question);
    say(&here, "a", "assistant", "I don't know who owns the billing service.");
    let answer = say(&here, "b", "user", "Ada owns the billing service since the reorganisation in spring");
    assert_eq!(hits(&recall(&here, question), "hits")[0], answer);
    assert_eq!(injected(&here, question), [answer]);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(6))]
    #[test]
    fn repeating_a_question_never_pushes_its_answer_out(times in 1_usize..40) {
        let app = TestApp::in_memory();
        let here = app.in_project("apple");
        let fact = remember(&here, "The payment gateway is Adyen", None);
        for number in 0..times {
            say(&here, &format!("session {number}"), "user", "which payment gateway do we use?");
        }
        prop_assert_eq!(&hits(&recall(&here, "which payment gateway do we use?"), "hits")[0], &fact);
        prop_assert_eq!(injected(&here, "which payment gateway do we use?"), vec![fact]);
    }
}

#[test]
fn a_single_word_that_is_held_is_found() {
    let app = TestApp::with_own_models(&[]);
    let here = app.in_project("apple");
    let held = remember(&here, "Ada owns billing", None);
    say(&here, "monday", "user", "refunds are done, see src/refund.rs");
    call(&here, "reembed", json!({})).unwrap();
    assert_eq!(hits(&recall(&here, "billing"), "hits"), [held]);
    assert!(hits(&recall(&here, "pizza"), "hits").is_empty());
}
