//! What waits for a person.

use super::page::{Answer, Page, items, line, text};
use super::style::Style;

/// Any operation whose write waits.
pub(super) fn pending(answer: &Answer, page: &mut Page) {
    let id = text(&answer.output, "pending");
    page.line(&format!("Waits for your confirmation: {}", page.paint(Style::Strong, id)));
    page.styled(Style::Dim, &format!("answer with: scrubjay confirmations answer {id} yes"));
}

/// `confirmations.list`.
pub(super) fn list(answer: &Answer, page: &mut Page) {
    let waiting = items(&answer.output, "confirmations");
    if waiting.is_empty() {
        page.line("Nothing waits for your confirmation.");
        return;
    }
    for (place, one) in waiting.iter().enumerate() {
        if place > 0 {
            page.line("");
        }
        let state = line(one, "state");
        let question = text(one, "question");
        let asked = if question.is_empty() { format!("({})", line(one, "operation")) } else { format!("{question}?") };
        page.wrapped(0, Style::Strong, &asked);
        let until = if state == "waiting" { format!("until {}", page.when(text(one, "expires_at"))) } else { state };
        let about = format!("asked by {} {}, {until}", line(one, "actor"), page.ago(text(one, "created_at")));
        page.wrapped(2, Style::Dim, &about);
        page.wrapped(2, Style::Dim, text(one, "id"));
    }
    page.line("");
    page.styled(Style::Dim, "answer with: scrubjay confirmations answer ID yes|no");
}

/// `confirmations.answer`.
pub(super) fn answer(answer: &Answer, page: &mut Page) {
    let output = &answer.output;
    if text(output, "state") == "accepted" {
        let done = output.get("result").and_then(|result| result.get("id")).and_then(serde_json::Value::as_str);
        page.line(&format!("Done: {}", page.paint(Style::Strong, done.unwrap_or(text(output, "operation")))));
    } else {
        page.line("Dropped; nothing was changed.");
    }
}
