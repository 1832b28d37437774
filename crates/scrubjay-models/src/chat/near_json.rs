//! Reading what a model means as JSON, though it is not quite.
//!
//! Models put fences and prose around their JSON, use single or curly quotes, leave commas behind the last element,
//! write line breaks inside strings, Python's `None`, or comments. All of that can be read without guessing. What is
//! not done: closing what is open at the end, because an answer that was cut off must not pass for a whole one.

use serde_json::{Map, Number, Value};

/// Brackets that are tried as the beginning of the answer.
const BEGINNINGS: usize = 16;

/// Deeper nesting is no answer to anything we ask.
const DEEPEST: usize = 64;

/// The JSON value in a text, if there is a whole one.
///
/// Text that is JSON already is read as such. Otherwise the first object or array that can be read is taken, inside a
/// fence or between sentences.
#[must_use]
pub fn near_json(text: &str) -> Option<Value> {
    let trimmed = text.trim().trim_start_matches('\u{feff}');
    if let Ok(value) = serde_json::from_str(trimmed) {
        return Some(value);
    }
    let starts = trimmed.char_indices().filter(|(_, character)| matches!(character, '{' | '['));
    for (at, _) in starts.take(BEGINNINGS) {
        let mut reader = Reader { rest: &trimmed[at..] };
        match reader.value(DEEPEST) {
            Some(value) => return Some(value),
            // Cut off: what is inside of it is not what was meant.
            None if reader.rest.is_empty() => return None,
            // A bracket in the prose before the answer begins nothing that can be read; the next one may.
            None => {}
        }
    }
    None
}

struct Reader<'text> {
    rest: &'text str,
}

impl Reader<'_> {
    fn value(&mut self, depth: usize) -> Option<Value> {
        let depth = depth.checked_sub(1)?;
        self.skip_space()?;
        match self.peek()? {
            '{' => self.object(depth),
            '[' => self.array(depth),
            '"' | '\'' | '“' | '‘' | '`' => self.string().map(Value::String),
            _ => self.bare(),
        }
    }

    fn object(&mut self, depth: usize) -> Option<Value> {
        self.take('{');
        let mut map = Map::new();
        loop {
            self.skip_space()?;
            if self.take('}') {
                return Some(Value::Object(map));
            }
            let key = match self.peek()? {
                '"' | '\'' | '“' | '‘' | '`' => self.string()?,
                _ => self.word(|character| character.is_alphanumeric() || matches!(character, '_' | '-' | '$'))?,
            };
            self.skip_space()?;
            if !self.take(':') {
                return None;
            }
            map.insert(key, self.value(depth)?);
            self.separator('}')?;
        }
    }

    fn array(&mut self, depth: usize) -> Option<Value> {
        self.take('[');
        let mut items = Vec::new();
        loop {
            self.skip_space()?;
            if self.take(']') {
                return Some(Value::Array(items));
            }
            items.push(self.value(depth)?);
            self.separator(']')?;
        }
    }

    // A comma, or the end; a model that begins a new line may forget the comma.
    fn separator(&mut self, end: char) -> Option<()> {
        let before = self.rest;
        self.skip_space()?;
        let new_line = before[..before.len() - self.rest.len()].contains('\n');
        (self.take(',') || self.peek()? == end || new_line).then_some(())
    }

    fn string(&mut self) -> Option<String> {
        let quote = self.next()?;
        let end = match quote {
            '“' => '”',
            '‘' => '’',
            other => other,
        };
        let mut text = String::new();
        loop {
            match self.next()? {
                '\\' => match self.next()? {
                    'n' => text.push('\n'),
                    't' => text.push('\t'),
                    'r' => text.push('\r'),
                    'b' => text.push('\u{8}'),
                    'f' => text.push('\u{c}'),
                    'u' => text.push(self.escape()?),
                    '\n' => {}
                    other => text.push(other),
                },
                character if character == end => return Some(text),
                character => text.push(character),
            }
        }
    }

    fn escape(&mut self) -> Option<char> {
        let first = self.four_digits()?;
        if !(0xD800..0xDC00).contains(&first) {
            return char::from_u32(first).or(Some('\u{fffd}'));
        }
        // The second half of a pair, if it is there.
        let after = self.rest;
        if let Some(rest) = after.strip_prefix("\\u") {
            self.rest = rest;
            let second = self.four_digits()?;
            if (0xDC00..0xE000).contains(&second) {
                return char::from_u32(0x10000 + ((first - 0xD800) << 10) + (second - 0xDC00));
            }
            self.rest = after;
        }
        Some('\u{fffd}')
    }

    fn four_digits(&mut self) -> Option<u32> {
        let Some((digits, rest)) = self.rest.split_at_checked(4) else { return self.end() };
        self.rest = rest;
        u32::from_str_radix(digits, 16).ok()
    }

    fn bare(&mut self) -> Option<Value> {
        let word = self.word(|character| character.is_alphanumeric() || matches!(character, '+' | '-' | '.' | '_'))?;
        match word.as_str() {
            "true" | "True" | "TRUE" => return Some(Value::Bool(true)),
            "false" | "False" | "FALSE" => return Some(Value::Bool(false)),
            "null" | "None" | "NULL" | "undefined" => return Some(Value::Null),
            _ => {}
        }
        let digits = word.trim_start_matches('+');
        if let Ok(integer) = digits.parse::<i64>() {
            return Some(Value::Number(integer.into()));
        }
        // Infinity and NaN parse as numbers in Rust and are none in JSON.
        Number::from_f64(digits.parse::<f64>().ok()?).map(Value::Number)
    }

    fn word(&mut self, belongs: impl Fn(char) -> bool) -> Option<String> {
        let Some(end) = self.rest.find(|character| !belongs(character)) else { return self.end() };
        let (word, rest) = self.rest.split_at(end);
        self.rest = rest;
        (!word.is_empty()).then(|| word.to_owned())
    }

    // None at the end of the text: whoever skips space expects something after it.
    fn skip_space(&mut self) -> Option<()> {
        loop {
            self.rest = self.rest.trim_start();
            if let Some(comment) = self.rest.strip_prefix("//") {
                let Some(end) = comment.find('\n') else { return self.end() };
                self.rest = &comment[end..];
            } else if let Some(comment) = self.rest.strip_prefix("/*") {
                let Some(end) = comment.find("*/") else { return self.end() };
                self.rest = &comment[end + 2..];
            } else {
                return (!self.rest.is_empty()).then_some(());
            }
        }
    }

    // The text ends inside of something.
    fn end<Part>(&mut self) -> Option<Part> {
        self.rest = "";
        None
    }

    fn peek(&self) -> Option<char> {
        self.rest.chars().next()
    }

    fn next(&mut self) -> Option<char> {
        let character = self.peek()?;
        self.rest = &self.rest[character.len_utf8()..];
        Some(character)
    }

    fn take(&mut self, wanted: char) -> bool {
        match self.rest.strip_prefix(wanted) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    #[test]
    fn what_is_meant_is_read() {
        for (text, expected) in [
            (r#"{"a": 1}"#, json!({"a": 1})),
            ("\u{feff} [1, 2]", json!([1, 2])),
            ("```json\n{\"a\": [1, 2,],}\n```", json!({"a": [1, 2]})),
            ("Sure! Here it is:\n{'a': 'it\\'s', b: True}\nAnything else?", json!({"a": "it's", "b": true})),
            ("I looked [briefly, at it]. {\"a\": null}", json!({"a": null})),
            ("{\"a\": \"two\nlines\"}", json!({"a": "two\nlines"})),
            ("{“a”: ‘b’}", json!({"a": "b"})),
            ("{\"a\": 1 // one\n, /* two */ \"b\": None}", json!({"a": 1, "b": null})),
            ("{\"a\": 1\n \"b\": 2}", json!({"a": 1, "b": 2})),
            (r#"x {"a": "\ud83d\ude00\ud83d\u00e9"}"#, json!({"a": "😀\u{fffd}é"})),
            ("x {\"a\": +1.5e3, \"b\": -2}", json!({"a": 1500.0, "b": -2})),
        ] {
            assert_eq!(near_json(text), Some(expected), "{text}");
        }
    }

    #[test]
    fn what_is_cut_off_or_no_json_is_not() {
        for text in ["", "no", "{\"a\": [1, 2", "{\"a\": \"b", "{\"a\"", "{\"a\": NaN}", "{\"a\" 1}", "[1 2]", "{"] {
            assert_eq!(near_json(text), None, "{text}");
        }
        assert_eq!(near_json(&"[".repeat(100_000)), None);
    }

    proptest! {
        #[test]
        fn json_reads_as_itself(text in any::<String>(), number in any::<i32>()) {
            let value = json!({"text": text, "list": [number, null, true, {"deep": {}}]});
            prop_assert_eq!(near_json(&value.to_string()), Some(value.clone()));
            prop_assert_eq!(near_json(&format!("Here:\n```json\n{value:#}\n```\nDone.")), Some(value));
        }

        #[test]
        fn nothing_panics(text in any::<String>()) {
            let _ = near_json(&text);
        }

        #[test]
        fn a_part_is_never_the_whole(keep in 1_usize..40) {
            let whole = r#"{"facts": ["one", "two"], "keep": true}"#;
            prop_assume!(keep < whole.len());
            prop_assert_eq!(near_json(&whole[..keep]), None);
        }
    }
}
