//! Settings files: chunks of top-level blocks, with their keys as context.
//!
//! No parser is used: a line scanner finds where top-level keys begin, which also works on a file that is broken or
//! a template. Should it be fooled, a chunk has a poorer context and nothing is lost.

use super::lines::Lines;
use super::segment::{Role, Segment, push_segments, shorten};
use super::{Chunk, Limits};
use crate::source::kind::ConfigFormat;

const KEY_BYTES: usize = 80;

/// The chunks of a settings file. Neighbouring short blocks share a chunk.
#[must_use]
pub fn chunk(format: ConfigFormat, text: &str, limits: &Limits) -> Vec<Chunk> {
    let lines = Lines::new(text);
    let mut blocks = match format {
        ConfigFormat::Toml => by_line(&lines, toml_table),
        ConfigFormat::Yaml => by_line(&lines, yaml_key),
        ConfigFormat::Json => json_keys(&lines),
        ConfigFormat::Other => by_line(&lines, ini_section),
    };
    take_comments(&lines, &mut blocks);
    let segments = blocks
        .into_iter()
        .map(|(first_line, label)| Segment {
            first_line,
            parent: String::new(),
            label,
            signature: String::new(),
            role: Role::Loose,
        })
        .collect();
    let mut out = Vec::new();
    push_segments(&lines, segments, limits, &mut out);
    out
}

fn by_line(lines: &Lines<'_>, key: impl Fn(&str) -> Option<&str>) -> Vec<(usize, String)> {
    (0..lines.len()).filter_map(|index| key(lines.line(index)).map(|key| (index, shorten(key, KEY_BYTES)))).collect()
}

/// `[table]` and `[[array.of.tables]]` at the beginning of a line.
fn toml_table(line: &str) -> Option<&str> {
    let line = line.split(" #").next()?.trim_end();
    (line.starts_with('[') && line.ends_with(']') && !line.contains([',', '"'])).then_some(line)
}

/// `[section]`.
fn ini_section(line: &str) -> Option<&str> {
    let line = line.trim_end();
    (line.starts_with('[') && line.ends_with(']') && line.len() > 2).then_some(line)
}

/// `key:` at the beginning of a line.
fn yaml_key(line: &str) -> Option<&str> {
    if line.starts_with([' ', '\t', '#', '-', '\r', '\n', '}', ']', '|']) {
        return None;
    }
    let at = line.find(':')?;
    let ends_the_key = line[at + 1..].chars().next().is_none_or(char::is_whitespace);
    ends_the_key.then(|| line[..at].trim().trim_matches(['"', '\'']))
}

/// The keys of the outermost object (or the elements of the outermost array) that begin a line.
fn json_keys(lines: &Lines<'_>) -> Vec<(usize, String)> {
    let mut keys = Vec::new();
    let (mut depth, mut in_string, mut escaped) = (0_usize, false, false);
    for index in 0..lines.len() {
        let line = lines.line(index);
        let start = line.trim_start();
        if depth == 1 && !in_string && !start.is_empty() && !start.starts_with([']', '}', ',']) {
            keys.push((index, json_label(start)));
        }
        for byte in line.bytes() {
            match byte {
                _ if escaped => escaped = false,
                b'\\' if in_string => escaped = true,
                b'"' => in_string = !in_string,
                // A string never holds a line end; one that seems to is a fault of the file, forgotten here.
                b'\n' => in_string = false,
                _ if in_string => {}
                b'{' | b'[' => depth += 1,
                b'}' | b']' => depth = depth.saturating_sub(1),
                _ => {}
            }
        }
    }
    keys
}

fn json_label(start: &str) -> String {
    let key = start.strip_prefix('"').and_then(|rest| rest.split_once('"'));
    let key = key.filter(|(_, rest)| rest.trim_start().starts_with(':')).map_or("", |(key, _)| key);
    shorten(key, KEY_BYTES)
}

/// Comments right above a block belong to it.
fn take_comments(lines: &Lines<'_>, blocks: &mut [(usize, String)]) {
    let mut floor = 0;
    for (first_line, _) in blocks {
        let at = *first_line;
        while *first_line > floor && lines.line(*first_line - 1).starts_with('#') {
            *first_line -= 1;
        }
        floor = at + 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(format: ConfigFormat, text: &str, expected: &[(&str, u32, u32)]) {
        let chunks = chunk(format, text, &Limits::new(26, 0));
        let found: Vec<_> = chunks.iter().map(|c| (c.context.as_str(), c.start_line, c.end_line)).collect();
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn toml_tables() {
        check(
            ConfigFormat::Toml,
            "name = \"scrubjay with a long name of many words\"\n\n# What it needs.\n[dependencies]\nserde = { version = \"1\", features = [] }\n[[bin]]\nname = \"the first binary of two binaries\"\n",
            &[("", 1, 2), ("[dependencies]", 3, 5), ("[[bin]]", 6, 7)],
        );
        check(ConfigFormat::Toml, "[a]\nx = 1\n[b]\n", &[("[a], [b]", 1, 3)]);
    }

    #[test]
    fn yaml_keys() {
        check(
            ConfigFormat::Yaml,
            "services:\n  web:\n    image: nginx:latest\n    ports: [80, 443]\nvolumes:\n  - data: /var/lib/some/where/else\n",
            &[("services", 1, 4), ("volumes", 5, 6)],
        );
    }

    #[test]
    fn json_top_level_keys() {
        check(
            ConfigFormat::Json,
            "{\n  \"scripts\": {\n    \"build\": \"tsc --project . {[\"\n  },\n  \"dependencies\": {\n    \"left\": \"^1.0.0\"\n  }\n}\n",
            &[("scripts", 1, 4), ("dependencies", 5, 8)],
        );
    }
}
