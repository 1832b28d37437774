//! A format that exists in unit tests only: this file and its line in the list are all that it takes to add one.

use super::format::{Format, Lines};
use super::record::{Line, Passed, Record, Role};

/// `user|WHAT`, one message a line, in files called `acme-….jsonl`.
pub(super) const FORMAT: Format = Format {
    name: "acme",
    is_one: |path| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("acme-")),
    names_folder: false,
    begin: |_, _| Box::new(Lines(line)),
};

fn line(line: &[u8]) -> Line {
    let Some(text) = std::str::from_utf8(line).ok().and_then(|line| line.strip_prefix("user|")) else {
        return Line::Passed(Passed::OtherKind);
    };
    Line::Record(Box::new(Record {
        message_id: text.len().to_string(),
        session_id: None,
        role: Role::User,
        speaker: None,
        text: text.to_owned(),
        time: None,
        project_path: None,
        git_branch: None,
        model: None,
    }))
}
