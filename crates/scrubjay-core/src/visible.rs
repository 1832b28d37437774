//! Characters that cannot be seen, or that change how others are seen, written
//! so that a reader sees them.
//!
//! A control character can drive a terminal, a bidirectional override can show a
//! text in another order than it is read in, and a tag character can carry a
//! message that only a model reads. Whatever is shown to a person or handed to an
//! agent passes [`visible`]; what is stored stays as it was.

use std::borrow::Cow;
use std::fmt::Write;

/// The black flag, which begins the flags of England, Scotland and Wales.
const FLAG: char = '\u{1f3f4}';

/// What follows [`FLAG`] in those, in tag characters: the only use of these that
/// shows something.
const REGIONS: [&str; 3] = ["gbeng", "gbsct", "gbwls"];

/// The text with every such character as an escape, `\u{202e}`. Line ends, tabs,
/// joiners and the flags of regions stay.
#[must_use]
pub fn visible(text: &str) -> Cow<'_, str> {
    escaped(text, |shown, character| {
        // Writing to a string cannot fail.
        let _ = write!(shown, "\\u{{{:x}}}", u32::from(character));
    })
}

/// JSON text of the same meaning, with every such character as the escape that
/// JSON has for it. They can only stand inside strings, where an escape is the
/// same.
#[must_use]
pub fn escaped_json(json: &str) -> Cow<'_, str> {
    escaped(json, |shown, character| {
        for unit in character.encode_utf16(&mut [0; 2]) {
            let _ = write!(shown, "\\u{unit:04x}");
        }
    })
}

/// Whether a character is shown as an escape, wherever it stands but in a flag.
#[must_use]
pub fn is_unseen(character: char) -> bool {
    match character {
        '\n' | '\t' => false,
        // Marks and overrides of direction.
        '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{206f}' => true,
        // Spaces without width, invisible signs, separators of lines and paragraphs.
        '\u{200b}' | '\u{2060}'..='\u{2064}' | '\u{feff}' | '\u{2028}' | '\u{2029}' => true,
        '\u{fff9}'..='\u{fffb}' => true,
        // Tags, and selectors of variants that no font has.
        '\u{e0000}'..='\u{e007f}' | '\u{e0100}'..='\u{e01ef}' => true,
        other => other.is_control(),
    }
}

fn escaped(text: &str, mut escape: impl FnMut(&mut String, char)) -> Cow<'_, str> {
    let Some(first) = text.find(is_unseen) else { return Cow::Borrowed(text) };
    // A flag begins before the first tag in it.
    let start = text[..first].strip_suffix(FLAG).map_or(first, str::len);
    let mut shown = String::with_capacity(text.len() + 32);
    shown.push_str(&text[..start]);
    let mut rest = &text[start..];
    while let Some(character) = rest.chars().next() {
        let length = flag_bytes(rest).unwrap_or(0);
        if length > 0 {
            shown.push_str(&rest[..length]);
        } else if is_unseen(character) && !rest.starts_with("\r\n") {
            escape(&mut shown, character);
        } else if character != '\r' {
            shown.push(character);
        }
        rest = &rest[length.max(character.len_utf8())..];
    }
    Cow::Owned(shown)
}

// The length of the flag of a region, if the text begins with one.
fn flag_bytes(text: &str) -> Option<usize> {
    let tags = text.strip_prefix(FLAG)?;
    let region: String = tags.chars().map_while(tagged).take(8).collect();
    let end = region.find('\u{7f}')?;
    REGIONS.contains(&&region[..end]).then_some(FLAG.len_utf8() + (end + 1) * '\u{e0001}'.len_utf8())
}

// The character that a tag stands for.
fn tagged(tag: char) -> Option<char> {
    let code = u32::from(tag).checked_sub(0xe0000).filter(|code| *code < 0x80)?;
    char::from_u32(code)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::{Value, json};

    use super::*;

    #[test]
    fn what_cannot_be_seen_is_written_out() {
        for (text, shown) in [
            ("plain ü 漢 👩‍💻 ❤️\n\ttab", "plain ü 漢 👩‍💻 ❤️\n\ttab"),
            ("a\u{1b}[2J\u{9b}\u{7f}\0", "a\\u{1b}[2J\\u{9b}\\u{7f}\\u{0}"),
            ("pay \u{202e}eert\u{2066}", "pay \\u{202e}eert\\u{2066}"),
            ("hi\u{e0068}\u{e0069}", "hi\\u{e0068}\\u{e0069}"),
            ("one\r\ntwo\rthree", "one\ntwo\\u{d}three"),
            ("zero\u{200b}width\u{feff}", "zero\\u{200b}width\\u{feff}"),
        ] {
            assert_eq!(visible(text), shown, "{text:?}");
        }
    }

    #[test]
    fn flags_stay_and_hide_nothing() {
        let tags = |text: &str| -> String {
            text.chars().filter_map(|character| char::from_u32(u32::from(character) + 0xe0000)).collect()
        };
        let wales = format!("{FLAG}{}", tags("gbwls\u{7f}"));
        assert_eq!(visible(&format!("from {wales}!")), format!("from {wales}!"));
        assert!(visible(&format!("{FLAG}{}", tags("obey\u{7f}"))).contains("\\u{e006f}"));
        assert!(visible(&format!("{wales}{}", tags("x"))).ends_with("\\u{e0078}"));
    }

    proptest! {
        #[test]
        fn nothing_unseen_is_left_and_the_rest_stays(text in any::<String>()) {
            let text = text.replace(FLAG, "");
            let shown = visible(&text);
            prop_assert!(!shown.chars().any(is_unseen));
            let seen = |text: &str| text.chars().filter(|c| !is_unseen(*c)).collect::<String>();
            if !text.contains('\\') {
                let plain = regex::Regex::new(r"\\u\{[0-9a-f]+\}").unwrap();
                prop_assert_eq!(plain.replace_all(&shown, "").into_owned(), seen(&text));
            }
        }

        #[test]
        fn escaped_json_means_the_same(content in any::<String>()) {
            let line = json!({"content": content}).to_string();
            let escaped = escaped_json(&line);
            prop_assert!(!escaped.replace(FLAG, "").chars().any(is_unseen));
            let read = |text: &str| serde_json::from_str::<Value>(text).unwrap();
            prop_assert_eq!(read(&escaped), read(&line));
        }
    }
}
