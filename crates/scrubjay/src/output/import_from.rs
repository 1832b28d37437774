//! What was imported from another tool.

use serde_json::Value;

use super::layout::Table;
use super::page::{Answer, Page, count, counted, flag, items, line, text};
use super::style::Style;

/// Skipped records that are shown; JSON has more.
const SHOWN: usize = 20;

/// `import chatgpt`, `import slack` and so on.
pub(super) fn import_from(answer: &Answer, page: &mut Page) {
    let output = &answer.output;
    let dry_run = flag(&answer.input, "dry_run");
    let mut parts = Vec::new();
    for (field, one, many) in [("episodes", "episode", "episodes"), ("facts", "fact", "facts")] {
        if count(output, field) > 0 {
            parts.push(counted(count(output, field), one, many));
        }
    }
    let what = if parts.is_empty() { "nothing new".to_owned() } else { parts.join(", ") };
    let would = if dry_run { "This would import" } else { "Imported" };
    let sessions = match count(output, "sessions") {
        0 => String::new(),
        sessions => format!(" of {}", counted(sessions, "conversation", "conversations")),
    };
    page.line(&format!("{would} {what}{sessions}."));
    for (scope, number) in output.get("scopes").and_then(Value::as_object).into_iter().flatten() {
        let place = if scope == "global" { "all projects" } else { scope.as_str() };
        page.line(&format!("  {} for {place}", number.as_u64().unwrap_or_default()));
    }
    if count(output, "duplicates") > 0 {
        page.line(&format!("{} here already.", counted(count(output, "duplicates"), "record was", "records were")));
    }
    for (reason, number) in output.get("passed_over").and_then(Value::as_object).into_iter().flatten() {
        page.styled(Style::Dim, &format!("Left out {}: {reason}", number.as_u64().unwrap_or_default()));
    }
    let skipped = items(output, "skipped");
    if !skipped.is_empty() {
        page.line(&format!("Could not read {}:", counted(count(output, "skipped_count"), "record", "records")));
        let mut table = Table::new(&[Style::Dim, Style::Dim, Style::Plain]).indented(2);
        for record in skipped.iter().take(SHOWN) {
            table.row([&line(record, "file"), &line(record, "record"), &line(record, "reason")]);
        }
        page.table(&table);
        if skipped.len() > SHOWN {
            page.line(&format!("  and {} more; --json lists them", skipped.len() - SHOWN));
        }
    }
    let run = text(output, "run");
    if !run.is_empty() && !dry_run {
        page.styled(Style::Dim, &format!("`scrubjay undo {run}` takes it back."));
    }
}
