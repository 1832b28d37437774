//! From a line to a message.

use scrubjay_engine::ops::CaptureInput;
use serde_json::{Value, json};

use super::super::lines::Line;

/// A line that can be kept, or the reason why it cannot.
pub(super) struct Parsed {
    /// Its number, from 1.
    pub(super) number: usize,
    /// The client's own id, as far as it could be read.
    pub(super) client_id: Option<String>,
    /// Who said it and how it begins, for people.
    pub(super) preview: String,
    /// Input with this one message, or what is wrong with the line.
    pub(super) input: Result<CaptureInput, String>,
}

/// How much of a text is shown to people.
const PREVIEW_CHARACTERS: usize = 200;

/// Reads a line.
pub(super) fn parse(line: Line) -> Parsed {
    let number = line.number;
    let bad = |client_id, reason| Parsed { number, client_id, preview: String::new(), input: Err(reason) };
    let text = match line.text {
        Ok(text) => text,
        Err(reason) => return bad(None, reason),
    };
    let value: Value = match serde_json::from_str(&text) {
        Ok(value) => value,
        Err(error) => return bad(None, not_json(&error)),
    };
    let Some(fields) = value.as_object() else {
        return bad(None, "not a JSON object with session_id, role and content".to_owned());
    };
    let field = |name: &str| fields.get(name).and_then(Value::as_str);
    let client_id = field("id").map(str::to_owned);
    let beginning: String = field("content").unwrap_or_default().chars().take(PREVIEW_CHARACTERS).collect();
    let preview = format!("{}: {beginning}", field("role").unwrap_or_default());
    match serde_json::from_value(json!({"messages": [value]})) {
        Ok(input) => Parsed { number, client_id, preview, input: Ok(input) },
        Err(error) => bad(client_id, format!("not a message: {error}")),
    }
}

// There is only one line, so only the column says where.
fn not_json(error: &serde_json::Error) -> String {
    let text = error.to_string();
    let what = text.split(" at line ").next().unwrap_or_default();
    format!("not JSON: {what} at column {}", error.column())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: Result<&str, &str>) {
        let parsed = parse(Line { number: 7, text: Ok(text.to_owned()) });
        assert_eq!(parsed.number, 7);
        match (&parsed.input, expected) {
            (Ok(input), Ok(preview)) => {
                assert_eq!(input.messages.len(), 1);
                assert_eq!(parsed.preview, preview);
            }
            (Err(reason), Err(part)) => assert!(reason.contains(part), "{text}: {reason}"),
            (found, _) => panic!("{text}: {found:?}"),
        }
    }

    #[test]
    fn lines_become_messages_or_reasons() {
        check(r#"{"session_id":"s","role":"user","content":"hi"}"#, Ok("user: hi"));
        check("{", Err("not JSON: EOF while parsing an object at column 1"));
        check("[]", Err("not a JSON object"));
        check("3", Err("not a JSON object"));
        check(r#"{"session_id":"s","content":"hi"}"#, Err("missing field `role`"));
        check(r#"{"session_id":"s","role":"user","content":"hi","extra":1}"#, Err("unknown field `extra`"));
        check(r#"{"session_id":1,"role":"user","content":"hi"}"#, Err("invalid type"));
        check(&"[".repeat(100_000), Err("not JSON: recursion limit"));
    }

    #[test]
    fn the_client_id_is_kept_even_of_a_bad_message() {
        let parsed = parse(Line { number: 1, text: Ok(r#"{"id":"m1","role":"user"}"#.to_owned()) });
        assert_eq!(parsed.client_id.as_deref(), Some("m1"));
        assert!(parsed.input.is_err());
    }
}
