//! Facts from conversations, and their upkeep.

use serde_json::Value;

use super::layout::Table;
use super::page::{Answer, Page, count, counted, flag, items, line, number, short_number, text, texts};
use super::style::Style;

/// `consolidate`.
pub(super) fn consolidate(answer: &Answer, page: &mut Page) {
    let output = &answer.output;
    let sessions = items(output, "sessions");
    if sessions.is_empty() {
        page.line("Every conversation here was gone through already.");
        return;
    }
    for session in sessions {
        let facts = items(session, "facts");
        let messages = counted(count(session, "messages"), "message", "messages");
        let windows = format!("{} of {} windows", count(session, "passed"), count(session, "windows"));
        let about = format!("{messages}, {windows} looked at");
        page.line(&format!("{}  {about}", page.paint(Style::Strong, &line(session, "session_id"))));
        if facts.is_empty() {
            page.styled(Style::Dim, "  nothing lasting was said");
        }
        for fact in facts {
            found(fact, page);
        }
        let run = text(session, "run");
        if !run.is_empty() {
            page.styled(Style::Dim, &format!("  to take it back: scrubjay undo {run}"));
        }
    }
    if flag(output, "dry_run") {
        page.line("Nothing was changed.");
    }
}

fn found(fact: &Value, page: &mut Page) {
    let outcome = text(fact, "outcome");
    let style = match outcome {
        "new" => Style::Good,
        "blocked" | "unusable" | "too_many" => Style::Dim,
        _ => Style::Plain,
    };
    page.line(&format!("  {} {}", page.paint(style, outcome), line(fact, "type")));
    page.wrapped(4, Style::Plain, &line(fact, "content"));
    page.wrapped(4, Style::Dim, &line(fact, "why"));
    for id in texts(fact, "supersedes") {
        page.wrapped(4, Style::Dim, &format!("takes the place of {id}"));
    }
    for id in texts(fact, "contradicts") {
        page.wrapped(4, Style::Dim, &format!("contradicts {id}"));
    }
}

/// `summarize`.
pub(super) fn summarize(answer: &Answer, page: &mut Page) {
    let output = &answer.output;
    page.wrapped(0, Style::Plain, text(output, "content"));
    let id = text(output, "id");
    let kept = if id.is_empty() { "Not kept.".to_owned() } else { format!("Kept as {id}.") };
    page.styled(Style::Dim, &format!("{kept} Written by: {}", line(output, "by")));
}

/// `reflect`.
pub(super) fn reflect(answer: &Answer, page: &mut Page) {
    let output = &answer.output;
    let skipped = line(output, "skipped");
    if !skipped.is_empty() {
        page.line(&format!("Not now: {skipped}."));
        return;
    }
    for part in text(output, "content").lines() {
        page.wrapped(0, Style::Plain, part);
    }
    let id = text(output, "id");
    let kept = if id.is_empty() { "Not kept.".to_owned() } else { format!("Kept as {id}.") };
    page.styled(Style::Dim, &format!("{kept} Written by: {}", line(output, "by")));
}

/// `decay`.
pub(super) fn decay(answer: &Answer, page: &mut Page) {
    let output = &answer.output;
    let faded = items(output, "faded");
    let looked_at = counted(count(output, "looked_at"), "fact", "facts");
    let verb = if flag(output, "dry_run") { "would go" } else { "went" };
    page.line(&format!("Looked at {looked_at}; {} of them {verb}.", faded.len()));
    let mut table = Table::new(&[Style::Dim, Style::Plain]);
    for fact in faded.iter().take(20) {
        table.row([&short_number(number(fact, "effective_confidence")), &line(fact, "content")]);
    }
    page.table(&table);
    if faded.len() > 20 {
        page.styled(Style::Dim, &format!("and {} more", faded.len() - 20));
    }
    for run in texts(output, "runs") {
        page.line(&format!("To take it back: scrubjay undo {run}"));
    }
}

/// `enrich`.
pub(super) fn enrich(answer: &Answer, page: &mut Page) {
    let output = &answer.output;
    let skipped = line(output, "skipped");
    if !skipped.is_empty() {
        page.line(&format!("Nothing was done: {skipped}."));
        return;
    }
    let memories = counted(count(output, "looked_at"), "memory", "memories");
    let names = counted(count(output, "mentions"), "name", "names");
    page.line(&format!("Looked at {memories}; {names} found that were not known there."));
}

/// `maintain`.
pub(super) fn maintain(answer: &Answer, page: &mut Page) {
    let output = &answer.output;
    for done in items(output, "done") {
        page.styled(Style::Strong, &line(done, "work"));
        for told in texts(done, "told") {
            page.wrapped(2, Style::Plain, told);
        }
        page.wrapped(2, Style::Bad, &line(done, "error"));
        for run in texts(done, "runs") {
            page.styled(Style::Dim, &format!("  to take it back: scrubjay undo {run}"));
        }
    }
    if flag(output, "dry_run") {
        page.line("Nothing was changed.");
    }
}

/// `review`.
pub(super) fn review(answer: &Answer, page: &mut Page) {
    let facts = items(&answer.output, "items");
    for question in items(&answer.output, "confirmations") {
        page.line(&format!("{} {}?", page.paint(Style::Careful, "waits"), line(question, "question")));
        merge(&question["merge"], page);
        page.styled(Style::Dim, &format!("  {}", text(question, "id")));
    }
    if facts.is_empty() {
        page.line("There is nothing to look over.");
        return;
    }
    for fact in facts {
        let reason = text(fact, "reason");
        let style = if reason == "conflict" { Style::Bad } else { Style::Good };
        let by = line(fact, "extractor");
        let by = if by.is_empty() { "made by hand".to_owned() } else { format!("found by {by}") };
        page.line(&format!("{} {} · {by}", page.paint(style, reason), line(fact, "type")));
        page.wrapped(2, Style::Plain, &line(fact, "content"));
        for other in items(fact, "supersedes") {
            page.wrapped(4, Style::Dim, &format!("instead of: {}", line(other, "content")));
        }
        for other in items(fact, "contradicts") {
            page.wrapped(4, Style::Dim, &format!("against: {}", line(other, "content")));
        }
        for turn in items(fact, "turns") {
            page.wrapped(4, Style::Dim, &format!("{}: {}", line(turn, "role"), line(turn, "text")));
        }
        page.styled(Style::Dim, &format!("  {}", text(fact, "id")));
    }
    let next = text(&answer.output, "next");
    if !next.is_empty() {
        page.line(&format!("More: scrubjay review --cursor {next}"));
    }
    page.line("scrubjay review keep ID… · review edit ID TEXT · review reject ID…");
}

// What speaks for the question whether two names mean one.
fn merge(merge: &Value, page: &mut Page) {
    for side in ["from", "into"].map(|side| &merge[side]).into_iter().filter(|side| side.is_object()) {
        let mentions = counted(count(side, "mention_count"), "mention", "mentions");
        page.line(&format!("  {}, {mentions}", line(side, "name")));
        for memory in items(side, "memories") {
            page.wrapped(4, Style::Dim, &line(memory, "text"));
        }
    }
    for memory in items(merge, "together") {
        page.wrapped(4, Style::Dim, &format!("both: {}", line(memory, "text")));
    }
}

/// `review.keep`.
pub(super) fn keep(answer: &Answer, page: &mut Page) {
    let facts = counted(texts(&answer.output, "ids").len() as u64, "fact", "facts");
    page.line(&format!("Kept: {facts}. To take it back: scrubjay undo {}", text(&answer.output, "run")));
}

/// `review.edit`.
pub(super) fn edit(answer: &Answer, page: &mut Page) {
    page.wrapped(0, Style::Plain, text(&answer.output, "content"));
    page.line(&format!("To take it back: scrubjay undo {}", text(&answer.output, "run")));
}

/// `review.reject`.
pub(super) fn reject(answer: &Answer, page: &mut Page) {
    let output = &answer.output;
    page.line(&format!("Dropped: {}.", counted(texts(output, "ids").len() as u64, "fact", "facts")));
    for id in texts(output, "standing_again") {
        page.styled(Style::Dim, &format!("  stands again: {id}"));
    }
    page.line(&format!("To take it back: scrubjay undo {}", text(output, "run")));
}
