//! What the documentation shows is what happens: the commands of the README and the bridge's requests, as printed.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::scratch::{Done, Scratch, finish};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The indented lines of a page, a command that goes on in the next line as one.
fn commands(page: &str) -> Vec<String> {
    let text = std::fs::read_to_string(root().join(page)).unwrap().replace("\\\n", " ");
    let indented = text.lines().filter_map(|line| line.strip_prefix("    "));
    indented.map(|line| line.strip_prefix("$ ").unwrap_or(line).to_owned()).collect()
}

fn shell(scratch: &Scratch, line: &str, more: &[(&str, &str)]) -> Done {
    let program = Path::new(env!("CARGO_BIN_EXE_scrubjay")).parent().unwrap();
    let mut command = Command::new("sh");
    command.args(["-c", line]).env_clear().current_dir(scratch.work()).stdin(Stdio::null());
    command.env("PATH", format!("{}:/usr/local/bin:/usr/bin:/bin", program.display()));
    command.env("HOME", scratch.home().parent().unwrap()).env("TMPDIR", scratch.home().parent().unwrap());
    command.env("SCRUBJAY_HOME", scratch.home()).envs(more.iter().copied());
    finish(&mut command, None)
}

#[test]
fn the_readme_runs_as_printed() {
    let scratch = Scratch::new();
    let starts = ["scrubjay ", "echo "];
    let lines: Vec<String> =
        commands("README.md").into_iter().filter(|line| starts.iter().any(|start| line.starts_with(start))).collect();
    assert!(lines.len() >= 9, "{lines:?}");
    let mut answered = Vec::new();
    for line in &lines {
        // There may be no service manager here, and no client; it is told then.
        let done = shell(&scratch, line, &[]);
        if line.starts_with("scrubjay service") || line.starts_with("scrubjay install") {
            assert!(matches!(done.code, Some(0 | 3 | 5)), "{line}: {done:?}");
            continue;
        }
        assert_eq!(done.code, Some(0), "{line}: {done:?}");
        answered.push((line.as_str(), done.out));
    }
    // The sample of output is what it says now, but for the id and the day.
    let text = std::fs::read_to_string(root().join("README.md")).unwrap();
    for part in [
        "Remembered: fact_",
        " 1  1.00  fact · decision · just now (",
        "    We deploy on Fridays with the blue-green script",
    ] {
        let shown = text.lines().any(|line| line.strip_prefix("    ").is_some_and(|line| line.starts_with(part)));
        assert!(
            shown && answered.iter().any(|(_, out)| out.lines().any(|line| line.starts_with(part))),
            "{part}: {answered:?}"
        );
    }
    // The table's commands, too; those that need an id are told apart by it.
    for line in text.lines().filter(|line| line.starts_with("| ")) {
        for command in line.split('`').skip(1).step_by(2).filter(|part| part.starts_with("scrubjay ")) {
            if command.contains(" ID") || command.contains('…') {
                continue;
            }
            let done = shell(&scratch, &command.replace("\\|", "|"), &[]);
            // A client that is not here has no transcripts.
            let absent = command.contains("transcripts") && done.code == Some(3);
            assert!(done.code == Some(0) || absent, "{command}: {done:?}");
        }
    }
}

#[test]
fn the_bridge_is_answered_as_its_page_says() {
    let scratch = Scratch::new();
    if finish(Command::new("curl").arg("--version"), None).code != Some(0) {
        eprintln!("skipped: there is no curl here");
        return;
    }
    let mut daemon = scratch.command().args(["serve", "--port", "0", "--json"]).stdout(Stdio::piped()).spawn().unwrap();
    let mut first = String::new();
    std::io::BufRead::read_line(&mut std::io::BufReader::new(daemon.stdout.take().unwrap()), &mut first).unwrap();
    let started: Value = serde_json::from_str(&first).unwrap();
    let url = started["url"].as_str().unwrap().trim_end_matches('/').to_owned();
    let lines = commands("docs/clients/bridges.md");
    let token = lines.iter().find_map(|line| line.strip_prefix("TOKEN=$(")?.strip_suffix(')')).unwrap();
    let token = shell(&scratch, token, &[]).out.trim().to_owned();
    let mut answers = Vec::new();
    for line in lines.iter().filter(|line| line.starts_with("curl ")) {
        let line = line.replace("http://127.0.0.1:4747", &url).replace("curl ", "curl -s ");
        let done = shell(&scratch, &line, &[("TOKEN", &token)]);
        answers.push(serde_json::from_str::<Value>(&done.out).unwrap_or_else(|_| panic!("{line}: {done:?}")));
    }
    scratch.run(&["stop"]);
    daemon.wait().unwrap();
    assert_eq!(answers.len(), 2);
    let text = answers[1]["text"].as_str().unwrap();
    assert!(text.contains("We ship on Friday"), "{answers:?}");
    for field in ["tokens", "items", "receipt"] {
        assert!(!answers[1][field].is_null(), "{answers:?}");
    }
}
