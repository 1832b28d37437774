//! What a person changes on the dashboard, and how it is taken back.

use std::fs;

use scrubjay_core::error::ErrorCode;
use scrubjay_core::time::Timestamp;
use scrubjay_engine::Ctx;
use scrubjay_engine::clients::CLIENTS;
use scrubjay_engine::hooks::{Hooked, answer};
use scrubjay_engine::project::locate;
use scrubjay_store::item::GenerationId;
use scrubjay_store::model::Batch;
use scrubjay_test::TestApp;
use scrubjay_test::app::{block_on, call};
use serde_json::{Value, json};

fn adjust(ctx: &Ctx, input: Value) -> scrubjay_engine::Result<Value> {
    call(ctx, "config.adjust", input)
}

#[test]
fn settings_that_tune_are_changed_and_reset() {
    let app = TestApp::on_sqlite();
    let file = app.path().join("config.toml");
    let person = app.owner.acting_as("dashboard");
    let done = adjust(&person, json!({"key": "inject.min_score", "value": "0.6"})).unwrap();
    assert_eq!((&done["before"], &done["after"]), (&Value::Null, &json!("0.6")));
    assert_eq!(fs::read_to_string(&file).unwrap(), "[inject]\nmin_score = 0.6\n");
    let done = adjust(&person, json!({"key": "inject.min_score", "reset": true})).unwrap();
    assert_eq!((&done["before"], &done["after"]), (&json!("0.6"), &Value::Null));
    assert!(!fs::read_to_string(&file).unwrap().contains("min_score"));
    // An agent's own table wins over the rest of the file, so it is changed there.
    fs::write(&file, "[agents.default.inject]\nmax_items = 3\n").unwrap();
    adjust(&person, json!({"key": "inject.max_items", "value": "4"})).unwrap();
    assert_eq!(fs::read_to_string(&file).unwrap(), "[agents.default.inject]\nmax_items = 4\n");
}

#[test]
fn settings_that_lead_elsewhere_are_the_terminals() {
    let app = TestApp::on_sqlite();
    let person = app.owner.clone().acting_as("dashboard");
    let refused = |ctx: &Ctx, key: &str, value: &str, code: ErrorCode| {
        let failed = adjust(ctx, json!({"key": key, "value": value})).unwrap_err();
        assert_eq!(failed.code(), code, "{key} = {value}: {failed}");
    };
    for (key, value) in [
        ("store.path", "/tmp/other.sqlite"),
        ("capture.redact", "false"),
        ("chat.provider", "command"),
        ("embedding.url", "http://evil.example"),
        ("keys.openai", "sk-x"),
        ("daemon.port", "1"),
        ("extract.prompts", "/tmp"),
    ] {
        refused(&person, key, value, ErrorCode::Refused);
    }
    refused(&person, "inject.min_scor", "0.5", ErrorCode::InvalidInput);
    refused(&person, "inject.min_score", "7", ErrorCode::InvalidInput);
    refused(&person, "inject.min_score", "much", ErrorCode::InvalidInput);
    refused(&app.owner.clone().acting_as("some-agent"), "inject.min_score", "0.5", ErrorCode::Refused);
    let confined = app.in_project("apple").confined_to("apple".parse().unwrap());
    refused(&confined, "inject.min_score", "0.5", ErrorCode::Refused);
    // Where the command line or the environment decides, the file would change nothing.
    let elsewhere = TestApp::with(None, &[("inject.min_score", "0.7")]);
    refused(&elsewhere.owner, "inject.min_score", "0.5", ErrorCode::Refused);
    for path in [app.path(), elsewhere.path()] {
        assert!(!path.join("config.toml").exists(), "nothing was written");
    }
}

#[test]
fn settings_are_described() {
    let app = TestApp::on_sqlite();
    let shown = call(&app.owner, "config.show", json!({"describe": true, "origin": true})).unwrap();
    let of = |key: &str| shown["settings"].as_array().unwrap().iter().find(|one| one["key"] == key).unwrap().clone();
    let rerank = of("query.rerank");
    assert_eq!((&rerank["choices"], &rerank["adjustable"]), (&json!(["auto", "on", "off"]), &json!(true)));
    assert!(rerank["about"].as_str().unwrap().contains("cross-encoder"), "{rerank}");
    let path = of("store.path");
    assert_eq!((&path["adjustable"], &path["value_type"]), (&json!(false), &json!("text")));
}

#[test]
fn two_names_are_taken_apart_again_by_the_run() {
    let app = TestApp::on_sqlite();
    let here = app.in_project("apple");
    for content in ["ask @ada about the engine", "ask @lovelace about the notes"] {
        call(&here, "remember", json!({"content": content})).unwrap();
    }
    let names = || {
        let listed = call(&here, "entities", json!({})).unwrap();
        let names = listed["entities"].as_array().unwrap().iter().map(|one| one["name"].as_str().unwrap().to_owned());
        let mut names: Vec<String> = names.collect();
        names.sort();
        names
    };
    let before = names();
    let merged = call(&here, "entity.merge", json!({"into": "ada", "from": "lovelace"})).unwrap();
    assert_eq!(names().len() + 1, before.len());
    // Something else happens meanwhile; it is the merge that is undone.
    call(&here, "remember", json!({"content": "ask @grace about the compiler"})).unwrap();
    call(&here, "undo", json!({"target": merged["run"]})).unwrap();
    let mut expected = before;
    expected.extend(names().into_iter().filter(|name| name.contains("grace")));
    expected.sort();
    assert_eq!(names(), expected);
}

#[test]
fn the_end_of_a_conversation_is_taken_back() {
    let app = TestApp::on_sqlite();
    let here = app.in_project("apple");
    let said = json!({"session_id": "s", "role": "user", "content": "The heron nests early."});
    call(&here, "capture", json!({"messages": [said]})).unwrap();
    let session = || call(&here, "sessions", json!({"session": "s"})).unwrap()["sessions"][0].clone();
    call(&here, "session.end", json!({"session_id": "s"})).unwrap();
    assert_ne!(session()["ended_at"], Value::Null);
    call(&here, "session.end", json!({"session_id": "s", "reopen": true})).unwrap();
    assert_eq!(session()["ended_at"], Value::Null);
    assert_eq!(session()["paused"], Value::Null);
    call(&here, "pause", json!({"session": "s"})).unwrap();
    assert_eq!(session()["paused"], true);
    assert_eq!(call(&here, "sessions", json!({"session": "t"})).unwrap()["sessions"], json!([]));
}

#[test]
fn the_owner_answers_on_the_dashboard_and_takes_yes_back() {
    let app = TestApp::on_sqlite();
    let agent = app.in_project("apple").acting_as("agent");
    let asked = json!({"content": "Prefers tabs", "type": "preference", "scope": "global"});
    let pending = call(&agent, "remember", asked).unwrap()["pending"].clone();
    let person = app.in_project("apple").acting_as("dashboard");
    let done = call(&person, "confirmations.answer", json!({"id": pending, "answer": "yes"})).unwrap();
    let active = || call(&person, "list", json!({})).unwrap()["memories"].as_array().unwrap().len();
    assert_eq!(active(), 1, "{done}");
    call(&person, "undo", json!({"target": done["result"]["id"]})).unwrap();
    assert_eq!(active(), 0);
}

#[test]
fn a_folder_is_adopted_from_afar_by_its_whole_path() {
    let app = TestApp::on_sqlite();
    let person = app.owner.clone().acting_as("dashboard");
    call(&app.in_project("heron-1"), "remember", json!({"content": "Herons nest early"})).unwrap();
    let adopt = |folder: Value| call(&person, "projects.adopt", json!({"id": "heron-1", "folder": folder}));
    let gone = app.path().join("not-there");
    for wrong in [Value::Null, json!(""), json!("work"), json!(gone)] {
        assert_eq!(adopt(wrong.clone()).unwrap_err().code(), ErrorCode::InvalidInput, "{wrong}");
    }
    let folders = ["moved", "copy"].map(|name| app.path().join(name));
    for folder in &folders {
        fs::create_dir(folder).unwrap();
        let adopted = adopt(json!(folder)).unwrap();
        assert_eq!(adopted["to"], "heron-1");
    }
    // Both folders are there, and each leads to the project.
    for folder in &folders {
        assert_eq!(locate(folder, &person.known_projects()).unwrap().id, "heron-1", "{}", folder.display());
    }
    let folder = &folders[0];
    let failed = call(&app.owner.acting_as("some-agent"), "projects.adopt", json!({"id": "heron-1", "folder": folder}));
    assert_eq!(failed.unwrap_err().code(), ErrorCode::Refused);
}

#[test]
fn batches_are_told_to_the_owner_alone() {
    let app = TestApp::on_sqlite();
    let batch = Batch {
        name: "b".to_owned(),
        provider: "openai".to_owned(),
        model: "openai/m".to_owned(),
        generation: GenerationId(3),
        remote_id: Some("batch_1".to_owned()),
        items: json!([{"key": 1}, {"key": 2}]),
        tries: 1,
        created_at: Timestamp::from_millis(1),
        updated_at: Timestamp::from_millis(2),
    };
    block_on(async { app.owner.store().await.unwrap().put_batch(batch).await }).unwrap();
    let told = call(&app.owner, "jobs", json!({})).unwrap();
    assert_eq!((&told["batches"][0]["items"], &told["batches"][0]["accepted"]), (&json!(2), &json!(true)), "{told}");
    let confined = app.in_project("apple").confined_to("apple".parse().unwrap());
    assert_eq!(call(&confined, "jobs", json!({})).unwrap().get("batches"), None);
}

// What a client would be handed is what its hooks hand over, letter by letter but for the fence's number.
#[test]
fn a_client_is_shown_what_its_hooks_hand_over() {
    let bare = |text: &str| {
        let mut bare = String::new();
        for (number, part) in text.split("nonce=").enumerate() {
            let digits = |part: &str| {
                part.trim_start_matches(['\\', '"']).trim_start_matches(|c: char| c.is_ascii_hexdigit()).to_owned()
            };
            bare.push_str(&if number == 0 { part.to_owned() } else { digits(part) });
        }
        bare
    };
    let mut with_text = 0;
    for client in CLIENTS {
        let app = TestApp::on_sqlite();
        let here = app.in_project("apple");
        for content in ["The release of Tern is on Friday", "Ada owns the invoices"] {
            call(&here, "remember", json!({"content": content})).unwrap();
        }
        // A conversation begins with facts; what another one said comes with the prompt.
        let said = json!({"session_id": "other", "role": "user", "content": "Staging runs on port 5433 now."});
        call(&here, "capture", json!({"messages": [said]})).unwrap();
        let prompt = "Which port does staging run on?";
        let asked = json!({"text": prompt, "session": "s", "client": client.name});
        let shown = call(&here, "inject", asked).unwrap();
        let (told, receipts) = (shown["client"].clone(), call(&here, "receipts", json!({})).unwrap());
        assert_eq!(receipts["receipts"], json!([]), "{}: looking leaves no trace", client.name);
        let hook = |event: &str, payload: Value| {
            let hooked = Hooked {
                client: client.name.to_owned(),
                event: event.to_owned(),
                payload,
                received_at: app.owner.now().to_string(),
            };
            block_on(answer(&here, &hooked)).unwrap().output
        };
        let transcript = app.path().join("transcript.jsonl");
        let line = json!({"source": "USER_EXPLICIT", "type": "USER_INPUT", "step_index": 0, "content": prompt});
        fs::write(&transcript, format!("{line}\n")).unwrap();
        let mut handed = Vec::new();
        for event in client.events {
            let sent = json!({"session_id": "s", "conversation_id": "s", "conversationId": "s", "sessionId": "s",
                "sessionID": "s", "prompt": prompt, "text": prompt, "cwd": app.path(), "invocationNum": 0,
                "transcriptPath": transcript, "transcript_path": transcript});
            let name = format!("{:?}", event.moment);
            if name == "SessionStart" || name == "Prompt" {
                let output = hook(event.name, sent);
                handed.push((name, output));
            }
        }
        let of = |moment: &str| handed.iter().find(|(name, _)| name == moment).map_or("", |(_, output)| output);
        let beginning = told["beginning"].as_str().unwrap();
        if client.tells_beginnings() {
            let escaped = json!(beginning).to_string();
            let escaped = escaped.trim_matches('"');
            assert!(
                !beginning.is_empty() && bare(of("SessionStart")).contains(&bare(escaped)),
                "{}: {beginning}\n{}",
                client.name,
                of("SessionStart")
            );
        }
        match told["nothing_because"].as_str() {
            None => {
                with_text += 1;
                assert!(of("Prompt").contains("5433"), "{}: {}", client.name, of("Prompt"));
                assert_eq!(bare(told["output"].as_str().unwrap()), bare(of("Prompt")), "{}", client.name);
            }
            Some(why) => assert!(!of("Prompt").contains("5433"), "{}: {why}, but {}", client.name, of("Prompt")),
        }
    }
    // Cursor takes text only when a conversation begins.
    assert_eq!(with_text, CLIENTS.len() - 1);
}
