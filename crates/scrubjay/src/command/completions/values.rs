//! Values of an argument that are known when they are needed.

use clap::Arg;
use scrubjay_core::abbreviation::{IdKind, short};
use scrubjay_engine::ops::{REGISTRY, find, kinds_of};
use serde_json::{Value, json};

use super::candidates::{Candidate, FILES};
use crate::globals::Globals;
use crate::invocation::{Invocation, block_on};

/// How many are offered at most.
const AT_MOST: usize = 50;

/// Which argument of which command is to be completed.
pub(super) struct Asked<'a> {
    /// The words of the command.
    pub(super) path: Vec<&'a str>,
    /// The argument.
    pub(super) argument: &'a Arg,
    /// All words before it.
    pub(super) before: &'a [String],
}

/// The values that begin with what was typed.
pub(super) fn values(invocation: &mut Invocation<'_>, asked: &Asked<'_>, typed: &str) -> Vec<Candidate> {
    let possible = asked.argument.get_possible_values();
    let found = if possible.is_empty() {
        known(invocation, asked)
    } else {
        possible.iter().map(|value| (value.get_name().to_owned(), help(value))).collect()
    };
    let fits = |(value, _): &Candidate| value == FILES || value.starts_with(typed);
    found.into_iter().filter(fits).take(AT_MOST).collect()
}

fn help(value: &clap::builder::PossibleValue) -> String {
    value.get_help().map(ToString::to_string).unwrap_or_default()
}

fn known(invocation: &mut Invocation<'_>, asked: &Asked<'_>) -> Vec<Candidate> {
    let id = asked.argument.get_id().as_str();
    // Where the flags of the line itself point.
    invocation.globals = given_globals(asked.before, &invocation.globals);
    match id {
        "global-project" => return projects(invocation),
        "global-home" => return files(),
        "global-set" => {
            return settings(invocation).into_iter().map(|(key, about)| (format!("{key}="), about)).collect();
        }
        _ => {}
    }
    let entry = REGISTRY.iter().find(|entry| entry.surfaces.command == asked.path);
    let schema = entry.map(|entry| entry.input_schema().clone()).unwrap_or_default();
    let property = schema.pointer(&format!("/properties/{id}")).cloned().unwrap_or_default();
    let kinds = kinds_of(&property);
    if !kinds.is_empty() {
        let ended = asked.path == ["restore"];
        return kinds.into_iter().flat_map(|kind| ids(invocation, kind, ended)).collect();
    }
    match (id, asked.argument.get_value_names().and_then(|names| names.first()).map(|name| name.as_str())) {
        ("session" | "session_id" | "exclude_sessions", _) => {
            column(invocation, "sessions", json!({"limit": AT_MOST}), "sessions", "session_id", "last_seen")
        }
        ("scope", _) => ["project", "global", "task"].map(|scope| (scope.to_owned(), String::new())).to_vec(),
        ("task" | "task_id", Some("TASK" | "TASK_ID")) if asked.path != ["context"] || id == "task_id" => {
            column(invocation, "task.show", json!({}), "tasks", "id", "title")
        }
        ("key", _) if asked.path.first() == Some(&"config") => settings(invocation),
        ("entity" | "entities", Some("NAME")) => ids(invocation, IdKind::Entity, false),
        (_, Some("PROJECT" | "FROM" | "INTO")) | ("to", _) if asked.path.first() == Some(&"projects") => {
            projects(invocation).into_iter().filter(|(name, _)| name != "none").collect()
        }
        ("client", _) => {
            scrubjay_engine::clients::CLIENTS.iter().map(|client| (client.name.to_owned(), String::new())).collect()
        }
        (_, Some("FILE" | "PATH" | "DIR" | "FOLDER")) => files(),
        _ => Vec::new(),
    }
}

fn files() -> Vec<Candidate> {
    vec![(FILES.to_owned(), String::new())]
}

fn ids(invocation: &mut Invocation<'_>, kind: IdKind, ended: bool) -> Vec<Candidate> {
    let (operation, input, list, about) = match kind {
        IdKind::Memory(_) => ("list", json!({"limit": AT_MOST, "ended": ended}), "memories", "content"),
        IdKind::Entity => ("entities", json!({"limit": AT_MOST}), "entities", "type"),
        IdKind::Job => ("jobs", json!({"limit": AT_MOST}), "jobs", "kind"),
        IdKind::Confirmation => ("confirmations.list", json!({"limit": AT_MOST}), "confirmations", "question"),
        IdKind::Receipt => ("receipts", json!({"limit": 20}), "receipts", "time"),
        // Neither has a list of its own.
        IdKind::Run | IdKind::Document => return Vec::new(),
    };
    let name = if kind == IdKind::Entity { "name" } else { "id" };
    let found = column(invocation, operation, input, list, name, about);
    found.into_iter().map(|(id, about)| (short(&id).unwrap_or(id), about)).collect()
}

fn projects(invocation: &mut Invocation<'_>) -> Vec<Candidate> {
    // The projects are those that the store knows.
    let Some(ctx) = invocation.quiet_context() else { return Vec::new() };
    let known = block_on(async {
        let store = ctx.store().await?;
        Ok(store.all_scopes().await.map_err(scrubjay_engine::EngineError::from)?)
    });
    let mut found: Vec<Candidate> = Vec::new();
    for scope in known.unwrap_or_default() {
        if let Some(project) = scope.project().map(ToString::to_string)
            && !found.iter().any(|(name, _)| *name == project)
        {
            found.push((project, String::new()));
        }
    }
    found.push(("none".to_owned(), "global memories only".to_owned()));
    found
}

fn settings(invocation: &mut Invocation<'_>) -> Vec<Candidate> {
    column(invocation, "config.show", json!({}), "settings", "key", "value")
}

// Two fields of every item of a list in an operation's answer.
fn column(
    invocation: &mut Invocation<'_>,
    operation: &str,
    input: Value,
    list: &str,
    name: &str,
    about: &str,
) -> Vec<Candidate> {
    let (Some(ctx), Some(entry)) = (invocation.quiet_context(), find(operation)) else { return Vec::new() };
    let answer = block_on(async { Ok(entry.call(&ctx, input).await?) });
    let Ok(answer) = answer else { return Vec::new() };
    let text = |item: &Value, field: &str| item.get(field).and_then(Value::as_str).unwrap_or_default().to_owned();
    let items = answer.get(list).and_then(Value::as_array).cloned().unwrap_or_default();
    let shown = |text: String| text.chars().take(60).collect::<String>();
    items.iter().map(|item| (text(item, name), shown(text(item, about)))).filter(|(name, _)| !name.is_empty()).collect()
}

// The flags of every command among the words typed so far.
fn given_globals(words: &[String], own: &Globals) -> Globals {
    let mut globals = own.clone();
    let mut words = words.iter();
    while let Some(word) = words.next() {
        let (flag, inline) = match word.split_once('=') {
            Some((flag, value)) => (flag, Some(value.to_owned())),
            None => (word.as_str(), None),
        };
        let mut value = || inline.clone().or_else(|| words.next().cloned());
        match flag {
            "--home" => globals.home = value().map(Into::into),
            "--agent" => globals.agent = value(),
            "--project" => globals.project = value(),
            _ => {}
        }
    }
    globals
}
