//! What a renderer is given and what it writes to.

use scrubjay_core::abbreviation;
use scrubjay_core::memory::OriginKind;
use scrubjay_core::time::Timestamp;
use serde_json::Value;

use super::layout::{Table, one_line, wrap};
use super::style::{Palette, Style};
use super::{safe, times};

/// An operation's answer and what led to it, safe to show.
pub(crate) struct Answer {
    /// What was asked.
    pub(super) input: Value,
    /// What was answered.
    pub(super) output: Value,
    /// The record concerned as it is now, where that is more than the answer.
    pub(super) present: Option<Value>,
}

impl Answer {
    /// The answer with every text made safe for a terminal, and ids short.
    pub(crate) fn new(input: &Value, output: &Value, present: Option<&Value>) -> Self {
        let shown = |value: &Value| short_ids(&safe::value(value));
        Self { input: shown(input), output: shown(output), present: present.map(shown) }
    }
}

// A text that is an id becomes short; one that only mentions ids is somebody's words and stays, but for the fields that
// say which piece of a document is meant.
fn short_ids(value: &Value) -> Value {
    match value {
        Value::String(text) => Value::String(abbreviation::short(text).unwrap_or_else(|| text.clone())),
        Value::Array(values) => Value::Array(values.iter().map(short_ids).collect()),
        Value::Object(fields) => Value::Object(
            fields
                .iter()
                .map(|(name, inner)| match inner {
                    Value::String(text) if matches!(name.as_str(), "id" | "what") => {
                        (name.clone(), Value::String(abbreviation::shortened(text)))
                    }
                    inner => (name.clone(), short_ids(inner)),
                })
                .collect(),
        ),
        plain => plain.clone(),
    }
}

/// The text that a person will read.
pub(crate) struct Page {
    text: String,
    palette: Palette,
    columns: usize,
    now: Timestamp,
}

/// An empty page.
pub(crate) fn page(palette: Palette, columns: usize, now: Timestamp) -> Page {
    Page { text: String::new(), palette, columns, now }
}

impl Page {
    /// Adds a line; an empty one separates.
    pub(super) fn line(&mut self, text: &str) {
        self.text.push_str(text.trim_end());
        self.text.push('\n');
    }

    /// Adds a line in a style.
    pub(super) fn styled(&mut self, style: Style, text: &str) {
        let painted = self.paint(style, text);
        self.line(&painted);
    }

    /// Adds text in as many lines as it takes, moved to the right.
    pub(super) fn wrapped(&mut self, indent: usize, style: Style, text: &str) {
        for line in wrap(text, self.columns.saturating_sub(indent)) {
            let painted = self.paint(style, &line);
            self.line(&format!("{}{painted}", " ".repeat(indent)));
        }
    }

    /// Adds a table.
    pub(super) fn table(&mut self, table: &Table) {
        self.text.push_str(&table.render(self.palette, self.columns));
    }

    /// The text in its style.
    pub(super) fn paint(&self, style: Style, text: &str) -> String {
        self.palette.paint(style, text)
    }

    /// How many columns a line has.
    pub(super) fn columns(&self) -> usize {
        self.columns
    }

    /// A time as people say it.
    pub(super) fn when(&self, text: &str) -> String {
        times::when(text, self.now)
    }

    /// How long ago something was.
    pub(super) fn ago(&self, text: &str) -> String {
        text.parse().map_or_else(|_| text.to_owned(), |time| times::ago(time, self.now))
    }

    /// All that was added.
    pub(super) fn into_text(self) -> String {
        self.text
    }
}

/// A field as text; empty if it is not there.
pub(super) fn text<'a>(value: &'a Value, name: &str) -> &'a str {
    value.get(name).and_then(Value::as_str).unwrap_or_default()
}

/// A field as text in one line.
pub(super) fn line(value: &Value, name: &str) -> String {
    one_line(text(value, name))
}

/// A field as a count; 0 if it is not there.
pub(super) fn count(value: &Value, name: &str) -> u64 {
    value.get(name).and_then(Value::as_u64).unwrap_or_default()
}

/// A field as a number; 0 if it is not there.
pub(super) fn number(value: &Value, name: &str) -> f64 {
    value.get(name).and_then(Value::as_f64).unwrap_or_default()
}

/// Whether a field is true.
pub(super) fn flag(value: &Value, name: &str) -> bool {
    value.get(name).and_then(Value::as_bool).unwrap_or_default()
}

/// A field's items; none if it is not a list.
pub(super) fn items<'a>(value: &'a Value, name: &str) -> &'a [Value] {
    value.get(name).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default()
}

/// A field's items as texts.
pub(super) fn texts<'a>(value: &'a Value, name: &str) -> Vec<&'a str> {
    items(value, name).iter().filter_map(Value::as_str).collect()
}

/// "1 memory", "2 memories".
pub(super) fn counted(count: u64, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}

/// A number without digits that say nothing.
pub(super) fn short_number(number: f64) -> String {
    let text = format!("{number:.2}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// What a reader is told beside a text that a tool printed or a page said.
pub(super) fn caution(origin: &str) -> Option<&'static str> {
    origin.parse::<OriginKind>().ok()?.caution()
}
