//! Processes that die, crowd each other, or run out of disk.
//!
//! The real binary, real files, a real SIGKILL. Every message has a text of its
//! own, so that the export afterwards tells what is there and how often.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use scrubjay_test::{SeededEntropy, longer};
use serde_json::{Value, json};

const KILLS: usize = 200;

#[test]
fn crash_killed_captures_lose_and_double_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let home = folder.path().join("home");
    let random = SeededEntropy::new(3);
    let mut acknowledged: BTreeSet<String> = BTreeSet::new();
    let mut unanswered: Vec<String> = Vec::new();
    let mut killed_midway = 0;
    for round in 0..KILLS * longer(5) {
        // What was not answered is sent again, as a careful client would.
        let mut lines = std::mem::take(&mut unanswered);
        lines.extend((0..60).map(|number| format!("r{round}n{number}")));
        let (answers, left) = capture_and_kill(&home, &lines, Duration::from_micros(2_000 + random.next() % 30_000));
        killed_midway += usize::from(!answers.is_empty() && left > 0);
        unanswered = lines.into_iter().filter(|line| !answers.contains(line)).collect();
        unanswered.truncate(200);
        acknowledged.extend(answers);
    }
    // How many are depends on how busy the machine is.
    assert!(killed_midway > 0, "no kill came in the middle of the work");
    let stored = stored(&home);
    let lost: Vec<&String> = acknowledged.iter().filter(|line| !stored.contains_key(*line)).collect();
    let doubled: Vec<&String> = stored.iter().filter(|(_, count)| **count > 1).map(|(line, _)| line).collect();
    assert!(lost.is_empty(), "{} of {} acknowledged are lost: {lost:?}", lost.len(), acknowledged.len());
    assert!(doubled.is_empty(), "stored twice: {doubled:?}");
    assert_ne!(run(&home, &["doctor", "--json"])["status"], "damaged");
}

#[test]
fn crash_four_processes_at_once_show_no_error_and_lose_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let home = folder.path().join("home");
    let each = 250 * longer(4);
    let writers: Vec<_> = (0..4)
        .map(|writer| {
            let home = home.clone();
            std::thread::spawn(move || {
                let mut child = start(&home, &["capture", "--json"]);
                let mut input = child.stdin.take().unwrap();
                for number in 0..each {
                    writeln!(input, "{}", line(&format!("w{writer}n{number}"))).unwrap();
                }
                drop(input);
                let output = child.wait_with_output().unwrap();
                (
                    output.status.code(),
                    String::from_utf8(output.stdout).unwrap(),
                    String::from_utf8(output.stderr).unwrap(),
                )
            })
        })
        .collect();
    for writer in writers {
        let (code, out, err) = writer.join().unwrap();
        assert_eq!(code, Some(0), "{err}");
        assert!(!out.contains("\"error\"") && !err.to_lowercase().contains("busy") && !err.contains("locked"), "{err}");
        assert_eq!(out.lines().count(), each);
    }
    let stored = stored(&home);
    assert_eq!(stored.len(), 4 * each);
    assert!(stored.values().all(|count| *count == 1));
}

#[test]
fn crash_in_a_rebuild_leaves_the_old_index_or_the_new_one() {
    let folder = tempfile::tempdir().unwrap();
    let (home, tree) = (folder.path().join("home"), folder.path().join("tree"));
    std::fs::create_dir_all(&tree).unwrap();
    for file in 0..150 {
        let text: String = (0..400).map(|number| format!("- item {number} of list {file}\n")).collect();
        std::fs::write(tree.join(format!("m{file}.md")), text).unwrap();
    }
    let path = tree.to_str().unwrap();
    let start_with = |tokens: usize| {
        let size = format!("chunking.tokens={tokens}");
        let words = ["index", path, "--force", "--quiet", "--set", "jobs.cli_budget_ms=0", "--set", &size];
        start(&home, &words)
    };
    let pieces = || -> u64 {
        let status = run(&home, &["sync", "status", "--json"]);
        status["documents"].as_array().unwrap().iter().map(|count| count["chunks"].as_u64().unwrap()).sum()
    };
    let whole = |tokens: usize| {
        assert!(start_with(tokens).wait().unwrap().success());
        pieces()
    };
    let (large, small) = (whole(400), whole(150));
    assert!(small > large, "{small} {large}");
    let random = SeededEntropy::new(5);
    let mut before = small;
    let (mut old, mut new) = (0, 0);
    for round in 0..30 * longer(10) {
        let mut child = start_with(if before == small { 400 } else { 150 });
        pause(Duration::from_millis(20 + random.next() % 1500));
        child.kill().unwrap();
        child.wait().unwrap();
        let now = pieces();
        assert!(now == small || now == large, "round {round}: {now} pieces are neither {large} nor {small}");
        old += usize::from(now == before);
        new += usize::from(now != before);
        before = now;
    }
    // How many are depends on how busy the machine is.
    assert!(old > 0, "no kill came before the end, and {new} after it");
    assert_ne!(run(&home, &["doctor", "--json"])["status"], "damaged");
}

#[test]
fn disk_full_is_answered_clearly_and_writing_resumes() {
    let folder = tempfile::tempdir().unwrap();
    let Some(disk) = SmallDisk::mount(folder.path()) else {
        eprintln!("SKIPPED: a small tmpfs cannot be mounted here; the store's own disk_ tests cover a full disk");
        return;
    };
    let home = disk.path.join("home");
    let mut child = start(&home, &["capture", "--json"]);
    let mut input = child.stdin.take().unwrap();
    let mut output = BufReader::new(child.stdout.take().unwrap());
    let mut ask = |text: &str| -> Value {
        writeln!(input, "{}", line(text)).unwrap();
        let mut answer = String::new();
        output.read_line(&mut answer).unwrap();
        serde_json::from_str(&answer).unwrap_or_else(|error| panic!("{error}: {answer:?}"))
    };
    let mut acknowledged = BTreeSet::new();
    assert!(ask("before").get("error").is_none());
    acknowledged.insert("before".to_owned());
    std::fs::write(disk.path.join("filler"), vec![0u8; 64 << 20]).unwrap_err();
    let mut refused = 0;
    for number in 0..200 {
        let text = format!("full{number} {}", "many words ".repeat(40));
        match ask(&text).get("error") {
            Some(error) => {
                refused += 1;
                assert!(error.to_string().contains("disk is full"), "{error}");
            }
            None => {
                acknowledged.insert(text);
            }
        }
    }
    assert!(refused > 0, "the disk never filled up");
    std::fs::remove_file(disk.path.join("filler")).unwrap();
    assert!(ask("after").get("error").is_none(), "writing resumes by itself");
    acknowledged.insert("after".to_owned());
    drop(input);
    child.wait().unwrap();
    let stored = stored(&home);
    assert!(acknowledged.iter().all(|text| stored.get(text.trim()) == Some(&1)), "something acknowledged is missing");
    assert_ne!(run(&home, &["doctor", "--json"])["status"], "damaged");
}

// Feeds lines to a capture, kills it after a while, and gives what it had
// acknowledged and how many lines it had not answered.
pub(crate) fn capture_and_kill(home: &Path, lines: &[String], after: Duration) -> (Vec<String>, usize) {
    let mut child = start(home, &["capture", "--json"]);
    let mut input = child.stdin.take().unwrap();
    let output = BufReader::new(child.stdout.take().unwrap());
    let answers = Arc::new(Mutex::new(Vec::new()));
    let seen = Arc::clone(&answers);
    let reader = std::thread::spawn(move || {
        for answer in output.lines().map_while(Result::ok) {
            // The last line may be torn; then it was no acknowledgement.
            let Ok(value) = serde_json::from_str::<Value>(&answer) else { continue };
            if value["id"].is_string() {
                seen.lock().unwrap().push(value["client_id"].as_str().unwrap().to_owned());
            }
        }
    });
    let sent: Vec<String> = lines.iter().map(|text| line(text)).collect();
    let writer = std::thread::spawn(move || {
        for line in sent {
            if writeln!(input, "{line}").and_then(|()| input.flush()).is_err() {
                break;
            }
        }
        // Kept open: the end of the input must not end the capture first.
        input
    });
    pause(after);
    child.kill().unwrap();
    child.wait().unwrap();
    drop(writer.join());
    reader.join().unwrap();
    let answers = std::mem::take(&mut *answers.lock().unwrap());
    let left = lines.len() - answers.len();
    (answers, left)
}

fn line(text: &str) -> String {
    let id = text.split_whitespace().next();
    json!({"session_id": "s", "role": "user", "id": id, "content": text}).to_string()
}

fn start(home: &Path, arguments: &[&str]) -> Child {
    start_in(home, "crash", arguments)
}

/// Starts the binary in a project, all streams piped.
pub(crate) fn start_in(home: &Path, project: &str, arguments: &[&str]) -> Child {
    let mut command = Command::new(env!("CARGO_BIN_EXE_scrubjay"));
    command
        .env_clear()
        .env("HOME", home)
        .args(["--home", home.to_str().unwrap(), "--project", project])
        .args(arguments);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

fn run(home: &Path, arguments: &[&str]) -> Value {
    answer_in(home, "crash", arguments)
}

/// The answer of a command that must succeed.
pub(crate) fn answer_in(home: &Path, project: &str, arguments: &[&str]) -> Value {
    let output = start_in(home, project, arguments).wait_with_output().unwrap();
    let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{arguments:?}: {:?}\n{out}\n{err}", output.status);
    serde_json::from_str(&out).unwrap_or_else(|error| panic!("{arguments:?}: {error}\n{out}\n{err}"))
}

/// Runs a command that must succeed on some input.
pub(crate) fn run_with_input(home: &Path, project: &str, arguments: &[&str], input: &str) {
    let mut child = start_in(home, project, arguments);
    let mut stdin = child.stdin.take().unwrap();
    let input = input.to_owned();
    let writer = std::thread::spawn(move || stdin.write_all(input.as_bytes()));
    let output = child.wait_with_output().unwrap();
    writer.join().unwrap().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

// How often each text is stored.
fn stored(home: &Path) -> BTreeMap<String, usize> {
    let output = start(home, &["export"]).wait_with_output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let mut stored = BTreeMap::new();
    for line in String::from_utf8(output.stdout).unwrap().lines() {
        let value: Value = serde_json::from_str(line).unwrap();
        if value["record"] == "memory" {
            *stored.entry(value["content"].as_str().unwrap().to_owned()).or_insert(0) += 1;
        }
    }
    stored
}

#[expect(clippy::disallowed_methods, reason = "the moment of the kill is the point of the test")]
pub(crate) fn pause(time: Duration) {
    std::thread::sleep(time);
}

// A disk of a few megabytes that goes when the test ends.
struct SmallDisk {
    path: std::path::PathBuf,
}

impl SmallDisk {
    fn mount(folder: &Path) -> Option<Self> {
        let path = folder.join("disk");
        std::fs::create_dir(&path).unwrap();
        let mounted = Command::new("mount").args(["-t", "tmpfs", "-o", "size=3m", "tmpfs"]).arg(&path).output();
        mounted.is_ok_and(|output| output.status.success()).then_some(Self { path })
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("-l").arg(&self.path).status();
    }
}
