//! Antigravity CLI: `~/.gemini/antigravity-cli/brain/<conversation>/.system_generated/logs/transcript_full.jsonl`.
//!
//! Each line is a step: `{step_index, source, type, status, created_at, content}`. What a person said is in steps of
//! type `USER_INPUT`, between `<USER_REQUEST>` marks and beside what the program adds; what the model said is in
//! `PLANNER_RESPONSE`. Every other step is a tool's or the program's own, its checkpoints (summaries) among them.
//! Neither the conversation nor the folder is in a line; the path tells the first.

use std::path::Path;

use serde_json::Value;

use super::format::{self, Format};
use super::injected::spoken;
use super::record::{Line, Passed, Record, Role, line_id, object, time};

/// The format. Beside the full transcript there is one with its long texts cut.
pub const FORMAT: Format = Format {
    name: "antigravity",
    is_one: |path| path.file_name().is_some_and(|name| name != "transcript.jsonl"),
    names_folder: false,
    begin: |path, _| Box::new(Reader { session_id: conversation(path) }),
};

const REQUEST: (&str, &str) = ("<USER_REQUEST>", "</USER_REQUEST>");

struct Reader {
    session_id: Option<String>,
}

impl format::Reader for Reader {
    fn line(&mut self, line: &[u8]) -> Line {
        match self.read(line) {
            Ok(record) => Line::Record(Box::new(record)),
            Err(passed) => Line::Passed(passed),
        }
    }
}

impl Reader {
    fn read(&self, line: &[u8]) -> Result<Record, Passed> {
        let value = object(line)?;
        let role = match value.get("type").and_then(Value::as_str) {
            Some("USER_INPUT") => Role::User,
            Some("PLANNER_RESPONSE") => Role::Assistant,
            Some("CHECKPOINT") => return Err(Passed::Summary),
            Some(_) if value.get("source").and_then(Value::as_str) == Some("MODEL") => return Err(Passed::ToolsOnly),
            _ => return Err(Passed::OtherKind),
        };
        // A hook or the program may speak in a person's place.
        if role == Role::User && value.get("source").is_some_and(|source| source != "USER_EXPLICIT") {
            return Err(Passed::Meta);
        }
        let content = value.get("content").and_then(Value::as_str).unwrap_or_default();
        let text = if role == Role::User { request(content) } else { content };
        let nothing = if value.get("tool_calls").is_some() { Passed::ToolsOnly } else { Passed::NothingSaid };
        Ok(Record {
            message_id: line_id(line),
            session_id: self.session_id.clone(),
            role,
            speaker: None,
            text: spoken(text).ok_or(nothing)?,
            time: time(&value, &["created_at"]),
            project_path: None,
            git_branch: None,
            model: None,
        })
    }
}

// What a person wrote: without marks all of it.
fn request(content: &str) -> &str {
    let after = content.split_once(REQUEST.0).map(|(_, after)| after);
    after.and_then(|after| after.split_once(REQUEST.1)).map_or(content, |(request, _)| request)
}

// The folder below `brain` is named after the conversation.
fn conversation(path: &Path) -> Option<String> {
    let mut folders = path.components().rev().map(|part| part.as_os_str());
    folders.find(|name| *name == ".system_generated")?;
    folders.next().and_then(|name| name.to_str()).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &str) -> Line {
        let path = Path::new("brain/c1/.system_generated/logs/transcript_full.jsonl");
        (FORMAT.begin)(path, &Value::Null).line(line.as_bytes())
    }

    #[test]
    fn what_was_said_is_told_from_what_was_done() {
        let said = read(
            r#"{"step_index":0,"source":"USER_EXPLICIT","type":"USER_INPUT","status":"DONE","created_at":"2026-09-18T10:00:00Z","content":"<USER_REQUEST>\nUse tabs.\n</USER_REQUEST>\n<ADDITIONAL_METADATA>\nThe time is …\n</ADDITIONAL_METADATA>"}"#,
        );
        let record = said.record().unwrap();
        assert_eq!((record.role, record.text.as_str()), (Role::User, "Use tabs."));
        assert_eq!(record.session_id.as_deref(), Some("c1"));
        assert_eq!(record.time.unwrap().to_string(), "2026-09-18T10:00:00.000Z");
        let answered =
            r#"{"step_index":1,"source":"MODEL","type":"PLANNER_RESPONSE","content":"Done.","thinking":"hm"}"#;
        assert_eq!(read(answered).record().unwrap().text, "Done.");
        for (line, expected) in [
            (r#"{"source":"MODEL","type":"PLANNER_RESPONSE","tool_calls":[{"name":"view_file"}]}"#, Passed::ToolsOnly),
            (r#"{"source":"MODEL","type":"RUN_COMMAND","content":"out"}"#, Passed::ToolsOnly),
            (r#"{"source":"SYSTEM","type":"CHECKPOINT","content":"so far: …"}"#, Passed::Summary),
            (r#"{"source":"SYSTEM","type":"EPHEMERAL_MESSAGE","content":"x"}"#, Passed::OtherKind),
            (r#"{"source":"SYSTEM","type":"USER_INPUT","content":"x"}"#, Passed::Meta),
            (r#"{"source":"USER_EXPLICIT","type":"USER_INPUT","content":""}"#, Passed::NothingSaid),
            ("{", Passed::NotJson),
        ] {
            assert_eq!(read(line), Line::Passed(expected), "{line}");
        }
        assert!((FORMAT.is_one)(Path::new("logs/transcript_full.jsonl")));
        assert!(!(FORMAT.is_one)(Path::new("logs/transcript.jsonl")));
    }
}
