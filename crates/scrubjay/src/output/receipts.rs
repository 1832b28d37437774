//! What agents were handed.

use serde_json::Value;

use super::page::{Answer, Page, count, flag, items, line, number, text};
use super::style::Style;

/// `receipts`.
pub(super) fn receipts(answer: &Answer, page: &mut Page) {
    let receipts = items(&answer.output, "receipts");
    if receipts.is_empty() {
        page.line("Nothing was injected here yet. Try: scrubjay inject \"…\"");
        return;
    }
    for (place, receipt) in receipts.iter().enumerate() {
        if place > 0 {
            page.line("");
        }
        show(receipt, page);
    }
    if let Some(next) = answer.output.get("next").and_then(Value::as_str) {
        page.line("");
        page.styled(Style::Dim, &format!("more with: scrubjay receipts --cursor {next}"));
    }
}

fn show(receipt: &Value, page: &mut Page) {
    let session = line(receipt, "session_id");
    let session = if session.is_empty() { String::new() } else { format!(" · session {session}") };
    let budget = match count(receipt, "budget") {
        0 => String::new(),
        budget => format!(" of {budget}"),
    };
    let about = format!(
        "{} · {} · {}{budget} tokens{session}",
        line(receipt, "profile"),
        page.when(text(receipt, "time")),
        count(receipt, "tokens")
    );
    page.line(&page.paint(Style::Strong, &about));
    page.styled(Style::Dim, text(receipt, "id"));
    let handed_over = items(receipt, "items");
    if handed_over.is_empty() {
        page.line("  what was in it is gone");
    }
    for item in handed_over {
        show_item(receipt, item, page);
    }
}

fn show_item(receipt: &Value, item: &Value, page: &mut Page) {
    let verdict = match item.get("used").and_then(Value::as_bool) {
        Some(true) => page.paint(Style::Good, "used"),
        Some(false) => page.paint(Style::Dim, "unused"),
        None if flag(receipt, "judged") => page.paint(Style::Dim, "gone"),
        None => page.paint(Style::Dim, "no reply"),
    };
    let mut about = format!("{} tokens · {}", count(item, "tokens"), text(item, "id"));
    // What a session begins with, and a reflection, is not searched for.
    if !matches!(text(item, "section"), "known" | "insight") {
        about = format!("relevance {:.2} · {about}", number(item, "relevance"));
    }
    let what = match text(item, "state") {
        "gone" => "(gone)".to_owned(),
        "changed" => format!("{} (changed since)", line(item, "snippet")),
        _ => line(item, "snippet"),
    };
    page.line(&format!("  {verdict} · {}", page.paint(Style::Dim, &about)));
    page.wrapped(4, Style::Plain, &what);
}
