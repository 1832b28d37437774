//! Bad input to every command: a clear message, the right exit code, and a store
//! that is as it was. The commands come from the engine's list.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStringExt;

use scrubjay_engine::ops::{Entry, REGISTRY};
use serde_json::Value;

use crate::operations::sample;
use crate::scratch::{Done, Scratch, UNKNOWN};

const UNKNOWN_JOB: &str = "job_0197a3c2-1b7e-7c44-9d3a-2f6d1c0b8e55";

/// A store with something in two projects, and an export of it.
struct Stocked {
    scratch: Scratch,
    own: String,
    foreign: String,
}

impl Stocked {
    fn new() -> Self {
        let scratch = Scratch::new();
        let own = scratch.remember("Ada owns billing");
        scratch.capture("s", "@ada and @grace talk");
        let foreign = scratch.json(&["remember", "Nobody else may know", "--project", "other"]);
        let foreign = foreign["id"].as_str().unwrap().to_owned();
        let export = scratch.run(&["export", "--all-projects"]).out;
        std::fs::write(scratch.work().join("export.jsonl"), export).unwrap();
        Self { scratch, own, foreign }
    }

    // The sample of an operation with an id put in.
    fn words(&self, entry: &Entry, id: &str) -> Vec<OsString> {
        let fill = |word: &str| match word {
            "ID" => id.into(),
            "OTHER" => self.own.clone().into(),
            "JOB" => UNKNOWN_JOB.into(),
            "FILE" => "export.jsonl".into(),
            other => other.into(),
        };
        sample(entry.name).into_iter().map(fill).collect()
    }

    // Runs a command; if it fails, nothing may have changed.
    fn attempt(&self, words: &[impl AsRef<OsStr>], input: Option<&[u8]>) -> Done {
        let before = self.scratch.contents();
        let done = match input {
            Some(input) => self.scratch.run_with(words, input),
            None => self.scratch.run(words),
        };
        let shown: Vec<String> =
            words.iter().map(|word| word.as_ref().to_string_lossy().chars().take(60).collect()).collect();
        done.sane(&format!("{shown:?}"));
        if done.code != Some(0) {
            assert!(!done.err.trim().is_empty(), "{shown:?} fails without a word");
            assert!(self.scratch.contents() == before, "{shown:?} failed and changed something: {done:?}");
        }
        done
    }
}

fn commands() -> impl Iterator<Item = &'static Entry> {
    REGISTRY.iter().filter(|entry| !entry.surfaces.command.is_empty())
}

// The places of an operation's sample that are positional, by what they hold.
fn positionals(entry: &Entry) -> Vec<usize> {
    let words = sample(entry.name);
    let mut places = Vec::new();
    let mut skip = false;
    for (at, word) in words.iter().enumerate().skip(entry.surfaces.command.len()) {
        if skip {
            skip = false;
        } else if word.starts_with("--") {
            skip = *word != "--yes";
        } else {
            places.push(at);
        }
    }
    places
}

// The flags of an operation's command that take a value.
fn options(entry: &Entry) -> Vec<String> {
    let schema = entry.input_schema();
    let Some(properties) = schema["properties"].as_object() else { return Vec::new() };
    let mut options = Vec::new();
    for (name, property) in properties {
        let cli = &property["x-cli"];
        let is_flag = property["type"] == "boolean";
        if entry.name == "capture" || is_flag || cli["positional"].is_string() || cli["hide"] == true {
            continue;
        }
        options.push(format!("--{}", cli["long"].as_str().map_or_else(|| name.replace('_', "-"), str::to_owned)));
    }
    options
}

#[test]
fn unknown_flags_and_words() {
    let stocked = Stocked::new();
    for entry in commands() {
        let mut words = stocked.words(entry, &stocked.own);
        words.push("--no-such-flag".into());
        let done = stocked.attempt(&words, None);
        done.failed(&[2], entry.name);
        assert!(done.err.contains("--no-such-flag"), "{done:?}");
        words.push("--json".into());
        let done = stocked.attempt(&words, None);
        let error: Value = serde_json::from_str(&done.err).unwrap();
        assert_eq!(error["error"]["code"], "invalid_input", "{}", entry.name);
    }
    stocked.attempt(&["remembr", "x"], None).failed(&[2], "a misspelt command");
    assert!(stocked.scratch.run(&["remembr"]).err.contains("remember"));
    stocked.attempt(&["jobs", "--state", "parked", "run"], None).failed(&[2], "a flag of the outer command");
}

#[test]
fn missing_arguments() {
    let stocked = Stocked::new();
    // What works without any argument; everything else must say what is missing.
    let bare = [
        "capture",
        "recall",
        "receipts",
        "tune",
        "task.show",
        "task.end",
        "confirmations.list",
        "list",
        "undo",
        "entities",
        "sessions",
        "stats",
        "jobs",
        "jobs.run",
        "jobs.retry",
        "spool",
        "spool.retry",
        "pause",
        "resume",
        "projects",
        "projects.show",
        "projects.pause",
        "projects.resume",
        "sources.files",
        "export",
        "consolidate",
        "models",
        "models.test",
        "spend",
        "decay",
        "enrich",
        "maintain",
        "reflect",
        "digest",
        "growth",
        "review",
        "index",
        "sync",
        "sync.status",
        "sources",
        "backup",
        "reembed",
        "doctor",
        "config.show",
        "config.path",
    ];
    for entry in commands().filter(|entry| !bare.contains(&entry.name)) {
        let codes: &[i32] = if entry.name == "restore-backup" { &[3] } else { &[2] };
        stocked.attempt(entry.surfaces.command, None).failed(codes, entry.name);
    }
    stocked.attempt(&["config"], None).failed(&[2], "config");
    stocked.attempt(&["call"], None).failed(&[2], "call");
    stocked.attempt(&["completions"], None).failed(&[2], "completions");
    stocked.attempt(&["capture", "--session", "s"], None).failed(&[2], "capture without text");
    stocked.attempt(&["capture", "text"], None).failed(&[2], "capture without session");
}

#[test]
fn empty_strings() {
    let stocked = Stocked::new();
    for entry in commands() {
        for place in positionals(entry) {
            let mut words = stocked.words(entry, &stocked.own);
            words[place] = "".into();
            let done = stocked.attempt(&words, None);
            // An empty question finds nothing; an empty message is not kept, and says so.
            if !["recall", "capture"].contains(&entry.name) {
                done.failed(&[2, 3, 4], &format!("{words:?}"));
            }
        }
        for option in options(entry) {
            let mut words = stocked.words(entry, &stocked.own);
            words.extend([option.into(), "".into()]);
            stocked.attempt(&words, None);
        }
    }
    for flag in ["--agent", "--project", "--home", "--set"] {
        stocked.attempt(&["list", flag, ""], None).failed(&[2], flag);
    }
}

#[test]
fn arguments_that_are_not_utf_8() {
    let stocked = Stocked::new();
    let foreign = || OsString::from_vec(b"a\xff\xfe".to_vec());
    for entry in commands() {
        for place in positionals(entry) {
            let mut words = stocked.words(entry, &stocked.own);
            words[place] = foreign();
            stocked.attempt(&words, None).failed(&[2, 3], entry.name);
        }
        for option in options(entry) {
            let mut words = stocked.words(entry, &stocked.own);
            words.extend([option.clone().into(), foreign()]);
            stocked.attempt(&words, None).failed(&[2], &format!("{} {option}", entry.name));
        }
    }
    for flag in ["--agent", "--project", "--set"] {
        stocked.attempt(&["list".into(), flag.into(), foreign()], None).failed(&[2], flag);
    }
    let mut command = stocked.scratch.command();
    command.env("SCRUBJAY_QUERY_MAX_RESULTS", foreign()).arg("list");
    crate::scratch::finish(&mut command, None).failed(&[2], "a variable that is not UTF-8");
}

#[test]
fn long_arguments() {
    let stocked = Stocked::new();
    let long = "x y".repeat(40_000);
    for entry in commands() {
        for place in positionals(entry) {
            let mut words = stocked.words(entry, &stocked.own);
            words[place] = long.clone().into();
            let done = stocked.attempt(&words, None);
            if done.code != Some(0) {
                assert!(done.err.len() < 200_000, "{} repeats everything", entry.name);
            }
        }
        for option in options(entry) {
            let mut words = stocked.words(entry, &stocked.own);
            words.extend([option.into(), long.clone().into()]);
            stocked.attempt(&words, None);
        }
    }
}

#[test]
fn ten_megabytes_of_text() {
    let stocked = Stocked::new();
    let text = format!("{} ", "word".repeat(25)).repeat(100_000);
    stocked.attempt(&["call", "recall", "-"], Some(text.as_bytes())).failed(&[2], "text instead of JSON");
    let tight = ["remember", "--set", "capture.max_bytes=1024"];
    let done = stocked.attempt(&tight, Some(text.as_bytes()));
    done.failed(&[2], "more than allowed");
    assert!(done.err.contains("capture.max_bytes"), "{done:?}");
    let done = stocked.attempt(&["recall"], Some(text.as_bytes()));
    done.failed(&[2], "a question of megabytes");
    assert!(done.err.contains("65536") && done.err.len() < 1000, "{}", done.err.len());
    let done = stocked.scratch.run_with(&["remember", "--json"], text.as_bytes());
    done.sane("remember");
    assert_eq!(done.code, Some(0), "{}", done.err);
}

#[test]
fn input_that_is_no_text() {
    let stocked = Stocked::new();
    for words in [
        vec!["remember"],
        vec!["recall"],
        vec!["recall", "-"],
        vec!["call", "recall", "-"],
        vec!["capture", "--session", "s", "-"],
    ] {
        let done = stocked.attempt(&words, Some(b"ab\xffcd"));
        done.failed(&[2], &format!("{words:?}"));
        assert!(done.err.contains("UTF-8"), "{done:?}");
    }
    // A NUL, which PostgreSQL could not keep, becomes U+FFFD before any store sees it; an escape is shown to nobody.
    let done = stocked.attempt(&["remember", "--json"], b"before\0after\x1b[2J".as_slice().into());
    if done.code == Some(0) {
        let id = done.answer(&["remember"])["id"].as_str().unwrap().to_owned();
        let shown = stocked.scratch.run(&["show", &id]);
        assert!(shown.out.contains("before\u{fffd}after\\u{1b}[2J"), "{shown:?}");
        assert!(!shown.out.contains(['\0', '\u{1b}']), "{shown:?}");
    }
    stocked.attempt(&["recall"], Some(b"\0\0"));
}

#[test]
fn malformed_ids() {
    let stocked = Stocked::new();
    let upper = UNKNOWN.to_uppercase();
    let bare = UNKNOWN.trim_start_matches("fact_");
    for bad in ["x", "fact_", "fact_zzz", "../../etc/passwd", &upper, bare, "fact_' OR 1=1 --", "*", "ID"] {
        for entry in commands().filter(|entry| sample(entry.name).contains(&"ID")) {
            let words = stocked.words(entry, bad);
            let done = stocked.attempt(&words, None);
            // A path may be shown as well, and then is one of no file here.
            if entry.name == "show" && bad.contains('/') {
                done.failed(&[3], &format!("{words:?}"));
                continue;
            }
            done.failed(&[2], &format!("{words:?}"));
            assert!(done.err.contains("is not a memory id"), "{words:?}: {done:?}");
        }
        for words in [["jobs", "retry", bad], ["jobs", "cancel", bad]] {
            stocked.attempt(&words, None).failed(&[2], &format!("{words:?}"));
        }
    }
}

#[test]
fn unknown_and_foreign_ids_answer_alike() {
    let stocked = Stocked::new();
    for entry in commands().filter(|entry| sample(entry.name).contains(&"ID")) {
        let unknown = stocked.attempt(&stocked.words(entry, UNKNOWN), None);
        unknown.failed(&[3], entry.name);
        let foreign = stocked.attempt(&stocked.words(entry, &stocked.foreign), None);
        let same = |done: &Done, id: &str| Done {
            err: done.err.replace(id, "ID"),
            out: done.out.replace(id, "ID"),
            ..done.clone()
        };
        assert_eq!(same(&foreign, &stocked.foreign), same(&unknown, UNKNOWN), "{}", entry.name);
    }
    for words in [vec!["jobs", "cancel", UNKNOWN_JOB], vec!["entity", "nobody"], vec!["sessions", "end", "nothing"]] {
        stocked.attempt(&words, None).failed(&[3], &format!("{words:?}"));
    }
    // One id of ours does not open the door for one that is not.
    for words in [
        vec!["forget", &stocked.own, &stocked.foreign],
        vec!["purge", "--yes", &stocked.own, &stocked.foreign],
        vec!["link", &stocked.own, "related", &stocked.foreign],
        vec!["link", &stocked.foreign, "related", &stocked.own],
    ] {
        stocked.attempt(&words, None).failed(&[3], &format!("{words:?}"));
    }
}

#[test]
fn values_out_of_range() {
    let stocked = Stocked::new();
    let own = stocked.own.as_str();
    for words in [
        vec!["remember", "x", "--importance", "9"],
        vec!["remember", "x", "--importance", "much"],
        vec!["remember", "x", "--confidence", "-1"],
        vec!["remember", "x", "--kind", "scratch"],
        vec!["remember", "x", "--kind", "rumour"],
        vec!["remember", "x", "--scope", "project/other"],
        vec!["remember", "x", "--time", "soon"],
        vec!["remember", "x", "--attribute", "novalue"],
        vec!["remember", "<private>nothing else</private>"],
        vec!["context", "x", "--budget", "0"],
        vec!["context", "x", "--share", "episodic=0.9"],
        vec!["context", "x", "--share", "gossip=0.1"],
        vec!["context", "x", "--profile", "tiers", "--constraint", "y"],
        vec!["inject", "x", "--budget", "0"],
        vec!["inject", "x", "--source", "gossip"],
        vec!["task", "begin", "x", "--id", "Not A Slug"],
        vec!["confirmations", "answer", "conf_x", "yes"],
        vec!["recall", "x", "--limit", "0"],
        vec!["recall", "x", "--limit", "100000"],
        vec!["recall", "x", "--limit", "-1"],
        vec!["recall", "x", "--min-score", "2"],
        vec!["recall", "x", "--without-weight", "mood"],
        vec!["recall", "x", "--as-of", "then"],
        vec!["list", "--where", "{"],
        vec!["list", "--where", "[1]"],
        vec!["list", "--where", r#"{"importance": {"$like": 1}}"#],
        vec!["list", "--order-by", "mood"],
        vec!["list", "--cursor", "zzz"],
        vec!["list", "--ended", "--all"],
        vec!["edit", own],
        vec!["edit", own, "--importance", "0"],
        vec!["forget", own, "--kind", "fact"],
        vec!["link", own, "loves", own],
        vec!["entities", "--cursor", "x"],
        vec!["jobs", "--state", "asleep"],
        vec!["export", "--format", "pdf"],
        vec!["config", "set", "query.max_results", "many"],
        vec!["config", "set", "query.max_result", "3"],
        vec!["config", "set", "query.max_results"],
        vec!["list", "--set", "query.max_results"],
        vec!["list", "--set", "nonsense=1"],
        vec!["list", "--agent", "../x"],
        vec!["list", "--project", "Not A Slug"],
        vec!["completions", "tcsh"],
    ] {
        stocked.attempt(&words, None).failed(&[2], &format!("{words:?}"));
    }
    for words in [vec!["forget", "--kind", "fact"], vec!["purge", own]] {
        stocked.attempt(&words, None).failed(&[4], &format!("{words:?}"));
    }
}
