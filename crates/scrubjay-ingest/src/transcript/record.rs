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
///
/// A mark at the beginning of a file, zeros that a crash left before a line, bytes that are no UTF-8 and halves of
/// characters do not take the rest of a message with them.
pub(super) fn object(line: &[u8]) -> Result<Value, Passed> {
    let line = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line);
    let zeros = line.iter().take_while(|&&byte| byte == 0).count();
    let line = &line[zeros..];
    let parsed = serde_json::from_slice::<Value>(line).or_else(|error| {
        let is_object = line.trim_ascii_start().starts_with(b"{");
        if is_object { serde_json::from_str(&mended(line)) } else { Err(error) }
    });
    parsed.ok().filter(Value::is_object).ok_or(Passed::NotJson)
}

/// The line with what is no character replaced: bytes that are no UTF-8, and escapes of half a pair such as `\ud83d`.
fn mended(line: &[u8]) -> String {
    let text = String::from_utf8_lossy(line);
    let mut out = String::with_capacity(text.len());
    let mut rest = text.as_ref();
    while let Some(at) = rest.find('\\') {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        let taken = match (surrogate(rest), rest.get(6..).and_then(surrogate)) {
            (Some(0xd800..0xdc00), Some(0xdc00..)) => 12,
            (Some(_), _) => {
                out.push_str("\\ufffd");
                rest = &rest[6..];
                continue;
            }
            // An escaped sign is none that escapes another.
            (None, _) => 1 + rest[1..].chars().next().map_or(0, char::len_utf8),
        };
        out.push_str(&rest[..taken]);
        rest = &rest[taken..];
    }
    out.push_str(rest);
    out
}

/// The number of an escape that stands for half of a character, if the text begins with one.
fn surrogate(text: &str) -> Option<u32> {
    let digits = text.strip_prefix("\\u")?.get(..4)?;
    let number = u32::from_str_radix(digits, 16).ok()?;
    (0xd800..0xe000).contains(&number).then_some(number)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_survives_what_is_damaged_around_and_in_it() {
        for (line, expected) in [
            (&b"\xef\xbb\xbf{\"a\":\"b\"}"[..], Some("b")),
            (b"\0\0\0{\"a\":\"b\"}", Some("b")),
            (b"{\"a\":\"b\xff c\"}", Some("b\u{fffd} c")),
            (br#"{"a":"x \ud83d y"}"#, Some("x \u{fffd} y")),
            (br#"{"a":"x \ude00 y"}"#, Some("x \u{fffd} y")),
            (br#"{"a":"\ud83d\ude00 \ud83d"}"#, Some("\u{1f600} \u{fffd}")),
            (br#"{"a":"\\ud83d\ud83d"}"#, Some("\\ud83d\u{fffd}")),
            (b"\xff\xfe{\0", None),
            (b"{\"a\":\"b", None),
            (b"\\", None),
        ] {
            let found = object(line).ok().map(|value| value["a"].as_str().unwrap().to_owned());
            assert_eq!(found.as_deref(), expected, "{}", String::from_utf8_lossy(line));
        }
    }
}
