//! Any other program's JSON lines: `{"role": "user", "content": "…"}`, also inside a `message`.
//!
//! The names that programs commonly use are tried in turn. Roles that neither a person nor the model has (system,
//! tool, developer) are left out.

use serde_json::Value;

use super::format::{Format, Lines, any};
use super::injected::spoken;
use super::record::{Line, Passed, Record, Role, line_id, object, string, time};

/// The format.
pub const FORMAT: Format =
    Format { name: "generic", is_one: any, names_folder: false, begin: |_, _| Box::new(Lines(line)) };

/// Reads one line.
#[must_use]
pub fn line(line: &[u8]) -> Line {
    match read(line) {
        Ok(record) => Line::Record(Box::new(record)),
        Err(passed) => Line::Passed(passed),
    }
}

fn read(line: &[u8]) -> Result<Record, Passed> {
    let value = object(line)?;
    let message = value.get("message").filter(|message| message.is_object()).unwrap_or(&value);
    let role =
        match string(message, &["role", "author", "sender", "from"]).map(|role| role.to_ascii_lowercase()).as_deref() {
            Some("user" | "human") => Role::User,
            Some("assistant" | "ai" | "model" | "bot" | "gpt") => Role::Assistant,
            Some("tool" | "function") => return Err(Passed::ToolsOnly),
            Some("system" | "developer") => return Err(Passed::Meta),
            _ => return Err(Passed::OtherKind),
        };
    // A field may stand beside the message or in it.
    let either = |names: &[&str]| string(&value, names).or_else(|| string(message, names));
    let times = ["timestamp", "time", "created_at", "createdAt", "ts", "date"];
    Ok(Record {
        message_id: either(&["id", "uuid", "message_id", "messageId"]).unwrap_or_else(|| line_id(line)),
        session_id: either(&["session_id", "sessionId", "conversation_id", "conversationId", "thread_id", "session"]),
        role,
        speaker: either(&["name", "speaker"]),
        text: said(message)?,
        time: time(&value, &times).or_else(|| time(message, &times)),
        project_path: either(&["cwd", "project_path", "projectPath", "workspace"]),
        git_branch: either(&["git_branch", "gitBranch"]),
        model: either(&["model"]),
    })
}

fn said(message: &Value) -> Result<String, Passed> {
    let content = ["content", "text", "value", "parts"].iter().find_map(|name| message.get(name));
    let parts: Vec<String> = match content {
        Some(Value::String(text)) => spoken(text).into_iter().collect(),
        Some(Value::Array(blocks)) => {
            let texts: Vec<&str> = blocks.iter().filter_map(block_text).collect();
            if texts.is_empty() && !blocks.is_empty() {
                return Err(Passed::ToolsOnly);
            }
            texts.into_iter().filter_map(spoken).collect()
        }
        _ => Vec::new(),
    };
    if parts.is_empty() { Err(Passed::NothingSaid) } else { Ok(parts.join("\n\n")) }
}

fn block_text(block: &Value) -> Option<&str> {
    match block.get("type").and_then(Value::as_str) {
        None | Some("text" | "input_text" | "output_text") => block.as_str().or_else(|| block.get("text")?.as_str()),
        Some(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_common_shapes_are_understood() {
        for text in [
            r#"{"role":"user","content":"Hi."}"#,
            r#"{"role":"Human","text":"Hi."}"#,
            r#"{"type":"message","message":{"role":"user","content":[{"type":"text","text":"Hi."}]}}"#,
            r#"{"from":"human","value":"Hi."}"#,
            r#"{"role":"user","parts":[{"text":"Hi."}]}"#,
        ] {
            let record = line(text.as_bytes()).record().unwrap();
            assert_eq!((record.role, record.text.as_str()), (Role::User, "Hi."), "{text}");
            assert_eq!(record.message_id.len(), 32);
        }
    }

    #[test]
    fn fields_are_found_beside_or_inside() {
        let text = r#"{"id":"m","sessionId":"s","timestamp":1777638600,"message":{"role":"assistant","name":"Eve","content":"Hi.","model":"x"}}"#;
        let record = line(text.as_bytes()).record().unwrap();
        assert_eq!((record.message_id.as_str(), record.session_id.as_deref()), ("m", Some("s")));
        assert_eq!((record.speaker.as_deref(), record.model.as_deref()), (Some("Eve"), Some("x")));
        assert_eq!(record.time.unwrap().to_string(), "2026-05-01T12:30:00.000Z");
    }

    #[test]
    fn other_lines_are_passed_over() {
        for (text, expected) in [
            (r#"{"role":"system","content":"x"}"#, Passed::Meta),
            (r#"{"role":"tool","content":"x"}"#, Passed::ToolsOnly),
            (r#"{"role":"assistant","content":[{"type":"tool_use"}]}"#, Passed::ToolsOnly),
            (r#"{"role":"assistant","content":null}"#, Passed::NothingSaid),
            (r#"{"type":"session","id":"x"}"#, Passed::OtherKind),
            ("not json", Passed::NotJson),
        ] {
            assert_eq!(line(text.as_bytes()), Line::Passed(expected), "{text}");
        }
    }
}
