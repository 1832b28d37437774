//! Changing JSON settings without touching what is not ours.
//!
//! Many clients read comments and commas after the last entry, so their users write them. What is wanted is worked out
//! on plain values; the text is then changed only where the values differ (`jsonc.rs`), so that comments, order and
//! spaces of everything else stay.

use serde::Serialize;
use serde_json::ser::{PrettyFormatter, Serializer};
use serde_json::{Map, Value, json};

use super::jsonc::Document;
use super::plan::{Direction, Hooks, Shape};

/// The name of our entry where entries have names.
pub(super) const NAME: &str = "scrubjay";

type Changed = Result<Option<String>, String>;

/// The text with our hooks in it, or without them.
pub(super) fn hooks(text: Option<&str>, hooks: &Hooks, direction: Direction) -> Changed {
    change(text, |root| match hooks.shape {
        Shape::Named => named_hooks(root, hooks, direction),
        Shape::Nested | Shape::Flat => listed_hooks(root, hooks, direction),
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

/// Whether a settings file has a hook of ours for an event of a client, whose program is still there.
pub(super) fn has_hook(text: &str, client: &str, event: &str) -> bool {
    let Some(value) = Document::parse(text).ok().and_then(|document| document.value()) else { return false };
    let mut waiting = vec![&value];
    while let Some(value) = waiting.pop() {
        if let Some((program, words)) = words_of(value)
            && matches!(words[..], [_, of, at, ..] if of == client && at.eq_ignore_ascii_case(event))
            && (!program.starts_with('/') || std::path::Path::new(program).exists())
        {
            return true;
        }
        match value {
            Value::Object(fields) => waiting.extend(fields.values()),
            Value::Array(values) => waiting.extend(values),
            _ => {}
        }
    }
    false
}

// Lists of handlers by event, in `hooks`.
fn listed_hooks(root: &mut Map<String, Value>, hooks: &Hooks, direction: Direction) -> Result<(), String> {
    let existed = root.contains_key("hooks");
    let section = root.entry("hooks").or_insert_with(|| json!({}));
    let events = section.as_object_mut().ok_or("`hooks` is no object")?;
    for groups in events.values_mut() {
        without_ours(groups);
    }
    events.retain(|_, groups| groups.as_array().is_none_or(|groups| !groups.is_empty()));
    let is_versioned = hooks.shape == Shape::Flat;
    if direction == Direction::Install {
        for (event, handler) in &hooks.by_event {
            let groups = events.entry((*event).to_owned()).or_insert_with(|| json!([]));
            let groups = groups.as_array_mut().ok_or_else(|| format!("`hooks.{event}` is no list"))?;
            groups.push(if is_versioned { handler.clone() } else { json!({"hooks": [handler]}) });
        }
        if is_versioned && !root.contains_key("version") {
            root.insert("version".to_owned(), json!(1));
        }
    } else {
        if events.is_empty() && existed {
            root.shift_remove("hooks");
        }
        // A file of hooks without a hook holds only what we put there.
        if is_versioned && root.len() == 1 && root.get("version") == Some(&json!(1)) {
            root.shift_remove("version");
        }
    }
    Ok(())
}

// All our handlers under our own name.
fn named_hooks(root: &mut Map<String, Value>, hooks: &Hooks, direction: Direction) -> Result<(), String> {
    if direction == Direction::Uninstall {
        root.shift_remove(NAME);
        return Ok(());
    }
    let listed = |(event, handler): &(&'static str, Value)| ((*event).to_owned(), json!([handler]));
    let ours: Map<String, Value> = hooks.by_event.iter().map(listed).collect();
    root.insert(NAME.to_owned(), Value::Object(ours));
    Ok(())
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

/// Whether a handler starts a program with the words `hook CLIENT EVENT`, wherever
/// the program lies and whatever it is called: nobody else's does.
pub(super) fn is_ours(handler: &Value) -> bool {
    words_of(handler).is_some_and(|(_, words)| super::event(words[1], words[2]).is_ok())
}

// The program of a handler and its words from `hook` on, if there are three at least.
fn words_of(handler: &Value) -> Option<(&str, Vec<&str>)> {
    let command = ["command", "bash"].into_iter().find_map(|field| handler.get(field)?.as_str())?;
    let (program, words): (&str, Vec<&str>) = match handler.get("args").and_then(Value::as_array) {
        Some(arguments) => (command, arguments.iter().filter_map(Value::as_str).collect()),
        None => {
            let program = command.split_whitespace().next().unwrap_or_default();
            (program, command.split_whitespace().skip_while(|word| *word != "hook").collect())
        }
    };
    (words.len() >= 3 && words[0] == "hook").then_some((program, words))
}

// Reads, changes and writes in the file's own style. A file that would be left
// with nothing in it goes.
fn change(text: Option<&str>, work: impl FnOnce(&mut Map<String, Value>) -> Result<(), String>) -> Changed {
    let given = text.unwrap_or_default();
    if given.trim().is_empty() {
        let mut root = Map::new();
        work(&mut root)?;
        return if root.is_empty() { Ok(text.map(str::to_owned)) } else { Ok(Some(pretty(&Value::Object(root))?)) };
    }
    let document = Document::parse(given)?;
    let before = document.value().filter(Value::is_object).ok_or("it is no JSON object")?;
    let mut after = before.clone();
    work(after.as_object_mut().ok_or("it is no JSON object")?)?;
    if after == before {
        return Ok(text.map(str::to_owned));
    }
    if after.as_object().is_some_and(Map::is_empty) && !document.has_comments() {
        return Ok(None);
    }
    document.changed_to(&before, &after).map(Some)
}

fn pretty(value: &Value) -> Result<String, String> {
    let mut written = Vec::new();
    let mut serializer = Serializer::with_formatter(&mut written, PrettyFormatter::with_indent(b"  "));
    value.serialize(&mut serializer).map_err(|error| error.to_string())?;
    written.push(b'\n');
    String::from_utf8(written).map_err(|error| error.to_string())
}
