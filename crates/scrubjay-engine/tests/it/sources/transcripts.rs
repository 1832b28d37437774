//! Each message once, whatever happens to its file.

use std::fs;
use std::path::Path;

use ruzstd::encoding::{CompressionLevel, compress_to_vec};
use scrubjay_core::scope::View;
use scrubjay_engine::Ctx;
use scrubjay_engine::sync::{WatchEvent, Watching, watch};
use scrubjay_test::TestApp;
use scrubjay_test::app::{block_on, call};
use serde_json::{Value, json};

use super::{name, put, rename};

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
    name(&app, work.path(), "work-00000001");
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
fn another_file_of_the_same_size_is_another_file() {
    let (app, work, logs) = (TestApp::on_sqlite(), tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    name(&app, work.path(), "work-00000001");
    let line = |number| claude_line(number, "user", &format!("message number {number}"), work.path());
    let input = json!({"client": "claude-code", "path": logs.path(), "yes": true});
    let import = || call(&app.owner, "import.transcripts", input.clone()).unwrap()["messages"].clone();
    put(logs.path(), "a.jsonl", &line(0));
    assert_eq!((import(), import()), (json!(1), json!(0)));
    // In its place, in the same file, and with its number on the disk.
    rename(&logs.path().join("a.jsonl"), &logs.path().join("a.old")).unwrap();
    put(logs.path(), "a.jsonl", &line(1));
    assert_eq!((import(), import()), (json!(1), json!(0)));
    put(logs.path(), "a.jsonl", &line(2));
    assert_eq!((import(), import()), (json!(1), json!(0)));
    fs::remove_file(logs.path().join("a.jsonl")).unwrap();
    put(logs.path(), "b.jsonl", &line(3));
    assert_eq!((import(), import()), (json!(1), json!(0)));
    let packed = compress_to_vec(line(4).as_bytes(), CompressionLevel::Fastest);
    fs::remove_file(logs.path().join("b.jsonl")).unwrap();
    fs::write(logs.path().join("c.jsonl.zst"), packed).unwrap();
    assert_eq!((import(), import()), (json!(1), json!(0)));
    assert_eq!(episodes(&app.in_project("work-00000001")).len(), 5);
}

#[test]
fn the_end_of_a_conversation_is_read_once_it_is_quiet() {
    let (work, logs) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let settings = [("sync.watch_debounce_ms", "20"), ("sync.sessions.idle_seconds", "1")];
    let app = TestApp::with(None, &settings);
    name(&app, work.path(), "work-00000001");
    let line = |number| claude_line(number, "user", &format!("message number {number}"), work.path());
    put(logs.path(), "s-1.jsonl", &line(0));
    let input = json!({"client": "claude-code", "path": logs.path(), "yes": true, "keep": true});
    call(&app.owner, "import.transcripts", input).unwrap();
    let ctx = app.again_with_system_clock();
    block_on(async {
        let (told, mut events) = tokio::sync::mpsc::unbounded_channel();
        let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
        let stopped = async {
            let _ = stopped.await;
        };
        let watching = watch(&ctx, Watching::Everything, stopped, |event| {
            let _ = told.send(event);
        });
        let saying = async {
            while !matches!(events.recv().await.unwrap(), WatchEvent::Watches { .. }) {}
            put(logs.path(), "s-1.jsonl", &(line(0) + &line(1)));
            // Nothing else happens to the file.
            loop {
                match events.recv().await.unwrap() {
                    WatchEvent::Synced { report, .. } if report.messages == 1 => break,
                    _ => {}
                }
            }
            stop.send(()).unwrap();
        };
        let (watched, ()) = tokio::join!(watching, saying);
        watched.unwrap();
    });
    let status = call(&app.owner, "sync.status", json!({})).unwrap();
    let last = |name: &str| {
        let triggers = status["triggers"].as_array().unwrap();
        triggers.iter().find(|trigger| trigger["trigger"] == name).unwrap()["messages"].clone()
    };
    assert_eq!((last("session-delta"), last("watch")), (json!(1), Value::Null), "{status}");
}

#[test]
fn what_is_not_enough_to_be_read_yet_is_read_when_something_is_looked_for() {
    let (app, work, logs) = (TestApp::on_sqlite(), tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    name(&app, work.path(), "work-00000001");
    let line = |number, text: &str| claude_line(number, "user", text, work.path());
    put(logs.path(), "s-1.jsonl", &line(0, "the walrus sleeps"));
    let input = json!({"client": "claude-code", "path": logs.path(), "yes": true, "keep": true});
    call(&app.owner, "import.transcripts", input).unwrap();
    put(logs.path(), "s-1.jsonl", &(line(0, "the walrus sleeps") + &line(1, "the heron is awake")));
    // The clock stands still at a time before the file's, so it is not quiet.
    let delta = call(&app.owner, "sync", json!({"trigger": "session-delta"})).unwrap();
    assert_eq!(delta["messages"], json!(0));
    assert_eq!(call(&app.owner, "sources", json!({})).unwrap()["sources"][0]["stale"], json!(true));
    let ctx = app.owner.at(View::project("work-00000001".parse().unwrap())).unwrap();
    let answer = call(&ctx, "recall", json!({"query": "heron awake", "min_score": 0.0})).unwrap();
    assert!(answer["hits"][0]["snippet"].as_str().unwrap().contains("heron"), "{answer}");
}

#[test]
fn damaged_lines_are_told_and_cost_nothing_else() {
    let (app, work, logs) = (TestApp::on_sqlite(), tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    name(&app, work.path(), "work-00000001");
    let line = |number| claude_line(number, "user", &format!("message number {number}"), work.path());
    put(logs.path(), "p/s-1.jsonl", &(line(0) + "{\"type\": \"us\n\u{0}\u{0}\n" + &line(1)));
    let input = json!({"client": "claude-code", "path": logs.path(), "yes": true, "keep": true});
    let answer = call(&app.owner, "import.transcripts", input).unwrap();
    assert_eq!((&answer["messages"], &answer["skipped_by_reason"]), (&json!(2), &json!({"not-json": 1})), "{answer}");
    let told = answer["skipped"][0]["explanation"].as_str().unwrap();
    let expected = format!("2 lines that are no JSON were passed over, from byte {} on", line(0).len());
    assert_eq!(told, expected);
}

#[test]
fn a_transcript_that_was_compressed_is_the_same_one() {
    let (app, work, logs) = (TestApp::on_sqlite(), tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    name(&app, work.path(), "work-00000001");
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
    name(&app, work.path(), "work-00000001");
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
    name(&app, work.path(), "work-00000001");
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
