//! Settings.

use super::layout::Table;
use super::page::{Answer, Page, items, line, text};
use super::style::Style;

/// `config show`.
pub(super) fn show(answer: &Answer, page: &mut Page) {
    // One setting that was asked for by name is its value, as a script wants it.
    if let [one] = items(&answer.output, "settings")
        && text(one, "key") == text(&answer.input, "key")
        && text(one, "origin").is_empty()
    {
        // A text without the quotation marks that it has in the file.
        let value = line(one, "value");
        page.line(&serde_json::from_str::<String>(&value).unwrap_or(value));
        return;
    }
    if items(&answer.output, "settings").iter().any(|setting| !text(setting, "about").is_empty()) {
        return described(answer, page);
    }
    // The values come last, because some are long.
    let mut table = Table::new(&[Style::Strong, Style::Dim, Style::Plain]);
    for setting in items(&answer.output, "settings") {
        table.row([&line(setting, "key"), &line(setting, "origin"), &line(setting, "value")]);
    }
    page.table(&table);
}

// Each with what it is for.
fn described(answer: &Answer, page: &mut Page) {
    for setting in items(&answer.output, "settings") {
        let key = page.paint(Style::Strong, text(setting, "key"));
        page.line(&format!("{key} = {}", line(setting, "value")));
        page.wrapped(2, Style::Plain, &line(setting, "about"));
        let parts =
            [line(setting, "origin"), format!("by default {}", line(setting, "default")), line(setting, "allowed")];
        let parts: Vec<&str> = parts.iter().map(String::as_str).filter(|part| !part.is_empty()).collect();
        page.wrapped(2, Style::Dim, &parts.join(" · "));
    }
}

/// `config set` and `config adjust`.
pub(super) fn set(answer: &Answer, page: &mut Page) {
    let output = &answer.output;
    let (before, after) = (line(output, "before"), line(output, "after"));
    let key = page.paint(Style::Strong, text(output, "key"));
    match (before.as_str(), after.as_str()) {
        ("", "") => page.line(&format!("{key} was not set; the default holds.")),
        (before, "") => page.line(&format!("{key} is no longer set (it was {before}); the default holds.")),
        ("", after) => page.line(&format!("{key} = {after}")),
        (before, after) => page.line(&format!("{key} = {after} (it was {before})")),
    }
    page.wrapped(0, Style::Dim, &format!("in {}", text(output, "path")));
}

/// `config path`.
pub(super) fn path(answer: &Answer, page: &mut Page) {
    let mut table = Table::new(&[Style::Dim, Style::Plain]);
    for name in ["home", "config", "store", "backups", "agent", "project"] {
        let value = line(&answer.output, name);
        table.row([name, if value.is_empty() { "none" } else { &value }]);
    }
    page.table(&table);
}
