//! Forgetting, restoring, destroying, and taking back.

use super::page::{Answer, Page, count, counted, flag, text, texts};
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
    show_ids(&ids, page);
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
    show_ids(&ids, page);
}

/// `undo`.
pub(super) fn undo(answer: &Answer, page: &mut Page) {
    let output = &answer.output;
    let changes = counted(count(output, "changes"), "change", "changes");
    page.line(&format!("Taken back: {} ({changes}).", text(output, "operation")));
    show_ids(&texts(output, "ids"), page);
    page.line(&format!("To do it again: scrubjay undo {}", text(output, "run")));
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
