//! What people type: other names of commands, times in words, and what is said about words that are none. And what
//! explains commands: examples, manual pages, completions.

use std::collections::BTreeMap;
use std::process::{Command, Stdio};

use scrubjay_test::exports::{SAMPLES, zipped};
use serde_json::{Value, json};

use crate::scratch::{Done, Scratch, finish};

#[test]
fn commands_have_the_names_that_people_try() {
    let scratch = Scratch::new();
    let id = scratch.remember("Ada owns billing");
    for word in ["search", "find"] {
        assert_eq!(scratch.json(&[word, "who owns billing"])["hits"][0]["id"], Value::from(id.as_str()), "{word}");
    }
    assert_eq!(scratch.run(&["ls"]).out, scratch.run(&["list"]).out);
    assert_eq!(scratch.json(&["rm", &id])["ids"], json!([id]));
    assert_eq!(scratch.run(&["version"]).out, scratch.run(&["--version"]).out);
    assert_eq!(scratch.run(&["config", "get", "query.max_results"]).out, "6\n");
    // A text is what a script wants, without quotation marks; in JSON it has them.
    assert_eq!(scratch.run(&["config", "get", "embedding.provider"]).out, "builtin\n");
    assert_eq!(scratch.json(&["config", "get", "embedding.provider"])["settings"][0]["value"], "\"builtin\"");
    let section = scratch.run(&["config", "show", "query"]).out;
    assert!(section.lines().count() > 3 && section.lines().all(|line| line.starts_with("query.")), "{section}");
    let done = scratch.run(&["config", "get", "query.max_result"]);
    done.failed(&[2], "a misspelt setting");
    assert!(done.err.contains("did you mean `query.max_results`?"), "{done:?}");
    assert!(scratch.run(&["help", "recall"]).out.contains("Also called: search, find"));
}

#[test]
fn a_word_that_is_no_command_is_understood() {
    let scratch = Scratch::new();
    for (word, meant) in [
        ("delete", "did you mean `scrubjay forget` or `scrubjay purge`?"),
        ("add", "did you mean `scrubjay remember`?"),
        ("query", "did you mean `scrubjay recall`?"),
        ("info", "did you mean `scrubjay stats` or `scrubjay status`?"),
        ("setup", "did you mean `scrubjay install`?"),
        ("settings", "did you mean `scrubjay config show` or `scrubjay config set`?"),
        ("recal", "`scrubjay recall`"),
        ("upgrade", "did you mean `scrubjay version`?"),
        ("dedupe", "did you mean `scrubjay review` or `scrubjay consolidate`?"),
    ] {
        let done = scratch.run(&[word, "something"]);
        done.failed(&[2], word);
        let first = format!("error: there is no command `{word}`\n  hint: ");
        assert!(done.err.starts_with(&first) && done.err.contains(meant), "{word}: {done:?}");
    }
    // What has other letters is no typing error, least of all for a command that destroys.
    let done = scratch.run(&["purgatory", "something"]);
    assert!(!done.err.contains("did you mean"), "{done:?}");
    let done = scratch.run(&["help", "delete"]);
    assert!(done.err.contains("there is no command `delete`") && done.err.contains("`scrubjay forget`"), "{done:?}");
    let done = scratch.run(&["config", "sho"]);
    done.failed(&[2], "a word of a group");
    assert!(done.err.contains("did you mean `scrubjay config show`?"), "{done:?}");
    let done = scratch.run(&["zebra", "--json"]);
    assert!(
        done.err.contains(r#""code":"invalid_input""#) && done.err.contains("`scrubjay help` shows all"),
        "{done:?}"
    );
}

#[test]
fn times_are_taken_in_words_wherever_a_time_is_taken() {
    let scratch = Scratch::new();
    let remember = |time: &str, text: &str| {
        let answer = scratch.json(&["remember", "--time", time, text]);
        answer["id"].as_str().unwrap().to_owned()
    };
    let old = remember("40 days ago", "The lighthouse keeper is called Ines");
    let recent = remember("yesterday", "Staging moved to port 5433");
    let now = scratch.remember("Grace owns the parser");
    let ids = |words: &[&str]| -> Vec<String> {
        let answer = scratch.json(words);
        let list = answer.get("memories").or_else(|| answer.get("hits")).unwrap();
        list.as_array().unwrap().iter().map(|one| one["id"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(ids(&["list", "--since", "3d"]), [now.as_str(), recent.as_str()]);
    assert_eq!(ids(&["list", "--since", "yesterday", "--until", "today"]), [recent.as_str()]);
    assert_eq!(ids(&["list", "--until", "last week"]), [old.as_str()]);
    assert_eq!(ids(&["list", "--since", "2h ago"]), [now.as_str()]);
    assert_eq!(ids(&["recall", "--since", "last month", "--until", "1h", "staging port"]), [recent.as_str()]);
    assert!(ids(&["list", "--as-of", "yesterday"]).is_empty(), "nothing was known yesterday");
    assert_eq!(scratch.run(&["digest", "--since", "yesterday"]).code, Some(0));
    scratch.json(&["edit", &now, "--time", "last week"]);
    assert_eq!(ids(&["list", "--since", "today"]), Vec::<String>::new());
    let message = json!({"session_id": "s", "role": "user", "content": "hello there", "time": "yesterday"}).to_string();
    assert_eq!(scratch.run_with(&["capture"], message.as_bytes()).code, Some(0));
    assert_eq!(ids(&["list", "--session", "s", "--since", "yesterday", "--until", "today"]).len(), 1);
    // The same over any surface: the operation takes it.
    let called = scratch.run(&["call", "list", r#"{"since": "yesterday", "kind": "fact"}"#]);
    assert_eq!(called.answer(&["call"])["memories"][0]["id"], Value::from(recent.as_str()));
    let done = scratch.run(&["list", "--since", "whenever"]);
    done.failed(&[2], "no time");
    assert!(done.err.contains("`whenever` is not a time") && done.err.contains("write yesterday, 3d"), "{done:?}");
}

#[test]
fn a_day_is_a_day_in_the_users_time_zone() {
    let scratch = Scratch::new();
    let began = |zone: &str| {
        let mut command = scratch.command();
        command.env("TZ", zone).args(["digest", "--since", "today", "--json"]);
        finish(&mut command, None).answer(&["digest"])["since"].as_str().unwrap().to_owned()
    };
    assert!(began("UTC0").contains("T00:00:00"), "{}", began("UTC0"));
    assert!(began("AAA-5:30").contains("T18:30:00"), "{}", began("AAA-5:30"));
}

#[test]
fn manual_pages_are_written_for_every_command() {
    let scratch = Scratch::new();
    let folder = scratch.work().join("man1");
    let written = scratch.json(&["man", folder.to_str().unwrap()]);
    let pages = written["pages"].as_array().unwrap();
    assert!(pages.len() > 80, "{written}");
    for page in ["scrubjay.1", "scrubjay-recall.1", "scrubjay-task-begin.1", "scrubjay-man.1"] {
        let text = std::fs::read_to_string(folder.join(page)).unwrap();
        assert!(text.contains(".SH NAME") && text.contains(".SH SYNOPSIS"), "{page}: {text}");
        assert!(text.contains(".TH SCRUBJAY"), "{page}: {text}");
    }
    let recall = std::fs::read_to_string(folder.join("scrubjay-recall.1")).unwrap();
    assert!(recall.contains("Find the memories that fit a question") && recall.contains("Examples"), "{recall}");
    assert!(!scratch.home().exists(), "a manual needs no store");
}

fn complete(scratch: &Scratch, words: &[&str]) -> Vec<String> {
    let mut all = vec!["complete", "--"];
    all.extend(words);
    let done = scratch.run(&all);
    assert_eq!((done.code, done.err.as_str()), (Some(0), ""), "{done:?}");
    done.out.lines().map(|line| line.split('\t').next().unwrap().to_owned()).collect()
}

#[test]
fn completions_know_values_projects_and_ids() {
    let scratch = Scratch::new();
    assert!(complete(&scratch, &["show", ""]).iter().all(|one| one == "@files"), "there is nothing yet");
    assert!(!scratch.home().exists(), "completing makes no store");
    let id = scratch.remember("Ada owns billing");
    let short = format!("fact_{}", &id[id.len() - 8..]);
    scratch.json(&["remember", "--project", "other-1a2b", "Grace owns the parser"]);
    scratch.capture("standup", "hello");
    assert!(complete(&scratch, &["rec"]).contains(&"recall".to_owned()));
    assert_eq!(complete(&scratch, &["task", "b"]), ["begin"]);
    assert_eq!(complete(&scratch, &["list", "--kind", "fa"]), ["fact"]);
    assert_eq!(complete(&scratch, &["list", "--kind=fa"]), ["--kind=fact"]);
    assert!(complete(&scratch, &["list", "--si"]).contains(&"--since".to_owned()));
    assert_eq!(complete(&scratch, &["forget", "fact_"]), [short.as_str()]);
    assert_eq!(complete(&scratch, &["forget", &short, "fact_"]), [short.as_str()], "one may follow another");
    assert_eq!(complete(&scratch, &["list", "--project", "oth"]), ["other-1a2b"]);
    for words in [
        vec!["projects", "show", ""],
        vec!["projects", "merge", "app", "o"],
        vec!["projects", "move", &short, "--to", "o"],
    ] {
        let found = complete(&scratch, &words);
        assert!(
            found.contains(&"other-1a2b".to_owned()) && !found.contains(&"none".to_owned()),
            "{words:?}: {found:?}"
        );
    }
    assert_eq!(complete(&scratch, &["list", "--session", ""]), ["standup"]);
    assert_eq!(complete(&scratch, &["config", "set", "query.max_r"]), ["query.max_results"]);
    assert_eq!(complete(&scratch, &["confirm", "--project", "other-1a2b", ""]).len(), 1, "where the line points");
    assert!(complete(&scratch, &["install", "clau"]).contains(&"claude-code".to_owned()));
    let about = scratch.run(&["complete", "--", "show", "fact_"]).out;
    assert!(about.contains("\tAda owns billing"), "{about}");
}

#[test]
fn times_and_spans_in_words_are_taken_everywhere() {
    let scratch = Scratch::new();
    scratch.capture("standup", "We ship on Friday");
    for since in ["yesterday", "3d", "last week", "2026-05-01"] {
        let done = scratch.run(&["eval", "replay", "--since", since, "--json"]);
        assert_eq!(done.code, Some(0), "{since}: {done:?}");
    }
    let refused = scratch.run(&["eval", "replay", "--since", "soonish"]);
    assert!(refused.code == Some(2) && refused.err.contains("`soonish` is not a time"), "{refused:?}");
    std::fs::write(scratch.work().join("notes.md"), "# Plan\n").unwrap();
    scratch.run(&["index"]);
    for span in ["1s", "1000ms", "1"] {
        assert_eq!(scratch.run(&["watch", "--for", span]).code, Some(0), "{span}");
    }
    let refused = scratch.run(&["watch", "--for", "soonish"]);
    assert!(refused.code == Some(2) && refused.err.contains("such as 90s, 30m or 2h"), "{refused:?}");
}

#[test]
fn a_file_that_is_not_there_is_told_once() {
    let scratch = Scratch::new();
    for words in [["import", "chatgpt", "nowhere.zip"], ["import", "obsidian", "nowhere"]] {
        let done = scratch.run(&words);
        assert_eq!(done.code, Some(3), "{done:?}");
        assert_eq!(done.err.matches("No such file").count(), 1, "{done:?}");
    }
}

#[test]
fn what_was_imported_is_shown_as_a_memory_and_not_as_lines_of_a_file() {
    let scratch = Scratch::new();
    let sample = SAMPLES.iter().find(|sample| sample.tool == "mem0").unwrap();
    (sample.write)(&scratch.work());
    scratch.run(&["import", "mem0", "memories.json"]);
    let id = scratch.json(&["list", "--where", r#"{"content": "Is allergic to nuts"}"#]);
    let id = id["memories"][0]["id"].as_str().unwrap().to_owned();
    let shown = scratch.run(&["recall", "who is allergic to nuts"]).out;
    let short = format!("fact_{}", &id[id.len() - 8..]);
    assert!(shown.contains("Is allergic to nuts") && shown.contains(&short), "{shown}");
    assert!(shown.contains("from ") && shown.contains("memories.json") && !shown.contains("line 0"), "{shown}");
}

#[test]
fn what_is_known_about_me_has_no_id() {
    let scratch = Scratch::new();
    scratch.run(&["remember", "I prefer short answers", "--type", "preference"]);
    let shown = scratch.run(&["entity", "me"]).out;
    assert!(shown.starts_with("me · person · 1 mention\n\n"), "{shown}");
}

#[test]
fn the_script_completes_in_bash() {
    let Ok(bash) = Command::new("bash").arg("--version").stdout(Stdio::null()).status() else {
        eprintln!("skipped: there is no bash here");
        return;
    };
    assert!(bash.success());
    let scratch = Scratch::new();
    let id = scratch.remember("Ada owns billing");
    let script = scratch.run(&["completions", "bash"]).out;
    let program = env!("CARGO_BIN_EXE_scrubjay");
    let typed = |words: &str| {
        let test = format!(
            "{script}\nCOMP_WORDS=({program} {words}); COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1)); _scrubjay; printf '%s\\n' \"${{COMPREPLY[@]}}\""
        );
        let mut command = Command::new("bash");
        command.args(["--norc", "-c", &test]).env_clear().current_dir(scratch.work());
        command.env("PATH", "/usr/bin:/bin").env("SCRUBJAY_HOME", scratch.home()).env("SCRUBJAY_PROJECT", "app");
        finish(&mut command, None)
    };
    assert_eq!(typed("show fact_").out.trim(), format!("fact_{}", &id[id.len() - 8..]));
    assert!(typed("rec").out.lines().any(|line| line == "recall"), "{:?}", typed("rec"));
    assert_eq!(typed("list --kind ep").out.trim(), "episode");
}

/// Examples that are not run: they last, change this machine, or need what only a repository has.
const NOT_RUN: &[&str] = &[
    "scrubjay serve",
    "scrubjay watch",
    "scrubjay mcp",
    "scrubjay logs --follow",
    "scrubjay service install",
    "scrubjay install ",
    "scrubjay uninstall --all",
    "scrubjay stop",
    "scrubjay eval ",
    "python3 ",
    "man ",
    "claude mcp",
    "curl ",
    "cargo test",
    "my-agent",
    "scrubjay projects trust",
];

/// Examples about something that a fresh place does not have: that it is not there is an answer, too.
const MAY_FIND_NOTHING: &[&str] = &[
    "scrubjay jobs retry job_",
    "scrubjay projects adopt",
    "scrubjay jobs cancel job_",
    "scrubjay spool discard",
    "scrubjay import transcripts claude-code",
    "scrubjay import transcripts codex",
    "scrubjay import notes",
    "scrubjay status",
    "scrubjay token revoke 1a2b3c4d",
    "scrubjay context-file --remove",
];

/// Every line of an example in the help of every command.
fn examples(scratch: &Scratch) -> Vec<(String, String)> {
    let folder = scratch.work().join("man1");
    let pages = scratch.json(&["man", folder.to_str().unwrap()]);
    let mut found = Vec::new();
    for page in pages["pages"].as_array().unwrap() {
        let name = page.as_str().unwrap().trim_end_matches(".1").to_owned();
        let text = std::fs::read_to_string(folder.join(page.as_str().unwrap())).unwrap();
        let Some((_, text)) = text.split_once("Examples:") else { continue };
        for line in text.lines() {
            let line = line.replace("\\-", "-").replace("\\*(Aq", "'").replace("\\&", "").replace("\\\\", "\\");
            let line = line.trim();
            if line.contains("scrubjay ") && !line.starts_with('.') {
                found.push((name.clone(), line.to_owned()));
            }
        }
    }
    found
}

#[test]
fn every_example_in_the_help_runs() {
    let lines = examples(&Scratch::new());
    assert!(lines.len() > 120, "{}", lines.len());
    let mut failed = Vec::new();
    for (page, line) in lines {
        if NOT_RUN.iter().any(|start| line.starts_with(start)) {
            continue;
        }
        let done = run_example(&page, &line);
        let may_find_nothing = MAY_FIND_NOTHING.iter().any(|start| line.starts_with(start));
        if done.code != Some(0) && !(may_find_nothing && done.code == Some(3)) {
            failed.push(format!("{page}: {line}\n  {done:?}"));
        }
    }
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}

// What the program that an example imports from left there.
fn exported(page: &str, path: &std::path::Path) {
    let tool = page.trim_start_matches("scrubjay-import-");
    let Some(sample) = SAMPLES.iter().find(|sample| sample.tool == tool) else { return };
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    let folder = path.with_extension("");
    std::fs::create_dir_all(&folder).unwrap();
    (sample.write)(&folder);
    match path.extension().and_then(|extension| extension.to_str()) {
        Some("zip") => zipped(&folder, path),
        Some("json") => drop(std::fs::copy(folder.join("memories.json"), path).unwrap()),
        _ => {}
    }
}

// Each in a place of its own, in which everything is that an example speaks of.
fn run_example(page: &str, line: &str) -> Done {
    let scratch = Scratch::new();
    let work = scratch.work();
    let write = |name: &str, text: &str| std::fs::write(work.join(name), text).unwrap();
    let message = |content: &str| json!({"session_id": "standup", "role": "user", "content": content}).to_string();
    write("conversation.jsonl", &format!("{}\n{}\n", message("We ship on Friday"), message("Ada owns billing")));
    write("README.md", "# App\n\nRetries are counted in src/retry.rs.\n");
    std::fs::create_dir(work.join("notes")).unwrap();
    write("notes/plan.md", "# Plan\n\nShip on Friday.\n");
    let fact = scratch.remember("Ada owns billing @ada src/billing.rs");
    let mut names: BTreeMap<&str, String> = BTreeMap::new();
    if line.contains("restore fact_") {
        let other = scratch.remember("Grace owns the parser");
        scratch.run(&["forget", &other]);
        names.insert("fact_90d1f3a7", other);
    }
    if line.contains("ep_2b7e91c4")
        || page.contains("session")
        || page.contains("summarize")
        || page.contains("consolidate")
    {
        names.insert("ep_2b7e91c4", scratch.capture("standup", "Ada fixed the login test today"));
    }
    if line.contains("--remove fact_2b7e91c4") {
        scratch.run(&["link", &fact, "elaborates", &names["ep_2b7e91c4"]]);
    }
    if line.contains("tmp_2b7e91c4") || page.contains("-task-") && !page.ends_with("begin") {
        scratch.run(&["task", "begin", "--id", "flaky-test", "Fix the flaky test"]);
        let note = scratch.json(&["task", "add", "The clock is mocked twice"]);
        names.insert("tmp_2b7e91c4", note["id"].as_str().unwrap().to_owned());
    }
    if line.contains("conf_2b7e91c4") {
        let words = ["remember", "--scope", "global", "--type", "preference", "Answers in British English"];
        names.insert("conf_2b7e91c4", scratch.json(&words)["pending"].as_str().unwrap().to_owned());
    }
    if line.contains("job_2b7e91c4") {
        // Something that is not worked off at once.
        scratch.capture("standup", "We ship on Friday");
        let jobs = scratch.json(&["jobs"]);
        names.insert("job_2b7e91c4", jobs["jobs"][0]["id"].as_str().unwrap_or("job_2b7e91c4").to_owned());
    }
    if page.ends_with("undo") {
        scratch.json(&["edit", &fact, "--importance", "5"]);
        let run = scratch.json(&["history", &fact])["changes"][1]["run"].as_str().unwrap().to_owned();
        names.insert("run_2b7e91c4", run);
    }
    if page.ends_with("entities-merge") {
        scratch.remember("Ada Lovelace met @ada again");
        scratch.run(&["call", "import", &json!({"lines": [json!({"record": "entity", "id": "ent_0197a3c2-1b7e-7c44-9d3a-2f6d1c0b8e55", "scope": "project/app", "name": "Ada Lovelace", "type": "person", "aliases": [], "mention_count": 0, "protected": false}).to_string()]}).to_string()]);
    }
    if page.contains("projects") {
        scratch.json(&["remember", "--project", "shop", "Grace owns the shop"]);
    }
    if line.contains("sources remove") || line.contains("sources files ./notes") {
        scratch.run(&["sources", "add", "./notes", "--kind", "notes", "--scope", "global"]);
    }
    if page.ends_with("restore-backup") {
        scratch.run(&["backup"]);
    }
    if page.ends_with("token-revoke") {
        scratch.run(&["token", "create", "chat bridge"]);
    }
    if page.ends_with("show") && line.contains("README") {
        scratch.run(&["index"]);
    }
    if page.ends_with("import") {
        scratch.run(&["export", "--output", "memories.jsonl"]);
        std::fs::copy(work.join("memories.jsonl"), work.join("memory.json")).unwrap();
        let gzip = finish(Command::new("gzip").args(["-k", "memories.jsonl"]).current_dir(&work), None);
        assert_eq!(gzip.code, Some(0));
        std::fs::copy(work.join("memories.jsonl.gz"), work.join("everything.jsonl.gz")).unwrap();
    }
    if let Some(path) = line.split(' ').next_back().filter(|_| page.starts_with("scrubjay-import-")) {
        exported(page, &work.join(path.trim_start_matches("~/")));
    }
    if line.contains("question.json") {
        write("question.json", &json!(vec![0.1; 384]).to_string());
    }
    names.insert("fact_2b7e91c4", fact);
    let mut line = line.replace("(wires it into every client that is here)", "");
    for (shown, id) in &names {
        line = line.replace(shown, &format!("{}_{}", shown.split('_').next().unwrap(), &id[id.len() - 8..]));
    }
    // What the machine may not have.
    for (program, instead) in [("| jq ", "| cat #"), ("| less", "| cat"), ("~/", "./")] {
        line = line.replace(program, instead);
    }
    if line.contains("git log") {
        finish(
            Command::new("sh")
                .args([
                    "-c",
                    "git init -q . && git -c user.name=a -c user.email=a@b commit -q --allow-empty -m 'Ship it'",
                ])
                .current_dir(&work),
            None,
        );
    }
    for folder in [".local/share/bash-completion/completions", ".zfunc", ".config/fish/completions"] {
        std::fs::create_dir_all(work.join(folder)).unwrap();
    }
    let program = std::path::Path::new(env!("CARGO_BIN_EXE_scrubjay")).parent().unwrap();
    let mut command = Command::new("sh");
    command.args(["-c", &line]).env_clear().current_dir(&work).stdin(Stdio::null());
    command.env("PATH", format!("{}:/usr/local/bin:/usr/bin:/bin", program.display()));
    command.env("HOME", scratch.home().parent().unwrap()).env("TMPDIR", scratch.home().parent().unwrap());
    command.env("SCRUBJAY_HOME", scratch.home()).env("SCRUBJAY_PROJECT", "app");
    // Nothing is left running: a hook starts no daemon, and the one of `open` is stopped.
    if line.contains("scrubjay hook") {
        command.env("SCRUBJAY_DAEMON_AUTOSTART", "false");
    }
    let done = finish(&mut command, None);
    if line.contains("scrubjay open") {
        scratch.run(&["stop"]);
    }
    done
}
