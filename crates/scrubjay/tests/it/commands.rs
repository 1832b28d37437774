//! A program in the place of a chat model, with the hooks of a client that is talked to in it.

use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

use serde_json::{Value, json};

use crate::scratch::{Scratch, finish};

/// A client that calls our hooks as the real ones do, whoever started it, and then answers.
fn client(scratch: &Scratch) -> PathBuf {
    let path = scratch.work().join("client.sh");
    let scrubjay = env!("CARGO_BIN_EXE_scrubjay");
    let answer = json!({"facts": [{"content": "The project uses pnpm, never npm", "type": "convention", "importance": 3,
        "tags": [], "entities": [], "evidence": [1]}]});
    let hook = |event: &str, payload: Value| {
        format!("echo '{payload}' | '{scrubjay}' hook claude-code {event} >> \"$0.said\" 2>&1\n")
    };
    let body = [
        "#!/bin/sh\n/bin/cat > \"$0.prompt\"\necho call >> \"$0.calls\"\n".to_owned(),
        hook("SessionStart", json!({"session_id": "inner", "source": "startup"})),
        hook("UserPromptSubmit", json!({"session_id": "inner", "prompt": "Draw facts: we use pnpm here, never npm"})),
        hook("Stop", json!({"session_id": "inner", "last_assistant_message": "Facts were drawn."})),
        hook("SessionEnd", json!({"session_id": "inner", "reason": "other"})),
        format!("'{scrubjay}' mcp < /dev/null >> \"$0.said\" 2>/dev/null\n"),
        format!("echo '{answer}'\n"),
    ];
    std::fs::write(&path, body.concat()).unwrap();
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    path
}

fn calls(program: &std::path::Path) -> usize {
    std::fs::read_to_string(program.with_extension("sh.calls")).unwrap_or_default().lines().count()
}

#[test]
fn a_session_costs_the_calls_that_it_should_and_nothing_of_them_is_captured() {
    let scratch = Scratch::new();
    let program = client(&scratch);
    scratch.json(&["models", "set", "chat", "command", "--path", program.to_str().unwrap()]);
    scratch.capture("s1", "We use pnpm here, never npm.");
    scratch.capture("s1", "The staging database is on port 5433.");
    scratch.capture("s2", "ok");
    scratch.json(&["recall", "pnpm"]);
    assert_eq!(calls(&program), 0, "only background work asks");
    scratch.json(&["consolidate"]);
    let facts = scratch.json(&["list", "--kind", "fact"]);
    assert_eq!(facts["memories"][0]["content"], "The project uses pnpm, never npm", "{facts}");
    assert_eq!(calls(&program), 1);
    let episodes = scratch.json(&["list", "--kind", "episode"])["memories"].as_array().unwrap().len();
    assert_eq!(episodes, 3, "nothing that was said in the call was captured");
    assert_eq!(std::fs::read_to_string(program.with_extension("sh.said")).unwrap(), "", "and nothing was injected");
    assert!(!scratch.home().join("spool").exists(), "nor spooled");
    let sessions = scratch.json(&["sessions"]);
    assert!(!sessions.to_string().contains("inner"), "{sessions}");
    let spend = finish(scratch.command().arg("spend"), None);
    assert!(spend.out.contains("Commands had 1 of 50 calls today; they have no price."), "{spend:?}");
}

#[test]
fn a_repository_cannot_name_a_program() {
    let scratch = Scratch::new();
    let program = client(&scratch);
    let file = format!("[chat]\nprovider = \"command\"\n[chat.command]\nprogram = {:?}\n", program.to_str().unwrap());
    std::fs::write(scratch.work().join(".scrubjay.toml"), file).unwrap();
    finish(std::process::Command::new("git").args(["init", "-q"]).current_dir(scratch.work()), None);
    let mut capture = scratch.command();
    capture.env_remove("SCRUBJAY_PROJECT").args([
        "capture",
        "--session",
        "s1",
        "--role",
        "user",
        "We use pnpm here, never npm.",
    ]);
    let done = finish(&mut capture, None);
    assert!(done.err.contains("can only be set in the user file"), "{done:?}");
    let done = finish(scratch.command().env_remove("SCRUBJAY_PROJECT").args(["consolidate", "--json"]), None);
    assert_eq!((done.code, calls(&program)), (Some(0), 0), "{done:?}");
}
