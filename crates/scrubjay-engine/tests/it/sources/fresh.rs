//! A search over files that changed or went meanwhile.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::time::Duration;

use scrubjay_core::scope::View;
use scrubjay_engine::sync::{WatchEvent, Watching, watch};
use scrubjay_test::TestApp;
use scrubjay_test::app::{block_on, call};
use serde_json::{Value, json};

use super::{hits, index, put, rename};

/// Writes a file as if it had been changed an hour later.
fn put_later(root: &Path, path: &str, text: &str) {
    put(root, path, text);
    let file = fs::File::options().write(true).open(root.join(path)).unwrap();
    let modified = file.metadata().unwrap().modified().unwrap();
    file.set_modified(modified + Duration::from_secs(3600)).unwrap();
}

/// Warnings, except that nothing was embedded here.
fn about_files(answer: &Value) -> Vec<String> {
    let warnings = answer["warnings"].as_array().unwrap().iter().map(|warning| warning.as_str().unwrap().to_owned());
    warnings.filter(|warning| !warning.contains("vectors")).collect()
}

#[test]
fn a_hit_from_a_file_that_changed_is_read_again() {
    let (app, root) = (TestApp::on_sqlite(), tempfile::tempdir().unwrap());
    put(root.path(), "ships.md", "The walrus sails on Monday.\n");
    put(root.path(), "crew.md", "The walrus has a cook and a captain.\n");
    let ctx = app.in_project("demo-00000001");
    index(&ctx, root.path());
    let ask = || call(&ctx, "recall", json!({"query": "walrus", "min_score": 0.0})).unwrap();
    let check = |count: usize, day: &str| {
        let answer = ask();
        let found = answer["hits"].as_array().unwrap();
        assert_eq!((found.len(), about_files(&answer).len()), (count, 0), "{answer}");
        assert!(found.iter().any(|hit| hit["snippet"].as_str().unwrap().contains(day)), "{answer}");
        assert!(found.iter().all(|hit| hit.get("file_state").is_none()), "{answer}");
    };
    // One after the other: whatever is noticed brings all files of the place in step.
    put_later(root.path(), "ships.md", "The walrus sails on Tuesday.\n");
    check(2, "Tuesday");
    fs::remove_file(root.path().join("crew.md")).unwrap();
    check(1, "Tuesday");
    put_later(root.path(), "ships.md", "The walrus sails on Thursday.\n");
    let block = call(&ctx, "inject", json!({"text": "When does the walrus sail?", "sources": ["docs"]})).unwrap();
    assert!(block["text"].as_str().unwrap().contains("Thursday"), "{block}");
}

#[test]
fn a_hit_says_that_its_file_is_no_longer_as_it_was_read() {
    let (app, root) = (TestApp::with(None, &[("sync.on_search", "false")]), tempfile::tempdir().unwrap());
    put(root.path(), "ships.md", "The walrus sails on Monday.\n");
    put(root.path(), "crew.md", "The walrus has a cook and a captain.\n");
    put(root.path(), "ports.md", "The walrus lies at the pier.\n");
    let ctx = app.in_project("demo-00000001");
    index(&ctx, root.path());
    put_later(root.path(), "ships.md", "The walrus sails on Thursday.\n");
    fs::remove_file(root.path().join("crew.md")).unwrap();
    let ask = || call(&ctx, "recall", json!({"query": "walrus", "min_score": 0.0})).unwrap();
    let answer = ask();
    let states: BTreeMap<String, Value> = answer["hits"]
        .as_array()
        .unwrap()
        .iter()
        .map(|hit| {
            let name = Path::new(hit["path"].as_str().unwrap()).file_name().unwrap().to_str().unwrap().to_owned();
            (name, hit["file_state"].clone())
        })
        .collect();
    let expected = [("crew.md", json!("gone")), ("ports.md", Value::Null), ("ships.md", json!("changed"))];
    assert_eq!(states, expected.map(|(name, state)| (name.to_owned(), state)).into(), "{answer}");
    assert_eq!(about_files(&answer).len(), 1, "{answer}");
    // An agent is told, and not handed what is gone.
    let block = call(&ctx, "inject", json!({"text": "The walrus?", "sources": ["docs"], "min_score": 0.0})).unwrap();
    let text = block["text"].as_str().unwrap();
    assert!(text.contains("ships.md:1-1, changed since)") && text.contains("ports.md:1-1)"), "{text}");
    assert!(!text.contains("captain"), "{text}");
    // A disk that is not there says nothing about its files.
    root.close().unwrap();
    let answer = ask();
    assert!(answer["hits"].as_array().unwrap().iter().all(|hit| hit.get("file_state").is_none()), "{answer}");
}

#[test]
fn a_folder_that_is_gone_is_told_and_can_be_left_from_elsewhere() {
    let (app, root) = (TestApp::on_sqlite(), tempfile::tempdir().unwrap());
    put(root.path(), "ships.md", "The walrus sails on Monday.\n");
    let ctx = app.in_project("demo-00000001");
    index(&ctx, root.path());
    root.close().unwrap();
    let answer = call(&ctx, "recall", json!({"query": "walrus", "min_score": 0.0})).unwrap();
    assert!(about_files(&answer).iter().any(|warning| warning.contains("sources remove")), "{answer}");
    let elsewhere = app.in_project("other-00000002");
    assert_eq!(call(&elsewhere, "sources", json!({})).unwrap()["sources"], json!([]));
    let all = call(&elsewhere, "sources", json!({"all": true})).unwrap();
    assert_eq!(all["sources"][0]["missing"], json!(true), "{all}");
    let removed = call(&elsewhere, "sources.remove", json!({"path": all["sources"][0]["path"]})).unwrap();
    assert_eq!(removed["documents"], json!(1));
    assert!(hits(&ctx, "walrus", "docs").is_empty());
}

#[test]
fn a_watched_folder_that_goes_is_told_once_and_taken_up_again() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("work");
    let settings = [("sync.poll_ms", "100"), ("sync.watch_debounce_ms", "20")];
    let app = TestApp::with(None, &settings);
    put(&root, "ships.md", "The walrus sails on Monday.\n");
    index(&app.in_project("demo-00000001"), &root);
    let ctx = app.again_with_system_clock().at(View::project("demo-00000001".parse().unwrap())).unwrap();
    block_on(async {
        let (told, mut events) = tokio::sync::mpsc::unbounded_channel();
        let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
        let stopped = async {
            let _ = stopped.await;
        };
        let watching = watch(&ctx, Watching::View, stopped, |event| {
            let _ = told.send(event);
        });
        let editing = async {
            let mut failures = 0;
            while !matches!(events.recv().await.unwrap(), WatchEvent::Watches { .. }) {}
            rename(&root, &folder.path().join("away")).unwrap();
            while failures == 0 {
                failures += usize::from(matches!(events.recv().await.unwrap(), WatchEvent::Failed { .. }));
            }
            // Several looks later.
            tokio::time::sleep(Duration::from_millis(600)).await;
            rename(&folder.path().join("away"), &root).unwrap();
            put_later(&root, "ships.md", "The walrus sails on Thursday.\n");
            loop {
                match events.recv().await.unwrap() {
                    WatchEvent::Failed { .. } => failures += 1,
                    WatchEvent::Watches { .. } => break,
                    _ => {}
                }
            }
            while !matches!(events.recv().await.unwrap(), WatchEvent::Synced { .. }) {}
            put_later(&root, "more.md", "A second ship.\n");
            loop {
                match events.recv().await.unwrap() {
                    WatchEvent::Synced { report, .. } if report.indexed > 0 => break,
                    WatchEvent::Failed { .. } => failures += 1,
                    _ => {}
                }
            }
            assert_eq!(failures, 1);
            stop.send(()).unwrap();
        };
        let (watched, ()) = tokio::join!(watching, editing);
        watched.unwrap();
    });
}
