//! Copilot CLI: `~/.copilot/session-state/<session>/events.jsonl`.
//!
//! Each line is an event: `{type, data, id, timestamp, parentId}`. `session.start` and `session.resume` tell the session
//! and its folder; what was said is in `user.message` (`content`, beside `transformedContent` with what hooks and the
//! program added) and `assistant.message`. Everything else, the summary of a compaction among it, is passed over.

use std::path::Path;

use serde_json::{Value, json};

use super::format::{self, Format};
use super::injected::spoken;
use super::record::{Line, Passed, Record, Role, line_id, object, string, time};

/// The format.
pub const FORMAT: Format = Format {
    name: "copilot",
    is_one: |path| path.file_stem().is_some_and(|name| name == "events"),
    names_folder: true,
    begin: |path, state| Box::new(Reader::going_on(path, state)),
};

struct Reader {
    session_id: Option<String>,
    project_path: Option<String>,
}

impl Reader {
    fn going_on(path: &Path, state: &Value) -> Self {
        let folder = path.parent().and_then(Path::file_name).and_then(|name| name.to_str()).map(str::to_owned);
        let session_id = string(state, &["session_id"]).or(folder);
        Self { session_id, project_path: string(state, &["project_path"]) }
    }

    fn read(&mut self, line: &[u8]) -> Result<Record, Passed> {
        let value = object(line)?;
        let data = value.get("data").unwrap_or(&Value::Null);
        let role = match value.get("type").and_then(Value::as_str) {
            Some("session.start" | "session.resume") => {
                self.session_id = string(data, &["sessionId"]).or(self.session_id.take());
                let context = data.get("context").unwrap_or(&Value::Null);
                self.project_path = string(context, &["cwd", "gitRoot"]).or(self.project_path.take());
                return Err(Passed::Meta);
            }
            Some("user.message") => Role::User,
            Some("assistant.message") => Role::Assistant,
            Some("session.compaction_complete") => return Err(Passed::Summary),
            Some(kind) if kind.starts_with("tool.") => return Err(Passed::ToolsOnly),
            _ => return Err(Passed::OtherKind),
        };
        // A sub-agent is started by a call of a tool, or has a name.
        if string(data, &["parentToolCallId", "agentId"]).is_some() {
            return Err(Passed::Sidechain);
        }
        // Some messages are the program's own: a skill's text, a reminder.
        if role == Role::User && string(data, &["source"]).is_some_and(|source| source != "user") {
            return Err(Passed::Meta);
        }
        let content = data.get("content").and_then(Value::as_str).unwrap_or_default();
        let has_calls = data.get("toolRequests").and_then(Value::as_array).is_some_and(|calls| !calls.is_empty());
        let nothing = if has_calls { Passed::ToolsOnly } else { Passed::NothingSaid };
        Ok(Record {
            message_id: string(&value, &["id"]).unwrap_or_else(|| line_id(line)),
            session_id: self.session_id.clone(),
            role,
            speaker: None,
            text: spoken(content).ok_or(nothing)?,
            time: time(&value, &["timestamp"]),
            project_path: self.project_path.clone(),
            git_branch: None,
            model: string(data, &["model"]).filter(|_| role == Role::Assistant),
        })
    }
}

impl format::Reader for Reader {
    fn line(&mut self, line: &[u8]) -> Line {
        match self.read(line) {
            Ok(record) => Line::Record(Box::new(record)),
            Err(passed) => Line::Passed(passed),
        }
    }

    fn state(&self) -> Option<Value> {
        Some(json!({"session_id": self.session_id, "project_path": self.project_path}))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const START: &str = r#"{"type":"session.start","data":{"sessionId":"s1","version":1,"producer":"copilot-agent","copilotVersion":"1.0.102","startTime":"2026-11-18T13:27:02.633Z","context":{"cwd":"/srv/ada/app","gitRoot":"/srv/ada/app","branch":"main"}},"id":"e1","timestamp":"2026-11-18T13:27:02.692Z","parentId":null}"#;

    #[test]
    fn a_session_is_read_in_order() {
        let path = Path::new("session-state/s0/events.jsonl");
        let mut reader = (FORMAT.begin)(path, &Value::Null);
        assert_eq!(reader.line(START.as_bytes()), Line::Passed(Passed::Meta));
        let said = r#"{"type":"user.message","data":{"content":"Use tabs.","transformedContent":"<current_datetime>…</current_datetime>\n\nUse tabs.","messageId":"m1"},"id":"e2","timestamp":"2026-11-18T13:28:07.850Z"}"#;
        let record = reader.line(said.as_bytes()).record().unwrap();
        assert_eq!((record.role, record.text.as_str(), record.message_id.as_str()), (Role::User, "Use tabs.", "e2"));
        assert_eq!((record.session_id.as_deref(), record.project_path.as_deref()), (Some("s1"), Some("/srv/ada/app")));
        // What is read later knows the same.
        let mut later = (FORMAT.begin)(path, &reader.state().unwrap());
        let answered =
            r#"{"type":"assistant.message","data":{"model":"gpt-x","content":"Done.","toolRequests":[]},"id":"e3"}"#;
        let record = later.line(answered.as_bytes()).record().unwrap();
        assert_eq!((record.text.as_str(), record.model.as_deref()), ("Done.", Some("gpt-x")));
        assert_eq!(record.session_id.as_deref(), Some("s1"));
        for (line, expected) in [
            (
                r#"{"type":"assistant.message","data":{"content":"","toolRequests":[{"name":"bash"}]}}"#,
                Passed::ToolsOnly,
            ),
            (r#"{"type":"assistant.message","data":{"content":"x","parentToolCallId":"t"}}"#, Passed::Sidechain),
            (r#"{"type":"user.message","data":{"content":"x","source":"skill-pdf"}}"#, Passed::Meta),
            (r#"{"type":"session.compaction_complete","data":{"summaryContent":"x"}}"#, Passed::Summary),
            (r#"{"type":"tool.execution_complete","data":{}}"#, Passed::ToolsOnly),
            (r#"{"type":"hook.start","data":{"input":{"prompt":"x"}}}"#, Passed::OtherKind),
            (r#"{"type":"system.message","data":{"content":"x"}}"#, Passed::OtherKind),
            ("{", Passed::NotJson),
        ] {
            assert_eq!(reader.line(line.as_bytes()), Line::Passed(expected), "{line}");
        }
    }
}
