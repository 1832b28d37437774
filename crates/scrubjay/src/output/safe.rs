//! Text that cannot drive a terminal.

use serde_json::Value;

/// The text without control characters, except line breaks and tabs, and
/// without characters that reorder what stands around them.
pub(crate) fn text(text: &str) -> String {
    text.chars().filter(|character| !is_harmful(*character)).collect()
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
/// escapes. They can only stand inside strings, where an escape is the same.
pub(crate) fn escaped_json(json: &str) -> String {
    let mut escaped = String::with_capacity(json.len());
    for character in json.chars() {
        if is_harmful(character) {
            // All of them are in the basic plane, so four digits are enough.
            escaped.push_str(&format!("\\u{:04x}", u32::from(character)));
        } else {
            escaped.push(character);
        }
    }
    escaped
}

fn is_harmful(character: char) -> bool {
    let reorders =
        matches!(character, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    let breaks_lines = matches!(character, '\u{2028}' | '\u{2029}');
    reorders || breaks_lines || (character.is_control() && character != '\n' && character != '\t')
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    #[test]
    fn escapes_and_overrides_go_and_the_rest_stays() {
        assert_eq!(text("plain ü 漢 👩‍💻\n\ttab"), "plain ü 漢 👩‍💻\n\ttab");
        assert_eq!(text("a\u{1b}[2J\u{9b}31m\u{7f}\r\0\u{202e}b\u{2066}"), "a[2J31mb");
        assert_eq!(value(&json!({"a\u{7}": ["\u{1b}x", 1]})), json!({"a": ["x", 1]}));
    }

    proptest! {
        #[test]
        fn escaped_json_means_the_same(content in any::<String>()) {
            let line = json!({"content": content}).to_string();
            let escaped = escaped_json(&line);
            prop_assert!(!escaped.chars().any(is_harmful));
            prop_assert_eq!(serde_json::from_str::<Value>(&escaped).unwrap(), serde_json::from_str::<Value>(&line).unwrap());
        }
    }
}
