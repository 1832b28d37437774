//! What happens at a terminal: colours, questions, short lines. A terminal is
//! made with the program `script`; where that is missing, these tests say that
//! they were skipped.

use std::io::Write;
use std::process::{Command, Stdio};

use crate::scratch::Scratch;

/// Runs a command line at a terminal of its own and returns the exit code and
/// all that was shown there.
fn at_terminal(scratch: &Scratch, line: &str, typed: &str) -> Option<(i32, String)> {
    let script = ["/usr/bin/script", "/bin/script"].into_iter().find(|path| std::path::Path::new(path).exists());
    let Some(script) = script else {
        eprintln!("SKIPPED: the program `script` is not installed, so there is no terminal to test with");
        return None;
    };
    let mut command = Command::new(script);
    command.args(["-qec", line, "/dev/null"]).env_clear().current_dir(scratch.work());
    command.env("SCRUBJAY", env!("CARGO_BIN_EXE_scrubjay")).env("SCRUBJAY_HOME", scratch.home());
    command.env("SCRUBJAY_PROJECT", "app").env("TERM", "xterm").env("SHELL", "/bin/sh").env("PATH", "/usr/bin:/bin");
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(typed.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    drop(stdin);
    let shown = String::from_utf8_lossy(&output.stdout).replace("\r\n", "\n");
    Some((output.status.code().unwrap(), shown))
}

#[test]
fn colours_are_shown_and_can_be_refused() {
    let scratch = Scratch::new();
    scratch.remember("Ada owns billing");
    for (line, coloured) in [
        ("$SCRUBJAY recall billing", true),
        ("$SCRUBJAY recall billing --no-color", false),
        ("NO_COLOR=1 $SCRUBJAY recall billing", false),
        ("NO_COLOR= $SCRUBJAY recall billing", true),
        ("$SCRUBJAY --help", true),
        ("$SCRUBJAY recall --help --no-color", false),
        ("$SCRUBJAY recall --nope", true),
    ] {
        let Some((_, shown)) = at_terminal(&scratch, line, "") else { return };
        assert_eq!(shown.contains("\u{1b}["), coloured, "{line}: {shown:?}");
    }
}

#[test]
fn a_person_is_asked_before_destruction() {
    let scratch = Scratch::new();
    let id = scratch.remember("Ada owns billing");
    let line = format!("$SCRUBJAY purge {id}");
    let Some((code, shown)) = at_terminal(&scratch, &line, "n\n") else { return };
    assert_eq!(code, 4, "{shown}");
    assert!(shown.contains("This destroys 1 memory for good") && shown.contains("[y/N]"), "{shown}");
    assert!(shown.contains("Nothing was changed."), "{shown}");
    assert_eq!(scratch.json(&["stats"])["memories"], 1);
    let (code, shown) = at_terminal(&scratch, &line, "y\n").unwrap();
    assert_eq!(code, 0, "{shown}");
    assert!(shown.contains("Destroyed for good: 1 memory."), "{shown}");
    assert_eq!(scratch.json(&["stats"])["memories"], 0);
}

#[test]
fn a_person_is_asked_whether_a_client_may_draw_facts() {
    let scratch = Scratch::new();
    let folder = scratch.work().join("bin");
    std::fs::create_dir(&folder).unwrap();
    std::fs::write(folder.join("codex"), "#!/bin/sh\n").unwrap();
    std::fs::set_permissions(folder.join("codex"), std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let line = "HOME=$PWD PATH=$PWD/bin:$PATH $SCRUBJAY install codex";
    let Some((code, shown)) = at_terminal(&scratch, line, "\n") else { return };
    assert_eq!(code, 0, "{shown}");
    assert!(
        shown.contains("no money") && shown.contains("50 calls of your plan") && shown.contains("[y/N]"),
        "{shown}"
    );
    assert!(!scratch.json(&["models"])["models"].to_string().contains("extract"), "off unless wanted");
    let (code, shown) = at_terminal(&scratch, line, "y\n").unwrap();
    assert_eq!(code, 0, "{shown}");
    let models = scratch.json(&["models"]);
    let extract = models["models"].as_array().unwrap().iter().find(|model| model["role"] == "extract").unwrap().clone();
    assert_eq!(extract["id"], "command/codex", "{models}");
    let (_, shown) = at_terminal(&scratch, line, "").unwrap();
    assert!(!shown.contains("[y/N]"), "asked once: {shown}");
}

#[test]
fn a_person_is_asked_about_preferences_for_all_projects() {
    let scratch = Scratch::new();
    let line = "$SCRUBJAY remember --scope global --type preference 'Answers in British English'";
    let Some((code, shown)) = at_terminal(&scratch, line, "n\n") else { return };
    assert_eq!(code, 4, "{shown}");
    assert!(
        shown.contains("British English") && shown.contains("[y/N]") && shown.contains("Nothing was changed."),
        "{shown}"
    );
    assert_eq!(scratch.json(&["stats"])["memories"], 0);
    let (code, shown) = at_terminal(&scratch, line, "y\n").unwrap();
    assert_eq!(code, 0, "{shown}");
    assert!(shown.contains("Remembered: "), "{shown}");
    assert_eq!(scratch.json(&["stats"])["memories"], 1);
}

#[test]
fn a_person_is_offered_to_correct_what_they_contradict() {
    let scratch = Scratch::new();
    let old = scratch.remember("Standup is at 9:30");
    let line = "$SCRUBJAY remember --no-color 'Standup is at 9:45'";
    let Some((code, shown)) = at_terminal(&scratch, line, "n\n") else { return };
    assert_eq!(code, 0, "{shown}");
    assert!(shown.contains("“Standup is at 9:30”. Correct that one? [y/N]"), "{shown}");
    assert!(shown.contains("Remembered: ") && shown.contains("scrubjay review"), "{shown}");
    let confidence = |id: &str| scratch.json(&["show", id])["confidence"].as_f64().unwrap();
    assert!(confidence(&old) > 0.3, "both are kept");
    assert_eq!(scratch.json(&["stats"])["memories"], 2);
    // Another one, with a yes.
    let retro = scratch.remember("The retro is at 14:00");
    let (code, shown) = at_terminal(&scratch, "$SCRUBJAY remember --no-color 'The retro is at 15:00'", "y\n").unwrap();
    assert_eq!(code, 0, "{shown}");
    assert!(shown.contains("it supersedes") && confidence(&retro) <= 0.3, "{shown}");
    // Whoever is not there is not asked: a person's word counts.
    let weekly = scratch.remember("The weekly is at 11:00");
    let kept = scratch.json(&["remember", "The weekly is at 12:00"]);
    assert_eq!(kept["supersedes"].as_str(), Some(weekly.as_str()), "{kept}");
}

#[test]
fn o_opens_the_dashboard_while_it_serves() {
    let scratch = Scratch::new();
    let line = "HOME=$SCRUBJAY_HOME $SCRUBJAY serve --port 0 --idle-exit 2s";
    let Some((code, shown)) = at_terminal(&scratch, line, "nonsense\no\n") else { return };
    assert_eq!(code, 0, "{shown}");
    assert!(shown.contains("press o, then Enter"), "{shown}");
    // Here is no browser, so the link is for the person.
    assert_eq!(shown.matches("/enter?key=").count(), 1, "{shown}");
}

#[test]
fn nobody_is_asked_who_wants_json() {
    let scratch = Scratch::new();
    let id = scratch.remember("Ada owns billing");
    let Some((code, shown)) = at_terminal(&scratch, &format!("$SCRUBJAY purge --json {id}"), "y\n") else { return };
    assert_eq!(code, 4, "{shown}");
    assert!(!shown.contains("[y/N]"), "{shown}");
}

#[test]
fn text_that_is_missing_is_not_waited_for() {
    let scratch = Scratch::new();
    for line in ["$SCRUBJAY remember", "$SCRUBJAY recall", "$SCRUBJAY capture"] {
        let Some((code, shown)) = at_terminal(&scratch, line, "") else { return };
        assert_eq!(code, 2, "{line}: {shown}");
        assert!(shown.contains("TEXT is missing") || shown.contains("\"session_id\""), "{line}: {shown}");
    }
}

#[test]
fn capture_speaks_to_people_in_short_lines() {
    let scratch = Scratch::new();
    let line = "$SCRUBJAY capture --no-color --session s --role ada 'The refunds are done, and so is the very long list of everything else'";
    let Some((code, shown)) = at_terminal(&scratch, line, "") else { return };
    assert_eq!(code, 0, "{shown}");
    assert!(shown.starts_with("kept     ada: The refunds are done"), "{shown}");
    assert!(shown.lines().all(|line| line.chars().count() <= 80), "{shown}");
    let (_, shown) = at_terminal(&scratch, line, "").unwrap();
    assert!(shown.starts_with("known    ada: "), "{shown}");
}

#[test]
fn json_at_a_terminal_is_escaped_and_means_the_same() {
    let scratch = Scratch::new();
    let id = scratch.remember("Ada \u{9b}31m owns \u{202e}billing");
    let Some((_, shown)) = at_terminal(&scratch, &format!("$SCRUBJAY show --json {id}"), "") else { return };
    assert!(!shown.contains(['\u{9b}', '\u{202e}']), "{shown:?}");
    let shown: serde_json::Value = serde_json::from_str(&shown).unwrap();
    assert_eq!(shown["content"], scratch.json(&["show", &id])["content"]);
}
