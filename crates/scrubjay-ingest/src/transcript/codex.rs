//! Codex: `~/.codex/sessions/YYYY/MM/DD/rollout-<time>-<id>.jsonl`, old ones compressed.
//!
//! The first line tells the session and the folder, and lines of `turn_context` tell when the folder changes, so a
//! [`Reader`] goes through a file in order. One that begins in the middle is given what stood before: [`Reader`] is
//! plain data that can be kept, and [`Reader::of_path`] knows the session by the file's name.

use std::path::Path;

use serde_json::{Value, json};

use super::format::{self, Format, any};
use super::injected::spoken;
use super::packed::plain;
use super::record::{Line, Passed, Record, Role, line_id, object, string, time};

/// How text begins that Codex writes in the user's name.
const PREAMBLES: [&str; 5] = [
    "# AGENTS.md instructions for ",
    "<environment_context>",
    "<user_instructions>",
    "<turn_aborted>",
    "<permissions instructions>",
];

/// The format.
pub const FORMAT: Format = Format {
    name: "codex",
    is_one: any,
    names_folder: true,
    begin: |path, state| Box::new(Reader::going_on(path, state)),
};

/// What earlier lines of a file told.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Reader {
    /// The conversation.
    pub session_id: Option<String>,
    /// The folder that is worked in.
    pub project_path: Option<String>,
    /// The model that answers.
    pub model: Option<String>,
    /// Whether it is the thread of a sub-agent, of which nothing is kept.
    pub is_sidechain: bool,
    /// Whether the file told which conversation it is.
    pub is_known: bool,
}

impl Reader {
    /// For a file of which nothing was read: the session's id ends its name.
    #[must_use]
    pub fn of_path(path: &Path) -> Self {
        // rollout-2026-05-01T12-30-00-0196f2aa-1c8e-7f3a-9a34-0123456789ab: the id is the last five parts.
        let path = plain(path);
        let name = path.file_stem().and_then(|name| name.to_str()).unwrap_or("");
        let start = name.len().checked_sub(36).filter(|&start| name.is_char_boundary(start));
        let id = start.map(|start| &name[start..]).filter(|id| is_uuid(id));
        Self { session_id: id.map(str::to_owned), ..Self::default() }
    }

    /// For a file of which the beginning was read.
    fn going_on(path: &Path, state: &Value) -> Self {
        let mut reader = Self::of_path(path);
        if state.is_object() {
            let text = |name: &str| string(state, &[name]);
            reader.session_id = text("session_id").or(reader.session_id);
            reader.project_path = text("project_path");
            reader.model = text("model");
            reader.is_sidechain = state.get("is_sidechain").is_some_and(|value| value == true);
            reader.is_known = reader.project_path.is_some();
        }
        reader
    }

    /// Reads one line.
    pub fn line(&mut self, line: &[u8]) -> Line {
        match self.read(line) {
            Ok(record) => Line::Record(Box::new(record)),
            Err(passed) => Line::Passed(passed),
        }
    }

    fn read(&mut self, line: &[u8]) -> Result<Record, Passed> {
        let value = object(line)?;
        let payload = value.get("payload").unwrap_or(&Value::Null);
        match value.get("type").and_then(Value::as_str) {
            // The first is the file's own; others came along with what was copied from the conversation it forked from.
            Some("session_meta") if self.is_known => return Err(Passed::Meta),
            Some("session_meta") => {
                self.is_known = true;
                self.session_id = string(payload, &["session_id", "id"]).or(self.session_id.take());
                self.project_path = string(payload, &["cwd"]).or(self.project_path.take());
                self.is_sidechain = string(payload, &["parent_thread_id"]).is_some();
                return Err(Passed::Meta);
            }
            Some("turn_context") => {
                self.project_path = string(payload, &["cwd"]).or(self.project_path.take());
                self.model = string(payload, &["model"]).or(self.model.take());
                return Err(Passed::Meta);
            }
            Some("compacted") => return Err(Passed::Summary),
            Some("response_item") => {}
            _ => return Err(Passed::OtherKind),
        }
        match payload.get("type").and_then(Value::as_str) {
            Some("message") => {}
            Some(_) => return Err(Passed::ToolsOnly),
            None => return Err(Passed::OtherKind),
        }
        let role = match payload.get("role").and_then(Value::as_str) {
            Some("user") => Role::User,
            Some("assistant") => Role::Assistant,
            // What hooks and the program add comes as `developer` or `system`.
            _ => return Err(Passed::Meta),
        };
        if self.is_sidechain {
            return Err(Passed::Sidechain);
        }
        Ok(Record {
            message_id: string(payload, &["id"]).unwrap_or_else(|| line_id(line)),
            session_id: self.session_id.clone(),
            role,
            speaker: None,
            text: said(payload, role)?,
            time: time(&value, &["timestamp"]),
            project_path: self.project_path.clone(),
            git_branch: None,
            model: if role == Role::Assistant { self.model.clone() } else { None },
        })
    }
}

impl format::Reader for Reader {
    fn line(&mut self, line: &[u8]) -> Line {
        Self::line(self, line)
    }

    fn state(&self) -> Option<Value> {
        Some(json!({
            "session_id": self.session_id,
            "project_path": self.project_path,
            "model": self.model,
            "is_sidechain": self.is_sidechain,
        }))
    }
}

fn said(payload: &Value, role: Role) -> Result<String, Passed> {
    let content = payload.get("content").unwrap_or(&Value::Null);
    let whole = content.as_str().into_iter();
    let blocks = content.as_array().map_or(&[][..], Vec::as_slice).iter();
    let texts = blocks
        .filter(|block| {
            matches!(block.get("type").and_then(Value::as_str), Some("input_text" | "output_text" | "text"))
        })
        .filter_map(|block| block.get("text").and_then(Value::as_str));
    let written =
        |text: &&str| role == Role::User && PREAMBLES.iter().any(|begin| text.trim_start().starts_with(begin));
    let parts: Vec<String> = whole.chain(texts).filter(|text| !written(text)).filter_map(spoken).collect();
    if parts.is_empty() { Err(Passed::NothingSaid) } else { Ok(parts.join("\n\n")) }
}

fn is_uuid(text: &str) -> bool {
    text.bytes().enumerate().all(|(at, byte)| match at {
        8 | 13 | 18 | 23 => byte == b'-',
        _ => byte.is_ascii_hexdigit(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const META: &str = r#"{"timestamp":"2026-05-01T12:30:00.000Z","type":"session_meta","payload":{"session_id":"s1","id":"s1","timestamp":"2026-05-01T12:30:00.000Z","cwd":"/srv/ada/app","originator":"codex_cli","cli_version":"0.166.0","source":"cli","model_provider":"openai"}}"#;

    fn message(role: &str, kind: &str, text: &str) -> String {
        format!(
            r#"{{"timestamp":"2026-05-01T12:31:00.000Z","ordinal":3,"type":"response_item","payload":{{"type":"message","role":"{role}","content":[{{"type":"{kind}","text":"{text}"}}]}}}}"#
        )
    }

    #[test]
    fn a_session_is_read_in_order() {
        let mut reader = Reader::default();
        assert_eq!(reader.line(META.as_bytes()), Line::Passed(Passed::Meta));
        let said = message("user", "input_text", "Use tabs.");
        let record = reader.line(said.as_bytes()).record().unwrap();
        assert_eq!((record.session_id.as_deref(), record.project_path.as_deref()), (Some("s1"), Some("/srv/ada/app")));
        assert_eq!((record.role, record.text.as_str()), (Role::User, "Use tabs."));
        assert_eq!(record.time.unwrap().to_string(), "2026-05-01T12:31:00.000Z");
        assert_eq!(record.message_id, reader.line(format!("{said}\r").as_bytes()).record().unwrap().message_id);
        let turn = r#"{"timestamp":"t","type":"turn_context","payload":{"cwd":"/srv/ada/lib","model":"gpt-x"}}"#;
        assert_eq!(reader.line(turn.as_bytes()), Line::Passed(Passed::Meta));
        let answer = reader.line(message("assistant", "output_text", "Done.").as_bytes()).record().unwrap();
        assert_eq!((answer.role, answer.model.as_deref()), (Role::Assistant, Some("gpt-x")));
        assert_eq!(answer.project_path.as_deref(), Some("/srv/ada/lib"));
    }

    #[test]
    fn other_lines_are_passed_over() {
        let mut reader = Reader::default();
        let item = |payload: &str| format!(r#"{{"timestamp":"t","type":"response_item","payload":{payload}}}"#);
        for (text, expected) in [
            (message("developer", "input_text", "hook context"), Passed::Meta),
            (message("user", "input_text", "# AGENTS.md instructions for /srv/ada"), Passed::NothingSaid),
            (message("user", "input_text", "<environment_context>x</environment_context>"), Passed::NothingSaid),
            (message("user", "input_image", "x"), Passed::NothingSaid),
            (item(r#"{"type":"function_call","name":"shell","arguments":"{}"}"#), Passed::ToolsOnly),
            (item(r#"{"type":"function_call_output","output":"x"}"#), Passed::ToolsOnly),
            (item(r#"{"type":"reasoning","encrypted_content":"x"}"#), Passed::ToolsOnly),
            (r#"{"type":"compacted","payload":{"message":"x"}}"#.to_owned(), Passed::Summary),
            (r#"{"type":"event_msg","payload":{"type":"user_message","message":"x"}}"#.to_owned(), Passed::OtherKind),
            (r#"{"type":"world_state","payload":{}}"#.to_owned(), Passed::OtherKind),
            ("{\"timestamp\":".to_owned(), Passed::NotJson),
        ] {
            assert_eq!(reader.line(text.as_bytes()), Line::Passed(expected), "{text}");
        }
    }

    #[test]
    fn a_fork_is_a_conversation_of_its_own() {
        let mut reader = Reader::default();
        reader.line(META.replace("\"s1\"", "\"s2\"").as_bytes());
        reader.line(META.replace("\"originator\"", "\"parent_thread_id\":\"p\",\"originator\"").as_bytes());
        let record = reader.line(message("user", "input_text", "Go on.").as_bytes()).record().unwrap();
        assert_eq!(record.session_id.as_deref(), Some("s2"));
    }

    #[test]
    fn a_sub_agent_is_left_out() {
        let mut reader = Reader::default();
        reader.line(META.replace("\"originator\"", "\"parent_thread_id\":\"p\",\"originator\"").as_bytes());
        let found = reader.line(message("user", "input_text", "Do it.").as_bytes());
        assert_eq!(found, Line::Passed(Passed::Sidechain));
    }

    #[test]
    fn the_name_of_the_file_tells_the_session() {
        let path =
            Path::new("sessions/2026/05/01/rollout-2026-05-01T12-30-00-0196f2aa-1c8e-7f3a-9a34-0123456789ab.jsonl");
        assert_eq!(Reader::of_path(path).session_id.as_deref(), Some("0196f2aa-1c8e-7f3a-9a34-0123456789ab"));
        assert_eq!(Reader::of_path(&path.with_extension("jsonl.zst")), Reader::of_path(path));
        assert_eq!(Reader::of_path(Path::new("x.jsonl")).session_id, None);
        assert_eq!(Reader::of_path(Path::new("ééééééééééééééééééé.jsonl")).session_id, None);
    }
}
