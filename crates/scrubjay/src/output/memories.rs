//! Lists of memories.

use serde_json::Value;

use super::layout::{one_line, shortened};
use super::page::{Answer, Page, caution, items, line, text, texts};
use super::style::Style;
use super::times::date;

/// `list`.
pub(super) fn list(answer: &Answer, page: &mut Page) {
    let memories = items(&answer.output, "memories");
    if memories.is_empty() {
        // Without conditions, nothing means that nothing is there at all.
        let unconditional = answer
            .input
            .as_object()
            .is_none_or(|fields| fields.keys().all(|name| name == "limit" || name == "order_by"));
        if unconditional {
            page.line("Nothing remembered here yet. Try: scrubjay remember \"…\"");
        } else {
            page.line("Nothing here meets these conditions.");
        }
        return;
    }
    show_memories(memories, page);
    more(&answer.output, page);
}

/// Memories, two lines each: what it says, and how to name it.
pub(super) fn show_memories(memories: &[Value], page: &mut Page) {
    for memory in memories {
        let date = page.paint(Style::Dim, &date(text(memory, "event_time")));
        let room = page.columns().saturating_sub(12);
        let said = match text(memory, "role") {
            "" => one_line(text(memory, "content")),
            role => format!("{}: {}", one_line(role), one_line(text(memory, "content"))),
        };
        page.line(&format!("{date}  {}", shortened(&said, room)));
        let mut about = format!("{} · {}", text(memory, "id"), line(memory, "type"));
        if let Some(ended) = memory.get("ended_by").and_then(Value::as_str) {
            about.push_str(&format!(" · {ended}"));
        }
        if let Some(caution) = memory.get("origin").and_then(|origin| caution(text(origin, "kind"))) {
            about.push_str(&format!(" · {caution}"));
        }
        for tag in texts(memory, "tags") {
            about.push_str(&format!(" #{}", one_line(tag)));
        }
        page.wrapped(12, Style::Dim, &about);
    }
}

/// How to see the rest, if there is a rest.
pub(super) fn more(output: &Value, page: &mut Page) {
    let next = text(output, "next");
    if !next.is_empty() {
        page.line("");
        page.wrapped(0, Style::Dim, &format!("There is more: add --cursor {next}"));
    }
}
