//! Streams: capture, export, import, pipes, and several processes at once.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::Stdio;

use scrubjay_test::TestApp;
use scrubjay_test::app::block_on;
use serde_json::{Value, json};

use crate::scratch::{Scratch, finish};

fn message(session: &str, text: &str) -> String {
    json!({"session_id": session, "role": "user", "content": text}).to_string()
}

fn answers(out: &str) -> Vec<Value> {
    out.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn capture_answers_each_line_at_once_and_after_the_commit() {
    let scratch = Scratch::new();
    let mut child = scratch.start(&["capture", "--json"]);
    let mut stdin = child.stdin.take().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    for number in 0..5 {
        let line = json!({"session_id": "s", "role": "user", "content": format!("message {number}"), "id": format!("c{number}")});
        writeln!(stdin, "{line}").unwrap();
        // The sender waits for the answer before it sends more.
        let answer: Value = serde_json::from_str(&lines.next().unwrap().unwrap()).unwrap();
        assert_eq!(answer["client_id"], format!("c{number}"));
        assert_eq!(answer.as_object().unwrap().len(), 2, "{answer}");
        // Another process sees it while this one is still running.
        let shown = scratch.json(&["show", answer["id"].as_str().unwrap()]);
        assert_eq!(shown["content"], format!("message {number}"));
    }
    drop(stdin);
    assert!(lines.next().is_none());
    assert_eq!(child.wait().unwrap().code(), Some(0));
}

#[test]
fn a_question_can_come_as_a_vector() {
    let scratch = Scratch::new();
    scratch.remember("Ada owns billing");
    scratch.json(&["jobs", "run"]);
    let ask = ["recall", "--json", "--min-score", "0", "--vector", "-"];
    let refused = scratch.run_with(&ask, b"[0.5, 0.25, 1]");
    refused.failed(&[2], "too few dimensions");
    for part in ["has 3 dimensions", "384", "granite-embedding-30m-english"] {
        assert!(refused.err.contains(part), "{refused:?}");
    }
    scratch.run_with(&ask, b"no JSON").failed(&[2], "no JSON");
    let model = TestApp::with_own_models(&[]);
    let vector = |text: &str| {
        let embedder = || async { model.owner.embedder().await.unwrap().unwrap() };
        let vector = block_on(async { embedder().await.embed_query(text).await.unwrap() });
        serde_json::to_vec(&vector).unwrap()
    };
    let file = scratch.work().join("question.json");
    std::fs::write(&file, vector("who owns billing?")).unwrap();
    let answer = scratch.json(&["recall", "--vector", file.to_str().unwrap()]);
    assert_eq!(answer["hits"][0]["snippet"], "Ada owns billing", "{answer}");
    assert_eq!(answer["warnings"], json!([]), "{answer}");
    // A vector that is near nothing finds nothing.
    let done = scratch.run_with(&["recall", "--json", "--vector", "-"], &vector("a recipe for pancakes"));
    assert_eq!(done.answer(&["recall"])["hits"], json!([]), "{done:?}");
}

#[test]
fn capture_keeps_order_and_knows_repetitions() {
    let scratch = Scratch::new();
    let lines: Vec<String> = (0..700).map(|number| message("s", &format!("message number {number}"))).collect();
    let input = lines.join("\n");
    let done = scratch.run_with(&["capture"], input.as_bytes());
    assert_eq!(done.code, Some(0), "{done:?}");
    let first = answers(&done.out);
    assert_eq!(first.len(), 700);
    let ids: Vec<&str> = first.iter().map(|answer| answer["id"].as_str().unwrap()).collect();
    assert!(ids.is_sorted(), "ids follow the order of the lines");
    assert_eq!(scratch.json(&["show", ids[0]])["content"], "message number 0");
    assert_eq!(scratch.json(&["show", ids[699]])["content"], "message number 699");

    let again = answers(&scratch.run_with(&["capture"], input.as_bytes()).out);
    for (first, again) in first.iter().zip(&again) {
        assert_eq!((&again["id"], &again["duplicate"]), (&first["id"], &json!(true)));
    }
    assert_eq!(scratch.json(&["stats"])["memories"], 700);
}

#[test]
fn bad_lines_are_answered_and_keep_nobody_else_out() {
    let scratch = Scratch::new();
    let mut input = Vec::new();
    input.extend(b"\xef\xbb\xbf");
    input.extend(message("s", "first").into_bytes());
    input.extend(b"\n\n   \n{\n\xff\xfe\n[]\nnull\n{\"session_id\":\"s\",\"role\":\"user\"}\n");
    input.extend(b"{\"session_id\":\"s\",\"role\":\"user\",\"content\":\"x\",\"mood\":1,\"id\":\"c\"}\n");
    input.extend(b"{\"session_id\":\"s\",\"role\":\"user\",\"content\":\"nul \0 raw\"}\n");
    input.extend(b"{\"session_id\":\"s\",\"role\":\" \",\"content\":\"x\"}\n");
    input.extend("[".repeat(5000).bytes());
    input.extend(b"\n");
    input.extend(message("s", "last, without a line break").into_bytes());
    let done = scratch.run_with(&["capture", "--json"], &input);
    assert_eq!(done.code, Some(1), "{done:?}");
    let answers = answers(&done.out);
    assert_eq!(answers.len(), 11, "{answers:#?}");
    assert!(answers[0]["id"].is_string() && answers[10]["id"].is_string(), "{answers:#?}");
    let lines: Vec<u64> = answers[1..10].iter().map(|answer| answer["line"].as_u64().unwrap()).collect();
    assert_eq!(lines, [4, 5, 6, 7, 8, 9, 10, 11, 12]);
    for answer in &answers[1..10] {
        assert!(answer["id"].is_null() && answer["error"].as_str().unwrap().len() > 10, "{answer}");
    }
    assert_eq!(answers[6]["client_id"], "c");
    assert_eq!(scratch.json(&["stats"])["memories"], 2);
}

#[test]
fn a_line_without_end_is_refused_without_taking_the_memory() {
    let scratch = Scratch::new();
    let mut child = scratch.start(&["capture", "--json"]);
    let mut stdin = child.stdin.take().unwrap();
    let reader = std::thread::spawn(move || {
        let chunk = vec![b'x'; 1 << 20];
        for _ in 0..70 {
            stdin.write_all(&chunk).unwrap();
        }
        writeln!(stdin, "\n{}", message("s", "after it")).unwrap();
    });
    let output = child.wait_with_output().unwrap();
    reader.join().unwrap();
    let answers = answers(std::str::from_utf8(&output.stdout).unwrap());
    assert!(answers[0]["error"].as_str().unwrap().contains("64 MiB"), "{answers:?}");
    assert!(answers[1]["id"].is_string(), "{answers:?}");
    assert_eq!(output.status.code(), Some(1));
}

#[test]
fn capture_of_one_message() {
    let scratch = Scratch::new();
    let words = [
        "capture",
        "--session",
        "standup",
        "--role",
        "assistant",
        "--id",
        "c1",
        "--time",
        "2026-05-01",
        "We",
        "ship",
        "--json",
    ];
    let answer = scratch.run(&words).answer(&words);
    let shown = scratch.json(&["show", answer["id"].as_str().unwrap()]);
    assert_eq!((&shown["content"], &shown["role"]), (&json!("We ship"), &json!("assistant")));
    assert_eq!((&shown["session_id"], &shown["event_time"]), (&json!("standup"), &json!("2026-05-01T00:00:00.000Z")));
    let again = scratch.run(&words).answer(&words);
    assert_eq!((&again["id"], &again["duplicate"]), (&answer["id"], &json!(true)));
    let done = scratch.run_with(&["capture", "--session", "s", "-", "--json"], b"from a pipe\nin two lines\n");
    let answer = done.answer(&["capture"]);
    assert_eq!(scratch.json(&["show", answer["id"].as_str().unwrap()])["content"], "from a pipe\nin two lines");
}

#[test]
fn messages_that_are_not_wanted_are_skipped_with_a_reason() {
    let scratch = Scratch::new();
    let line = json!({"session_id": "s", "role": "system", "content": "You are helpful"}).to_string();
    let done = scratch.run_with(&["capture"], line.as_bytes());
    let answer = done.answer(&["capture"]);
    assert!(answer["id"].is_null() && answer["skipped"].is_string(), "{answer}");
    let done = scratch.run_with(&["capture"], message("s", "<private>only between us</private>").as_bytes());
    let answer = done.answer(&["capture"]);
    assert!(answer["id"].is_null() && answer["skipped"].is_string(), "{answer}");
}

#[test]
fn a_failing_store_answers_every_line_and_says_why() {
    let scratch = Scratch::new();
    let input = [message("s", "one"), message("s", "two")].join("\n");
    let words = ["capture", "--json", "--set", "store.path=/proc/scrubjay/x.sqlite"];
    let done = scratch.run_with(&words, input.as_bytes());
    assert_eq!(done.code, Some(5), "{done:?}");
    let answers = answers(&done.out);
    assert!(
        !answers.is_empty() && answers.iter().all(|answer| answer["id"].is_null() && answer["error"].is_string()),
        "{answers:?}"
    );
    let error: Value = serde_json::from_str(&done.err).unwrap();
    assert_eq!(error["error"]["code"], "unavailable");
}

#[test]
fn export_and_import_carry_everything() {
    let scratch = Scratch::new();
    let fact = scratch.remember("Ada owns billing");
    let better = scratch.json(&["correct", &fact, "Grace owns billing"])["id"].as_str().unwrap().to_owned();
    scratch.capture("standup", "@ada and @grace talk");
    let file = scratch.work().join("all.jsonl");
    let done = scratch.json(&["export", "--output", "all.jsonl"]);
    let text = std::fs::read_to_string(&file).unwrap();
    assert_eq!(done, json!({"path": "all.jsonl", "lines": text.lines().count()}));
    assert_eq!(
        text.lines().count(),
        scratch.run(&["export"]).out.lines().count(),
        "a file holds what a pipe would get"
    );
    use std::os::unix::fs::PermissionsExt;
    assert_eq!(file.metadata().unwrap().permissions().mode() & 0o777, 0o600);
    assert_eq!(std::fs::read_dir(scratch.work()).unwrap().count(), 1, "no temporary file is left");

    let other = Scratch::new();
    let input = text.as_bytes();
    let dry = other.run_with(&["import", "--dry-run", "-", "--json"], input).answer(&["import"]);
    assert_eq!((&dry["memories"], &other.json(&["stats"])["memories"]), (&json!(3), &json!(0)));
    let done = other.run_with(&["import", "-", "--json"], input).answer(&["import"]);
    assert_eq!((&done["memories"], &done["links"], &done["skipped"]), (&json!(3), &json!(1), &json!([])));
    let again = other.run_with(&["import", "-", "--json"], input).answer(&["import"]);
    assert_eq!((&again["memories"], &again["duplicates"]), (&json!(0), &json!(3)));
    assert_eq!(other.json(&["show", &better])["content"], "Grace owns billing");
    assert_eq!(other.json(&["show", &fact])["ended_by"], "corrected");
}

#[test]
fn export_replaces_nothing_by_accident() {
    let scratch = Scratch::new();
    scratch.remember("Ada owns billing");
    let file = scratch.work().join("mine.txt");
    std::fs::write(&file, "precious").unwrap();
    let done = scratch.run(&["export", "-o", "mine.txt"]);
    done.failed(&[4], "export onto a file");
    assert!(done.err.contains("--force"), "{done:?}");
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "precious");
    assert_eq!(scratch.run(&["export", "-o", "mine.txt", "--force"]).code, Some(0));
    assert!(std::fs::read_to_string(&file).unwrap().contains("Ada owns billing"));
    scratch.run(&["export", "-o", "no/such/folder/x"]).failed(&[3], "export into nowhere");
    scratch.run(&["export", "-o", "/"]).failed(&[2, 4], "export onto a folder");
    assert_eq!(std::fs::read_dir(scratch.work()).unwrap().count(), 1);
}

#[test]
fn export_as_markdown() {
    let scratch = Scratch::new();
    scratch.remember("Ada owns billing");
    let done = scratch.run(&["export", "--format", "markdown"]);
    assert!(done.out.starts_with("# Memories\n") && done.out.contains("Ada owns billing"), "{done:?}");
}

#[test]
fn import_names_what_it_passes_over() {
    let scratch = Scratch::new();
    let mut file = Vec::new();
    file.extend(
        b"{\"type\":\"entity\",\"name\":\"Ada\",\"entityType\":\"person\",\"observations\":[\"owns billing\"]}\r\n\n",
    );
    file.extend(b"\xff\xfe\nnot json\n{\"record\":\"unheard-of\"}\n");
    file.extend(vec![b'x'; 17 << 20]);
    file.extend(b"\n{\"type\":\"relation\",\"from\":\"Ada\",\"to\":\"Billing\",\"relationType\":\"leads\"}");
    std::fs::write(scratch.work().join("graph"), &file).unwrap();
    let done = scratch.json(&["import", "graph"]);
    assert_eq!(done["memories"], 2, "{done}");
    let lines: Vec<u64> =
        done["skipped"].as_array().unwrap().iter().map(|skipped| skipped["line"].as_u64().unwrap()).collect();
    assert_eq!(lines, [3, 4, 5, 6]);
    assert!(done["skipped"][3]["reason"].as_str().unwrap().contains("16 MiB"), "{done}");
    assert_eq!(scratch.json(&["recall", "who leads billing"])["hits"][0]["snippet"], "Ada leads Billing");

    std::fs::write(scratch.work().join("junk"), "a\nb\n").unwrap();
    let done = scratch.run(&["import", "junk"]);
    assert_eq!(done.code, Some(1), "{done:?}");
    assert!(done.out.contains("Skipped 2 lines"), "{done:?}");
    assert_eq!(scratch.run_with(&["import", "-"], b"").code, Some(0));
    scratch.run(&["import", "."]).failed(&[2], "a folder");
    scratch.run(&["import", "missing"]).failed(&[3], "a missing file");
}

#[test]
fn a_file_that_is_too_large_is_refused_unread() {
    let scratch = Scratch::new();
    let file = std::fs::File::create(scratch.work().join("huge")).unwrap();
    // All hole and no contents.
    file.set_len((4 << 30) + 1).unwrap();
    let done = scratch.run(&["import", "huge"]);
    done.failed(&[2], "more than 4 GiB");
    assert!(done.err.contains("4 GiB"), "{done:?}");
    assert!(!scratch.store().exists());
}

#[test]
fn line_numbers_survive_long_gaps() {
    let scratch = Scratch::new();
    let mut file = "\n".repeat(1200);
    file.push_str("bad\n");
    file.push_str(&"\n".repeat(600));
    file.push_str("worse\n");
    let done = scratch.run_with(&["import", "-", "--json"], file.as_bytes());
    let answer: Value = serde_json::from_str(&done.out).unwrap();
    let lines: Vec<u64> =
        answer["skipped"].as_array().unwrap().iter().map(|skipped| skipped["line"].as_u64().unwrap()).collect();
    assert_eq!(lines, [1201, 1802]);
    assert_eq!(done.code, Some(1));
}

#[test]
fn a_reader_that_leaves_is_no_failure() {
    let scratch = Scratch::new();
    let lines: Vec<String> =
        (0..2000).map(|number| message("s", &format!("message number {number} {}", "x".repeat(200)))).collect();
    scratch.run_with(&["capture"], lines.join("\n").as_bytes());
    for words in [
        vec!["export"],
        vec!["list", "-n", "1000"],
        vec!["list", "-n", "1000", "--json"],
        vec!["help"],
        vec!["call", "--list"],
        vec!["completions", "bash"],
    ] {
        let mut command = scratch.command();
        let mut child = command.args(&words).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        // One byte is read, as `head -c 1` would, and then nobody is there.
        let mut stdout = child.stdout.take().unwrap();
        stdout.read_exact(&mut [0]).unwrap();
        drop(stdout);
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{words:?}: {output:?}");
        assert_eq!(String::from_utf8_lossy(&output.stderr), "", "{words:?}");
    }
}

#[test]
fn capture_goes_on_when_nobody_reads_its_answers() {
    let scratch = Scratch::new();
    let mut child = scratch.start(&["capture", "-q"]);
    drop(child.stdout.take());
    let mut stdin = child.stdin.take().unwrap();
    for number in 0..50 {
        writeln!(stdin, "{}", message("s", &format!("message {number}"))).unwrap();
    }
    drop(stdin);
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), output.stderr.len()), (Some(0), 0), "{output:?}");
    assert_eq!(scratch.json(&["stats"])["memories"], 50);
}

#[test]
fn an_output_that_cannot_be_written_is_a_failure() {
    let scratch = Scratch::new();
    scratch.remember("Ada owns billing");
    let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let mut command = scratch.command();
    let output = command.arg("list").stdout(full).stderr(Stdio::piped()).output().unwrap();
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    assert!(String::from_utf8_lossy(&output.stderr).contains("could not write the answer"), "{output:?}");
}

#[test]
fn several_terminals_at_once() {
    let scratch = Scratch::new();
    let writers: Vec<_> = (0..4)
        .map(|writer| {
            let mut child = scratch.start(&["capture", "--json", "-q"]);
            let mut stdin = child.stdin.take().unwrap();
            for number in 0..25 {
                writeln!(stdin, "{}", message(&format!("s{writer}"), &format!("message {number}"))).unwrap();
            }
            child
        })
        .collect();
    for number in 0..4 {
        scratch.remember(&format!("fact number {number} of its own kind {}", "abcd".repeat(number + 1)));
        scratch.json(&["recall", "message"]);
    }
    for writer in writers {
        let output = writer.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{output:?}");
        assert_eq!(answers(std::str::from_utf8(&output.stdout).unwrap()).len(), 25);
    }
    let stats = scratch.json(&["stats"]);
    assert_eq!(stats["by_kind"], json!({"episode": 100, "fact": 4}));
}

#[test]
fn quiet_means_no_notes_and_json_means_no_words() {
    let scratch = Scratch::new();
    scratch.remember("Ada owns billing");
    let loud = scratch.run(&["recall", "billing"]);
    let quiet = scratch.run(&["recall", "billing", "--quiet"]);
    assert_eq!((quiet.code, quiet.err.as_str()), (Some(0), ""));
    assert_eq!(loud.out.lines().count(), quiet.out.lines().count());
    assert_eq!(scratch.run(&["recall", "billing", "--json"]).err, "");
    let mut command = scratch.command();
    let done = finish(command.env("SCRUBJAY_QUERY_MAX_RESULT", "3").args(["list"]), None);
    assert!(done.err.starts_with("warning: ") && done.err.contains("SCRUBJAY_QUERY_MAX_RESULTS"), "{done:?}");
}
