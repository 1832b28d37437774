//! The last days at a glance.

use serde_json::Value;

use super::page::{Answer, Page, count, counted, items, line, text};
use super::style::Style;

/// The sections, in order, by their name and title. What changed is among them by itself.
const SECTIONS: [(&str, &str); 7] = [
    ("decisions", "Decisions and conventions"),
    (CHANGED, "What changed"),
    ("plans", "Open plans"),
    ("failures", "Failures and fixes"),
    ("done", "Done"),
    ("learned", "Also learned"),
    ("topics", "Talked about"),
];

const CHANGED: &str = "changed";

/// `digest`.
pub(super) fn digest(answer: &Answer, page: &mut Page) {
    let output = &answer.output;
    let day = |name: &str| text(output, name).chars().take(10).collect::<String>();
    let facts = counted(count(output, "facts"), "fact", "facts");
    let conversations = counted(count(output, "conversations"), "conversation", "conversations");
    let head = format!("{} to {}: {facts}, {conversations}", day("since"), day("until"));
    page.styled(Style::Dim, &head);
    let hint = text(output, "hint");
    if !hint.is_empty() {
        page.wrapped(0, Style::Plain, hint);
        return;
    }
    for (name, title) in SECTIONS {
        if name == CHANGED {
            changed(items(output, CHANGED), title, page);
            continue;
        }
        let section = output.get(name).unwrap_or(&Value::Null);
        let lines = items(section, "lines");
        if lines.is_empty() {
            continue;
        }
        page.line("");
        page.styled(Style::Strong, title);
        for one in lines {
            page.wrapped(2, Style::Plain, &format!("{}  {}", line(one, "date"), line(one, "text")));
        }
        if count(section, "more") > 0 {
            page.styled(Style::Dim, &format!("  and {} more: scrubjay list", count(section, "more")));
        }
    }
}

fn changed(changes: &[Value], title: &str, page: &mut Page) {
    if changes.is_empty() {
        return;
    }
    page.line("");
    page.styled(Style::Strong, title);
    for one in changes {
        let part = |name: &str| one.get(name).unwrap_or(&Value::Null);
        let (old, new) = (part("old"), part("new"));
        page.wrapped(2, Style::Dim, &format!("{}  {}", line(old, "date"), line(old, "text")));
        page.wrapped(2, Style::Plain, &format!("→ {}  {}", line(new, "date"), line(new, "text")));
    }
}
