//! Conversations.

use serde_json::Value;

use super::layout::Table;
use super::memories::more;
use super::page::{Answer, Page, count, counted, items, line, text};
use super::style::Style;
use super::times::date;

/// `sessions`.
pub(super) fn sessions(answer: &Answer, page: &mut Page) {
    let sessions = items(&answer.output, "sessions");
    if sessions.is_empty() {
        page.line("No conversations here yet. `scrubjay help capture` says how they get in.");
        return;
    }
    let mut table = Table::new(&[Style::Strong, Style::Plain, Style::Plain, Style::Dim]);
    for session in sessions {
        let messages = counted(count(session, "messages"), "message", "messages");
        table.row([&line(session, "session_id"), &messages, &span(session), &state(session, page)]);
    }
    page.table(&table);
    more(&answer.output, page);
}

/// `session.end`.
pub(super) fn end(answer: &Answer, page: &mut Page) {
    let Some(session) = answer.output.get("session") else { return };
    let messages = counted(count(session, "messages"), "message", "messages");
    if text(session, "ended_at").is_empty() {
        page.line(&format!("Open again: {} ({messages}).", line(session, "session_id")));
        return;
    }
    page.line(&format!("Over: {} ({messages}). A later message reopens it.", line(session, "session_id")));
}

fn span(session: &Value) -> String {
    let (first, last) = (date(text(session, "first_seen")), date(text(session, "last_seen")));
    if first == last { first } else { format!("{first} to {last}") }
}

fn state(session: &Value, page: &Page) -> String {
    let last = page.ago(text(session, "last_seen"));
    if text(session, "ended_at").is_empty() { last } else { format!("{last}, over") }
}
