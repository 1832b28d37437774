//! What a transcript's line means.

use scrubjay_core::time::Timestamp;
use serde_json::Value;
use xxhash_rust::xxh3::xxh3_128;

/// Who said it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Role {
    /// The person.
    User,
    /// The model.
    Assistant,
}

impl Role {
    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Assistant => "assistant",
        }
    }
}

/// One thing that was said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Record {
    /// What the program calls it, or a hash of the line. The same message copied into another file (a fork, a
    /// rotation, a resumed session) has the same id.
    pub message_id: String,
    /// The conversation, if the line or the file told.
    pub session_id: Option<String>,
    /// Who said it.
    pub role: Role,
    /// The speaker's name, if there is one besides the role.
    pub speaker: Option<String>,
    /// What was said, without what programs put into it. Never blank.
    pub text: String,
    /// When.
    pub time: Option<Timestamp>,
    /// The folder that was worked in.
    pub project_path: Option<String>,
    /// The branch that was checked out.
    pub git_branch: Option<String>,
    /// The model that answered.
    pub model: Option<String>,
}

/// What became of a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Line {
    /// Something was said.
    Record(Box<Record>),
    /// Nothing to keep.
    Passed(Passed),
}

impl Line {
    /// The record, if there is one.
    #[must_use]
    pub fn record(self) -> Option<Record> {
        match self {
            Self::Record(record) => Some(*record),
            Self::Passed(_) => None,
        }
    }
}

/// Why a line is no record.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Passed {
    /// Not a JSON object: damaged, or not of this format.
    NotJson,
    /// A kind of line that tells nothing that was said.
    OtherKind,
    /// Written by the program for itself.
    Meta,
    /// A sub-agent's thread.
    Sidechain,
    /// A summary made by the program.
    Summary,
    /// Calls of tools, their output, or reasoning.
    ToolsOnly,
    /// Only injected text, or none.
    NothingSaid,
}

impl Passed {
    /// Its name, for counting.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::NotJson => "not-json",
            Self::OtherKind => "other-kind",
            Self::Meta => "meta",
            Self::Sidechain => "sidechain",
            Self::Summary => "summary",
            Self::ToolsOnly => "tools-only",
            Self::NothingSaid => "nothing-said",
        }
    }
}

/// The object on a line, or why there is none. Blank lines are none either.
pub(super) fn object(line: &[u8]) -> Result<Value, Passed> {
    match serde_json::from_slice::<Value>(line) {
        Ok(value) if value.is_object() => Ok(value),
        _ => Err(Passed::NotJson),
    }
}

/// A field that is a string with something in it; the first of several names that is there.
pub(super) fn string(value: &Value, names: &[&str]) -> Option<String> {
    let found =
        names.iter().find_map(|name| value.get(name).and_then(Value::as_str).filter(|text| !text.is_empty()))?;
    Some(found.to_owned())
}

/// A time, as text or as a number of seconds or milliseconds.
pub(super) fn time(value: &Value, names: &[&str]) -> Option<Timestamp> {
    names.iter().find_map(|name| match value.get(name)? {
        Value::String(text) => text.parse().ok(),
        Value::Number(number) => number.to_string().parse().ok(),
        _ => None,
    })
}

/// An id for a message that has none: the same line gives the same id, wherever it stands.
pub(super) fn line_id(line: &[u8]) -> String {
    format!("{:032x}", xxh3_128(line.trim_ascii()))
}
