//! Text that cannot drive a terminal, and hides nothing.

use scrubjay_core::visible::{self, visible};
use serde_json::Value;

/// The text with control characters, and those that hide or reorder what stands
/// around them, as escapes; line breaks and tabs stay.
pub(crate) fn text(text: &str) -> String {
    visible(text).into_owned()
}

/// The same for every text in a JSON value, names of fields included.
pub(crate) fn value(value: &Value) -> Value {
    match value {
        Value::String(string) => Value::String(text(string)),
        Value::Array(values) => Value::Array(values.iter().map(self::value).collect()),
        Value::Object(fields) => {
            Value::Object(fields.iter().map(|(name, inner)| (text(name), self::value(inner))).collect())
        }
        plain => plain.clone(),
    }
}

/// JSON text with the same meaning in which such characters are written as
/// JSON's escapes.
pub(crate) fn escaped_json(json: &str) -> String {
    visible::escaped_json(json).into_owned()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_a_terminal_would_act_on_is_shown_instead() {
        assert_eq!(text("plain ü 漢 👩‍💻\n\ttab"), "plain ü 漢 👩‍💻\n\ttab");
        assert_eq!(text("a\u{1b}[2J\u{202e}b"), "a\\u{1b}[2J\\u{202e}b");
        assert_eq!(value(&json!({"a\u{7}": ["\u{1b}x", 1]})), json!({"a\\u{7}": ["\\u{1b}x", 1]}));
        assert_eq!(escaped_json("\"\u{1b}\u{e0041}\""), "\"\\u001b\\udb40\\udc41\"");
    }
}
