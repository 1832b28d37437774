//! Reading what clients send. Most of them send the same fields under the same
//! names; a field that is missing or of another type counts as not sent.

use std::fs::{self, File};
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use scrubjay_ingest::transcript::{Format, Role};
use serde_json::{Value, json};

use super::client::{Event, Moment, Occasion};

/// How much of a transcript's end is looked at for what was said last.
const TAIL_BYTES: u64 = 1 << 20;

/// An occasion in the shape that Claude Code introduced and others took over.
pub(super) fn usual(event: &Event, payload: &Value) -> Occasion {
    let said = match event.moment {
        Moment::Prompt => text(payload, "prompt"),
        Moment::Reply | Moment::SubagentReply => text(payload, "last_assistant_message"),
        Moment::Tool => tool(payload),
        _ => None,
    };
    Occasion {
        moment: event.moment,
        session: text(payload, "session_id").unwrap_or_default(),
        text: said,
        folder: path(payload, "cwd"),
        transcript: path(payload, "transcript_path"),
        agent: text(payload, "agent_type").or_else(|| text(payload, "agent_id")),
    }
}

/// An answer in that shape; nothing is said when there is nothing to say.
pub(super) fn usual_answer(event: &Event, context: Option<&str>) -> String {
    context.map_or_else(String::new, |context| {
        json!({"hookSpecificOutput": {"hookEventName": event.name, "additionalContext": context}}).to_string()
    })
}

/// A text; an empty one counts as not sent.
pub(super) fn text(payload: &Value, field: &str) -> Option<String> {
    payload.get(field).and_then(Value::as_str).filter(|text| !text.trim().is_empty()).map(str::to_owned)
}

/// A path; a relative one cannot be meant.
pub(super) fn path(payload: &Value, field: &str) -> Option<PathBuf> {
    text(payload, field).map(PathBuf::from).filter(|path| path.is_absolute())
}

/// A tool's call and what came of it.
pub(super) fn tool(payload: &Value) -> Option<String> {
    let name = text(payload, "tool_name")?;
    let plain = |value: Option<&Value>| match value {
        None | Some(Value::Null) => String::new(),
        Some(Value::String(text)) => text.clone(),
        Some(other) => other.to_string(),
    };
    Some(format!("{name} {}\n{}", plain(payload.get("tool_input")), plain(payload.get("tool_response"))))
}

/// The last thing that was said in a transcript, if this role said it. Only the end of the file is read: it may be long,
/// and somebody waits.
pub(super) fn last_said(format: &Format, path: &Path, role: Role) -> Option<String> {
    let mut file = File::open(path).ok()?;
    let size_bytes = file.metadata().ok().filter(fs::Metadata::is_file)?.len();
    file.seek(SeekFrom::Start(size_bytes.saturating_sub(TAIL_BYTES))).ok()?;
    let mut bytes = Vec::new();
    file.take(TAIL_BYTES).read_to_end(&mut bytes).ok()?;
    let mut reader = (format.begin)(path, &Value::Null);
    let records = bytes.split(|byte| *byte == b'\n').filter_map(|line| reader.line(line).record());
    records.last().filter(|record| record.role == role).map(|record| record.text)
}
