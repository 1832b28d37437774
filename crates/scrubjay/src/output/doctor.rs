//! The state of the store, check by check.

use super::layout::Table;
use super::page::{Answer, Page, counted, items, line, text, texts};
use super::style::Style;

/// `doctor`.
pub(super) fn doctor(answer: &Answer, page: &mut Page) {
    let output = &answer.output;
    for mended in texts(output, "repaired") {
        page.line(&format!("mended: {mended}"));
    }
    let findings = items(output, "findings");
    let mut table = Table::new(&[Style::Plain, Style::Plain, Style::Plain]);
    for finding in findings {
        let (mark, style) = mark(text(finding, "status"));
        table.styled_row([(&mark, Some(style)), (&line(finding, "check"), None), (&line(finding, "detail"), None)]);
    }
    page.table(&table);
    page.line("");
    let of_status = |status: &str| findings.iter().filter(|finding| text(finding, "status") == status).count() as u64;
    let verdict = match text(output, "status") {
        "good" => "All is well.".to_owned(),
        "warning" => format!("Sound, with {}.", counted(of_status("warning"), "warning", "warnings")),
        "repairable" => {
            "Something derived is out of order; nothing is lost. Mend it: scrubjay doctor --repair".to_owned()
        }
        _ => "The store is damaged. Nothing is written to it. Go back to a backup: scrubjay restore-backup".to_owned(),
    };
    page.wrapped(0, mark(text(output, "status")).1, &verdict);
}

// A sign, and the same in words for those who cannot see it.
fn mark(status: &str) -> (String, Style) {
    match status {
        "good" => ("✓ good".to_owned(), Style::Good),
        "warning" => ("! warning".to_owned(), Style::Careful),
        "repairable" => ("! repairable".to_owned(), Style::Careful),
        other => (format!("✗ {other}"), Style::Bad),
    }
}
