//! Review, undo, summaries, names.

use std::sync::Arc;

use scrubjay_core::entity::EntityType;
use scrubjay_core::id::EntityId;
use scrubjay_models::chat::Scripted;
use scrubjay_store::change::NewMention;
use scrubjay_test::TestApp;
use scrubjay_test::app::{block_on, call};
use serde_json::{Value, json};

use super::talks::{BILLING, say, tell};

fn items(answer: &Value) -> Vec<(String, String)> {
    let text = |item: &Value, name: &str| item[name].as_str().unwrap().to_owned();
    answer["items"].as_array().unwrap().iter().map(|item| (text(item, "reason"), text(item, "content"))).collect()
}

#[test]
fn review_walks_through_what_changed_by_itself() {
    let app = TestApp::on_sqlite();
    let here = app.in_project("billing");
    call(&here, "remember", json!({"content": "Made by hand"})).unwrap();
    tell(&app, &here, BILLING);
    let all = call(&here, "review", json!({})).unwrap();
    assert!(items(&all).iter().all(|(_, content)| content != "Made by hand"));
    let conflicts = call(&here, "review", json!({"only": "conflict"})).unwrap();
    assert_eq!(items(&conflicts), [("conflict".to_owned(), "We switched from Redis to Valkey.".to_owned())]);
    let conflict = &conflicts["items"][0];
    assert_eq!(conflict["supersedes"][0]["content"], "We use Redis for caching of rates.");
    assert_eq!(conflict["supersedes"][0]["confidence"], 0.3);
    assert_eq!(conflict["turns"][0]["text"], "Hi again! We switched from Redis to Valkey.");
    let redis = conflict["supersedes"][0]["id"].clone();
    let rejected = call(&here, "review.reject", json!({"ids": [conflict["id"]]})).unwrap();
    assert_eq!(rejected["standing_again"], json!([redis]));
    assert_eq!(call(&here, "show", json!({"id": redis})).unwrap()["confidence"], 0.9);
    let left = call(&here, "review", json!({})).unwrap();
    let kept: Vec<Value> = left["items"].as_array().unwrap().iter().map(|item| item["id"].clone()).collect();
    let edited =
        call(&here, "review.edit", json!({"id": kept[0], "content": "The release is due on 3 June 2026."})).unwrap();
    assert_eq!(edited["content"], "The release is due on 3 June 2026.");
    call(&here, "review.keep", json!({"ids": kept[1..]})).unwrap();
    assert_eq!(items(&call(&here, "review", json!({})).unwrap()), []);
    let undone = call(&here, "undo", json!({})).unwrap();
    assert_eq!(undone["operation"], "review.keep");
    assert_eq!(items(&call(&here, "review", json!({})).unwrap()).len(), kept.len() - 1);
    assert!(call(&here, "review.keep", json!({"ids": []})).is_err());
    assert!(call(&app.in_project("other"), "review.reject", json!({"ids": [kept[0]]})).is_err(), "not ours");
    assert_eq!(items(&call(&app.in_project("other"), "review", json!({})).unwrap()), []);
}

#[test]
fn pages_of_review_follow_one_another() {
    let app = TestApp::on_sqlite();
    let here = app.in_project("tools");
    let turns: Vec<String> = (0..7).map(|number| format!("My favorite tool{number} is hammer{number}.")).collect();
    let turns: Vec<(&str, &str)> = turns.iter().map(|turn| ("user", turn.as_str())).collect();
    say(&here, "s", &turns);
    call(&here, "consolidate", json!({})).unwrap();
    let mut seen = Vec::new();
    let mut cursor = Value::Null;
    loop {
        let page = call(&here, "review", json!({"limit": 3, "cursor": cursor})).unwrap();
        seen.extend(items(&page).into_iter().map(|(_, content)| content));
        cursor = page["next"].clone();
        if cursor.is_null() {
            break;
        }
    }
    seen.sort();
    seen.dedup();
    assert_eq!(seen.len(), 7);
}

#[test]
fn a_run_is_undone_as_a_whole() {
    let app = TestApp::on_sqlite();
    let here = app.in_project("billing");
    let known = call(&here, "remember", json!({"content": "We use Redis for caching of rates"})).unwrap()["id"].clone();
    say(
        &here,
        "s",
        &[("user", "We switched from Redis to Valkey."), ("user", "This project uses tabs for indentation.")],
    );
    let run = call(&here, "consolidate", json!({})).unwrap()["sessions"][0]["run"].clone();
    assert_eq!(call(&here, "show", json!({"id": known})).unwrap()["confidence"], 0.3);
    let undone = call(&here, "undo", json!({"target": run})).unwrap();
    assert_eq!(undone["operation"], "consolidate");
    assert_eq!(call(&here, "show", json!({"id": known})).unwrap()["confidence"], 1.0);
    let left = call(&here, "list", json!({"kind": "fact"})).unwrap();
    assert_eq!(left["memories"].as_array().unwrap().len(), 1);
}

#[test]
fn a_task_is_summed_up() {
    let app = TestApp::on_sqlite();
    let turns = [
        ("user", "The login test fails on CI. Can you look at it?"),
        ("assistant", "The login test failed because the token expired after the clock was moved."),
        ("assistant", "Fixed: the login test now uses a fixed clock, and all 212 tests pass."),
    ];
    say(&app.owner, "s", &turns);
    let shown =
        call(&app.owner, "summarize", json!({"task": "fix the login test", "session": "s", "dry_run": true})).unwrap();
    assert!(shown["id"].is_null() && shown["by"] == "extractive", "{shown}");
    let kept = call(&app.owner, "summarize", json!({"task": "fix the login test", "session": "s"})).unwrap();
    let memory = call(&app.owner, "show", json!({"id": kept["id"]})).unwrap();
    assert_eq!((&memory["type"], &memory["kind"]), (&json!("task_complete"), &json!("episode")));
    assert_eq!(memory["attributes"]["task"], "fix the login test");
    assert!(memory["content"].as_str().unwrap().contains("fixed clock"), "{memory}");
    let messages: Vec<Value> = turns.iter().map(|(role, content)| json!({"role": role, "content": content})).collect();
    let given =
        call(&app.owner, "summarize", json!({"task": "fix the login test", "messages": messages, "dry_run": true}))
            .unwrap();
    assert_eq!(given["content"], shown["content"]);
    for wrong in [json!({"task": "x"}), json!({"task": "", "session": "s"}), json!({"task": "x", "session": "none"})] {
        assert!(call(&app.owner, "summarize", wrong).is_err());
    }
    let chat = Scripted::by(|_| Some(json!({"content": "The login test was fixed."}).to_string()));
    let app = TestApp::with_chat(Arc::new(chat));
    let written = call(&app.owner, "summarize", json!({"task": "fix it", "messages": messages})).unwrap();
    assert_eq!((&written["by"], &written["content"]), (&json!("scripted/script"), &json!("The login test was fixed.")));
}

#[test]
fn names_are_found_at_night() {
    let app = TestApp::on_sqlite();
    say(&app.owner, "s", &[("user", "We met Grace Hopper at Initech.")]);
    let skipped = call(&app.owner, "enrich", json!({})).unwrap();
    assert!(skipped["skipped"].as_str().unwrap().contains("no model"), "{skipped}");
    let names = r#"{"names": [{"text": 1, "name": "Grace Hopper", "type": "person"}, {"text": 1, "name": "Initech", "type": "organization"}, {"text": 1, "name": "Hal", "type": "person"}]}"#;
    let app = TestApp::with_chat(Arc::new(Scripted::by(move |_| Some(names.to_owned()))));
    say(&app.owner, "s", &[("user", "We met Grace Hopper at Initech.")]);
    let planned = call(&app.owner, "enrich", json!({"dry_run": true})).unwrap();
    assert_eq!((&planned["looked_at"], &planned["mentions"]), (&json!(1), &json!(2)));
    assert_eq!(call(&app.owner, "enrich", json!({})).unwrap()["mentions"], 2);
    let about = call(&app.owner, "entity", json!({"name": "grace hopper"})).unwrap();
    assert_eq!((&about["entity"]["type"], about["memories"].as_array().unwrap().len()), (&json!("person"), 1));
    let memory = call(&app.owner, "list", json!({"kind": "episode"})).unwrap()["memories"][0].clone();
    assert!(memory["attributes"]["enriched_at"].is_string(), "{memory}");
    assert_eq!(call(&app.owner, "enrich", json!({})).unwrap()["looked_at"], 0);
}

#[test]
fn a_short_name_and_a_long_one_are_asked_about_once() {
    let app = TestApp::on_sqlite();
    let kiwi = app.in_project("kiwi");
    let people = |names: &[&str]| {
        let first = call(&kiwi, "remember", json!({"content": format!("On the list: {}.", names.join(", "))})).unwrap();
        let id = first["id"].as_str().unwrap_or_else(|| panic!("{first}")).parse().unwrap();
        let mention = |name: &&str| NewMention {
            id: EntityId::from(kiwi.uuid().unwrap()),
            name: (*name).to_owned(),
            entity_type: EntityType::Person,
            alias: None,
        };
        let found = vec![(id, names.iter().map(mention).collect())];
        block_on(block_on(kiwi.store()).unwrap().link_mentions(kiwi.view(), found)).unwrap();
        // What is stored next mentions them, too.
        call(&kiwi, "remember", json!({"content": format!("Standup with {}.", names.join(" and "))})).unwrap();
        super::talks::settle(&app);
    };
    let questions = || call(&kiwi, "review", json!({})).unwrap()["confirmations"].as_array().unwrap().clone();
    let names = || -> Vec<String> {
        let found = call(&kiwi, "entities", json!({"type": "person"})).unwrap()["entities"].clone();
        let mut names: Vec<String> =
            found.as_array().unwrap().iter().map(|one| one["name"].as_str().unwrap().to_owned()).collect();
        names.sort();
        names
    };
    people(&["Ada", "Ada Lovelace", "Grace", "Grace Hopper", "Grace Kelly"]);
    let asked = questions();
    assert_eq!(asked.len(), 1, "two people are called Grace: {asked:?}");
    let question = asked[0]["question"].as_str().unwrap();
    assert!(question.contains("“Ada” and “Ada Lovelace”"), "{question}");
    call(&app.owner, "confirmations.answer", json!({"id": asked[0]["id"], "answer": "yes"})).unwrap();
    assert_eq!(names(), ["Ada Lovelace", "Grace", "Grace Hopper", "Grace Kelly"]);
    call(&kiwi, "undo", json!({})).unwrap();
    assert_eq!(names()[..2], ["Ada", "Ada Lovelace"], "undone");
    people(&["Hedy", "Hedy Lamarr"]);
    let asked = questions();
    assert_eq!(asked.len(), 1, "Ada is not asked about again: {asked:?}");
    call(&app.owner, "confirmations.answer", json!({"id": asked[0]["id"], "answer": "no"})).unwrap();
    people(&["Hedy", "Lamarr"]);
    let asked = questions();
    let only = asked.iter().map(|one| one["question"].as_str().unwrap()).collect::<Vec<_>>();
    assert!(only.len() == 1 && only[0].contains("“Lamarr”"), "no is remembered: {only:?}");
}

#[test]
fn a_preference_for_all_projects_waits_for_a_person() {
    let app = TestApp::on_sqlite();
    let turn = ("user", "I prefer dark themes over light ones.");
    say(&app.owner, "s", &[turn]);
    let shown = call(&app.owner, "consolidate", json!({"dry_run": true})).unwrap();
    assert_eq!(shown["sessions"][0]["facts"][0]["outcome"], "pending", "{shown}");
    assert_eq!(call(&app.owner, "review", json!({})).unwrap()["confirmations"], json!([]));
    call(&app.owner, "consolidate", json!({})).unwrap();
    let facts = || call(&app.owner, "list", json!({"kind": "fact"})).unwrap()["memories"].as_array().unwrap().clone();
    assert_eq!(facts(), [] as [Value; 0]);
    let review = call(&app.owner, "review", json!({})).unwrap();
    let question = review["confirmations"][0].clone();
    assert!(question["question"].as_str().unwrap().contains("dark themes"), "{review}");
    call(&app.owner, "confirmations.answer", json!({"id": question["id"], "answer": "yes"})).unwrap();
    assert_eq!(facts()[0]["attributes"]["extractor"], "rules");
    assert_eq!(facts()[0]["source_ids"].as_array().unwrap().len(), 1);
    let before = facts();
    say(&app.owner, "t", &[turn]);
    let again = call(&app.owner, "consolidate", json!({})).unwrap();
    assert_eq!(again["sessions"][0]["facts"][0]["outcome"], "known", "{again}");
    assert_eq!(facts()[0]["importance"], before[0]["importance"], "and it does not change by itself either");
    say(&app.in_project("apple"), "u", &[turn]);
    let here = call(&app.in_project("apple"), "consolidate", json!({"session": "u"})).unwrap();
    assert_eq!(here["sessions"][0]["facts"][0]["outcome"], "new", "one project may learn: {here}");
}
