//! What agents were handed.

use serde_json::Value;

use super::layout::Table;
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
    let (tokens, budget) = (count(receipt, "tokens"), count(receipt, "budget"));
    let about = format!(
        "{} · {} · {tokens} of {budget} tokens{session}",
        line(receipt, "profile"),
        page.when(text(receipt, "time"))
    );
    page.line(&page.paint(Style::Strong, &about));
    page.styled(Style::Dim, text(receipt, "id"));
    let mut table = Table::new(&[Style::Plain, Style::Dim, Style::Dim, Style::Plain]).indented(2);
    for item in items(receipt, "items") {
        let verdict = match item.get("used").and_then(Value::as_bool) {
            Some(true) => ("used", Some(Style::Good)),
            Some(false) => ("unused", Some(Style::Dim)),
            None if flag(receipt, "judged") => ("gone", Some(Style::Dim)),
            None => ("no reply", Some(Style::Dim)),
        };
        let (relevance, size) =
            (format!("{:.2}", number(item, "relevance")), format!("{} tokens", count(item, "tokens")));
        table.styled_row([verdict, (&relevance, None), (&size, None), (text(item, "id"), None)]);
    }
    page.table(&table);
}
