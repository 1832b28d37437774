//! Claude Code: `~/.claude/projects/<project>/<session>.jsonl`.
//!
//! Each line is an object with a `type`. What people and the model say is in `user` and `assistant` lines, as a
//! string or as blocks; every other type is the program's own.

use serde_json::Value;

use super::format::{Format, Lines, any};
use super::injected::spoken;
use super::record::{Line, Passed, Record, Role, line_id, object, string, time};

/// The format.
pub const FORMAT: Format =
    Format { name: "claude-code", is_one: any, names_folder: true, begin: |_, _| Box::new(Lines(line)) };

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
    let role = match value.get("type").and_then(Value::as_str) {
        Some("user") => Role::User,
        Some("assistant") => Role::Assistant,
        Some("summary") => return Err(Passed::Summary),
        _ => return Err(Passed::OtherKind),
    };
    let is_set = |name: &str| value.get(name).is_some_and(|flag| flag.as_bool().unwrap_or(false));
    if is_set("isSidechain") {
        return Err(Passed::Sidechain);
    }
    if is_set("isMeta") {
        return Err(Passed::Meta);
    }
    if is_set("isCompactSummary") {
        return Err(Passed::Summary);
    }
    let message = value.get("message").ok_or(Passed::OtherKind)?;
    // An answer that the program made up, as when the service failed, is not the model's.
    let model = string(message, &["model"]);
    if model.as_deref() == Some("<synthetic>") || is_set("isApiErrorMessage") {
        return Err(Passed::Meta);
    }
    // What a fork took along belongs to the conversation in which it was said.
    let origin = value.get("forkedFrom").filter(|origin| origin.is_object());
    let of_origin = |name: &str| origin.and_then(|origin| string(origin, &[name]));
    let message_id = of_origin("messageUuid").or_else(|| string(&value, &["uuid"]));
    Ok(Record {
        message_id: message_id.unwrap_or_else(|| line_id(line)),
        session_id: of_origin("sessionId").or_else(|| string(&value, &["sessionId", "session_id"])),
        role,
        speaker: None,
        text: said(message.get("content").unwrap_or(&Value::Null))?,
        time: time(&value, &["timestamp"]),
        project_path: string(&value, &["cwd"]),
        git_branch: string(&value, &["gitBranch"]),
        model,
    })
}

/// The text of a message: a string, or the blocks of type `text`.
fn said(content: &Value) -> Result<String, Passed> {
    if let Some(text) = content.as_str() {
        return spoken(text).ok_or(Passed::NothingSaid);
    }
    let blocks = content.as_array().map_or(&[][..], Vec::as_slice);
    let texts: Vec<&str> = blocks
        .iter()
        .filter(|block| block.get("type").and_then(Value::as_str) == Some("text"))
        .filter_map(|block| block.get("text").and_then(Value::as_str))
        .collect();
    if texts.is_empty() {
        return Err(if blocks.is_empty() { Passed::NothingSaid } else { Passed::ToolsOnly });
    }
    let parts: Vec<String> = texts.into_iter().filter_map(spoken).collect();
    if parts.is_empty() { Err(Passed::NothingSaid) } else { Ok(parts.join("\n\n")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ENVELOPE: &str = r#""uuid":"u1","parentUuid":"u0","sessionId":"s1","timestamp":"2026-05-01T12:30:00.123Z","cwd":"/srv/ada/app","version":"2.1.0","gitBranch":"main","isSidechain":false,"userType":"external""#;

    fn user(content: &str) -> Line {
        line(format!(r#"{{"type":"user",{ENVELOPE},"message":{{"role":"user","content":{content}}}}}"#).as_bytes())
    }

    #[test]
    fn what_the_user_said_is_a_record() {
        let record = user(r#""Use tabs.""#).record().unwrap();
        assert_eq!((record.message_id.as_str(), record.session_id.as_deref()), ("u1", Some("s1")));
        assert_eq!((record.role, record.text.as_str()), (Role::User, "Use tabs."));
        assert_eq!(record.time.unwrap().to_string(), "2026-05-01T12:30:00.123Z");
        assert_eq!(
            (record.project_path.as_deref(), record.git_branch.as_deref()),
            (Some("/srv/ada/app"), Some("main"))
        );
    }

    #[test]
    fn blocks_of_text_are_joined_and_the_rest_is_left_out() {
        let text = r#"{"type":"assistant",ENV,"message":{"id":"m1","model":"claude-x","role":"assistant","content":[{"type":"thinking","thinking":"hm"},{"type":"text","text":"One."},{"type":"tool_use","id":"t","name":"Bash","input":{}},{"type":"text","text":"Two."}],"usage":{"input_tokens":1}}}"#;
        let record = line(text.replace("ENV", ENVELOPE).as_bytes()).record().unwrap();
        assert_eq!((record.text.as_str(), record.model.as_deref()), ("One.\n\nTwo.", Some("claude-x")));
        let reminded =
            user(r#"[{"type":"text","text":"<system-reminder>x</system-reminder>"},{"type":"text","text":"Hi."}]"#);
        assert_eq!(reminded.record().unwrap().text, "Hi.");
    }

    #[test]
    fn what_a_fork_took_along_is_the_message_it_was() {
        let text = r#"{"type":"user","uuid":"u9","sessionId":"s2","forkedFrom":{"sessionId":"s1","messageUuid":"u1"},"message":{"role":"user","content":"Use tabs."}}"#;
        let record = line(text.as_bytes()).record().unwrap();
        assert_eq!((record.message_id.as_str(), record.session_id.as_deref()), ("u1", Some("s1")));
    }

    #[test]
    fn other_lines_are_passed_over() {
        let with = |extra: &str| {
            line(
                format!(r#"{{"type":"user",{extra},"uuid":"u","message":{{"role":"user","content":"x"}}}}"#).as_bytes(),
            )
        };
        let cases = [
            (with(r#""isMeta":true"#), Passed::Meta),
            (with(r#""isSidechain":true"#), Passed::Sidechain),
            (with(r#""isCompactSummary":true"#), Passed::Summary),
            (user(r#"[{"type":"tool_result","tool_use_id":"t","content":"out","is_error":false}]"#), Passed::ToolsOnly),
            (user(r#""<system-reminder>x</system-reminder>""#), Passed::NothingSaid),
            (user("[]"), Passed::NothingSaid),
            (user("17"), Passed::NothingSaid),
            (line(br#"{"type":"summary","summary":"s","leafUuid":"u"}"#), Passed::Summary),
            (line(br#"{"type":"attachment","attachment":{"type":"hook_additional_context"}}"#), Passed::OtherKind),
            (line(br#"{"type":"queue-operation","operation":"enqueue","content":"x"}"#), Passed::OtherKind),
            (line(br#"{"type":"file-history-snapshot"}"#), Passed::OtherKind),
            (line(br#"{"no":"type"}"#), Passed::OtherKind),
            (line(br#"{"type":"user"}"#), Passed::OtherKind),
            (line(b"[1]"), Passed::NotJson),
            (line(b"{\"type\":\"us"), Passed::NotJson),
            (line(b"\xff"), Passed::NotJson),
            (line(b""), Passed::NotJson),
        ];
        for (found, expected) in cases {
            assert_eq!(found, Line::Passed(expected));
        }
    }
}
