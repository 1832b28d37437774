//! The life of a project: what belongs to it stays with it, and nothing else does.

use std::fs;
use std::io::Write;

use serde_json::{Value, json};

use crate::scratch::Scratch;

fn line(content: &str) -> String {
    format!("{}\n", json!({"role": "user", "content": content, "session_id": "bridge-1"}))
}

fn contents(found: &Value) -> Vec<String> {
    let memories = found["memories"].as_array().unwrap();
    memories.iter().map(|memory| memory["content"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn a_followed_transcript_stays_in_its_project() {
    let scratch = Scratch::new();
    let file = scratch.work().join("chat.jsonl");
    fs::write(&file, line("The heron nests early.")).unwrap();
    let import = ["import", "transcripts", "generic", "--path", "chat.jsonl", "--keep", "--yes", "--project", "alpha"];
    assert_eq!(scratch.json(&import)["messages"], 1);
    // What is said later is read by whoever comes first: another project that searches, or nobody's sync.
    for (number, reader) in
        [["recall", "heron", "--project", "beta"], ["sync", "--quiet", "--project", "none"]].iter().enumerate()
    {
        let mut open = fs::OpenOptions::new().append(true).open(&file).unwrap();
        open.write_all(line(&format!("The secret of alpha is number {number}.")).as_bytes()).unwrap();
        assert_eq!(scratch.run(reader).code, Some(0));
    }
    scratch.run(&["sync", "--project", "alpha"]);
    for project in ["beta", "none"] {
        let seen = contents(&scratch.json(&["list", "--all", "--project", project]));
        assert!(seen.is_empty(), "{project} sees {seen:?}");
    }
    let own = contents(&scratch.json(&["list", "--all", "--project", "alpha"]));
    assert_eq!(own.len(), 3, "{own:?}");
    let places = scratch.json(&["sources", "--project", "alpha"]);
    assert_eq!(places["sources"][0]["scope"], "project/alpha", "{places}");
}
