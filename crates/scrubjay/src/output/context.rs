//! A context, and what is not in it.

use serde_json::Value;

use super::page::{Answer, Page, count, counted, flag, items, line, number, text};
use super::style::Style;

/// `context`: the messages as they are, then how the budget was spent.
pub(super) fn context(answer: &Answer, page: &mut Page) {
    let output = &answer.output;
    for message in items(output, "messages") {
        page.styled(Style::Heading, &format!("── {} ──", line(message, "role")));
        for line in text(message, "content").lines() {
            page.line(line);
        }
        page.line("");
    }
    let parts: Vec<String> = output
        .get("tiers")
        .and_then(Value::as_object)
        .into_iter()
        .flatten()
        .map(|(name, part)| format!("{name} {} of {}", count(part, "tokens"), count(part, "budget")))
        .collect();
    let ratio = number(output, "compression_ratio") * 100.0;
    let spent = format!(
        "{} of {} tokens · {} · {ratio:.0} % of what there is",
        count(output, "tokens"),
        count(output, "budget"),
        parts.join(" · ")
    );
    page.wrapped(0, Style::Dim, &spent);
    let parts = output.get("tiers").and_then(Value::as_object).into_iter().flatten();
    let shortened: Vec<&str> = parts
        .flat_map(|(_, part)| items(part, "items"))
        .filter(|item| flag(item, "shortened"))
        .map(|item| text(item, "id"))
        .collect();
    if !shortened.is_empty() {
        page.wrapped(0, Style::Dim, &format!("shortened, where … stands: {}", shortened.join(", ")));
    }
    let left_out = items(output, "left_out");
    if !left_out.is_empty() {
        let mut reasons: Vec<(String, u64)> = Vec::new();
        for left in left_out {
            let reason = line(left, "reason");
            match reasons.iter_mut().find(|(known, _)| *known == reason) {
                Some((_, count)) => *count += 1,
                None => reasons.push((reason, 1)),
            }
        }
        let reasons: Vec<String> = reasons.into_iter().map(|(reason, count)| format!("{count} {reason}")).collect();
        let left = format!("left out: {} ({})", counted(left_out.len() as u64, "item", "items"), reasons.join(", "));
        page.wrapped(0, Style::Dim, &left);
    }
}
