//! Questions while captures, rebuilds and re-embeddings are killed.
//!
//! Two projects share a store. Nothing is ever added to the quiet one: whatever
//! happens to the index files and the vectors, an answer about it must be the
//! same to the last digit as before. Into the busy one messages come all the
//! time: what was acknowledged before a question must be found by it.

use std::collections::{BTreeSet, VecDeque};
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use scrubjay_test::{SeededEntropy, longer};
use serde_json::{Value, json};

use crate::crash::{answer_in, capture_and_kill, pause, run_with_input, start_in};

const QUIET: &str = "quiet";
const BUSY: &str = "crash";

/// Rounds of questions; each asks about both projects.
const ROUNDS: usize = 20;

/// Questions at the end, which look for what was acknowledged.
const LAST_QUESTIONS: usize = 20;

/// Words looked for in one question about the busy project.
const AT_ONCE: usize = 12;

const QUESTIONS: [&str; 3] =
    ["who repaired the harbour crane", "trouble with the wireless network", "when does the baker deliver bread"];

const WHO: [&str; 8] = ["Ada", "the baker", "Grace", "our neighbour", "the captain", "Tom", "the librarian", "Marta"];
const DID: [&str; 8] = ["repaired", "painted", "sold", "forgot about", "delivered", "measured", "asked about", "moved"];
const WHAT: [&str; 7] = [
    "the harbour crane",
    "a loaf of bread",
    "the WiFi router",
    "the old piano",
    "two letters",
    "the garden wall",
    "a map",
];

#[derive(Default)]
struct Counts {
    killed: AtomicUsize,
    finished: AtomicUsize,
}

#[test]
fn interrupted_work_changes_no_answer() {
    let folder = tempfile::tempdir().unwrap();
    let home = folder.path().join("home");
    fill(&home);
    let expected: Vec<String> = QUESTIONS.iter().map(|question| quiet_answer(&home, question)).collect();
    assert!(expected.iter().all(|answer| answer.contains("\"vector\"")), "{expected:?}");

    let stop = AtomicBool::new(false);
    // In the order in which they were acknowledged.
    let acknowledged: Mutex<Vec<String>> = Mutex::default();
    let (rebuilds, reembeddings, others) = (Counts::default(), Counts::default(), Counts::default());
    std::thread::scope(|scope| {
        // Whatever goes wrong here, the others must stop.
        let _stopper = Stopper(&stop);
        scope.spawn(|| capture_until(&home, &stop, &acknowledged));
        scope.spawn(|| harass(&home, &["doctor", "--repair", "--json"], 1, 400, &stop, &rebuilds));
        scope.spawn(|| harass(&home, &["reembed", "--force", "--json"], 2, 3_000, &stop, &reembeddings));
        scope.spawn(|| harass(&home, &["jobs", "run", "--json"], 3, 400, &stop, &others));
        let random = SeededEntropy::new(4);
        for round in 0..ROUNDS * longer(60) {
            let question = round % QUESTIONS.len();
            assert_eq!(quiet_answer(&home, QUESTIONS[question]), expected[question], "round {round}");
            let known = acknowledged.lock().unwrap().clone();
            // Half of them are the latest.
            let mut wanted: Vec<String> = known.iter().rev().take(AT_ONCE / 2).cloned().collect();
            for _ in 0..AT_ONCE / 2 {
                wanted.extend(known.get(random.next() as usize % known.len().max(1)).cloned());
            }
            assert_found(&home, &wanted, round);
        }
    });
    for (what, counts) in [("rebuilds", &rebuilds), ("reembeddings", &reembeddings), ("jobs", &others)] {
        let (killed, finished) = (counts.killed.load(Ordering::Relaxed), counts.finished.load(Ordering::Relaxed));
        assert!(killed > 0, "no {what} were killed, {finished} finished");
    }
    assert!(rebuilds.finished.load(Ordering::Relaxed) > 0, "no rebuild was ever finished");

    // Nothing was left behind, and nothing was lost.
    let acknowledged = acknowledged.into_inner().unwrap();
    assert!(acknowledged.len() > AT_ONCE, "hardly anything was captured: {}", acknowledged.len());
    for (number, some) in acknowledged.chunks(AT_ONCE).rev().take(LAST_QUESTIONS * longer(100)).enumerate() {
        assert_found(&home, some, ROUNDS + number);
    }
    // A run that was cut short goes on, and the switch that ends it changes nothing.
    for command in [&["reembed", "--json"][..], &["jobs", "run", "--json"], &["reembed", "--force", "--json"]] {
        answer_in(&home, QUIET, command);
        for (question, expected) in QUESTIONS.iter().zip(&expected) {
            assert_eq!(quiet_answer(&home, question), *expected, "{command:?}");
        }
    }
    assert_ne!(answer_in(&home, QUIET, &["doctor", "--json"])["status"], "damaged");
}

// The quiet project, with vectors. All at one moment, so that no weight of time
// changes their order while the test runs.
fn fill(home: &Path) {
    let mut lines = String::new();
    for (number, what) in WHAT.iter().enumerate() {
        for (other, who) in WHO.iter().enumerate() {
            for turn in 0..3 {
                let did = DID[(other + number + turn) % DID.len()];
                let content = format!("{who} {did} {what} {}", ["in May", "after lunch", "twice"][turn]);
                let session = format!("s{number}-{other}");
                let line =
                    json!({"session_id": session, "role": "user", "content": content, "time": "2026-05-01T10:00:00Z"});
                lines.push_str(&format!("{line}\n"));
            }
        }
    }
    run_with_input(home, QUIET, &["capture", "--json"], &lines);
    answer_in(home, QUIET, &["jobs", "run", "--json"]);
}

// Everything about the hits that does not depend on the moment.
fn quiet_answer(home: &Path, question: &str) -> String {
    let answer = answer_in(home, QUIET, &["recall", question, "--explain", "--min-score", "0", "-n", "20", "--json"]);
    assert_eq!(answer["warnings"], json!([]), "{answer}");
    let hits = answer["hits"].as_array().unwrap();
    assert_eq!(hits.len(), 20, "{question}");
    let told = |hit: &Value| json!([hit["id"], hit["relevance"], hit["explanation"]["arms"]]).to_string();
    hits.iter().map(told).collect::<Vec<_>>().join("\n")
}

fn assert_found(home: &Path, wanted: &[String], round: usize) {
    if wanted.is_empty() {
        return;
    }
    let question = wanted.join(" ");
    let answer = answer_in(home, BUSY, &["recall", &question, "--min-score", "0", "-n", "100", "--json"]);
    let hits = answer["hits"].as_array().unwrap();
    let found: BTreeSet<&str> = hits.iter().filter_map(|hit| hit["snippet"].as_str()?.split(' ').next()).collect();
    let missing: Vec<&String> = wanted.iter().filter(|token| !found.contains(token.as_str())).collect();
    assert!(missing.is_empty(), "round {round}: acknowledged and not found: {missing:?} in {answer}");
}

fn capture_until(home: &Path, stop: &AtomicBool, acknowledged: &Mutex<Vec<String>>) {
    let random = SeededEntropy::new(5);
    let mut unanswered: VecDeque<String> = VecDeque::new();
    // A busy machine takes longer to get to work at all.
    let mut most_us = 150_000;
    for round in 0.. {
        if stop.load(Ordering::Relaxed) {
            break;
        }
        let mut lines: Vec<String> = unanswered.drain(..).take(20).collect();
        lines.extend((0..10).map(|number| format!("r{round}n{number} is a message of its own")));
        let after = Duration::from_micros(5_000 + random.next() % most_us);
        let (answers, _) = capture_and_kill(home, &lines, after);
        most_us = if answers.is_empty() { (most_us * 2).min(10_000_000) } else { (most_us / 2).max(150_000) };
        let is_answered = |line: &String| answers.iter().any(|answer| line.split(' ').next() == Some(answer));
        unanswered = lines.into_iter().filter(|line| !is_answered(line)).collect();
        acknowledged.lock().unwrap().extend(answers);
        pause(Duration::from_millis(20));
    }
}

// Starts a command again and again and kills most of them on the way.
fn harass(home: &Path, arguments: &[&str], seed: u64, most_ms: u64, stop: &AtomicBool, counts: &Counts) {
    let random = SeededEntropy::new(seed);
    while !stop.load(Ordering::Relaxed) {
        let mut child = start_in(home, BUSY, arguments);
        let mut left_ms = 5 + random.next() % most_ms;
        // Half of them may take their time: a switch that is made wrongly shows
        // only when it is made.
        if random.next().is_multiple_of(2) {
            left_ms = 10_000;
        }
        while left_ms > 0 && child.try_wait().unwrap().is_none() && !stop.load(Ordering::Relaxed) {
            let step_ms = left_ms.min(5);
            pause(Duration::from_millis(step_ms));
            left_ms -= step_ms;
        }
        let ended = if child.try_wait().unwrap().is_some() { &counts.finished } else { &counts.killed };
        ended.fetch_add(1, Ordering::Relaxed);
        let _ = child.kill();
        child.wait().unwrap();
        pause(Duration::from_millis(20));
    }
}

struct Stopper<'a>(&'a AtomicBool);

impl Drop for Stopper<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}
