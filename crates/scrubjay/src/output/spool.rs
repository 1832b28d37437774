//! What hooks left behind.

use super::page::{Answer, Page, count, counted, items, line, text, texts};
use super::style::Style;

/// `spool`.
pub(super) fn spool(answer: &Answer, page: &mut Page) {
    let output = &answer.output;
    match count(output, "waiting") {
        0 => page.line("Nothing waits to be taken in."),
        waiting => page.line(&format!("{} to be taken in.", counted(waiting, "file waits", "files wait"))),
    }
    match count(output, "set_aside") {
        0 => return page.line("Nothing was set aside."),
        aside => page.line(&format!("{} set aside:", counted(aside, "message or file was", "messages or files were"))),
    }
    for item in items(output, "items") {
        let place =
            if line(item, "project").is_empty() { "no known project".to_owned() } else { line(item, "project") };
        let when = page.ago(text(item, "at"));
        page.line(&format!("{}  {place} · {when}", page.paint(Style::Strong, &line(item, "id"))));
        page.wrapped(2, Style::Bad, &line(item, "reason"));
        page.wrapped(2, Style::Plain, &line(item, "text"));
        page.wrapped(2, Style::Dim, &line(item, "path"));
    }
    page.line("");
    page.wrapped(0, Style::Plain, "Try again: scrubjay spool retry [ID]. Delete: scrubjay spool discard --yes ID.");
}

/// `spool.retry`.
pub(super) fn retry(answer: &Answer, page: &mut Page) {
    match texts(&answer.output, "ids").len() as u64 {
        0 => page.line("Nothing was put back."),
        ids => page.line(&format!("Put back to be taken in: {}.", counted(ids, "message", "messages"))),
    }
}

/// `spool.discard`.
pub(super) fn discard(answer: &Answer, page: &mut Page) {
    for id in texts(&answer.output, "ids") {
        page.line(&format!("Deleted: {id}"));
    }
}
