//! YAML front matter: the block between two lines of `---` at the top of a note.
//!
//! Only the subset that notes use is read: `key: value`, quoted values, lists as `[a, b]` or as `- a` lines below the
//! key, and one level of nesting, which is ignored. Keys are matched without regard to case. Whatever else stands
//! there is left alone: the block is text like any other and is found by its words.

use scrubjay_core::time::Timestamp;

/// The longest block, in bytes. A longer one is a document that begins with a rule.
const BLOCK_BYTES: usize = 64 * 1024;
const TAGS: usize = 64;
const VALUE_BYTES: usize = 1024;

/// What the block says.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct FrontMatter {
    /// `title`, or `name`.
    pub title: Option<String>,
    /// `tags`, `tag`, `keywords`.
    pub tags: Vec<String>,
    /// `type`, or `kind`.
    pub kind: Option<String>,
    /// `description`, or `summary`.
    pub description: Option<String>,
    /// `modified`, `updated`, `date`, `created`: the first of these that is a time.
    pub date: Option<Timestamp>,
    /// Where the text after the block begins.
    pub body_start: usize,
}

/// Reads the block, if the text begins with one that is closed.
#[must_use]
pub fn parse(text: &str) -> Option<FrontMatter> {
    let opening = text.split_inclusive('\n').next().filter(|line| line.trim_end() == "---")?;
    let mut at = opening.len();
    let mut inside = Vec::new();
    for line in text[at..].split_inclusive('\n') {
        at += line.len();
        let trimmed = line.trim_end();
        if trimmed == "---" || trimmed == "..." {
            // A rule, some words and another rule are not front matter; a key is needed, or nothing at all.
            let has_key = inside.iter().any(|line: &&str| key_value(line).is_some());
            let is_block = has_key || inside.iter().all(|line| line.is_empty());
            return is_block.then(|| read(&inside, at));
        }
        if at > BLOCK_BYTES {
            return None;
        }
        inside.push(trimmed);
    }
    None
}

/// The text after the block; all of it if there is no block, or nothing after it.
#[must_use]
pub fn body(text: &str) -> &str {
    let body = parse(text).map_or(text, |front| &text[front.body_start..]);
    if body.trim().is_empty() { text } else { body }
}

fn read(lines: &[&str], body_start: usize) -> FrontMatter {
    let mut out = FrontMatter { body_start, ..FrontMatter::default() };
    let mut dates: [Option<Timestamp>; 4] = [None; 4];
    let mut index = 0;
    while index < lines.len() {
        let Some((key, value)) = key_value(lines[index]) else {
            index += 1;
            continue;
        };
        index += 1;
        let below = lines[index..].iter().take_while(|line| line.starts_with([' ', '\t', '-'])).count();
        let below_lines = &lines[index..index + below];
        index += below;
        let key = key.to_ascii_lowercase();
        match key.as_str() {
            "title" => out.title = scalar(value),
            "name" if out.title.is_none() => out.title = scalar(value),
            "type" | "kind" if out.kind.is_none() => out.kind = scalar(value),
            "description" | "summary" if out.description.is_none() => out.description = scalar(value),
            "tags" | "tag" | "keywords" if out.tags.is_empty() => out.tags = list(value, below_lines),
            _ => {}
        }
        if let Some(rank) = ["modified", "updated", "date", "created"].iter().position(|name| *name == key) {
            dates[rank] = scalar(value).and_then(|text| text.parse().ok());
        }
    }
    out.date = dates.into_iter().flatten().next();
    out
}

/// `key: value` at the beginning of a line.
fn key_value(line: &str) -> Option<(&str, &str)> {
    let (key, value) = line.split_once(':')?;
    let is_key = !key.is_empty() && key.chars().all(|sign| sign.is_alphanumeric() || matches!(sign, '_' | '-' | '.'));
    (is_key && !key.starts_with('-') && (value.is_empty() || value.starts_with([' ', '\t']))).then_some((key, value))
}

fn scalar(value: &str) -> Option<String> {
    let value = value.trim();
    let inner = quoted(value).unwrap_or_else(|| value.split(" #").next().unwrap_or("").trim());
    let usable =
        !inner.is_empty() && inner.len() <= VALUE_BYTES && !matches!(inner, "|" | ">" | "|-" | ">-" | "~" | "null");
    usable.then(|| inner.to_owned())
}

fn quoted(value: &str) -> Option<&str> {
    let sign = value.chars().next().filter(|sign| matches!(sign, '"' | '\''))?;
    value[1..].find(sign).map(|end| &value[1..=end])
}

/// `[a, b]`, `a, b`, or `- a` lines.
fn list(value: &str, below: &[&str]) -> Vec<String> {
    let value = value.trim();
    let mut tags: Vec<String> = if value.is_empty() {
        below.iter().filter_map(|line| line.trim().strip_prefix("- ").and_then(scalar)).collect()
    } else {
        let inner = value.trim_start_matches('[').trim_end_matches(']');
        inner.split(',').filter_map(scalar).collect()
    };
    tags.truncate(TAGS);
    tags
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_simple_subset_is_read() {
        let text = "---\ntitle: \"Of: mice\"\nTags: [a, 'b c']\ntype: feedback # kind\ndate: 2026-05-01\nmetadata:\n  type: x\n---\nbody\n";
        let front = parse(text).unwrap();
        assert_eq!(front.title.as_deref(), Some("Of: mice"));
        assert_eq!(front.tags, ["a", "b c"]);
        assert_eq!(front.kind.as_deref(), Some("feedback"));
        assert_eq!(front.date.map(Timestamp::date).as_deref(), Some("2026-05-01"));
        assert_eq!(&text[front.body_start..], "body\n");
    }

    #[test]
    fn a_body_is_what_is_left() {
        for (text, expected) in [
            ("---\na: b\n---\nbody\n", "body\n"),
            ("---\na: b\n---\n\n", "---\na: b\n---\n\n"),
            ("no block\n", "no block\n"),
            ("", ""),
        ] {
            assert_eq!(body(text), expected);
        }
    }

    #[test]
    fn lists_may_stand_below() {
        let front = parse("---\r\ntags:\r\n  - one\r\n  - \"two\"\r\nname: n\r\n---\r\n").unwrap();
        assert_eq!((front.tags, front.title.as_deref()), (vec!["one".to_owned(), "two".to_owned()], Some("n")));
    }

    #[test]
    fn modified_comes_before_created() {
        let front = parse("---\ncreated: 2026-01-01\nmodified: 2026-02-02T10:00:00Z\n---\n").unwrap();
        assert_eq!(front.date.map(Timestamp::date).as_deref(), Some("2026-02-02"));
    }

    #[test]
    fn other_beginnings_are_left_alone() {
        for text in ["", "---", "---\n", "---\nwords only\n---\n", "text\n---\na: b\n---\n", "---\na: b\n"] {
            assert_eq!(parse(text), None, "{text:?}");
        }
    }

    proptest! {
        #[test]
        fn no_text_is_too_strange(body in "(---|:|\\[|\\]|'|\"|- |#|\n|\r|\\PC){0,80}") {
            let text = format!("---\n{body}\n---\nrest");
            if let Some(front) = parse(&text) {
                prop_assert!(text.is_char_boundary(front.body_start));
                prop_assert!(text[..front.body_start].trim_end().ends_with("---") || text[..front.body_start].trim_end().ends_with("..."));
            }
        }
    }
}
