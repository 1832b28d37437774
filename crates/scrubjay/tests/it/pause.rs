//! Off means off: nothing is kept, nothing handed out, nothing spooled, and it is told.

use std::fs;

use serde_json::{Value, json};

use crate::daemon::{Daemon, scratch};
use crate::scratch::{Done, Scratch, finish};

fn hook(scratch: &Scratch, event: &str, payload: &Value) -> Done {
    let words = ["hook", "claude-code", event, "--set", "hooks.deadline_ms=20000"];
    let done = scratch.run_with(&words, payload.to_string().as_bytes());
    assert_eq!((done.code, done.err.as_str()), (Some(0), ""), "{event}: {done:?}");
    done
}

fn ask(scratch: &Scratch, session: &str, text: &str) -> Done {
    hook(scratch, "UserPromptSubmit", &json!({"session_id": session, "prompt": text}))
}

fn is_kept(scratch: &Scratch, text: &str) -> bool {
    scratch.contents().contains(text)
}

fn is_anywhere(scratch: &Scratch, text: &str) -> bool {
    let mut folders = vec![scratch.home()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            if entry.path().is_dir() {
                folders.push(entry.path());
            } else if fs::read(entry.path()).is_ok_and(|bytes| String::from_utf8_lossy(&bytes).contains(text)) {
                return true;
            }
        }
    }
    false
}

fn log(scratch: &Scratch) -> String {
    fs::read_to_string(scratch.home().join("logs/hooks.log")).unwrap_or_default()
}

#[test]
fn a_paused_project_keeps_nothing_and_hands_out_nothing() {
    let scratch = scratch();
    scratch.remember("Ada owns the billing service");
    let paused = scratch.json(&["pause"]);
    assert_eq!((&paused["kind"], &paused["name"], &paused["until"]), (&json!("project"), &json!("app"), &Value::Null));
    // Alone, and with a daemon.
    for number in 0..2 {
        let _daemon = (number == 1).then(|| Daemon::start(&scratch));
        let said = format!("Who owns the billing service, secretly, {number}?");
        assert_eq!(ask(&scratch, "s1", &said).out, "");
        assert_eq!(hook(&scratch, "SessionStart", &json!({"session_id": "s2", "source": "startup"})).out, "");
        assert!(!is_anywhere(&scratch, "secretly"), "it is nowhere, not even in the spool");
        assert!(scratch.json(&["inject", "Who owns the billing service?"])["items"].as_array().unwrap().is_empty());
    }
    assert!(log(&scratch).contains("project app is paused until `scrubjay resume --project app`"), "{}", log(&scratch));
    assert!(!log(&scratch).contains("\"level\":\"error\""), "a pause is no failure: {}", log(&scratch));
    let line = json!({"session_id": "s1", "role": "user", "content": "kept by a bridge, secretly"}).to_string();
    let captured = scratch.run_with(&["capture", "--json"], line.as_bytes());
    assert!(captured.out.contains("nothing is kept here: project app is paused"), "{captured:?}");
    let status = scratch.run(&["status"]);
    assert!(status.out.contains("project app is paused"), "{status:?}");
    let doctor = scratch.json(&["doctor", "--quick"]);
    assert!(doctor["findings"].to_string().contains("project app is paused"), "{doctor}");
    assert_eq!(scratch.json(&["projects"])["projects"][0]["paused"], true);
    // Another project goes on.
    let mut command = scratch.command();
    command.env("SCRUBJAY_PROJECT", "other").args(["hook", "claude-code", "UserPromptSubmit"]);
    finish(&mut command, Some(json!({"session_id": "s9", "prompt": "the other one goes on"}).to_string().as_bytes()));
    assert!(is_kept(&scratch, "the other one goes on"));
    // A person's own word counts.
    scratch.remember("The lamp is green");
    assert_eq!(scratch.json(&["resume"])["resumed"][0]["name"], "app");
    assert!(ask(&scratch, "s3", "Who owns the billing service?").out.contains("Ada owns the billing service"));
    assert!(is_kept(&scratch, "Who owns the billing service?") && !is_anywhere(&scratch, "secretly"));
}

#[test]
fn a_pause_of_a_project_that_nobody_knows_is_doubted() {
    let scratch = scratch();
    scratch.json(&["remember", "Grace owns the shop", "--project", "shop"]);
    for (words, is_doubted) in [
        (["projects", "pause", "shop"].as_slice(), false),
        (&["projects", "pause", "shpo"], true),
        (&["pause", "--project", "shpo"], true),
        (&["pause", "--session", "shpo"], false),
        (&["pause", "--all"], false),
    ] {
        let warnings = scratch.json(words)["warnings"].to_string();
        assert_eq!(warnings.contains("nothing is known of a project `shpo`"), is_doubted, "{words:?}: {warnings}");
    }
    // A folder in which nothing was kept yet is known by itself.
    let mut command = scratch.command();
    command.env_remove("SCRUBJAY_PROJECT").args(["pause", "--json"]);
    let paused = finish(&mut command, None).answer(&["pause"]);
    assert_eq!(paused["warnings"], json!([]), "{paused}");
}

#[test]
fn a_pause_of_a_conversation_and_for_a_time_ends_where_it_should() {
    let scratch = scratch();
    scratch.json(&["pause", "--session", "s1"]);
    ask(&scratch, "s1", "this is between us");
    ask(&scratch, "s2", "this is for everyone");
    assert!(!is_anywhere(&scratch, "between us") && is_kept(&scratch, "for everyone"));
    scratch.json(&["resume", "--session", "s1"]);
    let timed = scratch.json(&["pause", "--for", "2h"]);
    assert!(timed["until"].is_string(), "{timed}");
    ask(&scratch, "s3", "said in the two hours");
    assert!(!is_anywhere(&scratch, "two hours"));
    // Two hours later nobody has to do anything: its end is in the past.
    let file = scratch.home().join("paused.json");
    let list = fs::read_to_string(&file).unwrap();
    fs::write(&file, list.replace(timed["until"].as_str().unwrap(), "2020-01-01T00:00:00Z")).unwrap();
    ask(&scratch, "s3", "said after the pause");
    assert!(is_kept(&scratch, "after the pause"));
    assert_eq!(scratch.run(&["pause", "--for", "soon"]).code, Some(2));
}

#[test]
fn what_was_said_in_a_pause_is_not_taken_from_a_transcript_later() {
    let scratch = scratch();
    let said = |time: &str, text: &str| {
        format!("{}\n", json!({"role": "user", "content": text, "session_id": "t1", "timestamp": time, "time": time}))
    };
    scratch.json(&["pause"]);
    let file = scratch.home().join("paused.json");
    let list: Value = serde_json::from_str(&fs::read_to_string(&file).unwrap()).unwrap();
    let mut span = list[0].clone();
    span["since"] = json!("2026-05-01T10:00:00Z");
    span["until"] = json!("2026-05-01T12:00:00Z");
    fs::write(&file, json!([span]).to_string()).unwrap();
    let chat = scratch.work().join("chat.jsonl");
    fs::write(&chat, said("2026-05-01T09:00:00Z", "said before") + &said("2026-05-01T11:00:00Z", "said meanwhile"))
        .unwrap();
    scratch.run(&["import", "transcripts", "generic", "--path", "chat.jsonl", "--yes"]);
    assert!(is_kept(&scratch, "said before") && !is_anywhere(&scratch, "said meanwhile"));
}

#[test]
fn a_project_file_and_an_agents_table_switch_it_off() {
    let scratch = Scratch::new();
    let stand = |words: &[&str], input: Option<&Value>| {
        let mut command = scratch.command();
        command.env_remove("SCRUBJAY_PROJECT").args(words);
        finish(&mut command, input.map(|value| value.to_string().into_bytes()).as_deref())
    };
    stand(&["remember", "Ada owns the billing service"], None);
    fs::write(scratch.work().join(".scrubjay.toml"), "enabled = false\n").unwrap();
    let prompt = json!({"session_id": "s1", "prompt": "Who owns billing, secretly?", "cwd": scratch.work()});
    let hook = ["hook", "claude-code", "UserPromptSubmit"];
    assert_eq!(stand(&hook, Some(&prompt)).out, "");
    assert!(!is_anywhere(&scratch, "secretly"));
    assert!(log(&scratch).contains(".scrubjay.toml"), "{}", log(&scratch));
    assert!(stand(&["status"], None).out.contains("enabled = false"));
    // Whoever names the project from elsewhere meets the same.
    let id = scratch.json(&["projects"])["projects"][0]["id"].as_str().unwrap().to_owned();
    let line = json!({"session_id": "s1", "role": "user", "content": "secretly, from a bridge"});
    let captured = finish(
        scratch.command().env("SCRUBJAY_PROJECT", &id).current_dir("/").args(["capture", "--json"]),
        Some(line.to_string().as_bytes()),
    );
    assert!(captured.out.contains("switched off by"), "{captured:?}");
    // The file of a repository cannot switch on what a person switched off.
    fs::write(scratch.work().join(".scrubjay.toml"), "enabled = true\n").unwrap();
    fs::write(scratch.home().join("config.toml"), "[agents.default]\nenabled = false\n").unwrap();
    assert_eq!(stand(&hook, Some(&prompt)).out, "");
    assert!(!is_anywhere(&scratch, "secretly"));
    fs::write(scratch.home().join("config.toml"), "").unwrap();
    stand(&hook, Some(&prompt));
    assert!(is_kept(&scratch, "secretly"));
}

#[test]
fn what_was_kept_before_goes_with_its_conversation() {
    let scratch = scratch();
    for text in ["we use pnpm here, never npm", "please remember: staging is on port 5433"] {
        let line = json!({"session_id": "s1", "role": "user", "content": text}).to_string();
        scratch.run_with(&["capture", "--json"], line.as_bytes());
    }
    scratch.run_with(
        &["capture", "--json"],
        json!({"session_id": "s2", "role": "user", "content": "the heron nests early"}).to_string().as_bytes(),
    );
    scratch.run(&["sessions", "end", "s1"]);
    scratch.run(&["consolidate", "s1"]);
    let facts = scratch.json(&["list", "--kind", "fact"])["memories"].as_array().unwrap().len();
    assert!(facts > 0, "facts were drawn from it");
    let dry = scratch.json(&["purge", "--session", "s1", "--dry-run"]);
    assert_eq!(dry["ids"].as_array().unwrap().len(), 2 + facts, "{dry}");
    let forgotten = scratch.json(&["forget", "--session", "s1", "--yes"]);
    assert_eq!(forgotten["ids"].as_array().unwrap().len(), 2 + facts, "{forgotten}");
    scratch.json(&["undo"]);
    assert_eq!(scratch.run(&["purge", "--session", "s1"]).code, Some(4));
    scratch.json(&["purge", "--session", "s1", "--yes"]);
    let left = scratch.json(&["list", "--all"]);
    assert_eq!(left["memories"].as_array().unwrap().len(), 1, "{left}");
    assert!(!is_anywhere(&scratch, "5433") && !is_anywhere(&scratch, "pnpm"));
}
