//! Numbers, compactly.

use serde_json::Value;

use super::layout::Table;
use super::page::{Answer, Page, count, text};
use super::style::Style;

/// `stats`.
pub(super) fn stats(answer: &Answer, page: &mut Page) {
    let output = &answer.output;
    if count(output, "memories") == 0 && count(output, "ended") == 0 && counts(output, "documents").is_empty() {
        page.line("Nothing remembered here yet. Try: scrubjay remember \"…\"");
        return;
    }
    let mut table = Table::new(&[Style::Dim, Style::Plain]);
    let mut memories = format!("{} active", count(output, "memories"));
    if count(output, "ended") > 0 {
        memories.push_str(&format!(", {} ended", count(output, "ended")));
    }
    table.row(["memories", &memories]);
    for (name, field) in
        [("kinds", "by_kind"), ("types", "by_type"), ("scopes", "by_scope"), ("files", "documents"), ("jobs", "jobs")]
    {
        let counts = counts(output, field);
        if !counts.is_empty() {
            table.row([name, &counts]);
        }
    }
    table.row(["entities", &count(output, "entities").to_string()]);
    table.row(["links", &count(output, "links").to_string()]);
    table.row(["sessions", &count(output, "sessions").to_string()]);
    if !text(output, "latest").is_empty() {
        table.row(["latest", &page.when(text(output, "latest"))]);
    }
    page.table(&table);
}

// The greatest first.
fn counts(output: &Value, field: &str) -> String {
    let fields = output.get(field).and_then(Value::as_object).into_iter().flatten();
    let mut counts: Vec<(&String, u64)> = fields.filter_map(|(name, count)| Some((name, count.as_u64()?))).collect();
    counts.retain(|(_, count)| *count > 0);
    counts.sort_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(b.0)));
    let counts: Vec<String> = counts.iter().map(|(name, count)| format!("{name} {count}")).collect();
    counts.join(" · ")
}
