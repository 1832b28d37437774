//! One memory or document, whole.

use serde_json::Value;

use super::layout::{Table, one_line};
use super::page::{Answer, Page, count, items, line, number, short_number, text, texts};
use super::style::Style;

/// `show`.
pub(super) fn show(answer: &Answer, page: &mut Page) {
    if answer.output.get("chunks").is_some() {
        document(&answer.output, page);
    } else {
        memory(&answer.output, page);
    }
}

// A file as it was read; where its pieces overlap, each line once.
fn document(record: &Value, page: &mut Page) {
    page.styled(Style::Strong, &line(record, "path"));
    let read = page.when(text(record, "indexed_at"));
    let about = format!("{} · {} · read {read}", line(record, "source"), line(record, "scope"));
    page.wrapped(0, Style::Dim, &about);
    page.styled(Style::Dim, text(record, "document"));
    let mut shown_through = 0;
    for chunk in items(record, "chunks") {
        let first = count(chunk, "start_line");
        if first > shown_through + 1 || shown_through == 0 {
            page.line("");
            page.styled(Style::Dim, &format!("line {first}"));
        }
        for (number, row) in (first..).zip(text(chunk, "text").lines()) {
            if number > shown_through {
                page.line(row);
            }
        }
        shown_through = shown_through.max(count(chunk, "end_line"));
    }
}

/// `confirm`.
pub(super) fn confirm(answer: &Answer, page: &mut Page) {
    page.line("Confirmed: it will not fade.");
    page.line("");
    inner(answer, page);
}

/// `feedback`.
pub(super) fn feedback(answer: &Answer, page: &mut Page) {
    page.line(match text(&answer.input, "show") {
        "never" => "It is not handed to agents any more; search still finds it.",
        "always" => "It is handed to agents whenever a prompt touches it.",
        _ => "It is handed to agents when it fits.",
    });
    page.line("");
    inner(answer, page);
}

/// `edit`.
pub(super) fn edit(answer: &Answer, page: &mut Page) {
    page.line("Changed. `scrubjay history` shows the former values, `scrubjay undo` brings them back.");
    page.line("");
    inner(answer, page);
}

fn inner(answer: &Answer, page: &mut Page) {
    if let Some(record) = answer.output.get("memory") {
        memory(record, page);
    }
}

fn memory(record: &Value, page: &mut Page) {
    page.styled(Style::Strong, text(record, "id"));
    let importance = short_number(number(record, "importance"));
    page.wrapped(
        0,
        Style::Dim,
        &format!("{} · {} · importance {importance}", line(record, "type"), line(record, "scope")),
    );
    page.line("");
    page.wrapped(2, Style::Plain, text(record, "content"));
    page.line("");
    let mut table = Table::new(&[Style::Dim, Style::Plain]);
    let mut row = |name: &str, value: &str| {
        if !value.is_empty() {
            table.row([name, value]);
        }
    };
    row("happened", &page.when(text(record, "event_time")));
    row("learned", &page.when(text(record, "created_at")));
    if let Some(by) = record.get("ended_by").and_then(Value::as_str) {
        row("ended", &format!("{by}, {}", page.when(text(record, "valid_until"))));
    }
    row("said by", &line(record, "role"));
    row("session", &line(record, "session_id"));
    row("origin", &origin(record));
    row("certainty", &certainty(record));
    row("tags", &texts(record, "tags").join(", "));
    for (name, value) in record.get("attributes").and_then(Value::as_object).into_iter().flatten() {
        let value = value.as_str().map_or_else(|| value.to_string(), one_line);
        row("attribute", &format!("{name} = {value}"));
    }
    row("made from", &texts(record, "source_ids").join("\n"));
    for link in items(record, "links") {
        row("link", &relation(link, text(record, "id")));
    }
    let entities: Vec<String> = items(record, "entities")
        .iter()
        .map(|entity| format!("{} ({})", line(entity, "name"), line(entity, "type")))
        .collect();
    row("mentions", &entities.join(", "));
    let used = match count(record, "access_count") {
        0 => "never".to_owned(),
        1 => format!("once, {}", page.ago(text(record, "last_accessed"))),
        times => format!("{times} times, last {}", page.ago(text(record, "last_accessed"))),
    };
    row("used", &used);
    row("version", &count(record, "version").to_string());
    page.table(&table);
}

fn certainty(record: &Value) -> String {
    let (given, now) = (number(record, "confidence"), number(record, "effective_confidence"));
    let rate = number(record, "decay_rate");
    if rate == 0.0 {
        return format!("{}, does not fade", short_number(given));
    }
    if (given - now).abs() < 0.005 {
        short_number(given)
    } else {
        format!("{} ({} by now)", short_number(given), short_number(now))
    }
}

fn origin(record: &Value) -> String {
    let Some(origin) = record.get("origin") else { return String::new() };
    match text(origin, "path") {
        "" => line(origin, "kind"),
        path if count(origin, "start_line") > 0 => {
            format!(
                "{}, {}:{}-{}",
                line(origin, "kind"),
                one_line(path),
                count(origin, "start_line"),
                count(origin, "end_line")
            )
        }
        path => format!("{}, {}", line(origin, "kind"), one_line(path)),
    }
}

/// A link seen from one of its ends.
pub(super) fn relation(link: &Value, own: &str) -> String {
    let relation = line(link, "relation").replace('_', " ");
    if text(link, "from") == own {
        format!("{relation} {}", text(link, "to"))
    } else {
        format!("{} {relation} this", text(link, "from"))
    }
}
