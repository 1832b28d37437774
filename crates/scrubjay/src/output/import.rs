//! What was imported.

use super::layout::Table;
use super::page::{Answer, Page, count, counted, flag, items, line, texts};
use super::style::Style;

/// Skipped lines that are shown; JSON has them all.
const SHOWN: usize = 20;

/// `import`.
pub(super) fn import(answer: &Answer, page: &mut Page) {
    let output = &answer.output;
    let would = if flag(&answer.input, "dry_run") { "This would import" } else { "Imported" };
    let mut parts = vec![counted(count(output, "memories"), "memory", "memories")];
    for (field, one, many) in
        [("links", "link", "links"), ("entities", "entity", "entities"), ("sessions", "session", "sessions")]
    {
        if count(output, field) > 0 {
            parts.push(counted(count(output, field), one, many));
        }
    }
    page.line(&format!("{would} {}.", parts.join(", ")));
    if count(output, "duplicates") > 0 {
        page.line(&format!("{} here already.", counted(count(output, "duplicates"), "memory was", "memories were")));
    }
    let forgotten = texts(output, "forgotten");
    if !forgotten.is_empty() {
        let (were, stay) = if forgotten.len() == 1 { ("was", "stays") } else { ("were", "stay") };
        let count = forgotten.len();
        page.line(&format!(
            "{count} of them {were} forgotten here, and {stay} so. To bring one back: scrubjay restore ID"
        ));
        for id in forgotten.iter().take(SHOWN) {
            page.styled(Style::Dim, &format!("  {id}"));
        }
        if forgotten.len() > SHOWN {
            page.line(&format!("  and {} more; --json lists them", forgotten.len() - SHOWN));
        }
    }
    let skipped = items(output, "skipped");
    if skipped.is_empty() {
        return;
    }
    page.line(&format!("Skipped {}:", counted(skipped.len() as u64, "line", "lines")));
    let mut table = Table::new(&[Style::Dim, Style::Plain]).indented(2);
    for record in skipped.iter().take(SHOWN) {
        table.row([&count(record, "line").to_string(), &line(record, "reason")]);
    }
    page.table(&table);
    if skipped.len() > SHOWN {
        page.line(&format!("  and {} more; --json lists them", skipped.len() - SHOWN));
    }
}
