//! The prompts of a store asked again: from the past alone, and without a trace.

use std::path::{Path, PathBuf};

use scrubjay_core::time::Timestamp;
use scrubjay_engine::Ctx;
use scrubjay_engine::eval::replay::{Injections, Replay, ReplayRequest, ReplayedPrompt, replay};
use scrubjay_test::TestApp;
use scrubjay_test::app::{block_on, call};
use serde_json::{Value, json};

const ALL: ReplayRequest = ReplayRequest { since: None, limit: 1000, all_projects: false };
const QUESTION: &str = "which port does the staging database listen on?";

fn say(ctx: &Ctx, session: &str, role: &str, day: u32, content: &str) -> String {
    let time = format!("2026-04-{day:02}T09:00:00Z");
    let message = json!({"session_id": session, "role": role, "content": content, "time": time});
    call(ctx, "capture", json!({"messages": [message]})).unwrap()["results"][0]["id"].as_str().unwrap().to_owned()
}

fn replayed(ctx: &Ctx, request: ReplayRequest) -> Replay {
    block_on(replay(ctx, request)).unwrap()
}

fn prompt<'a>(replayed: &'a Replay, id: &str) -> &'a ReplayedPrompt {
    replayed.prompts.iter().find(|prompt| prompt.id == id).unwrap()
}

fn items(replayed: &Replay, id: &str) -> Vec<String> {
    prompt(replayed, id).items.iter().map(|item| item.id.clone()).collect()
}

fn memory(ctx: &Ctx, id: &str) -> Value {
    let all = call(ctx, "list", json!({"all": true})).unwrap();
    all["memories"].as_array().unwrap().iter().find(|memory| memory["id"] == id).unwrap().clone()
}

#[test]
fn a_prompt_gets_what_other_conversations_said_before_it() {
    let app = TestApp::on_sqlite();
    let here = app.in_project("apple");
    let too_early = say(&here, "first", "user", 1, QUESTION);
    let said = say(&here, "second", "user", 2, "The staging database listens on port 5433.");
    let own = say(&here, "second", "user", 3, QUESTION);
    let later = say(&here, "third", "user", 4, QUESTION);
    let again = say(&here, "third", "user", 5, "and which port does the staging database listen on, once more?");
    let nothing = say(&here, "third", "user", 6, "thanks");
    let changed = say(&here, "fourth", "user", 7, "The staging database listens on port 6000 now.");
    let newest = say(&here, "fifth", "user", 8, QUESTION);
    let elsewhere = say(&app.in_project("banana"), "sixth", "user", 9, QUESTION);

    let replay = replayed(&here, ALL);
    assert_eq!(items(&replay, &too_early), [""; 0], "it was said later");
    assert_eq!(items(&replay, &own), [""; 0], "its own conversation said it");
    assert_eq!(items(&replay, &later), [said]);
    assert_eq!(items(&replay, &again), [""; 0], "it was shown before");
    assert!(items(&replay, &newest).contains(&changed), "{:#?}", prompt(&replay, &newest));
    assert!(prompt(&replay, &nothing).asks_for_nothing && items(&replay, &nothing).is_empty());
    assert!(prompt(&replay, &later).tokens > 0);
    let summary = replay.summary();
    assert_eq!((summary.prompts, summary.asking_for_nothing), (8, 1));
    // Nothing comes from the future or from the conversation itself.
    for prompt in &replay.prompts {
        for item in &prompt.items {
            let memory = memory(&here, &item.id);
            assert!(memory["event_time"].as_str().unwrap().parse::<Timestamp>().unwrap() < prompt.at, "{prompt:?}");
            assert_ne!(memory["session_id"].as_str(), prompt.session_id.as_deref());
        }
    }

    let since = ReplayRequest { since: Some("2026-04-05".parse().unwrap()), ..ALL };
    assert_eq!(replayed(&here, since).prompts.len(), 4);
    let last = replayed(&here, ReplayRequest { limit: 1, ..ALL });
    assert_eq!(last.prompts.iter().map(|prompt| &prompt.id).collect::<Vec<_>>(), [&newest]);
    let all = replayed(&app.owner, ReplayRequest { all_projects: true, ..ALL });
    assert_eq!((all.prompts.len(), items(&all, &elsewhere)), (9, Vec::<String>::new()));
}

#[test]
fn a_prompt_that_says_little_is_understood_by_what_was_said_before_it() {
    let app = TestApp::on_sqlite();
    let here = app.in_project("apple");
    let said = say(&here, "first", "user", 1, "The staging database listens on port 5433.");
    say(&here, "second", "user", 2, "I cannot reach the staging database");
    let short = say(&here, "second", "user", 3, "which port?");
    say(&here, "second", "user", 4, "never mind the violin concert");
    let replay = replayed(&here, ALL);
    assert_eq!(items(&replay, &short), [""; 0], "it was shown for the prompt before");
    let alone = replayed(&here, ReplayRequest { since: Some("2026-04-03".parse().unwrap()), ..ALL });
    assert_eq!(items(&alone, &short), [said]);
}

#[test]
fn what_ended_or_was_corrected_later_held_at_the_time() {
    let app = TestApp::on_sqlite();
    let here = app.in_project("apple");
    let forgotten = say(&here, "first", "user", 1, "Marta plays the violin in the orchestra.");
    let said = say(&here, "first", "user", 2, "The staging database listens on port 5433.");
    let violin = say(&here, "second", "user", 3, "who plays the violin in the orchestra?");
    let port = say(&here, "third", "user", 4, QUESTION);
    let input = json!({"content": "The staging database listens on port 5433", "source_ids": [said]});
    let fact = call(&here, "remember", input).unwrap()["id"].as_str().unwrap().to_owned();
    call(&here, "correct", json!({"id": fact, "content": "The staging database listens on port 6000"})).unwrap();
    call(&here, "forget", json!({"ids": [forgotten]})).unwrap();
    // Today neither is handed over.
    for question in ["who plays the violin in the orchestra?", QUESTION] {
        let injected = call(&here, "inject", json!({"text": question, "session": "today"})).unwrap();
        let ids: Vec<&str> =
            injected["items"].as_array().unwrap().iter().map(|item| item["id"].as_str().unwrap()).collect();
        assert!(!ids.contains(&forgotten.as_str()) && !ids.contains(&said.as_str()), "{ids:?}");
    }
    let replay = replayed(&here, ALL);
    assert!(items(&replay, &violin).contains(&forgotten));
    assert!(items(&replay, &port).contains(&said));
}

#[test]
fn a_replay_leaves_no_trace() {
    let app = TestApp::on_sqlite();
    let here = app.in_project("apple");
    say(&here, "first", "user", 1, "The staging database listens on port 5433.");
    say(&here, "second", "user", 2, QUESTION);
    say(&here, "second", "assistant", 3, "Let me have a look.");
    let injected = call(&here, "inject", json!({"text": QUESTION, "session": "today"})).unwrap();
    let items = injected["items"].as_array().unwrap().len();
    let answer = json!({"session_id": "today", "role": "assistant", "content": "Port 5433, as was said."});
    call(&here, "capture", json!({"messages": [answer]})).unwrap();

    let (rows, files) = (dump(&here), files(app.path()));
    let replay = replayed(&here, ALL);
    assert_eq!(replay.summary().with_block, 1);
    // The receipt was not judged before, and is not now: whether the reply used it is told all the same.
    assert_eq!(replay.injections, Injections { receipts: 1, used: 1, unused: items - 1, without_reply: 0 });
    assert_eq!(dump(&here), rows);
    let after = self::files(app.path());
    let names = |files: &[(PathBuf, Vec<u8>)]| files.iter().map(|(path, _)| path.clone()).collect::<Vec<_>>();
    assert_eq!(names(&after), names(&files));
    assert!(after == files, "a byte was changed");
}

// Every memory with its access count, and every receipt as it is kept.
fn dump(ctx: &Ctx) -> (Value, String) {
    let memories = call(ctx, "list", json!({"all": true})).unwrap();
    let receipts = block_on(async {
        let query = scrubjay_store::context::ReceiptQuery { limit: 100, ..Default::default() };
        ctx.store().await.unwrap().receipts(ctx.view(), query).await.unwrap()
    });
    assert!(receipts.iter().all(|receipt| receipt.judged_at.is_none()));
    (memories, format!("{receipts:?}"))
}

// All files but the one in which SQLite's readers leave their marks.
fn files(folder: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(files(&path));
        } else if !path.to_string_lossy().ends_with("-shm") {
            found.push((path.clone(), std::fs::read(&path).unwrap()));
        }
    }
    found.sort();
    found
}

#[test]
fn there_must_be_a_store() {
    let app = TestApp::on_sqlite();
    let error = block_on(replay(&app.owner, ALL)).unwrap_err().to_string();
    assert!(error.contains("there is no store at"), "{error}");
    assert!(!app.path().join("default.sqlite").exists());
}
