//! From what was given on the command line to an operation's input.

use std::fs::File;
use std::io::Read;

use clap::ArgMatches;
use serde_json::{Map, Value};

use super::field::{Field, Position, Shape};
use crate::command::lines::Lines;
use crate::console::Console;
use crate::failure::Failure;

/// The longest line of a file or JSON value, and the largest file of lines.
const LINE_BYTES: usize = 16 << 20;
const FILE_BYTES: u64 = 256 << 20;

/// The input that the arguments amount to. What was not given is left out, so
/// that the operation's own defaults hold. A text that may come from standard
/// input is read from there when it is missing, or given as `-`.
pub(crate) fn collect(
    fields: &[Field],
    matches: &ArgMatches,
    console: &mut Console,
) -> Result<Map<String, Value>, Failure> {
    let mut input = Map::new();
    for field in fields.iter().filter(|field| !field.hints.hide) {
        if field.shape == Shape::Flag && field.hints.position.is_none() {
            if matches.get_flag(&field.name) {
                input.insert(field.name.clone(), Value::Bool(true));
            }
            continue;
        }
        let given: Vec<Value> = matches.get_many(&field.name).into_iter().flatten().cloned().collect();
        let value = match (&field.shape, field.hints.position) {
            (_, Some(Position::Rest)) if given.is_empty() && is_replaced(field, matches) => None,
            (_, Some(Position::Rest)) => text(field, &given, console)?,
            _ if given.is_empty() => None,
            (Shape::Map, _) => Some(Value::Object(given.iter().filter_map(pair).collect())),
            (Shape::List(_), _) => Some(Value::Array(given)),
            (Shape::Lines, _) => {
                let path = given.last().and_then(Value::as_str).unwrap_or_default();
                Some(Value::Array(lines(path, console)?))
            }
            (Shape::File, _) => {
                let path = given.last().and_then(Value::as_str).unwrap_or_default();
                Some(json_file(path, console)?)
            }
            _ => given.into_iter().next_back(),
        };
        let value = if field.hints.path { value.map(in_full) } else { value };
        if let Some(value) = value {
            input.insert(field.name.clone(), value);
        }
    }
    Ok(input)
}

fn text(field: &Field, words: &[Value], console: &mut Console) -> Result<Option<Value>, Failure> {
    let words: Vec<&str> = words.iter().filter_map(Value::as_str).collect();
    let from_input = field.hints.stdin && (words.is_empty() || words == ["-"]);
    if !from_input {
        return Ok((!words.is_empty()).then(|| Value::String(words.join(" "))));
    }
    if words.is_empty() && console.facts.input_is_terminal {
        let name = field.hints.value.as_deref().unwrap_or(&field.name);
        return Err(Failure::invalid(format!("{name} is missing; write it after the command, or pipe it in")));
    }
    let mut text = console.read_text()?;
    // The line break is the pipe's, not the writer's.
    if text.ends_with('\n') {
        text.pop();
    }
    Ok(Some(Value::String(text)))
}

// Whether a text may be missing because what takes its place was given.
fn is_replaced(field: &Field, matches: &ArgMatches) -> bool {
    field.hints.unless.as_ref().is_some_and(|other| matches.try_contains_id(other).unwrap_or(false))
}

// A file to read; `-` is standard input.
fn open(path: &str, console: &mut Console) -> Result<Box<dyn Read + Send>, Failure> {
    if path == "-" {
        return Ok(console.take_input());
    }
    let failed = |error| Failure::io(&format!("read {path}"), error);
    let file = File::open(path).map_err(failed)?;
    if file.metadata().map_err(failed)?.is_dir() {
        return Err(Failure::invalid(format!("{path} is a folder; name a file in it")));
    }
    Ok(Box::new(file))
}

// A file that is one JSON value.
fn json_file(path: &str, console: &mut Console) -> Result<Value, Failure> {
    let mut bytes = Vec::new();
    let mut reader = open(path, console)?.take(LINE_BYTES as u64 + 1);
    reader.read_to_end(&mut bytes).map_err(|error| Failure::io(&format!("read {path}"), error))?;
    if bytes.len() > LINE_BYTES {
        return Err(Failure::invalid(format!("{path} has more than {} MiB", LINE_BYTES >> 20)));
    }
    serde_json::from_slice(&bytes).map_err(|error| Failure::invalid(format!("{path}: not JSON: {error}")))
}

// A file with a JSON value in each line.
fn lines(path: &str, console: &mut Console) -> Result<Vec<Value>, Failure> {
    let mut lines = Lines::new(open(path, console)?, LINE_BYTES);
    let mut values = Vec::new();
    while let Some(line) = lines.next().map_err(|error| Failure::io(&format!("read {path}"), error))? {
        let parsed =
            line.text.and_then(|text| serde_json::from_str(&text).map_err(|error| format!("not JSON: {error}")));
        values.push(parsed.map_err(|why| Failure::invalid(format!("{path}, line {}: {why}", line.number)))?);
        if lines.read_bytes() > FILE_BYTES {
            return Err(Failure::invalid(format!(
                "{path} has more than {} MiB; send the last messages only",
                FILE_BYTES >> 20
            )));
        }
    }
    Ok(values)
}

// A file that is there, with all of its path; anything else as it was given. As answers show it, a line may follow.
fn in_full(value: Value) -> Value {
    let Some(text) = value.as_str() else { return value };
    let without_line = text.rsplit_once(':').filter(|(_, line)| line.parse::<u32>().is_ok()).map(|(path, _)| path);
    let found = [Some(text), without_line].into_iter().flatten().find_map(|path| std::fs::canonicalize(path).ok());
    found.map_or(value, |path| Value::String(path.display().to_string()))
}

fn pair(value: &Value) -> Option<(String, Value)> {
    match value.as_array()?.as_slice() {
        [Value::String(name), value] => Some((name.clone(), value.clone())),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use std::io;

    use clap::Command;
    use serde_json::json;

    use super::*;
    use crate::console::Facts;
    use crate::derive::{argument, fields};

    fn parse(words: &[&str], stdin: Option<&'static str>) -> Result<Value, String> {
        let schema = json!({
            "properties": {
                "text": {"type": "string", "x-cli": {"positional": "rest", "value": "TEXT", "stdin": true, "unless": "vector"}},
                "flag": {"type": "boolean"},
                "switch": {"type": ["boolean", "null"]},
                "tags": {"type": "array", "items": {"type": "string"}, "x-cli": {"long": "tag", "short": "t"}},
                "limit_n": {"type": ["integer", "null"], "minimum": 0},
                "score": {"type": "number"},
                "attributes": {"type": "object", "additionalProperties": true},
                "where": {"x-cli": {"json": true}},
                "kind": {"type": "string", "enum": ["a", "b"]},
                "order": {"type": "string"},
                "secret": {"type": "string", "x-cli": {"hide": true}},
                "messages": {"type": "array", "x-cli": {"lines": true}},
                "vector": {"type": ["array", "null"], "x-cli": {"file": true}},
            },
        });
        let fields = fields(&schema);
        let command = Command::new("x").args(fields.iter().filter_map(argument));
        let matches = command.try_get_matches_from(words).map_err(|error| error.kind().to_string())?;
        let facts = Facts {
            input_is_terminal: stdin.is_none(),
            output_is_terminal: false,
            messages_are_terminal: false,
            columns: 80,
        };
        let input: Option<Box<dyn io::Read + Send>> = stdin.map(|text| Box::new(text.as_bytes()) as _);
        let mut console = Console::new(io::sink(), io::sink(), input, facts);
        collect(&fields, &matches, &mut console).map(Value::Object).map_err(|failure| failure.message())
    }

    #[test]
    fn arguments_become_input() {
        for (words, expected) in [
            (vec!["x", "two", "words"], json!({"text": "two words"})),
            (vec!["x", "a", "--tag", "t", "-t", "u", "b"], json!({"text": "a b", "tags": ["t", "u"]})),
            (
                vec!["x", "a", "--flag", "--limit-n", "3", "--score", "-0.5"],
                json!({"text": "a", "flag": true, "limit_n": 3, "score": -0.5}),
            ),
            (
                vec!["x", "a", "--attributes", "n=1", "--attributes", "m=b"],
                json!({"text": "a", "attributes": {"n": 1, "m": "b"}}),
            ),
            (vec!["x", "a", "--where", "{\"a\":[1]}"], json!({"text": "a", "where": {"a": [1]}})),
            (vec!["x", "a", "--kind", "b", "--order", "-time"], json!({"text": "a", "kind": "b", "order": "-time"})),
            (vec!["x", "a", "--switch=false"], json!({"text": "a", "switch": false})),
            (vec!["x", "a", "--switch"], json!({"text": "a", "switch": true})),
            (vec!["x", "--", "-a", "--flag"], json!({"text": "-a --flag"})),
        ] {
            assert_eq!(parse(&words, None).unwrap(), expected, "{words:?}");
        }
    }

    #[test]
    fn text_can_come_from_standard_input() {
        assert_eq!(parse(&["x"], Some("piped\n")).unwrap(), json!({"text": "piped"}));
        assert_eq!(parse(&["x", "-"], Some("piped\n\n")).unwrap(), json!({"text": "piped\n"}));
        assert_eq!(parse(&["x", "given"], Some("piped")).unwrap(), json!({"text": "given"}));
        assert!(parse(&["x"], None).unwrap_err().contains("TEXT is missing"));
        let two = parse(&["x", "a", "--messages", "-"], Some("{\"a\":1}\n\n[2]\n")).unwrap();
        assert_eq!(two, json!({"text": "a", "messages": [{"a": 1}, [2]]}));
        assert!(parse(&["x", "a", "--messages", "-"], Some("[1]\n{\n")).unwrap_err().contains("line 2"));
        assert!(parse(&["x", "a", "--messages", "/no/such/file"], Some("")).is_err());
    }

    #[test]
    fn a_json_value_can_come_from_a_file_and_stand_in_for_the_text() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("vector.json");
        std::fs::write(&file, "[0.5,\n -1]\n").unwrap();
        let file = file.to_str().unwrap();
        // No text, and standard input is neither asked for nor read for it.
        assert_eq!(parse(&["x", "--vector", file], None).unwrap(), json!({"vector": [0.5, -1]}));
        assert_eq!(parse(&["x", "--vector", "-"], Some("[1, 2]\n")).unwrap(), json!({"vector": [1, 2]}));
        let both = parse(&["x", "a", "--vector", "-"], Some("[1]")).unwrap();
        assert_eq!(both, json!({"text": "a", "vector": [1]}));
        assert!(parse(&["x", "--vector", "-"], Some("")).unwrap_err().contains("not JSON"));
        assert!(parse(&["x", "--vector", "/no/such/file"], None).is_err());
        assert!(parse(&["x", "--vector", folder.path().to_str().unwrap()], None).unwrap_err().contains("folder"));
    }

    #[test]
    fn what_makes_no_sense_is_refused() {
        for words in [
            vec!["x", "a", "--limit-n", "-1"],
            vec!["x", "a", "--limit-n", "many"],
            vec!["x", "a", "--score", "x"],
            vec!["x", "a", "--where", "{"],
            vec!["x", "a", "--kind", "c"],
            vec!["x", "a", "--attributes", "n"],
            vec!["x", "a", "--secret", "s"],
            vec!["x", "a", "--order", "--flag"],
            vec!["x", "a", "--order", "-t"],
        ] {
            assert!(parse(&words, None).is_err(), "{words:?}");
        }
    }
}
