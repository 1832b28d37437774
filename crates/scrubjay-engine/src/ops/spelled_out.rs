//! Ids and times in an operation's input as people write them.
//!
//! A field that holds an id says so in its schema: `"x-cli": {"id": "memory"}`,
//! or a list of kinds. Before an operation sees its input, an abbreviation in
//! such a field becomes the id that it names within the caller's view. A field
//! that holds a time says `{"time": "begin"}` or `{"time": "end"}`: which end of
//! “yesterday” is meant. So every operation on every surface takes what people
//! are shown and say, and an operation itself knows full ids and exact times only.

use scrubjay_core::abbreviation::{Abbreviation, IdKind};
use scrubjay_core::memory::Kind;
use scrubjay_core::scope::Scope;
use scrubjay_core::time::{InvalidTime, Timestamp};
use serde_json::{Map, Value};

use crate::tiers::{current, inside};
use crate::times::date;
use crate::{Ctx, EngineError, Result};

/// How many ids an ambiguous abbreviation is told to name.
const CANDIDATES: usize = 5;

/// How many tasks are searched for a note.
const TASKS: usize = 100;

/// Replaces abbreviations of ids by the ids, and times in words by the times.
pub(super) async fn spell_out(ctx: &Ctx, schema: &Value, input: &mut Map<String, Value>) -> Result<()> {
    for (name, property) in schema.get("properties").and_then(Value::as_object).into_iter().flatten() {
        if let (Some(end), Some(Value::String(text))) = (property.pointer("/x-cli/time"), input.get_mut(name)) {
            date(ctx, end == "end", text)?;
        }
        let kinds = kinds_of(property);
        let Some(given) = input.get_mut(name).filter(|_| !kinds.is_empty()) else { continue };
        match given {
            Value::String(text) => replace(ctx, &kinds, text).await?,
            Value::Array(items) => {
                for item in items {
                    if let Value::String(text) = item {
                        replace(ctx, &kinds, text).await?;
                    }
                }
            }
            _ => {}
        }
    }
    Ok(())
}

/// The context in which `scope` means what the input says, if that is a task: the only open one, or the one that is
/// named in full.
pub(super) async fn task_meant(ctx: &Ctx, input: &Value) -> Result<Option<Ctx>> {
    let scope = input.get("scope").and_then(Value::as_str).unwrap_or_default();
    if ctx.view().task_id().is_some() || ctx.view().project_id().is_none() {
        return Ok(None);
    }
    let named = scope.strip_prefix("task/").filter(|name| !name.is_empty() && !name.contains('/'));
    let task = match (named, scope.parse::<Scope>()) {
        (Some(name), _) => current(ctx, Some(name)).await?,
        _ if scope == "task" => current(ctx, None).await?,
        (_, Ok(Scope::Task(project, task))) if Some(&project) == ctx.view().project_id() => {
            current(ctx, Some(task.as_str())).await?
        }
        _ => return Ok(None),
    };
    if task.ended_at.is_some() {
        return Err(EngineError::refused(format!("the task `{}` is over, and its notes are gone", task.id)));
    }
    Ok(Some(inside(ctx, &task)?))
}

/// The kinds of ids that a field holds, as its schema says.
pub fn kinds_of(property: &Value) -> Vec<IdKind> {
    let kind = |value: &Value| match value.as_str()? {
        "memory" => Some(IdKind::Memory(None)),
        "entity" => Some(IdKind::Entity),
        "job" => Some(IdKind::Job),
        "run" => Some(IdKind::Run),
        "document" => Some(IdKind::Document),
        "confirmation" => Some(IdKind::Confirmation),
        "receipt" => Some(IdKind::Receipt),
        _ => None,
    };
    match property.pointer("/x-cli/id") {
        Some(Value::Array(values)) => values.iter().filter_map(kind).collect(),
        Some(value) => kind(value).into_iter().collect(),
        None => Vec::new(),
    }
}

/// The moment that a time in words or figures begins with.
///
/// # Errors
/// When it is no time.
pub fn moment(ctx: &Ctx, text: &str) -> Result<Timestamp> {
    let mut text = text.trim().to_owned();
    date(ctx, false, &mut text)?;
    text.parse().map_err(|error: InvalidTime| EngineError::invalid(error.to_string()))
}

async fn replace(ctx: &Ctx, kinds: &[IdKind], text: &mut String) -> Result<()> {
    let Some((kind, part)) = meant(kinds, text.trim()) else { return Ok(()) };
    let found = candidates(ctx, kind, &part).await?;
    match found.as_slice() {
        [] => Err(missing(kind, text)),
        [id] => {
            text.clone_from(id);
            Ok(())
        }
        [..] => Err(ambiguous(text, &found)),
    }
}

// The kind and the part that a text is, if it is one that this field takes.
// Without a prefix it is what the field holds first; names of people look like
// that too, so an entity needs its prefix.
fn meant(kinds: &[IdKind], text: &str) -> Option<(IdKind, Abbreviation)> {
    if let Some((kind, part)) = Abbreviation::with_prefix(text) {
        let takes = |wanted: &IdKind| match (wanted, kind) {
            (IdKind::Memory(_), IdKind::Memory(_)) => true,
            (wanted, kind) => *wanted == kind,
        };
        return kinds.iter().any(takes).then_some((kind, part));
    }
    let first = kinds.first().copied().filter(|kind| *kind != IdKind::Entity)?;
    Some((first, Abbreviation::of(text)?))
}

async fn candidates(ctx: &Ctx, kind: IdKind, part: &Abbreviation) -> Result<Vec<String>> {
    let store = ctx.store().await?;
    // One more than is told: whether there are more is told as well.
    let mut found = store.ids_named(ctx.view(), kind, part, CANDIDATES + 1).await?;
    let of_notes = match kind {
        IdKind::Memory(None | Some(Kind::Scratch)) => Some(IdKind::Memory(Some(Kind::Scratch))),
        IdKind::Run => Some(IdKind::Run),
        _ => None,
    };
    if let Some(kind) = of_notes.filter(|_| found.is_empty()) {
        // Notes are seen from within their task only; whoever stands in the project may name them, and what ended them.
        let only_open = kind != IdKind::Run;
        for task in store.tasks(ctx.view(), only_open, TASKS).await? {
            let there = inside(ctx, &task)?;
            found.extend(store.ids_named(there.view(), kind, part, CANDIDATES + 1).await?);
        }
        found.sort();
        found.dedup();
    }
    if found.is_empty() && kind == IdKind::Confirmation && ctx.need_owner("looking in every project").is_ok() {
        // What waits may have been asked from anywhere.
        for scope in store.all_scopes().await? {
            let view = scrubjay_core::scope::View::of(&scope);
            found.extend(store.ids_named(&view, kind, part, CANDIDATES + 1).await?);
        }
        found.sort();
        found.dedup();
    }
    Ok(found)
}

fn missing(kind: IdKind, text: &str) -> EngineError {
    match kind {
        IdKind::Memory(_) => super::show::missing(text),
        IdKind::Job => EngineError::not_found(format!("there is no job {text} here; `scrubjay jobs` lists them")),
        IdKind::Run => EngineError::not_found(format!("there is no run {text} here; `scrubjay history ID` shows runs")),
        IdKind::Receipt => EngineError::not_found(format!(
            "there is no receipt {text} here; `scrubjay receipts` lists those there are"
        )),
        IdKind::Confirmation => {
            EngineError::not_found(format!("there is no {text} here; `scrubjay confirmations` lists what waits"))
        }
        IdKind::Entity => {
            EngineError::not_found(format!("there is no entity {text} here; `scrubjay entities` lists them"))
        }
        IdKind::Document => EngineError::not_found(format!(
            "there is no document {text} here; `scrubjay sources` shows what is indexed"
        )),
    }
}

fn ambiguous(text: &str, found: &[String]) -> EngineError {
    let told = found.iter().take(CANDIDATES).cloned().collect::<Vec<_>>().join(", ");
    let more = if found.len() > CANDIDATES { " and others" } else { "" };
    EngineError::invalid(format!("`{text}` could be {told}{more}; write more of the id"))
}
