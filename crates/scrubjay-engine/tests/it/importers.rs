//! Every importer, held against the same rules.

use std::collections::BTreeSet;
use std::path::Path;

use scrubjay_core::scope::View;
use scrubjay_engine::Ctx;
use scrubjay_engine::import::IMPORTERS;
use scrubjay_engine::ops::find;
use scrubjay_test::TestApp;
use scrubjay_test::exports::{SAMPLES, Sample, zipped};
use serde_json::{Value, json};

async fn run(ctx: &Ctx, tool: &str, input: Value) -> Result<Value, scrubjay_engine::EngineError> {
    let operation = IMPORTERS.iter().find(|importer| importer.name == tool).unwrap().operation;
    find(operation).unwrap().call(ctx, input).await
}

async fn imported(ctx: &Ctx, tool: &str, path: &Path) -> Value {
    run(ctx, tool, json!({"path": path.to_str().unwrap()})).await.unwrap_or_else(|error| panic!("{tool}: {error}"))
}

async fn memories(ctx: &Ctx) -> Vec<Value> {
    let listed = find("list").unwrap().call(ctx, json!({"limit": 1000})).await.unwrap();
    listed["memories"].as_array().unwrap().clone()
}

fn sample_folder(sample: &Sample) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    (sample.write)(folder.path());
    folder
}

#[test]
fn every_importer_has_a_sample_a_command_and_a_section() {
    let page = include_str!("../../../../docs/coming-from.md");
    let sampled: BTreeSet<&str> = SAMPLES.iter().map(|sample| sample.tool).collect();
    for importer in IMPORTERS {
        assert!(sampled.contains(importer.name), "{} has no sample", importer.name);
        let entry = find(importer.operation).unwrap_or_else(|| panic!("{} is no operation", importer.operation));
        assert_eq!(entry.surfaces.command, ["import", importer.name]);
        assert!(page.contains(&format!("scrubjay import {} ", importer.name)), "{} is not described", importer.name);
    }
}

#[tokio::test]
async fn texts_times_speakers_and_origins_are_kept() {
    for sample in SAMPLES {
        let folder = sample_folder(sample);
        let app = TestApp::on_sqlite();
        let done = imported(&app.owner, sample.tool, folder.path()).await;
        let counts = (done["episodes"].as_u64().unwrap(), done["facts"].as_u64().unwrap());
        assert_eq!(counts, sample.counts, "{}: {done:#}", sample.tool);
        let kept = memories(&app.owner).await;
        for (text, kind, memory_type, role, time) in sample.has {
            let found = kept.iter().find(|memory| memory["content"].as_str().unwrap().contains(text));
            let found = found.unwrap_or_else(|| panic!("{}: “{text}” is not among {kept:#?}", sample.tool));
            assert_eq!((&found["kind"], &found["type"]), (&json!(kind), &json!(memory_type)), "{found:#}");
            assert_eq!(found["role"].as_str().unwrap_or_default(), *role, "{found:#}");
            assert!(
                time.is_empty() || found["event_time"].as_str().unwrap().starts_with(time.trim_end_matches('Z')),
                "{found:#}"
            );
            assert_eq!(found["origin"]["kind"], "import");
            assert!(
                found["origin"]["path"]
                    .as_str()
                    .unwrap()
                    .starts_with(folder.path().canonicalize().unwrap().to_str().unwrap())
            );
            assert!(found["tags"].as_array().unwrap().contains(&json!(sample.tool)));
            assert_eq!(found["scope"], "global");
        }
    }
}

#[tokio::test]
async fn a_second_time_changes_nothing_and_one_undo_takes_it_back() {
    for sample in SAMPLES {
        let folder = sample_folder(sample);
        let app = TestApp::on_sqlite();
        let first = imported(&app.owner, sample.tool, folder.path()).await;
        let before = memories(&app.owner).await;
        let second = imported(&app.owner, sample.tool, folder.path()).await;
        let (episodes, facts) = sample.counts;
        assert_eq!((&second["episodes"], &second["facts"]), (&json!(0), &json!(0)), "{}: {second:#}", sample.tool);
        assert_eq!(second["duplicates"], json!(episodes + facts), "{}", sample.tool);
        assert_eq!(second["run"], Value::Null);
        assert_eq!(memories(&app.owner).await, before, "{}", sample.tool);
        let undone = find("undo").unwrap().call(&app.owner, json!({"target": first["run"]})).await;
        undone.unwrap_or_else(|error| panic!("{}: {error}", sample.tool));
        assert!(memories(&app.owner).await.is_empty(), "{}", sample.tool);
    }
}

#[tokio::test]
async fn a_dry_run_counts_the_same_and_stores_nothing() {
    for sample in SAMPLES {
        let folder = sample_folder(sample);
        let app = TestApp::on_sqlite();
        let told = run(&app.owner, sample.tool, json!({"path": folder.path(), "dry_run": true})).await.unwrap();
        let counts = (told["episodes"].as_u64().unwrap(), told["facts"].as_u64().unwrap());
        assert_eq!((counts, &told["run"]), (sample.counts, &Value::Null), "{}", sample.tool);
        assert!(memories(&app.owner).await.is_empty(), "{}", sample.tool);
        let jobs = find("jobs").unwrap().call(&app.owner, json!({})).await.unwrap();
        assert_eq!(jobs["jobs"], json!([]), "{}", sample.tool);
    }
}

#[tokio::test]
async fn an_archive_is_read_like_its_folder_and_what_it_is_is_recognised() {
    for sample in SAMPLES {
        let folder = sample_folder(sample);
        let archive = folder.path().with_extension("zip");
        zipped(folder.path(), &archive);
        let export = scrubjay_ingest::export::Export::open(folder.path()).unwrap();
        let recognised: Vec<&str> =
            IMPORTERS.iter().filter(|importer| (importer.recognises)(&export)).map(|importer| importer.name).collect();
        assert!(recognised.contains(&sample.tool), "{recognised:?}");
        // A database is read where it lies.
        if sample.tool != "claude-mem" {
            let app = TestApp::in_memory();
            let done = imported(&app.owner, sample.tool, &archive).await;
            let counts = (done["episodes"].as_u64().unwrap(), done["facts"].as_u64().unwrap());
            assert_eq!(counts, sample.counts, "{}: {done:#}", sample.tool);
        }
        std::fs::remove_file(archive).unwrap();
    }
}

#[tokio::test]
async fn whoever_names_the_wrong_thing_is_told_the_right_one() {
    let app = TestApp::on_sqlite();
    let empty = tempfile::tempdir().unwrap();
    std::fs::write(empty.path().join("readme.txt"), "nothing").unwrap();
    for sample in SAMPLES {
        let error = run(&app.owner, sample.tool, json!({"path": empty.path()})).await.unwrap_err().to_string();
        assert!(error.contains("there is nothing of") && error.contains("name "), "{}: {error}", sample.tool);
        let missing = empty.path().join("missing");
        assert!(run(&app.owner, sample.tool, json!({"path": missing})).await.is_err(), "{}", sample.tool);
    }
    let slack = SAMPLES.iter().find(|sample| sample.tool == "slack").unwrap();
    let folder = sample_folder(slack);
    let error = run(&app.owner, "chatgpt", json!({"path": folder.path()})).await.unwrap_err().to_string();
    assert!(error.contains("`scrubjay import slack`"), "{error}");
}

#[tokio::test]
async fn what_is_broken_is_told_with_its_file_and_record_and_the_rest_comes_in() {
    let app = TestApp::on_sqlite();
    for (tool, file, record) in [
        ("chatgpt", "conversations.json", "conversation 2"),
        ("mem0", "memories.json", "memory 3"),
        ("slack", "general/2024-01-15.json", "message 5"),
    ] {
        let sample = SAMPLES.iter().find(|sample| sample.tool == tool).unwrap();
        let folder = sample_folder(sample);
        let done = imported(&app.owner, tool, folder.path()).await;
        assert_eq!(done["skipped"][0]["file"], file, "{done:#}");
        assert_eq!(done["skipped"][0]["record"], record, "{done:#}");
    }
    // A file that ends in the middle: what came before is kept.
    let folder = tempfile::tempdir().unwrap();
    let sample = SAMPLES.iter().find(|sample| sample.tool == "chatgpt").unwrap();
    (sample.write)(folder.path());
    let path = folder.path().join("conversations.json");
    let whole = std::fs::read_to_string(&path).unwrap();
    std::fs::write(&path, &whole[..whole.len() - 12]).unwrap();
    let app = TestApp::on_sqlite();
    let done = imported(&app.owner, "chatgpt", folder.path()).await;
    assert_eq!((&done["episodes"], &done["skipped"][0]["record"]), (&json!(3), &json!("after record 1")), "{done:#}");
}

#[tokio::test]
async fn garbage_is_told_and_never_fatal() {
    let garbage: [&[u8]; 6] =
        [b"", b"\xff\xfe\x00", b"{", b"[[[[[[[1]]]]]]]", b"[null, 1, \"x\", {}, {\"mapping\": 3}]", b"---\n- [x"];
    let names =
        ["conversations.json", "memories.json", "users.json", "channels.json", "general/2024-01-15.json", "Note.md"];
    for bytes in garbage {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("general")).unwrap();
        for name in names {
            std::fs::write(folder.path().join(name), bytes).unwrap();
        }
        std::fs::write(folder.path().join("claude-mem.db"), bytes).unwrap();
        let deep = format!("{}1{}", "[".repeat(5000), "]".repeat(5000));
        std::fs::write(folder.path().join("projects.json"), deep).unwrap();
        let app = TestApp::in_memory();
        for sample in SAMPLES {
            // An answer or an error; no panic, and nothing stored that is not there.
            let _ = run(&app.owner, sample.tool, json!({"path": folder.path()})).await;
        }
        let kept = memories(&app.owner).await;
        assert!(kept.iter().all(|memory| memory["type"] == "note"), "{kept:#?}");
    }
}

#[tokio::test]
async fn projects_are_met_by_name_and_a_named_one_takes_all() {
    let app = TestApp::on_sqlite();
    let shop = app.owner.at(View::project("shop-1a2b3c4d".parse().unwrap())).unwrap();
    find("remember").unwrap().call(&shop, json!({"content": "The shop opens at nine"})).await.unwrap();
    let sample = SAMPLES.iter().find(|sample| sample.tool == "claude-mem").unwrap();
    let folder = sample_folder(sample);
    let done = imported(&app.owner, "claude-mem", folder.path()).await;
    assert_eq!(done["scopes"], json!({"global": 1, "project/shop-1a2b3c4d": 4}), "{done:#}");
    assert!(done["warnings"][0].as_str().unwrap().contains("--project"), "{done:#}");
    let only = run(&shop, "claude-mem", json!({"path": folder.path(), "only": ["other"]})).await.unwrap();
    assert_eq!((&only["episodes"], &only["duplicates"]), (&json!(0), &json!(0)), "{only:#}");

    let app = TestApp::on_sqlite();
    let other = app.owner.at(View::project("other-1a2b3c4d".parse().unwrap())).unwrap();
    let done = imported(&other, "claude-mem", folder.path()).await;
    assert_eq!(done["scopes"], json!({"project/other-1a2b3c4d": 5}), "{done:#}");
    assert_eq!(done["warnings"], json!([]));
}

#[tokio::test]
async fn secrets_are_taken_out_on_the_way() {
    let folder = tempfile::tempdir().unwrap();
    let memory =
        json!([{"id": "m-1", "memory": "The key is AKIAIOSFODNN7EXAMPL2 for staging", "user_id": "ada", "hash": "x"}]);
    std::fs::write(folder.path().join("m.json"), memory.to_string()).unwrap();
    let app = TestApp::on_sqlite();
    imported(&app.owner, "mem0", folder.path()).await;
    let kept = memories(&app.owner).await;
    assert!(kept[0]["content"].as_str().unwrap().contains("[REDACTED:"), "{kept:#?}");
}

#[tokio::test]
async fn a_part_that_the_export_does_not_have_is_told_with_those_it_has() {
    let app = TestApp::on_sqlite();
    let folder = sample_folder(SAMPLES.iter().find(|sample| sample.tool == "slack").unwrap());
    let input = json!({"path": folder.path(), "only": ["genral"]});
    let done = run(&app.owner, "slack", input).await.unwrap();
    assert_eq!(done["warnings"], json!(["the export has nothing of genral; it has general"]), "{done:#}");
    let done = run(&app.owner, "slack", json!({"path": folder.path(), "only": ["general"]})).await.unwrap();
    assert!(!done["warnings"].to_string().contains("nothing of"), "{done:#}");
}

#[tokio::test]
async fn a_damaged_file_is_told_once() {
    let app = TestApp::on_sqlite();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("memories.json");
    std::fs::write(&path, "[{\"id\": \"1\", \"memory\": \"Loves hiking\"}]\nnot json").unwrap();
    let done = imported(&app.owner, "mem0", &path).await;
    assert_eq!((&done["facts"], done["skipped"].as_array().unwrap().len()), (&json!(1), 1), "{done:#}");
}
