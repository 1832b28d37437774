//! What happened to a memory, like a diff: what went and what came.

use serde_json::Value;

use super::layout::{one_line, shortened};
use super::page::{Answer, Page, count, flag, items, line, text};
use super::show::relation;
use super::style::Style;
use super::times::minute;

/// `history`.
pub(super) fn history(answer: &Answer, page: &mut Page) {
    let output = &answer.output;
    let changes = items(output, "changes");
    page.styled(Style::Strong, text(output, "id"));
    for (at, change) in changes.iter().enumerate() {
        let undone = if text(change, "undone_by").is_empty() { "" } else { ", undone later" };
        let what =
            format!("{} by {} ({}{undone})", line(change, "effect"), line(change, "actor"), line(change, "operation"));
        let version = format!("v{}", count(change, "version"));
        page.line(&format!("{version:<4} {}  {what}", page.paint(Style::Dim, &minute(text(change, "at")))));
        let before = change.get("before").and_then(Value::as_object);
        for (field, old) in before.into_iter().flatten() {
            if field == "link" {
                let (sign, style) =
                    if text(change, "effect") == "linked" { ("+", Style::Good) } else { ("-", Style::Bad) };
                entry(page, sign, style, "link", &relation(old, text(output, "id")));
                continue;
            }
            entry(page, "-", Style::Bad, field, &shown(old));
            if let Some(new) = later_value(field, &changes[at + 1..], answer.present.as_ref()) {
                entry(page, "+", Style::Good, field, &shown(&new));
            }
        }
        page.styled(Style::Dim, &format!("       {}", text(change, "run")));
    }
}

/// `link`.
pub(super) fn link(answer: &Answer, page: &mut Page) {
    let Some(link) = answer.output.get("link") else { return };
    let removing = answer.input.get("remove").is_some();
    let what = match (flag(&answer.output, "changed"), removing) {
        (true, false) => "Linked",
        (true, true) => "Link removed",
        (false, false) => "Linked already",
        (false, true) => "There is no such link",
    };
    page.line(&format!(
        "{what}: {} {} {}",
        text(link, "from"),
        line(link, "relation").replace('_', " "),
        text(link, "to")
    ));
}

/// A value that went or came.
pub(super) fn entry(page: &mut Page, sign: &str, style: Style, field: &str, value: &str) {
    let text = format!("{sign} {field}: {value}");
    let text = shortened(&text, page.columns().saturating_sub(7));
    let painted = page.paint(style, &text);
    page.line(&format!("       {painted}"));
}

// A field's value after a change is what the next change of it found, or what is
// there now.
fn later_value(field: &str, later: &[Value], present: Option<&Value>) -> Option<Value> {
    let found = later.iter().find_map(|change| change.get("before")?.get(field));
    found.cloned().or_else(|| match field {
        "ended" => {
            let present = present?;
            let by = present.get("ended_by").filter(|by| !by.is_null());
            Some(by.map_or(Value::Null, |by| serde_json::json!({"at": present.get("valid_until"), "by": by})))
        }
        _ => present?.get(field).cloned(),
    })
}

/// A value as people read it.
pub(super) fn shown(value: &Value) -> String {
    match value {
        Value::Null => "none".to_owned(),
        Value::String(text) => one_line(text),
        Value::Array(values) => {
            let values: Vec<String> = values.iter().map(shown).collect();
            if values.is_empty() { "none".to_owned() } else { values.join(", ") }
        }
        Value::Object(fields) => match (fields.get("by"), fields.get("at")) {
            (Some(by), Some(at)) => format!("{} {}", shown(by), minute(at.as_str().unwrap_or_default())),
            _ => one_line(&value.to_string()),
        },
        other => other.to_string(),
    }
}
