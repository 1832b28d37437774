//! Any answer, field by field, for operations that nobody drew a page for yet.

use serde_json::Value;

use super::layout::Table;
use super::page::{Answer, Page};
use super::style::Style;

/// Shows all fields; lists and objects as JSON.
pub(super) fn generic(answer: &Answer, page: &mut Page) {
    let mut table = Table::new(&[Style::Dim, Style::Plain]);
    match &answer.output {
        Value::Object(fields) => {
            for (name, value) in fields.iter().filter(|(name, _)| *name != "warnings") {
                table.row([name, &shown(value)]);
            }
        }
        other => table.row(["", &shown(other)]),
    }
    page.table(&table);
}

fn shown(value: &Value) -> String {
    match value {
        Value::Null => "none".to_owned(),
        Value::String(text) => text.clone(),
        Value::Array(values) if values.is_empty() => "none".to_owned(),
        Value::Array(values) => values.iter().map(shown).collect::<Vec<_>>().join("\n"),
        other => other.to_string(),
    }
}
