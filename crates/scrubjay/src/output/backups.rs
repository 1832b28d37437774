//! Copies of the store.

use super::layout::Table;
use super::page::{Answer, Page, count, counted, flag, items, text, texts};
use super::style::Style;

/// `backup`.
pub(super) fn backup(answer: &Answer, page: &mut Page) {
    let output = &answer.output;
    let created = output.get("created").filter(|created| created.is_object());
    if let Some(created) = created {
        let memories = counted(count(created, "memories"), "memory", "memories");
        page.line(&format!("Backed up and checked: {memories}, {}.", size(count(created, "size_bytes"))));
        page.styled(Style::Strong, &format!("  {}", text(created, "path")));
    }
    for removed in texts(output, "removed") {
        page.wrapped(0, Style::Dim, &format!("removed the old backup {removed}"));
    }
    let backups = items(output, "backups");
    if created.is_some() {
        return;
    }
    if backups.is_empty() {
        page.line("There is no backup yet. Make one: scrubjay backup");
        return;
    }
    let mut table = Table::new(&[Style::Dim, Style::Plain]);
    for backup in backups {
        table.row([&size(count(backup, "size_bytes")), text(backup, "path")]);
    }
    page.table(&table);
}

/// `restore-backup`.
pub(super) fn restore(answer: &Answer, page: &mut Page) {
    let output = &answer.output;
    let memories = counted(count(output, "memories"), "memory", "memories");
    if flag(output, "dry_run") {
        page.line(&format!("The backup is sound and holds {memories}. Nothing was changed."));
    } else {
        page.line(&format!("Restored {memories}."));
    }
    page.styled(Style::Dim, &format!("  {}", text(output, "path")));
    let former = text(output, "former");
    if !former.is_empty() {
        page.line("What was there before is kept in");
        page.styled(Style::Dim, &format!("  {former}"));
    }
}

fn size(bytes: u64) -> String {
    match bytes {
        0..1024 => format!("{bytes} B"),
        1024..1_048_576 => format!("{} KiB", bytes >> 10),
        1_048_576..1_073_741_824 => format!("{:.1} MiB", bytes as f64 / 1_048_576.0),
        _ => format!("{:.1} GiB", bytes as f64 / 1_073_741_824.0),
    }
}
