//! The block for an agent.

use serde_json::Value;

use super::page::{Answer, Page, count, items, line, number, text, texts};
use super::recall::explain;
use super::style::Style;

/// `inject`: the block itself, so that it can be piped on; below it, on request, why it is what it is.
pub(super) fn inject(answer: &Answer, page: &mut Page) {
    let block = text(&answer.output, "text");
    for line in block.lines() {
        page.line(line);
    }
    let Some(explanation) = answer.output.get("explanation").filter(|value| value.is_object()) else { return };
    if block.is_empty() {
        page.line("Nothing is injected.");
    }
    for reason in explanation.get("missing").map(|missing| texts(missing, "reasons")).unwrap_or_default() {
        page.wrapped(0, Style::Plain, reason);
    }
    let injected = items(&answer.output, "items");
    if !injected.is_empty() {
        page.line("");
        page.styled(Style::Strong, "Why these");
        injected.iter().enumerate().for_each(|(place, item)| show_item(place + 1, item, page));
    }
    let left_out = items(explanation, "left_out");
    if !left_out.is_empty() {
        page.line("");
        page.styled(Style::Strong, "Why not these");
        left_out.iter().for_each(|left| show_left_out(left, page));
    }
}

fn show_item(place: usize, item: &Value, page: &mut Page) {
    let score = page.paint(Style::Good, &format!("{:.2}", number(item, "score")));
    let cut = if item.get("cut").and_then(Value::as_bool).unwrap_or_default() { ", cut" } else { "" };
    let about = format!("{} · {} tokens{cut}", about(item, page), count(item, "tokens"));
    page.line(&format!("{place:>2}  {score}  {}", page.paint(Style::Dim, &about)));
    page.wrapped(4, Style::Plain, text(item, "snippet"));
    page.wrapped(4, Style::Dim, text(item, "id"));
    match item.get("explanation").filter(|value| value.is_object()) {
        Some(explanation) => explain(item, explanation, page),
        None => page.wrapped(4, Style::Dim, "the latest reflection, which comes along once a day"),
    }
}

fn show_left_out(left: &Value, page: &mut Page) {
    let relevance = match left.get("relevance").and_then(Value::as_f64) {
        Some(relevance) => format!("relevance {relevance:.2}"),
        None => "reflection".to_owned(),
    };
    page.wrapped(2, Style::Plain, &format!("{relevance} · {}", line(left, "detail")));
    page.wrapped(4, Style::Plain, text(left, "snippet"));
    page.wrapped(4, Style::Dim, &format!("{} · {}", text(left, "id"), page.when(text(left, "event_time"))));
}

fn about(item: &Value, page: &Page) -> String {
    format!("{} · {} · {}", line(item, "kind"), line(item, "type"), page.when(text(item, "event_time")))
}
