//! An index kept in step equals a fresh one, also while watching.

use std::fs;
use std::time::Duration;

use proptest::prelude::*;
use scrubjay_core::scope::View;
use scrubjay_engine::sync::{WatchEvent, Watching, watch};
use scrubjay_test::TestApp;
use scrubjay_test::app::{block_on, call};
use serde_json::json;

use super::{index, indexed, put, rename};

/// What can happen to a tree.
#[derive(Debug, Clone)]
enum Edit {
    Write(usize, String),
    Delete(usize),
    Rename(usize, usize),
    Sync,
}

const PATHS: [&str; 6] = ["a.md", "src/b.rs", "src/deep/c.py", "MEMORY.md", "memory/d.md", "e.toml"];

fn edits() -> impl Strategy<Value = Vec<Edit>> {
    let line = prop_oneof!["# [a-z]{1,8}", "fn [a-z]{1,6}\\(\\) \\{\\}", "[a-z ]{0,40}", Just(String::new())];
    let text = proptest::collection::vec(line, 0..12).prop_map(|lines| lines.join("\n"));
    let edit = prop_oneof![
        4 => (0..PATHS.len(), text).prop_map(|(at, text)| Edit::Write(at, text)),
        1 => (0..PATHS.len()).prop_map(Edit::Delete),
        1 => (0..PATHS.len(), 0..PATHS.len()).prop_map(|(from, to)| Edit::Rename(from, to)),
        2 => Just(Edit::Sync),
    ];
    proptest::collection::vec(edit, 1..25)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12 * scrubjay_test::longer(20) as u32))]
    #[test]
    fn an_index_kept_in_step_equals_a_fresh_one(edits in edits()) {
        let (app, root) = (TestApp::in_memory(), tempfile::tempdir().unwrap());
        let ctx = app.in_project("demo-00000001");
        index(&ctx, root.path());
        for edit in edits {
            match edit {
                Edit::Write(at, text) => put(root.path(), PATHS[at], &text),
                Edit::Delete(at) => drop(fs::remove_file(root.path().join(PATHS[at]))),
                Edit::Rename(from, to) => {
                    fs::create_dir_all(root.path().join(PATHS[to]).parent().unwrap()).unwrap();
                    drop(rename(&root.path().join(PATHS[from]), &root.path().join(PATHS[to])));
                }
                Edit::Sync => drop(call(&ctx, "sync", json!({})).unwrap()),
            }
        }
        call(&ctx, "sync", json!({})).unwrap();
        let fresh = TestApp::in_memory();
        let fresh = fresh.in_project("demo-00000001");
        index(&fresh, root.path());
        prop_assert_eq!(indexed(&ctx), indexed(&fresh));
    }
}

#[test]
fn a_watched_tree_follows_and_a_reader_sees_whole_files() {
    follows(&[("sync.watch_debounce_ms", "20")], false);
}

#[test]
fn a_tree_that_is_looked_at_from_time_to_time_follows_too() {
    follows(&[("sync.poll", "true"), ("sync.poll_ms", "100"), ("sync.watch_debounce_ms", "20")], true);
}

fn follows(settings: &[(&str, &str)], polls: bool) {
    let root = tempfile::tempdir().unwrap();
    let app = TestApp::with(None, settings);
    let ctx = app.in_project("demo-00000001");
    let version = |number: usize| format!("# Alpha {number}\n\none {number}\n\n# Beta {number}\n\ntwo {number}\n");
    put(root.path(), "a.md", &version(0));
    index(&ctx, root.path());
    // The clock of the tests stands still; this one has to run.
    let ctx = app.again_with_system_clock().at(View::project("demo-00000001".parse().unwrap())).unwrap();
    let path = root.path().to_owned();
    block_on(async {
        let (told, mut events) = tokio::sync::mpsc::unbounded_channel();
        let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
        let watching = watch(
            &ctx,
            Watching::View,
            async {
                let _ = stopped.await;
            },
            |event| {
                if matches!(&event, WatchEvent::Polls { .. }) == polls {
                    let _ = told.send(event);
                }
            },
        );
        let editing = async {
            events.recv().await.unwrap();
            for number in 1..6 {
                put(&path, "a.md", &version(number));
                put(&path, &format!("new/{number}/x.txt"), "something new");
                // Until it was read; meanwhile a reader sees one version or the other, whole.
                loop {
                    let store = ctx.store().await.unwrap();
                    let documents = store.documents(&ctx.view().home(), "", None, 100).await.unwrap();
                    let document = documents.iter().find(|document| document.path.ends_with("a.md")).unwrap();
                    let chunks = store.chunks(ctx.view(), document.id).await.unwrap();
                    let text: String = chunks.iter().map(|chunk| chunk.text.as_str()).collect();
                    let whole = (0..=number).rev().find(|&known| text.contains(&format!("two {known}")));
                    let seen = whole.unwrap();
                    assert!(text.contains(&format!("one {seen}")), "{text}");
                    let new = documents.iter().filter(|document| document.path.contains("/new/")).count();
                    if seen == number && new == number {
                        break;
                    }
                    tokio::time::sleep(Duration::from_millis(5)).await;
                }
            }
            stop.send(()).unwrap();
        };
        let (watched, ()) = tokio::join!(watching, editing);
        watched.unwrap();
    });
}
