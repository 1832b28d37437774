//! Files and transcripts through the command line.

use std::fs;

use serde_json::json;

use crate::scratch::Scratch;

#[test]
fn a_project_is_indexed_recalled_and_left() {
    let scratch = Scratch::new();
    let work = scratch.work();
    fs::create_dir_all(work.join("src")).unwrap();
    fs::write(
        work.join("src/retry.rs"),
        "/// Counts how often a call failed.\npub fn count_retries() -> u32 {\n    3\n}\n",
    )
    .unwrap();
    fs::write(work.join("MEMORY.md"), "The staging cluster sleeps on Sundays.\n").unwrap();
    let indexed = scratch.json(&["index"]);
    assert_eq!((&indexed["indexed"], &indexed["scope"]), (&json!(2), &json!("project/app")), "{indexed}");
    let shown = scratch.run(&["recall", "--source", "code", "count retries"]).out;
    let path = work.canonicalize().unwrap().join("src/retry.rs");
    assert!(shown.contains(&format!("{}:1", path.display())), "{shown}");
    assert!(shown.contains("        3\n"), "the indentation stays: {shown}");
    assert_eq!(scratch.json(&["index"])["unchanged"], 2);
    let status = scratch.run(&["sync", "status"]).out;
    assert!(status.contains("session-delta") && status.contains("code: 1 file"), "{status}");
    let watched = scratch.run(&["watch", "--for", "1", "--json"]).out;
    let events: Vec<serde_json::Value> = watched.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert!(events.iter().any(|event| event["event"] == "synced" && event["unchanged"] == 2), "{watched}");
    assert_eq!(scratch.json(&["sources", "remove", "."])["documents"], 2);
    assert!(scratch.run(&["recall", "--source", "code", "count retries"]).out.contains("Nothing here fits"));
}

#[test]
fn the_notes_of_a_project_need_no_invitation() {
    let scratch = Scratch::new();
    fs::write(scratch.work().join("MEMORY.md"), "The staging cluster sleeps on Sundays.\n").unwrap();
    fs::write(scratch.work().join(".scrubjay.toml"), "project = \"app\"\n").unwrap();
    scratch.json(&["projects", "trust"]);
    let found = scratch.json(&["recall", "when does the staging cluster sleep"]);
    assert_eq!(found["hits"][0]["source"], "memory", "{found}");
}

#[test]
fn transcripts_are_estimated_before_they_are_read() {
    let scratch = Scratch::new();
    let file = scratch.work().join("chat.jsonl");
    let line =
        |role: &str, content: &str| format!("{}\n", json!({"role": role, "content": content, "session_id": "s1"}));
    fs::write(&file, line("user", "The heron nests early.") + &line("assistant", "Noted.")).unwrap();
    let import = ["import", "transcripts", "generic", "--path", "chat.jsonl"];
    let refused = scratch.run(&import);
    assert_eq!(refused.code, Some(4), "{refused:?}");
    assert!(refused.err.contains("2 messages in 1 file in"), "{refused:?}");
    assert_eq!(scratch.json(&[&import[..], &["--dry-run"]].concat())["new_messages"], 2);
    assert_eq!(scratch.json(&[&import[..], &["--yes"]].concat())["messages"], 2);
    assert_eq!(scratch.json(&import)["new_messages"], 0);
    assert_eq!(scratch.json(&["list"])["memories"].as_array().unwrap().len(), 2);
}

#[test]
fn recall_says_that_a_fact_mentions_what_is_gone() {
    let scratch = Scratch::new();
    let work = scratch.work();
    fs::create_dir_all(work.join("src/gen")).unwrap();
    fs::write(work.join("src/gen/api.rs"), "pub fn harbour_client() -> u32 {\n    3\n}\n").unwrap();
    fs::write(work.join("src/lib.rs"), "pub fn start() {}\n").unwrap();
    scratch.json(&["index"]);
    scratch.remember("The harbour client in src/gen is generated");
    let shown = || scratch.run(&["recall", "--source", "facts", "harbour client"]).out;
    assert!(shown().contains("src/gen is generated") && !shown().contains("gone since"), "{}", shown());
    fs::remove_file(work.join("src/gen/api.rs")).unwrap();
    fs::remove_dir(work.join("src/gen")).unwrap();
    scratch.json(&["index"]);
    assert!(shown().contains("mentions src/gen, gone since "), "{}", shown());
}
