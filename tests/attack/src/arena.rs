//! A home of its own, the binary in it, and its daemon.

use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use serde_json::Value;

/// What an attack found.
#[derive(Default)]
pub(crate) struct Found {
    pub(crate) tries: usize,
    pub(crate) findings: Vec<String>,
}

/// Longer findings are cut.
const FINDING_CHARACTERS: usize = 400;

impl Found {
    /// Counts a try; one that does not hold is a finding.
    pub(crate) fn check(&mut self, holds: bool, finding: impl FnOnce() -> String) {
        self.tries += 1;
        if !holds {
            self.findings.push(finding().chars().take(FINDING_CHARACTERS).collect());
        }
    }
}

/// A home and a folder to stand in, gone when the attack is over.
pub(crate) struct Arena {
    folder: tempfile::TempDir,
    program: PathBuf,
}

/// What a command left behind.
pub(crate) struct Done {
    pub(crate) code: Option<i32>,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl Arena {
    pub(crate) fn new(program: &Path) -> Self {
        let folder = tempfile::tempdir().unwrap();
        for name in ["home", "work"] {
            std::fs::create_dir(folder.path().join(name)).unwrap();
        }
        let arena = Self { folder, program: program.to_owned() };
        // Words are enough for an attack, and quick.
        arena.configure("[embedding]\nprovider = \"none\"\n[daemon]\nautostart = false\n");
        arena
    }

    pub(crate) fn home(&self) -> PathBuf {
        self.folder.path().join("home")
    }

    pub(crate) fn work(&self) -> PathBuf {
        self.folder.path().join("work")
    }

    pub(crate) fn configure(&self, text: &str) {
        std::fs::write(self.home().join("config.toml"), text).unwrap();
    }

    pub(crate) fn command(&self) -> Command {
        let mut command = Command::new(&self.program);
        command.env_clear().current_dir(self.work()).env("HOME", self.folder.path());
        command.env("SCRUBJAY_HOME", self.home()).env("SCRUBJAY_PROJECT", "app").stdin(Stdio::null());
        command
    }

    pub(crate) fn run(&self, words: &[&str]) -> Done {
        finish(self.command().args(words), b"")
    }

    /// Runs a command that must succeed; its answer.
    pub(crate) fn json(&self, words: &[&str]) -> Value {
        let mut all = words.to_vec();
        all.push("--json");
        let done = self.run(&all);
        assert_eq!(done.code, Some(0), "{words:?}: {}", done.err);
        serde_json::from_str(&done.out).unwrap()
    }

    /// Calls a hook of a client, as the client does.
    pub(crate) fn hook(&self, event: &str, payload: &Value, variables: &[(&str, &str)]) -> Done {
        let mut command = self.command();
        command.envs(variables.iter().copied());
        finish(command.args(["hook", "claude-code", event]), payload.to_string().as_bytes())
    }

    /// How many memories hold a text.
    pub(crate) fn kept(&self, text: &str) -> usize {
        self.run(&["export", "--all-projects"]).out.lines().filter(|line| line.contains(text)).count()
    }

    pub(crate) fn serve(&self) -> Daemon {
        let mut command = self.command();
        command.args(["serve", "--port", "0", "--json"]).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
        let told: Value = serde_json::from_str(&line).unwrap();
        let port = told["url"].as_str().and_then(|url| url.rsplit(':').next()?.parse().ok()).unwrap();
        let token = std::fs::read_to_string(self.home().join("token")).unwrap().trim().to_owned();
        Daemon { child, port, token }
    }
}

/// A running daemon; it ends with the attack.
pub(crate) struct Daemon {
    child: Child,
    pub(crate) port: u16,
    pub(crate) token: String,
}

impl Daemon {
    pub(crate) fn lives(&mut self) -> bool {
        self.child.try_wait().is_ok_and(|ended| ended.is_none())
    }
}

impl Drop for Daemon {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

pub(crate) fn finish(command: &mut Command, input: &[u8]) -> Done {
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    // Whoever reads nothing may have left.
    let _ = child.stdin.take().unwrap().write_all(input);
    let mut stderr = child.stderr.take().unwrap();
    let errors = std::thread::spawn(move || {
        let mut text = Vec::new();
        let _ = stderr.read_to_end(&mut text);
        String::from_utf8_lossy(&text).into_owned()
    });
    let mut out = Vec::new();
    let _ = child.stdout.take().unwrap().read_to_end(&mut out);
    let code = child.wait().unwrap().code();
    Done { code, out: String::from_utf8_lossy(&out).into_owned(), err: errors.join().unwrap() }
}
