//! A store of every released schema is kept and must open. Several migrations may
//! come with one release, which then has one store: that of the last of them.
//!
//! `tests/golden/store-<schema>.sqlite` was written by the version that brought
//! the schema, `store-<schema>.jsonl` is what that version exported from it. A
//! new schema gets its pair by running this test once with
//! `SCRUBJAY_WRITE_GOLDEN=1`; existing files are never written again.

use std::path::{Path, PathBuf};
use std::time::Duration;

use scrubjay_engine::home::Home;
use scrubjay_engine::schedule::drain;
use scrubjay_store::sqlite::SCHEMA_VERSION;
use scrubjay_test::TestApp;
use scrubjay_test::app::{block_on, call};
use serde_json::{Value, json};

#[test]
fn stores_of_every_schema_open_and_hold_what_they_held() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/golden");
    write_if_wanted(&folder);
    let known = (1..=SCHEMA_VERSION).filter(|schema| folder.join(format!("store-{schema}.sqlite")).exists());
    let known: Vec<i64> = known.collect();
    assert_eq!(known.last(), Some(&SCHEMA_VERSION), "write the store of this schema, as said above");
    for schema in known {
        let app = TestApp::on_sqlite();
        let store = app.path().join("default.sqlite");
        let golden = folder.join(format!("store-{schema}.sqlite"));
        std::fs::copy(&golden, &store).unwrap_or_else(|error| panic!("{}: {error}", golden.display()));
        // A checkout does not keep the mode that a store has.
        Home::make_private(&store).unwrap();
        let expected = std::fs::read_to_string(golden.with_extension("jsonl")).unwrap();
        let found = export(&app);
        assert_eq!(comparable(&found), comparable(&expected), "schema {schema}");
        assert_eq!(findings(&app, "earlier version of Scrubjay"), Vec::<Value>::new(), "schema {schema}");
        // It can be written to, and undone. Later, so that the test's ids are new.
        app.clock.advance(Duration::from_secs(86_400));
        let here = app.in_project("garden");
        let id = call(&here, "remember", json!({"content": "the golden store can be written"})).unwrap()["id"].clone();
        call(&here, "undo", json!({"target": id})).unwrap();
        // Vectors of before were made anew meanwhile.
        call(&app.owner, "jobs.run", json!({})).unwrap();
        assert_eq!(findings(&app, "nothing"), Vec::<Value>::new(), "schema {schema}");
    }
}

// What is not well, but for backups, of which there are none here, and for what is expected.
fn findings(app: &TestApp, expected: &str) -> Vec<Value> {
    let health = call(&app.owner, "doctor", json!({})).unwrap();
    let mut findings = health["findings"].as_array().unwrap().clone();
    findings.retain(|finding| {
        let is_expected = finding["detail"].as_str().unwrap().contains(expected);
        finding["status"] != "good" && finding["check"] != "backups" && !is_expected
    });
    findings
}

fn export(app: &TestApp) -> String {
    let mut text = String::new();
    let mut input = json!({"all_projects": true});
    loop {
        let page = call(&app.owner, "export", input.clone()).unwrap();
        for line in page["lines"].as_array().unwrap() {
            text.push_str(line.as_str().unwrap());
            text.push('\n');
        }
        match page["next"].as_str() {
            Some(next) => input["cursor"] = json!(next),
            None => return text,
        }
    }
}

// Later versions may add fields and fade confidence; what was there must stay.
fn comparable(text: &str) -> Vec<Value> {
    let keep = [
        "record",
        "id",
        "kind",
        "type",
        "scope",
        "content",
        "session_id",
        "role",
        "importance",
        "confidence",
        "event_time",
        "created_at",
        "valid_until",
        "ended_by",
        "tags",
        "attributes",
        "version",
        "name",
        "aliases",
        "mention_count",
        "from",
        "relation",
        "to",
        "messages",
    ];
    let line = |line: &str| {
        let mut value: Value = serde_json::from_str(line).unwrap();
        if let Some(fields) = value.as_object_mut() {
            fields.retain(|name, _| keep.contains(&name.as_str()));
        }
        value
    };
    let mut lines: Vec<Value> = text.lines().filter(|line| !line.contains("scrubjay-export")).map(line).collect();
    // An export goes by ids. Those that were written beside the first stores go by how new and how often mentioned.
    lines.sort_by_cached_key(Value::to_string);
    lines
}

#[expect(clippy::disallowed_methods, reason = "the switch that writes the golden files")]
fn write_if_wanted(folder: &Path) {
    let path: PathBuf = folder.join(format!("store-{SCHEMA_VERSION}.sqlite"));
    if std::env::var_os("SCRUBJAY_WRITE_GOLDEN").is_none() || path.exists() {
        return;
    }
    let app = TestApp::on_sqlite();
    let here = app.in_project("garden");
    let message = |number: usize, content: &str| {
        json!({"session_id": format!("s{}", number % 2), "role": if number.is_multiple_of(2) { "user" } else { "assistant" },
               "id": format!("m{number}"), "time": format!("2026-04-0{}T08:00:00Z", 1 + number % 9), "content": content})
    };
    let texts = [
        "Let us plant tomatoes with @ada next to the shed, see https://example.org/tomatoes#soil",
        "Noted. The plan is in docs/plan.md, and ada@example.org wants to water them.",
        "Коты спят на солнце, 庭のトマトは赤い, والطماطم حمراء",
        "fn water_plants(litres: u32) {} is in src/garden.rs since 2026-03-01 #garden",
    ];
    let messages: Vec<Value> = texts.iter().enumerate().map(|(number, text)| message(number, text)).collect();
    call(&here, "capture", json!({"messages": messages})).unwrap();
    let keep = |content: &str, kind: &str| {
        app.clock.advance(Duration::from_secs(60));
        call(&here, "remember", json!({"content": content, "type": kind, "tags": ["garden"], "attributes": {"bed": 3}}))
            .unwrap()["id"]
            .clone()
    };
    let wrong = keep("Tomatoes need 1 litre a day", "fact");
    let kept = keep("Water in the morning, never at noon", "convention");
    let gone = keep("The hose is green", "general");
    call(&here, "correct", json!({"id": wrong, "content": "Tomatoes need 2 litres a day"})).unwrap();
    call(&here, "confirm", json!({"id": kept})).unwrap();
    call(&here, "edit", json!({"id": kept, "importance": 5})).unwrap();
    call(&here, "undo", json!({})).unwrap();
    call(&here, "forget", json!({"ids": [gone]})).unwrap();
    let purged = keep("This line was purged", "general");
    call(&here, "purge", json!({"ids": [purged], "yes": true})).unwrap();
    call(&app.in_project("orchard"), "remember", json!({"content": "The old apple tree stays"})).unwrap();
    call(
        &app.owner,
        "remember",
        json!({"content": "Answers in short sentences", "scope": "global", "type": "pattern"}),
    )
    .unwrap();
    block_on(drain(&app.owner, Duration::from_secs(5))).unwrap();
    let text = export(&app);
    let store = block_on(app.owner.store()).unwrap();
    block_on(store.checkpoint()).unwrap();
    std::fs::create_dir_all(folder).unwrap();
    std::fs::copy(app.path().join("default.sqlite"), &path).unwrap();
    std::fs::write(path.with_extension("jsonl"), text).unwrap();
}
