//! Tasks and promotions.

use super::page::{Answer, Page, count, counted, items, line, text, texts};
use super::style::Style;

/// `task.begin`.
pub(super) fn begin(answer: &Answer, page: &mut Page) {
    page.line(&format!("Begun: {}", page.paint(Style::Strong, text(&answer.output, "id"))));
}

/// `task.add`.
pub(super) fn add(answer: &Answer, page: &mut Page) {
    let output = &answer.output;
    page.line(&format!("Noted in {}: {}", line(output, "task"), page.paint(Style::Strong, text(output, "id"))));
}

/// `task.show`.
pub(super) fn show(answer: &Answer, page: &mut Page) {
    let tasks = items(&answer.output, "tasks");
    if tasks.is_empty() {
        page.line("No task is open here. Begin one with: scrubjay task begin \"…\"");
        return;
    }
    for task in tasks {
        page.wrapped(0, Style::Strong, text(task, "title"));
        let ended = text(task, "ended_at");
        let state = if ended.is_empty() { "open".to_owned() } else { format!("ended {}", page.ago(ended)) };
        let about = format!("{} · begun {} · {state}", text(task, "id"), page.ago(text(task, "started_at")));
        page.wrapped(2, Style::Dim, &about);
    }
    for note in items(&answer.output, "notes") {
        page.line("");
        page.wrapped(2, Style::Dim, &format!("{} · {}", line(note, "type"), page.ago(text(note, "created_at"))));
        page.wrapped(2, Style::Plain, text(note, "content"));
        page.wrapped(2, Style::Dim, text(note, "id"));
    }
}

/// `task.end`.
pub(super) fn end(answer: &Answer, page: &mut Page) {
    let output = &answer.output;
    let cleared = counted(count(output, "cleared"), "note", "notes");
    page.line(&format!("Ended: {}; {cleared} cleared", page.paint(Style::Strong, text(output, "task"))));
    for id in texts(output, "promoted") {
        page.styled(Style::Dim, &format!("kept in the project: {id}"));
    }
    let episode = text(output, "episode");
    if !episode.is_empty() {
        page.styled(Style::Dim, &format!("summary: {episode}"));
    }
    match text(output, "run") {
        "" => page.line(&format!("To open it again: scrubjay task begin --id {}", line(output, "task"))),
        run => page.line(&format!("To take it back: scrubjay undo {run}")),
    }
}

/// `promote`.
pub(super) fn promote(answer: &Answer, page: &mut Page) {
    let output = &answer.output;
    let (scope, id) = (line(output, "scope"), text(output, "id"));
    page.line(&format!("Promoted to {scope}: {}", page.paint(Style::Strong, id)));
    page.styled(Style::Dim, &format!("made from   {}", text(output, "from")));
}
