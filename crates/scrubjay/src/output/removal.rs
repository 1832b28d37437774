//! Forgetting, restoring, destroying, and taking back.

use serde_json::Value;

use super::history::{entry, shown};
use super::page::{Answer, Page, count, counted, flag, items, line, text, texts};
use super::style::Style;

/// `forget`.
pub(super) fn forget(answer: &Answer, page: &mut Page) {
    let ids = texts(&answer.output, "ids");
    let memories = counted(ids.len() as u64, "memory", "memories");
    if flag(&answer.output, "dry_run") {
        page.line(&format!("This would forget {memories}. Nothing was changed."));
    } else if ids.is_empty() {
        page.line("Nothing here meets these conditions; nothing was changed.");
    } else {
        page.line(&format!("Forgotten: {memories}."));
    }
    show_what_goes(&answer.output, page);
    let run = text(&answer.output, "run");
    if !run.is_empty() {
        page.line(&format!("To take it back: scrubjay undo {run}"));
    }
}

/// `restore`.
pub(super) fn restore(answer: &Answer, page: &mut Page) {
    let ids = texts(&answer.output, "ids");
    page.line(&format!("Active again: {}.", counted(ids.len() as u64, "memory", "memories")));
    show_ids(&ids, page);
}

/// `purge`.
pub(super) fn purge(answer: &Answer, page: &mut Page) {
    let ids = texts(&answer.output, "ids");
    let memories = counted(ids.len() as u64, "memory", "memories");
    if flag(&answer.output, "dry_run") {
        page.line(&format!("This would destroy {memories}, derived ones included. Nothing was changed."));
    } else {
        page.line(&format!("Destroyed for good: {memories}."));
    }
    show_what_goes(&answer.output, page);
}

/// `undo`.
pub(super) fn undo(answer: &Answer, page: &mut Page) {
    let output = &answer.output;
    let changes = counted(count(output, "changes"), "change", "changes");
    page.line(&format!("Taken back: {} ({changes}).", text(output, "operation")));
    let told = items(output, "memories");
    for memory in told {
        page.styled(Style::Dim, &format!("  {}", text(memory, "id")));
        undone_memory(memory, page);
    }
    let untold: Vec<&str> = texts(output, "ids").into_iter().skip(told.len()).collect();
    show_ids(&untold, page);
    let task = text(output, "task");
    if !task.is_empty() {
        page.line(&format!("The task {task} is open again."));
    }
    page.line(&format!("To do it again: scrubjay undo {}", text(output, "run")));
}

// What an undo did to a memory: the text that came back or went, and the other values that changed.
fn undone_memory(memory: &Value, page: &mut Page) {
    let fields = |name: &str| memory.get(name).and_then(Value::as_object).cloned().unwrap_or_default();
    let (before, after) = (fields("before"), fields("after"));
    let ended = |fields: &serde_json::Map<String, Value>| fields.get("ended").is_some_and(|ended| !ended.is_null());
    match (before.get("content"), ended(&before), ended(&after)) {
        (Some(_), _, _) => {}
        (None, true, false) => entry(page, "+", Style::Good, "active again", &line(memory, "content")),
        (None, false, true) => entry(page, "-", Style::Bad, "not active any more", &line(memory, "content")),
        (None, _, _) => page.wrapped(7, Style::Plain, &line(memory, "content")),
    }
    for (name, old) in before.iter().filter(|(name, _)| *name != "ended") {
        entry(page, "-", Style::Bad, name, &shown(old));
        entry(page, "+", Style::Good, name, &shown(after.get(name).unwrap_or(&Value::Null)));
    }
}

// With their texts where they are told, so that nobody has to look them up before saying yes.
fn show_what_goes(output: &Value, page: &mut Page) {
    let told = items(output, "memories");
    let ids = texts(output, "ids");
    if told.is_empty() {
        return show_ids(&ids, page);
    }
    for memory in told {
        page.styled(Style::Dim, &format!("  {}", text(memory, "id")));
        page.wrapped(7, Style::Plain, &line(memory, "content"));
    }
    if ids.len() > told.len() {
        page.styled(Style::Dim, &format!("  and {} more", ids.len() - told.len()));
    }
}

fn show_ids(ids: &[&str], page: &mut Page) {
    const SHOWN: usize = 5;
    for id in ids.iter().take(SHOWN) {
        page.styled(Style::Dim, &format!("  {id}"));
    }
    if ids.len() > SHOWN {
        page.styled(Style::Dim, &format!("  and {} more", ids.len() - SHOWN));
    }
}
