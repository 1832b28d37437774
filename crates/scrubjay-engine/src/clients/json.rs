//! Changing JSON settings without touching what is not ours.

use serde::Serialize;
use serde_json::ser::{PrettyFormatter, Serializer};
use serde_json::{Map, Value, json};

use super::plan::{Direction, Hooks};

/// The name of our entry where entries have names.
const NAME: &str = "scrubjay";

type Changed = Result<Option<String>, String>;

/// The text with our hooks in it, or without them.
pub(super) fn hooks(text: Option<&str>, hooks: &Hooks, direction: Direction) -> Changed {
    change(text, |root| {
        let existed = root.contains_key("hooks");
        let section = root.entry("hooks").or_insert_with(|| json!({}));
        let events = section.as_object_mut().ok_or("`hooks` is no object")?;
        for groups in events.values_mut() {
            without_ours(groups);
        }
        events.retain(|_, groups| groups.as_array().is_none_or(|groups| !groups.is_empty()));
        if direction == Direction::Install {
            for (event, handler) in &hooks.by_event {
                let groups = events.entry((*event).to_owned()).or_insert_with(|| json!([]));
                let groups = groups.as_array_mut().ok_or_else(|| format!("`hooks.{event}` is no list"))?;
                groups.push(if hooks.nested { json!({"hooks": [handler]}) } else { handler.clone() });
            }
            if !hooks.nested && !root.contains_key("version") {
                root.insert("version".to_owned(), json!(1));
            }
        } else {
            let empty = events.is_empty();
            if empty && existed {
                root.shift_remove("hooks");
            }
            // A file of hooks without a hook holds only what we put there.
            if !hooks.nested && root.len() == 1 && root.get("version") == Some(&json!(1)) {
                root.shift_remove("version");
            }
        }
        Ok(())
    })
}

/// The text with our server in it, or without it.
pub(super) fn server(text: Option<&str>, section: &str, value: &Value, direction: Direction) -> Changed {
    change(text, |root| {
        if direction == Direction::Install {
            let servers = root.entry(section.to_owned()).or_insert_with(|| json!({}));
            let servers = servers.as_object_mut().ok_or_else(|| format!("`{section}` is no object"))?;
            servers.insert(NAME.to_owned(), value.clone());
        } else if let Some(servers) = root.get_mut(section).and_then(Value::as_object_mut) {
            servers.shift_remove(NAME);
            if servers.is_empty() {
                root.shift_remove(section);
            }
        }
        Ok(())
    })
}

// Takes our handlers out of an event, and groups that then hold none.
fn without_ours(groups: &mut Value) {
    let Some(groups) = groups.as_array_mut() else { return };
    for group in groups.iter_mut() {
        if let Some(handlers) = group.get_mut("hooks").and_then(Value::as_array_mut) {
            handlers.retain(|handler| !is_ours(handler));
        }
    }
    let emptied = |group: &Value| group.get("hooks").and_then(Value::as_array).is_some_and(Vec::is_empty);
    groups.retain(|group| !is_ours(group) && !emptied(group));
}

// A handler that starts a program with the words `hook CLIENT EVENT`, wherever
// the program lies and whatever it is called: nobody else's does.
fn is_ours(handler: &Value) -> bool {
    let command = handler.get("command").and_then(Value::as_str).unwrap_or_default();
    let words: Vec<&str> = match handler.get("args").and_then(Value::as_array) {
        Some(arguments) => arguments.iter().filter_map(Value::as_str).collect(),
        None => command.split_whitespace().skip_while(|word| *word != "hook").collect(),
    };
    match words[..] {
        ["hook", client, event, ..] => super::event(client, event).is_ok(),
        _ => false,
    }
}

// Reads, changes and writes in the file's own style. A file that would be left
// with nothing in it goes.
fn change(text: Option<&str>, work: impl FnOnce(&mut Map<String, Value>) -> Result<(), String>) -> Changed {
    let given = text.unwrap_or_default();
    let mut root: Value = if given.trim().is_empty() {
        json!({})
    } else {
        serde_json::from_str(given).map_err(|error| format!("it is not plain JSON ({error})"))?
    };
    let before = root.clone();
    let fields = root.as_object_mut().ok_or("it is no JSON object")?;
    work(fields)?;
    if root == before {
        return Ok(text.map(str::to_owned));
    }
    if root.as_object().is_some_and(Map::is_empty) && text.is_some() {
        return Ok(None);
    }
    let mut written = Vec::new();
    let indent = indent(given);
    let mut serializer = Serializer::with_formatter(&mut written, PrettyFormatter::with_indent(indent.as_bytes()));
    root.serialize(&mut serializer).map_err(|error| error.to_string())?;
    let mut written = String::from_utf8(written).map_err(|error| error.to_string())?;
    if given.is_empty() || given.ends_with('\n') {
        written.push('\n');
    }
    Ok(Some(written))
}

// What the file indents with: the space before its first indented line.
fn indent(text: &str) -> String {
    let mut lines = text.lines().filter(|line| line.starts_with([' ', '\t']) && !line.trim().is_empty());
    lines.next().map_or_else(|| "  ".to_owned(), |line| line[..line.len() - line.trim_start().len()].to_owned())
}
