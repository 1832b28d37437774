//! The binary in a folder of its own.

use std::ffi::OsStr;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use serde_json::Value;

/// A home and a folder to stand in, both gone when the test is over.
pub(crate) struct Scratch {
    folder: tempfile::TempDir,
}

/// What a command left behind.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Done {
    /// The exit code; none if a signal ended it.
    pub(crate) code: Option<i32>,
    /// Standard output.
    pub(crate) out: String,
    /// Standard error.
    pub(crate) err: String,
}

impl Scratch {
    /// An empty home.
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("work")).unwrap();
        Self { folder }
    }

    /// The home folder; it does not exist before the first write.
    pub(crate) fn home(&self) -> PathBuf {
        self.folder.path().join("home")
    }

    /// The folder to stand in.
    pub(crate) fn work(&self) -> PathBuf {
        self.folder.path().join("work")
    }

    /// The store.
    pub(crate) fn store(&self) -> PathBuf {
        self.home().join("default.sqlite")
    }

    /// The binary with a clean environment, in project `app`.
    pub(crate) fn command(&self) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_scrubjay"));
        command.env_clear().current_dir(self.work());
        command.env("HOME", self.folder.path()).env("TMPDIR", self.folder.path());
        command.env("SCRUBJAY_HOME", self.home()).env("SCRUBJAY_PROJECT", "app");
        command.stdin(Stdio::null());
        command
    }

    /// Runs a command without input.
    pub(crate) fn run(&self, words: &[impl AsRef<OsStr>]) -> Done {
        finish(self.command().args(words), None)
    }

    /// Runs a command with input.
    pub(crate) fn run_with(&self, words: &[impl AsRef<OsStr>], input: &[u8]) -> Done {
        finish(self.command().args(words), Some(input))
    }

    /// Runs a command that must succeed and answer in one line of JSON.
    pub(crate) fn json(&self, words: &[&str]) -> Value {
        let mut all = words.to_vec();
        all.push("--json");
        self.run(&all).answer(&all)
    }

    /// Remembers a fact and returns its id.
    pub(crate) fn remember(&self, text: &str) -> String {
        self.json(&["remember", text])["id"].as_str().unwrap().to_owned()
    }

    /// Keeps a message and returns its id.
    pub(crate) fn capture(&self, session: &str, text: &str) -> String {
        let answer = self.json(&["capture", "--session", session, "--role", "user", text]);
        answer["id"].as_str().unwrap().to_owned()
    }

    /// Everything in the store, as lines, without the one value that fades by
    /// itself.
    pub(crate) fn contents(&self) -> String {
        let done = self.run(&["export", "--all-projects"]);
        assert_eq!(done.code, Some(0), "{done:?}");
        let mut contents = String::new();
        for line in done.out.lines() {
            let mut record: Value = serde_json::from_str(line).unwrap();
            record.as_object_mut().unwrap().remove("effective_confidence");
            contents.push_str(&format!("{record}\n"));
        }
        contents
    }

    /// Starts a command whose streams the test holds.
    pub(crate) fn start(&self, words: &[&str]) -> Child {
        let mut command = self.command();
        command.args(words).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command.spawn().unwrap()
    }
}

impl Done {
    /// The answer of a command that succeeded.
    pub(crate) fn answer(&self, words: &[&str]) -> Value {
        assert_eq!(self.code, Some(0), "{words:?}: {self:?}");
        assert_eq!(self.out.lines().count(), 1, "{words:?}: {self:?}");
        serde_json::from_str(&self.out).unwrap()
    }

    /// Checks that the command failed as it should: with this exit code, a
    /// message, no data, and without being a defect.
    pub(crate) fn failed(&self, codes: &[i32], what: &str) {
        assert!(self.code.is_some_and(|code| codes.contains(&code)), "{what}: wanted {codes:?}, got {self:?}");
        assert!(self.err.trim().len() > 10, "{what} says nothing: {self:?}");
        self.sane(what);
    }

    /// Checks that nothing looks like a defect.
    pub(crate) fn sane(&self, what: &str) {
        for sign in ["panicked", "this is a bug", "RUST_BACKTRACE", "Error(", "Some("] {
            assert!(!self.err.contains(sign) && !self.out.contains(sign), "{what}: {self:?}");
        }
        assert!(self.code.is_some(), "{what} was ended by a signal: {self:?}");
    }
}

/// Runs a command to its end.
pub(crate) fn finish(command: &mut Command, input: Option<&[u8]>) -> Done {
    if input.is_some() {
        command.stdin(Stdio::piped());
    }
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    if let (Some(input), Some(mut stdin)) = (input, child.stdin.take()) {
        // A command may refuse before it has read everything.
        let input = input.to_vec();
        std::thread::spawn(move || stdin.write_all(&input));
    }
    let output = child.wait_with_output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    Done { code: output.status.code(), out: text(output.stdout), err: text(output.stderr) }
}

/// An id that names nothing.
pub(crate) const UNKNOWN: &str = "fact_0197a3c2-1b7e-7c44-9d3a-2f6d1c0b8e55";

/// Text with ids and dates made the same for every run.
pub(crate) fn steady(text: &str, scratch: &Scratch) -> String {
    let mut text = text.replace(&scratch.folder.path().display().to_string(), "SCRATCH");
    for prefix in ["fact_", "ep_", "run_", "ent_", "job_", "ref_", "tmp_", "doc_", "conf_", "rec_"] {
        text = replace_after(&text, prefix, 36, |rest| rest.bytes().filter(|byte| *byte == b'-').count() == 4);
        text = replace_after(&text, prefix, 8, |rest| rest.bytes().all(|byte| byte.is_ascii_hexdigit()));
    }
    without_times(&text)
}

// Every date as DAY, and the time of day after one as TIME.
fn without_times(text: &str) -> String {
    let is = |text: Option<&str>, shape: &str| {
        let fits = |(found, wanted): (char, char)| if wanted == '0' { found.is_ascii_digit() } else { found == wanted };
        text.is_some_and(|text| text.chars().zip(shape.chars()).all(fits))
    };
    let mut result = String::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        if is(rest.get(..10), "0000-00-00") {
            result.push_str("DAY");
            rest = &rest[10..];
            if is(rest.get(..6), " 00:00") {
                result.push_str(" TIME");
                rest = &rest[6..];
            }
        } else {
            result.push(first);
            rest = &rest[first.len_utf8()..];
        }
    }
    result
}

fn replace_after(text: &str, prefix: &str, length: usize, is_it: impl Fn(&str) -> bool) -> String {
    let mut result = String::new();
    let mut rest = text;
    while let Some(at) = rest.find(prefix) {
        let (before, after) = rest.split_at(at + prefix.len());
        result.push_str(before);
        match after.get(..length).filter(|id| is_it(id)) {
            Some(_) => {
                result.push_str("ID");
                rest = &after[length..];
            }
            None => rest = after,
        }
    }
    result + rest
}

/// The files of a folder and their contents.
pub(crate) fn files(folder: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let mut found = Vec::new();
    if let Ok(entries) = std::fs::read_dir(folder) {
        for entry in entries {
            let path = entry.unwrap().path();
            if path.is_dir() {
                found.extend(files(&path));
            } else {
                found.push((path.clone(), std::fs::read(&path).unwrap()));
            }
        }
    }
    found.sort();
    found
}
