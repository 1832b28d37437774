//! What is read, found, left out and removed.

use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use scrubjay_core::scope::View;
use scrubjay_test::TestApp;
use scrubjay_test::app::{block_on, call};
use serde_json::{Value, json};

use super::{hits, index, indexed, put};

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
fn a_note_is_found_by_what_it_calls_itself_and_handed_on_without_that() {
    let (app, root) = (TestApp::on_sqlite(), tempfile::tempdir().unwrap());
    let note = "---\nname: harbour-rules\ndescription: How we deploy to the harbour cluster\ntype: feedback\n---\n# Rules\n\nNever on Fridays.\n";
    put(root.path(), "memory/rules.md", note);
    put(root.path(), "memory/soup.md", "Leek, potato, a little cream.\n");
    let ctx = app.in_project("demo-00000001");
    index(&ctx, root.path());
    let found = hits(&ctx, "harbour deploy", "memory");
    assert_eq!((found.len(), &found[0]["start_line"], &found[0]["end_line"]), (1, &json!(1), &json!(8)), "{found:?}");
    assert!(found[0]["snippet"].as_str().unwrap().contains("Never on Fridays"), "{found:?}");
    let asked = json!({"text": "How do we deploy to the harbour cluster?", "min_score": 0.0});
    let block = call(&ctx, "inject", asked).unwrap();
    let text = block["text"].as_str().unwrap();
    assert!(text.contains("Never on Fridays") && !text.contains("type: feedback"), "{text}");
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
fn a_hit_names_the_line_of_its_snippet() {
    let (app, root) = (TestApp::on_sqlite(), tempfile::tempdir().unwrap());
    let body: String = (0..40).map(|number| format!("    let filler_{number} = {number} + {number};\n")).collect();
    let text = format!("\nfn long() {{\n{body}    let walrus = 1;\n}}\n");
    put(root.path(), "src/long.rs", &text);
    let ctx = app.in_project("demo-00000001");
    index(&ctx, root.path());
    let hit = &hits(&ctx, "walrus", "code")[0];
    let snippet = hit["snippet"].as_str().unwrap();
    let first = snippet.trim_start_matches("…\n").lines().next().unwrap();
    let line = usize::try_from(hit["line"].as_u64().unwrap()).unwrap();
    assert!(snippet.contains("    let walrus = 1;") && snippet.chars().count() <= 700, "{snippet}");
    assert_eq!(text.lines().nth(line - 1), Some(first), "{hit}");
}

#[test]
fn what_nobody_told_of_is_looked_for_when_nothing_fits() {
    let (app, root) = (TestApp::on_sqlite(), tempfile::tempdir().unwrap());
    put(root.path(), "a.md", "The walrus sleeps.\n");
    let ctx = app.in_project("demo-00000001");
    index(&ctx, root.path());
    put(root.path(), "b.md", "The heron is awake.\n");
    let answer = call(&ctx, "recall", json!({"query": "heron"})).unwrap();
    assert!(answer["hits"][0]["snippet"].as_str().unwrap().contains("heron"), "{answer}");
}

#[test]
fn a_tree_that_takes_long_to_look_at_does_not_slow_every_search() {
    let (app, root) = (TestApp::with(None, &[("sync.search_budget_ms", "0")]), tempfile::tempdir().unwrap());
    for number in 0..200 {
        put(root.path(), &format!("a{number}.md"), "The walrus sleeps.\n");
    }
    let ctx = app.again_with_system_clock().at(View::project("demo-00000001".parse().unwrap())).unwrap();
    index(&ctx, root.path());
    let answer = call(&ctx, "recall", json!({"query": "heron"})).unwrap();
    assert!(!answer["warnings"].to_string().contains("out of date"), "{answer}");
    let sources = call(&ctx, "sources", json!({})).unwrap();
    assert_eq!(sources["sources"][0]["stale"], json!(false), "{sources}");
}

#[test]
fn a_folder_is_of_one_kind_and_one_inside_another_settles() {
    let (app, root) = (TestApp::on_sqlite(), tempfile::tempdir().unwrap());
    put(root.path(), "a.md", "The walrus sleeps.\n");
    put(root.path(), "notes/b.md", "The heron is awake.\n");
    put(root.path(), "notes/c.rs", "fn egret() {}\n");
    let ctx = app.in_project("demo-00000001");
    index(&ctx, root.path());
    let refused = call(&ctx, "sources.add", json!({"path": root.path(), "kind": "notes"})).unwrap_err();
    assert!(refused.to_string().contains("is read already, as workspace"), "{refused}");
    call(&ctx, "sources.add", json!({"path": root.path().join("notes"), "kind": "notes"})).unwrap();
    call(&ctx, "sync", json!({})).unwrap();
    let again = call(&ctx, "sync", json!({})).unwrap();
    assert_eq!((&again["indexed"], &again["removed"]), (&json!(0), &json!(0)), "{again}");
    assert_eq!(hits(&ctx, "heron", "memory").len(), 1);
    assert_eq!(hits(&ctx, "egret", "code").len(), 1);
}

#[test]
fn a_file_whose_name_is_a_secret_is_left_alone() {
    let (app, root) = (TestApp::on_sqlite(), tempfile::tempdir().unwrap());
    put(root.path(), "ghp_u8jzK2mQ9xR4tV7wB1nC5dF3gH6jL0pS2aZ8.txt", "The walrus sleeps.\n");
    let ctx = app.in_project("demo-00000001");
    let answer = index(&ctx, root.path());
    assert_eq!(answer["skipped_by_reason"], json!({"secret": 1}), "{answer}");
}

#[test]
fn force_makes_all_pieces_anew() {
    let (app, root) = (TestApp::on_sqlite(), tempfile::tempdir().unwrap());
    put(root.path(), "a.md", "The walrus sleeps.\n");
    let ctx = app.in_project("demo-00000001");
    index(&ctx, root.path());
    assert_eq!(call(&ctx, "sync", json!({"reread": true})).unwrap()["unchanged"], json!(1));
    let forced = call(&ctx, "index", json!({"path": root.path(), "force": true})).unwrap();
    assert_eq!((&forced["indexed"], &forced["unchanged"]), (&json!(1), &json!(0)), "{forced}");
    assert_eq!(hits(&ctx, "walrus", "docs").len(), 1);
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
