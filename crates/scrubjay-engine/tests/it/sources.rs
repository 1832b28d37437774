//! Folders, notes and transcripts, kept in step.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use proptest::prelude::*;
use ruzstd::encoding::{CompressionLevel, compress_to_vec};
use scrubjay_core::scope::View;
use scrubjay_engine::Ctx;
use scrubjay_engine::sync::{WatchEvent, Watching, watch};
use scrubjay_store::item::Chunk;
use scrubjay_test::TestApp;
use scrubjay_test::app::{block_on, call};
use serde_json::{Value, json};

fn put(root: &Path, path: &str, text: &str) {
    let path = root.join(path);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

fn index(ctx: &Ctx, root: &Path) -> Value {
    call(ctx, "index", json!({"path": root})).unwrap()
}

/// First and last line, context and text.
type Piece = (u32, u32, String, String);

/// Everything that is indexed, by path: hash, and lines, context and text of each piece.
fn indexed(ctx: &Ctx) -> BTreeMap<String, (String, Vec<Piece>)> {
    block_on(async {
        let store = ctx.store().await.unwrap();
        let mut all = BTreeMap::new();
        for document in store.documents(&ctx.view().home(), "", None, 10_000).await.unwrap() {
            let chunks = store.chunks(ctx.view(), document.id).await.unwrap();
            let piece = |chunk: Chunk| (chunk.start_line, chunk.end_line, chunk.context, chunk.text);
            let pieces = chunks.into_iter().map(piece).collect();
            all.insert(document.path, (document.hash.to_string(), pieces));
        }
        all
    })
}

fn hits(ctx: &Ctx, query: &str, source: &str) -> Vec<Value> {
    let answer = call(ctx, "recall", json!({"query": query, "sources": [source], "min_score": 0.0})).unwrap();
    answer["hits"].as_array().unwrap().clone()
}

#[test]
fn a_folder_is_found_by_path_and_lines_and_read_once() {
    let (app, root) = (TestApp::on_sqlite(), tempfile::tempdir().unwrap());
    put(root.path(), "src/retry.rs", "// Top.\n\n/// Counts failed attempts.\nfn count_retries() -> u32 {\n    3\n}\n");
    put(root.path(), "docs/guide.md", "# Guide\n\n## Deploying\n\nPush to the harbour branch.\n");
    put(root.path(), "MEMORY.md", "---\ntitle: Team notes\n---\nThe staging cluster sleeps on Sundays.\n");
    put(root.path(), "logo.png", "\u{1}");
    let ctx = app.in_project("demo-00000001");
    let first = index(&ctx, root.path());
    assert_eq!((&first["indexed"], &first["skipped_by_reason"]), (&json!(3), &json!({"binary": 1})), "{first}");
    let hit = &hits(&ctx, "count retries", "code")[0];
    assert!(hit["path"].as_str().unwrap().ends_with("src/retry.rs"));
    assert_eq!((&hit["start_line"], &hit["end_line"]), (&json!(3), &json!(6)), "{hit}");
    assert!(hits(&ctx, "harbour", "docs")[0]["snippet"].as_str().unwrap().contains("harbour branch"));
    assert!(hits(&ctx, "staging cluster", "memory")[0]["snippet"].as_str().unwrap().contains("Sundays"));
    let second = index(&ctx, root.path());
    assert_eq!((&second["indexed"], &second["unchanged"]), (&json!(0), &json!(3)), "{second}");
    let status = call(&ctx, "sync.status", json!({})).unwrap();
    assert_eq!(status["triggers"].as_array().unwrap().len(), 6);
    assert_eq!(status["documents"].as_array().unwrap().len(), 3, "{status}");
}

#[test]
fn a_file_is_found_by_its_name_and_not_by_where_the_folder_lies() {
    let (app, above) = (TestApp::on_sqlite(), tempfile::tempdir().unwrap());
    let root = above.path().join("invoices");
    put(&root, "billing/tax.md", "Twenty per cent, and seven for books.\n");
    put(&root, "kitchen/soup.md", "Leek, potato, a little cream.\n");
    put(&root, "office/rules.md", "Invoices go out on Mondays.\n");
    let ctx = app.in_project("demo-00000001");
    index(&ctx, &root);
    let paths = |query: &str, min_score: f64| -> Vec<String> {
        let asked = json!({"query": query, "sources": ["docs"], "min_score": min_score});
        let answer = call(&ctx, "recall", asked).unwrap();
        let hits = answer["hits"].as_array().unwrap();
        let path = |hit: &Value| hit["path"].as_str().unwrap().rsplit('/').next().unwrap().to_owned();
        hits.iter().map(path).collect()
    };
    assert_eq!(paths("billing tax", 0.35), ["tax.md"]);
    assert_eq!(paths("kitchen/soup.md", 0.35), ["soup.md"]);
    let whole = root.canonicalize().unwrap().join("kitchen/soup.md");
    assert_eq!(paths(&format!("what is in {}?", whole.display()), 0.35), ["soup.md"]);
    // Every file lies in a folder of that name; one of them is about it.
    assert_eq!(paths("invoices", 0.0), ["rules.md"]);
}

#[test]
fn a_piece_that_says_a_word_comes_before_one_that_only_lies_there() {
    let (app, root) = (TestApp::on_sqlite(), tempfile::tempdir().unwrap());
    put(root.path(), "plan.md", "# Food\n\nBread and cheese.\n\n# Day\n\nThe plan is a picnic.\n");
    let ctx = app.in_project("demo-00000001");
    // In texts the word is common, in paths it is rare.
    let say = |number| json!({"session_id": "s", "role": "user", "content": format!("the plan for day {number}")});
    call(&ctx, "capture", json!({"messages": (0..100).map(say).collect::<Vec<_>>()})).unwrap();
    index(&ctx, root.path());
    let found = hits(&ctx, "plan", "docs");
    assert!(found[0]["snippet"].as_str().unwrap().contains("picnic"), "{found:?}");
}

#[test]
fn a_file_in_a_folder_that_became_part_of_another_is_known_by_its_longer_path() {
    let (app, root) = (TestApp::on_sqlite(), tempfile::tempdir().unwrap());
    put(root.path(), "shop/cart.md", "Twelve apples.\n");
    let ctx = app.in_project("demo-00000001");
    index(&ctx, &root.path().join("shop"));
    assert!(hits(&ctx, "shop", "docs").is_empty());
    index(&ctx, root.path());
    assert_eq!(hits(&ctx, "shop", "docs").len(), 1);
}

#[test]
fn a_file_called_by_its_name_comes_first() {
    let (app, root) = (TestApp::on_sqlite(), tempfile::tempdir().unwrap());
    put(root.path(), "src/redact/scan.rs", "fn find() -> usize {\n    1\n}\n\nfn longer() -> usize {\n    2\n}\n");
    put(
        root.path(),
        "src/redact/mod.rs",
        "//! `scan.rs` finds what `filter.rs` judges; see src/redact/scan.rs.\nmod scan;\n",
    );
    put(root.path(), "src/net/mod.rs", "//! Talks to others.\n");
    put(root.path(), "docs/runtime.md", "Node.js is the newest release.\n");
    put(root.path(), "docs/walks.md", "We run here, how do we like it: a long way to run.\n");
    for number in 0..20 {
        put(root.path(), &format!("docs/page{number}.md"), "All src files end in rs; scan them, redact them.\n");
    }
    let ctx = app.in_project("demo-00000001");
    index(&ctx, root.path());
    for (query, path) in [
        ("scan.rs", "src/redact/scan.rs"),
        ("what does Scan.rs do?", "src/redact/scan.rs"),
        ("src/redact/scan.rs:2", "src/redact/scan.rs"),
        ("redact/mod.rs", "src/redact/mod.rs"),
        ("src/net/mod.rs", "src/net/mod.rs"),
        ("page7.md", "docs/page7.md"),
        // No file has this name, so that its words count as others do.
        ("how do we run Node.js here?", "docs/runtime.md"),
    ] {
        let answer = call(&ctx, "recall", json!({"query": query})).unwrap();
        let first = answer["hits"][0]["path"].as_str().unwrap_or_default();
        assert!(first.ends_with(path), "{query}: {first}");
    }
}

#[test]
fn whoever_only_asks_has_nothing_read() {
    let (app, root) = (TestApp::on_sqlite(), tempfile::tempdir().unwrap());
    put(root.path(), "recipe.md", "The secret ingredient is nutmeg.\n");
    let ctx = app.in_project("demo-00000001");
    let would = call(&ctx, "index", json!({"path": root.path(), "dry_run": true})).unwrap();
    assert_eq!(would["indexed"], 1, "{would}");
    assert!(hits(&ctx, "secret ingredient", "docs").is_empty());
    assert_eq!(call(&ctx, "sync.status", json!({})).unwrap()["sources"], json!([]));
}

#[test]
fn a_file_may_speak_of_the_tag_for_what_is_private() {
    let (app, root) = (TestApp::on_sqlite(), tempfile::tempdir().unwrap());
    put(
        root.path(),
        "Soldiers.java",
        "class Soldiers {\n  private List<Private> rank;\n  void promotePlatypus() {}\n}\n",
    );
    put(root.path(), "guide.md", "Use a <private> tag.\n\n# Kangaroos\n\nThe fence is high. <private>1234</private>\n");
    put(root.path(), "MEMORY.md", "The code is <private>4711\n");
    let ctx = app.in_project("demo-00000001");
    index(&ctx, root.path());
    assert_eq!(hits(&ctx, "promotePlatypus", "code").len(), 1);
    assert!(hits(&ctx, "kangaroos fence", "docs")[0]["snippet"].as_str().unwrap().contains("fence is high"));
    let all = format!("{:?}", indexed(&ctx));
    assert!(!all.contains("1234") && !all.contains("4711"), "{all}");
}

#[test]
fn another_project_sees_nothing_of_it() {
    let (app, root) = (TestApp::on_sqlite(), tempfile::tempdir().unwrap());
    put(root.path(), "a.md", "The canary sings at dawn.\n");
    index(&app.in_project("one-00000001"), root.path());
    let other = app.in_project("two-00000002");
    assert!(hits(&other, "canary", "docs").is_empty());
    let status = call(&other, "sync.status", json!({})).unwrap();
    assert_eq!((&status["sources"], &status["documents"]), (&json!([]), &json!([])), "{status}");
    let confined = other.confined_to("two-00000002".parse().unwrap());
    assert!(call(&confined, "index", json!({"path": root.path()})).is_err(), "reads files for a stranger");
}

#[test]
fn secrets_in_files_are_taken_out_and_lines_stay_true() {
    let (app, root) = (TestApp::on_sqlite(), tempfile::tempdir().unwrap());
    let key = "-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7\n\
               VJTUt9Us8cKjMzEfYyjiWA4R4/M2bS1GB4t7NXp98C3SC6dVMvDu\n-----END PRIVATE KEY-----";
    put(root.path(), "notes.md", &format!("# Keys\n\n{key}\n\n# After\n\nThe lighthouse is green.\n"));
    let ctx = app.in_project("demo-00000001");
    index(&ctx, root.path());
    let hit = &hits(&ctx, "lighthouse", "docs")[0];
    assert_eq!((&hit["start_line"], &hit["end_line"]), (&json!(8), &json!(10)), "{hit}");
    let all = format!("{:?}", indexed(&ctx));
    assert!(!all.contains("MIIEvQ") && all.contains("REDACTED"));
}

#[test]
fn notes_are_read_before_a_search() {
    let (app, root) = (TestApp::on_sqlite(), tempfile::tempdir().unwrap());
    put(root.path(), "MEMORY.md", "The espresso machine is in the attic.\n");
    let ctx = app.in_project("demo-00000001");
    index(&ctx, root.path());
    app.clock.advance(Duration::from_secs(60));
    put(root.path(), "MEMORY.md", "The espresso machine is in the cellar now.\n");
    put(root.path(), "memory/bees.md", "The bees moved to the roof.\n");
    assert!(hits(&ctx, "espresso machine", "memory")[0]["snippet"].as_str().unwrap().contains("cellar"));
    assert_eq!(hits(&ctx, "bees", "memory").len(), 1);
    fs::remove_file(root.path().join("memory/bees.md")).unwrap();
    assert!(hits(&ctx, "bees roof", "memory").iter().all(|hit| !hit["snippet"].as_str().unwrap().contains("bees")));
}

#[test]
fn another_size_of_pieces_reads_everything_again() {
    let root = tempfile::tempdir().unwrap();
    put(root.path(), "a.md", &"A sentence about ships and shoes. ".repeat(200));
    let large = TestApp::on_sqlite();
    let small = TestApp::with(None, &[("chunking.tokens", "64"), ("chunking.overlap", "0")]);
    let count = |app: &TestApp| index(&app.in_project("demo-00000001"), root.path())["chunks"].as_u64().unwrap();
    let (large, small) = (count(&large), count(&small));
    assert!(small > 3 * large, "{small} and {large}");
}

#[test]
fn the_same_text_is_embedded_once() {
    let (app, root) = (TestApp::on_sqlite(), tempfile::tempdir().unwrap());
    for name in ["a", "b", "c"] {
        put(root.path(), &format!("{name}.txt"), "The same words in each of these files.\n");
    }
    let ctx = app.in_project("demo-00000001");
    index(&ctx, root.path());
    call(&ctx, "jobs.run", json!({})).unwrap();
    let entries = block_on(async { ctx.store().await.unwrap().cache_entries().await.unwrap() });
    assert_eq!(entries, 1);
    assert_eq!(call(&ctx, "sync.status", json!({})).unwrap()["waiting_for_vectors"], json!(0));
}

#[cfg(unix)]
#[test]
fn hostile_trees_do_no_harm() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let (app, root, outside) = (TestApp::on_sqlite(), tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    put(outside.path(), "secret.txt", "the outside word is xylophone\n");
    put(root.path(), "good.txt", "the inside word is marimba\n");
    put(root.path(), "long.txt", &format!("{} end\n", "word ".repeat(200_000)));
    fs::write(root.path().join("latin.txt"), b"caf\xe9 au lait\n").unwrap();
    fs::write(root.path().join("nul.txt"), b"a\0b\n").unwrap();
    symlink(".", root.path().join("here")).unwrap();
    symlink(outside.path(), root.path().join("out")).unwrap();
    symlink(outside.path().join("secret.txt"), root.path().join("out.txt")).unwrap();
    symlink("loop", root.path().join("loop")).unwrap();
    let fifo = std::process::Command::new("mkfifo").arg(root.path().join("pipe")).status().unwrap();
    assert!(fifo.success());
    let huge = fs::File::create(root.path().join("huge.txt")).unwrap();
    huge.set_len(1 << 30).unwrap();
    put(root.path(), "locked/x.txt", "nobody may read this");
    fs::set_permissions(root.path().join("locked"), fs::Permissions::from_mode(0o000)).unwrap();
    let mut deep = PathBuf::from("deep");
    for _ in 0..70 {
        deep.push("d");
    }
    put(root.path(), deep.join("x.txt").to_str().unwrap(), "too deep to see");
    let ctx = app.in_project("demo-00000001");
    let answer = index(&ctx, root.path());
    fs::set_permissions(root.path().join("locked"), fs::Permissions::from_mode(0o700)).unwrap();
    let reasons = answer["skipped_by_reason"].as_object().unwrap();
    for reason in
        ["link-inside", "link-outside", "link-broken", "not-a-file", "not-utf8", "binary", "too-large", "too-deep"]
    {
        assert!(reasons.contains_key(reason), "{reason} is not in {answer}");
    }
    assert!(hits(&ctx, "xylophone", "docs").is_empty());
    assert_eq!(hits(&ctx, "marimba", "docs").len(), 1);
    assert!(answer["indexed"].as_u64().unwrap() >= 2);
}

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

#[expect(clippy::disallowed_methods, reason = "the tree under test is the test's own")]
fn rename(from: &Path, to: &Path) -> std::io::Result<()> {
    fs::rename(from, to)
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

fn claude_line(number: usize, role: &str, text: &str, folder: &Path) -> String {
    json!({
        "type": role, "uuid": format!("u-{number}"), "sessionId": "s-1", "cwd": folder, "timestamp": "2026-04-01T10:00:00Z",
        "message": {"role": role, "content": text},
    })
    .to_string()
        + "\n"
}

fn episodes(ctx: &Ctx) -> Vec<String> {
    let answer = call(ctx, "list", json!({"limit": 1000})).unwrap();
    let mut texts: Vec<String> =
        answer["memories"].as_array().unwrap().iter().map(|m| m["content"].as_str().unwrap().to_owned()).collect();
    texts.sort();
    texts
}

#[test]
fn a_transcript_gives_each_message_once_whatever_happens_to_its_file() {
    let (app, work, logs) = (TestApp::on_sqlite(), tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    put(work.path(), ".scrubjay.toml", "project = \"work-00000001\"\n");
    let file = logs.path().join("p/s-1.jsonl");
    let lines: Vec<String> =
        (0..6).map(|number| claude_line(number, "user", &format!("message number {number}"), work.path())).collect();
    put(logs.path(), "p/s-1.jsonl", &lines[..2].concat());
    let refused = call(&app.owner, "import.transcripts", json!({"client": "claude-code", "path": logs.path()}));
    assert!(refused.unwrap_err().to_string().contains("2 messages"));
    let input = json!({"client": "claude-code", "path": logs.path(), "yes": true, "keep": true});
    let answer = call(&app.owner, "import.transcripts", input).unwrap();
    assert_eq!((&answer["new_messages"], &answer["messages"]), (&json!(2), &json!(2)), "{answer}");
    let ctx = app.in_project("work-00000001");
    assert_eq!(episodes(&ctx).len(), 2);
    assert!(episodes(&app.in_project("other-00000002")).is_empty());
    let sync = || call(&app.owner, "sync", json!({})).unwrap();
    // A torn last line waits for its end.
    put(logs.path(), "p/s-1.jsonl", &(lines[..3].concat() + &lines[3][..20]));
    assert_eq!(sync()["messages"], json!(1));
    put(logs.path(), "p/s-1.jsonl", &lines[..4].concat());
    assert_eq!(sync()["messages"], json!(1));
    assert_eq!(sync()["messages"], json!(0));
    // Renamed, then replaced, then cut.
    rename(&file, &logs.path().join("p/renamed.jsonl")).unwrap();
    assert_eq!(sync()["messages"], json!(0));
    put(logs.path(), "p/s-1.jsonl", &lines.concat());
    assert_eq!(sync()["messages"], json!(2));
    put(logs.path(), "p/s-1.jsonl", &lines[..1].concat());
    assert_eq!(sync()["messages"], json!(0));
    assert_eq!(episodes(&ctx), (0..6).map(|number| format!("message number {number}")).collect::<Vec<_>>());
    // Deleted: what was said stays.
    fs::remove_file(&file).unwrap();
    sync();
    assert_eq!(episodes(&ctx).len(), 6);
}

#[test]
fn a_transcript_that_was_compressed_is_the_same_one() {
    let (app, work, logs) = (TestApp::on_sqlite(), tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    put(work.path(), ".scrubjay.toml", "project = \"work-00000001\"\n");
    let name = "rollout-2026-05-01T12-30-00-0196f2aa-1c8e-7f3a-9a34-0123456789ab.jsonl";
    let line = |kind: &str, payload: Value| {
        json!({"timestamp": "2026-05-01T12:30:00Z", "type": kind, "payload": payload}).to_string() + "\n"
    };
    let said = |number: usize| {
        let content = json!([{"type": "input_text", "text": format!("message number {number}")}]);
        line("response_item", json!({"type": "message", "role": "user", "content": content}))
    };
    let meta = line("session_meta", json!({"id": "0196f2aa-1c8e-7f3a-9a34-0123456789ab", "cwd": work.path()}));
    let all = std::iter::once(meta).chain((0..300).map(said)).collect::<String>();
    let import = || {
        let input = json!({"client": "codex", "path": logs.path(), "yes": true, "keep": true});
        call(&app.owner, "import.transcripts", input).unwrap()
    };
    let pack = |text: &str| compress_to_vec(text.as_bytes(), CompressionLevel::Fastest);
    // Still being written: nothing is lost, and it is read when it is whole.
    let packed = pack(&all);
    fs::create_dir_all(logs.path().join("sessions")).unwrap();
    let place = logs.path().join("sessions").join(format!("{name}.zst"));
    fs::write(&place, &packed[..packed.len() / 2]).unwrap();
    let torn = import();
    assert!(torn["skipped"].to_string().contains("reading stopped"), "{torn}");
    fs::write(&place, &packed).unwrap();
    import();
    let ctx = app.in_project("work-00000001");
    assert_eq!(episodes(&ctx).len(), 300);
    assert_eq!(call(&app.owner, "sync", json!({})).unwrap()["unchanged"], json!(1));
    // The one it was made of: nothing is new in it, and neither when it is compressed again.
    put(logs.path(), &format!("sessions/{name}"), &all);
    fs::remove_file(&place).unwrap();
    let again = call(&app.owner, "sync", json!({})).unwrap();
    assert_eq!((&again["messages"], &again["duplicates"]), (&json!(0), &json!(300)), "{again}");
    assert_eq!(episodes(&ctx).len(), 300);
}

#[test]
fn a_hook_and_a_transcript_tell_the_same_message_once() {
    let (app, work, logs) = (TestApp::on_sqlite(), tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    put(work.path(), ".scrubjay.toml", "project = \"work-00000001\"\n");
    let ctx = app.in_project("work-00000001");
    let said = json!({"session_id": "s-1", "role": "user", "content": "the heron nests early", "time": "2026-04-01T10:00:01Z"});
    call(&ctx, "capture", json!({"messages": [said]})).unwrap();
    put(logs.path(), "s-1.jsonl", &claude_line(1, "user", "the heron nests early", work.path()));
    let input = json!({"transcript": logs.path().join("s-1.jsonl"), "format": "claude-code"});
    let answer = call(&app.owner, "sync", input).unwrap();
    assert_eq!((&answer["messages"], &answer["duplicates"]), (&json!(0), &json!(1)), "{answer}");
    assert_eq!(episodes(&ctx).len(), 1);
}

#[test]
fn a_transcript_that_grows_little_is_left_until_enough_is_new() {
    let (app, work, logs) = (TestApp::on_sqlite(), tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    put(work.path(), ".scrubjay.toml", "project = \"work-00000001\"\n");
    let lines: Vec<String> =
        (0..60).map(|number| claude_line(number, "user", &format!("message number {number}"), work.path())).collect();
    put(logs.path(), "s-1.jsonl", &lines[..10].concat());
    let ctx = app.again_with_system_clock();
    let path = logs.path().join("s-1.jsonl");
    let delta = || {
        let input = json!({"transcript": path, "format": "claude-code", "trigger": "session-delta"});
        call(&ctx, "sync", input).unwrap()["messages"].clone()
    };
    assert_eq!(delta(), json!(0));
    put(logs.path(), "s-1.jsonl", &lines[..49].concat());
    assert_eq!(delta(), json!(0));
    put(logs.path(), "s-1.jsonl", &lines.concat());
    assert_eq!(delta(), json!(60));
}

#[test]
fn a_place_can_be_named_and_left() {
    let (app, root) = (TestApp::on_sqlite(), tempfile::tempdir().unwrap());
    put(root.path(), "a.md", "The walrus sleeps.\n");
    let ctx = app.in_project("demo-00000001");
    let added = call(&ctx, "sources.add", json!({"path": root.path(), "kind": "notes"})).unwrap();
    assert_eq!((&added["kind"], &added["stale"]), (&json!("notes"), &json!(true)));
    assert_eq!(call(&ctx, "sync", json!({})).unwrap()["indexed"], json!(1));
    assert_eq!(hits(&ctx, "walrus", "memory").len(), 1);
    let removed = call(&ctx, "sources.remove", json!({"path": root.path()})).unwrap();
    assert_eq!(removed["documents"], json!(1));
    assert!(hits(&ctx, "walrus", "memory").is_empty());
    assert!(call(&ctx, "sources.remove", json!({"path": root.path()})).is_err());
    assert!(call(&ctx, "index", json!({"path": "/"})).unwrap_err().to_string().contains("--force"));
}
