//! Facts from a program in the place of a model: how often it is asked, and what happens when it does not answer.

use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::time::Duration;

use scrubjay_engine::schedule::drain_briefly;
use scrubjay_test::TestApp;
use scrubjay_test::app::{block_on, call};
use serde_json::{Value, json};

use super::talks::say;

/// A shell script that is asked, and counts how often.
pub(super) struct Script {
    folder: tempfile::TempDir,
}

impl Script {
    /// Does this after it has read its prompt.
    pub(super) fn doing(body: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let script = Self { folder };
        let text = format!("#!/bin/sh\n/bin/cat >> \"$0.prompts\"\necho call >> \"$0.calls\"\n{body}\n");
        std::fs::write(script.path(), text).unwrap();
        std::fs::set_permissions(script.path(), std::fs::Permissions::from_mode(0o755)).unwrap();
        script
    }

    /// Prints this.
    pub(super) fn saying(answer: &str) -> Self {
        let script = Self::doing("/bin/cat \"$0.answer\"");
        std::fs::write(script.file("answer"), answer).unwrap();
        script
    }

    /// An engine that asks it, with some settings changed.
    pub(super) fn app(&self, more: &[(&str, &str)]) -> TestApp {
        let program = self.path().display().to_string();
        let mut settings = vec![("chat.provider", "command"), ("chat.command.program", program.as_str())];
        settings.extend_from_slice(more);
        TestApp::with(None, &settings)
    }

    fn calls(&self) -> usize {
        std::fs::read_to_string(self.file("calls")).unwrap_or_default().lines().count()
    }

    fn prompts(&self) -> String {
        std::fs::read_to_string(self.file("prompts")).unwrap_or_default()
    }

    fn path(&self) -> PathBuf {
        self.folder.path().join("answer.sh")
    }

    fn file(&self, extension: &str) -> PathBuf {
        self.folder.path().join(format!("answer.sh.{extension}"))
    }
}

const ANSWER: &str = r#"{"facts": [{"content": "The birch server needs a backup every night", "type": "fact", "importance": 3, "tags": [], "entities": [], "evidence": [2]}]}"#;

const TALK: &[(&str, &str)] = &[
    ("user", "I live in Bern and my server is called birch."),
    ("user", "The birch server needs a backup every night. We use pnpm here, never npm."),
    ("assistant", "Understood."),
];

fn facts(app: &TestApp) -> Vec<String> {
    let listed = call(&app.owner, "list", json!({"kind": "fact"})).unwrap();
    listed["memories"].as_array().unwrap().iter().map(|fact| fact["content"].as_str().unwrap().to_owned()).collect()
}

fn consolidate(app: &TestApp) -> Value {
    call(&app.owner, "consolidate", json!({})).unwrap()
}

fn passed(answer: &Value) -> u64 {
    answer["sessions"].as_array().unwrap().iter().map(|session| session["passed"].as_u64().unwrap()).sum()
}

// Several windows, each with something that passes the gate.
fn say_much(app: &TestApp, session: &str) {
    let filler = "and then we went through the list of open questions one after the other without a result ".repeat(25);
    for number in 0..4 {
        let said = format!("We decided to use port {number}433 for the birch server. {filler}");
        say(&app.owner, session, &[("user", said.as_str())]);
    }
}

#[test]
fn one_call_for_each_window_that_passes_and_none_for_anything_else() {
    let script = Script::saying(ANSWER);
    let app = script.app(&[]);
    say(&app.owner, "talk", TALK);
    say(&app.owner, "small", &[("user", "ok"), ("assistant", "Fine."), ("user", "thanks!")]);
    say_much(&app, "much");
    call(&app.owner, "recall", json!({"query": "birch server"})).unwrap();
    call(
        &app.owner,
        "inject",
        json!({"session": "new", "messages": [{"role": "user", "content": "What about the birch server?"}]}),
    )
    .unwrap();
    block_on(drain_briefly(&app.owner, Duration::from_secs(5))).unwrap();
    assert_eq!(script.calls(), 0, "nothing that anybody waits for asks a program");
    let answer = consolidate(&app);
    let passed = passed(&answer);
    assert!((3..=6).contains(&passed), "{answer}");
    assert_eq!(script.calls() as u64, passed, "{answer}");
    assert!(facts(&app).contains(&"The birch server needs a backup every night".to_owned()), "{answer}");
    let spend = call(&app.owner, "spend", json!({})).unwrap();
    assert_eq!(
        (&spend["command_calls_today"], &spend["command_calls_per_day"]),
        (&json!(passed), &json!(50)),
        "{spend}"
    );
    assert_eq!((&spend["total_usd"], &spend["entries"][0]["calls"]), (&json!(0.0), &json!(passed)), "{spend}");
    consolidate(&app);
    let enriched = call(&app.owner, "enrich", json!({})).unwrap();
    assert_eq!(enriched["looked_at"], 0, "names are worth no call");
    assert_eq!(script.calls() as u64, passed, "nothing new, no call");
}

#[test]
fn the_calls_of_a_day_and_of_a_conversation_have_an_end_and_rules_go_on() {
    let script = Script::saying(ANSWER);
    let app = script.app(&[("chat.command.calls_per_session", "2")]);
    say_much(&app, "much");
    let answer = consolidate(&app);
    assert!(passed(&answer) >= 3 && answer["warnings"].to_string().contains("calls_per_session"), "{answer}");
    assert_eq!(script.calls(), 2);
    say_much(&app, "more");
    consolidate(&app);
    assert_eq!(script.calls(), 4, "another conversation has calls of its own");

    let script = Script::saying(ANSWER);
    let app = script.app(&[("chat.command.calls_per_day", "1")]);
    say(&app.owner, "one", TALK);
    consolidate(&app);
    say(&app.owner, "two", &[("user", "We use ruff here, never flake8.")]);
    let answer = consolidate(&app);
    assert!(answer["warnings"].to_string().contains("calls_per_day"), "{answer}");
    assert_eq!(script.calls(), 1);
    assert!(facts(&app).iter().any(|fact| fact.contains("ruff")), "rules found it: {answer}");
    app.clock.advance(Duration::from_secs(86_400));
    say(&app.owner, "three", &[("user", "We use mypy here, never pyright.")]);
    consolidate(&app);
    assert_eq!(script.calls(), 2, "another day");
}

#[test]
fn a_program_that_does_not_answer_leaves_the_window_to_rules_and_is_left_alone() {
    for (body, told, rests) in [
        ("echo 'Sure! You use pnpm, it seems.'", "answered in prose", false),
        ("echo '{\"facts\": [{\"content\": '", "answered in prose", false),
        ("echo '{\"facts\": 7}'", "did not answer in the shape", false),
        ("echo 'Invalid API key · Please run /login'; exit 1", "asks for a login", true),
        ("echo 'Claude usage limit reached' >&2; exit 1", "limit of its plan", true),
        ("exit 9", "failed (exit status: 9)", true),
        ("exit 0", "printed nothing", true),
        ("/usr/bin/head -c 6000000 /dev/zero", "larger than", true),
        ("/bin/sleep 600", "did not answer within", true),
    ] {
        let script = Script::doing(body);
        let app = script.app(&[("chat.command.timeout_ms", "5000")]);
        say(&app.owner, "one", TALK);
        let answer = consolidate(&app);
        assert!(answer["warnings"].to_string().contains(told), "{body}: {answer}");
        assert!(facts(&app).iter().any(|fact| fact.contains("pnpm")), "{body}: rules found it: {answer}");
        assert_eq!(script.calls(), 1, "{body}: asked once");
        say(&app.owner, "two", &[("user", "We use ruff here, never flake8.")]);
        let answer = consolidate(&app);
        assert_eq!(script.calls(), if rests { 1 } else { 2 }, "{body}: {answer}");
        let models = call(&app.owner, "models", json!({})).unwrap();
        let extract =
            models["models"].as_array().unwrap().iter().find(|model| model["role"] == "extract").unwrap().clone();
        assert_eq!(extract["state"], if rests { "resting" } else { "ready" }, "{body}: {extract}");
        let parked = call(&app.owner, "jobs", json!({"state": "parked"})).unwrap();
        assert_eq!(parked["jobs"], json!([]), "{body}");
    }
}

#[test]
fn secrets_do_not_reach_it_and_the_store_is_not_in_its_environment() {
    let script = Script::doing("/usr/bin/env > \"$0.environment\"; echo '{\"facts\": []}'");
    let app = script.app(&[("capture.redact", "false")]);
    say(&app.owner, "s", &[("user", "We decided to use the key AKIAIOSFODNN7EXAMPLQ for the birch server.")]);
    consolidate(&app);
    let prompts = script.prompts();
    assert!(prompts.contains("birch server") && prompts.contains("[REDACTED"), "{prompts}");
    assert!(!prompts.contains("AKIAIOSFODNN7EXAMPLQ"));
    let environment = std::fs::read_to_string(script.file("environment")).unwrap();
    assert!(environment.contains("SCRUBJAY_MODEL_CALL=1") && !environment.contains("CARGO"), "{environment}");
}

#[test]
fn a_name_that_nobody_knows_is_refused_before_it_is_written() {
    let app = TestApp::on_sqlite();
    for (role, model, told) in [
        ("chat", "command", "say which program"),
        ("chat", "command/nobody", "say which program"),
        ("gate", "command/claude", "rules do the work of gate"),
    ] {
        let error = call(&app.owner, "models.set", json!({"role": role, "model": model})).unwrap_err().to_string();
        assert!(error.contains(told), "{model}: {error}");
    }
    let done = call(&app.owner, "models.set", json!({"role": "chat", "model": "command/claude/haiku"})).unwrap();
    assert_eq!(done["changed"][1], json!(["chat.model", "claude/haiku"]), "{done}");
    assert!(done["warnings"].to_string().contains("plan"), "{done}");
}
