//! The last days at a glance.

use std::time::Duration;

use scrubjay_test::TestApp;
use scrubjay_test::app::call;
use serde_json::{Value, json};

use super::talks::say;

const DAY: Duration = Duration::from_secs(24 * 60 * 60);

fn lines(digest: &Value, section: &str) -> Vec<String> {
    let lines = digest[section]["lines"].as_array().unwrap();
    lines.iter().map(|line| line["text"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn a_week_of_work_at_a_glance() {
    let app = TestApp::on_sqlite();
    let here = app.in_project("billing");
    say(&here, "old", &[("user", "We decided to use PostgreSQL 16 for the billing service.")]);
    call(&here, "consolidate", json!({})).unwrap();
    app.clock.advance(20 * DAY);
    let remember = |content: &str, memory_type: &str| {
        call(&here, "remember", json!({"content": content, "type": memory_type})).unwrap();
    };
    say(
        &here,
        "new",
        &[
            ("user", "Let's look at the database again."),
            ("user", "Correction: the billing service will use MariaDB instead of PostgreSQL."),
        ],
    );
    call(&here, "consolidate", json!({})).unwrap();
    remember("**We use `pnpm` here**, never npm.", "convention");
    remember("The login test failed because the token expired.\n```\nERROR token expired\n```", "failure");
    remember("2026-05-01T10:00:00Z ERROR pool exhausted", "failure");
    remember("The gateway moves to the new cluster.", "plan");
    remember("The platform team owns the gateway.", "fact");
    let digest = call(&here, "digest", json!({})).unwrap();
    assert_eq!(lines(&digest, "decisions"), ["We use pnpm here, never npm."], "{digest}");
    assert_eq!(
        lines(&digest, "failures"),
        ["The login test failed because the token expired."],
        "no raw log: {digest}"
    );
    assert_eq!(lines(&digest, "plans"), ["The gateway moves to the new cluster."]);
    assert_eq!(lines(&digest, "learned"), ["The platform team owns the gateway."]);
    assert_eq!(lines(&digest, "topics"), ["Let's look at the database again."], "the first thing that was asked for");
    let change = &digest["changed"][0];
    assert!(change["old"]["text"].as_str().unwrap().contains("PostgreSQL 16"), "{digest}");
    assert!(change["new"]["text"].as_str().unwrap().contains("MariaDB"), "{digest}");
    assert!(change["old"]["date"].as_str().unwrap() < change["new"]["date"].as_str().unwrap(), "{digest}");
    assert_eq!((&digest["conversations"], &digest["hint"]), (&json!(1), &Value::Null));
    let month = call(&here, "digest", json!({"since": "4w"})).unwrap();
    assert_eq!(month["conversations"], 2, "{month}");
    let reflected = call(&here, "reflect", json!({"dry_run": true})).unwrap();
    let content = reflected["content"].as_str().unwrap();
    assert!(content.contains("Changed: ") && content.contains(" → "), "{reflected}");
    assert!(content.contains("Decisions and conventions: We use pnpm here, never npm."), "{reflected}");
    assert!(!content.contains("ERROR"), "{reflected}");
}

#[test]
fn a_finished_task_is_told_instead_of_its_first_request() {
    let app = TestApp::on_sqlite();
    let turns = [
        ("user", "The login test fails on CI. Can you look at it?"),
        ("assistant", "Fixed: the login test now uses a fixed clock, and all 212 tests pass."),
    ];
    say(&app.owner, "s", &turns);
    call(&app.owner, "summarize", json!({"task": "fix the login test", "session": "s"})).unwrap();
    let digest = call(&app.owner, "digest", json!({})).unwrap();
    assert_eq!(lines(&digest, "done").len(), 1, "{digest}");
    assert_eq!(lines(&digest, "topics"), [] as [&str; 0]);
}

#[test]
fn without_anything_to_tell_it_says_what_to_do() {
    let app = TestApp::on_sqlite();
    let hint = |input: Value| call(&app.owner, "digest", input).unwrap()["hint"].as_str().unwrap_or("-").to_owned();
    assert!(hint(json!({})).contains("scrubjay install"), "{}", hint(json!({})));
    for since in ["24h", "2026-01-01", "1w"] {
        hint(json!({"since": since}));
    }
    for wrong in ["soon", "0d", "-1d", "", "d", "é"] {
        let error = call(&app.owner, "digest", json!({"since": wrong})).unwrap_err();
        assert!(error.to_string().contains("write yesterday, 3d"), "{wrong}: {error}");
    }
    call(&app.owner, "remember", json!({"content": "Kestrels hover."})).unwrap();
    assert_eq!(hint(json!({})), "-");
    app.clock.advance(8 * DAY);
    assert_ne!(hint(json!({})), "-", "that was before");
    assert_eq!(lines(&call(&app.in_project("other"), "digest", json!({"since": "30d"})).unwrap(), "learned").len(), 1);
}
