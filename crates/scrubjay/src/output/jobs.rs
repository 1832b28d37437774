//! Background work.

use super::layout::Table;
use super::page::{Answer, Page, count, counted, items, line, text};
use super::style::Style;

/// `jobs`.
pub(super) fn jobs(answer: &Answer, page: &mut Page) {
    let jobs = items(&answer.output, "jobs");
    for batch in items(&answer.output, "batches") {
        let texts = counted(count(batch, "items"), "text", "texts");
        let made = page.ago(text(batch, "created_at"));
        page.line(&format!("batch  {texts} · {} · {} · made {made}", line(batch, "provider"), line(batch, "model")));
    }
    if jobs.is_empty() {
        page.line("No background work is waiting.");
        return;
    }
    for job in jobs {
        let state = line(job, "state");
        let style = if state == "parked" { Style::Bad } else { Style::Plain };
        let tries = match count(job, "tries") {
            0 => "not tried yet".to_owned(),
            tries => format!("tried {}", counted(tries, "time", "times")),
        };
        let about = format!("{} · {} · queued {}", line(job, "kind"), tries, page.ago(text(job, "created_at")));
        page.line(&format!("{}  {about}", page.paint(style, &state)));
        page.wrapped(2, Style::Dim, &format!("{} · {}", text(job, "id"), line(job, "scope")));
        page.wrapped(2, Style::Bad, &line(job, "last_error"));
    }
}

/// `jobs.run`.
pub(super) fn run(answer: &Answer, page: &mut Page) {
    let output = &answer.output;
    let mut table = Table::new(&[Style::Dim, Style::Plain]);
    let all = ["done", "failed", "postponed", "left"];
    if all.iter().all(|name| count(output, name) == 0) {
        page.line("Nothing was due.");
        return;
    }
    for name in all.iter().filter(|name| matches!(**name, "done" | "left") || count(output, name) > 0) {
        table.row([name, &count(output, name).to_string()]);
    }
    page.table(&table);
    if count(output, "failed") > 0 {
        page.line("`scrubjay jobs` says why.");
    }
}

/// `jobs.retry`.
pub(super) fn retry(answer: &Answer, page: &mut Page) {
    match count(&answer.output, "queued") {
        0 => page.line("No job is parked."),
        queued => page.line(&format!("Queued again: {}.", counted(queued, "job", "jobs"))),
    }
}

/// `jobs.cancel`.
pub(super) fn cancel(answer: &Answer, page: &mut Page) {
    page.line(&format!("Dropped: {}", text(&answer.output, "id")));
}
