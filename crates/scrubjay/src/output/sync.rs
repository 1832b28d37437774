//! What was read from outside.

use serde_json::Value;

use super::layout::Table;
use super::page::{Answer, Page, count, counted, flag, items, line, text};
use super::style::Style;

/// Skipped files that are shown; JSON has a thousand.
const SHOWN: usize = 10;

/// `index`.
pub(super) fn index(answer: &Answer, page: &mut Page) {
    let output = &answer.output;
    let would = if flag(&answer.input, "dry_run") { "Would index" } else { "Indexed" };
    page.line(&format!("{would} {} ({}).", line(output, "path"), line(output, "scope")));
    summary(output, page);
}

/// `sync`.
pub(super) fn sync(answer: &Answer, page: &mut Page) {
    let output = &answer.output;
    let did = ["indexed", "unchanged", "removed", "messages", "duplicates"].iter().any(|name| count(output, name) > 0);
    if !did && skipped(output).is_empty() {
        page.line("Nothing is read from files yet.");
        page.line("Index the project you stand in with: scrubjay index");
        return;
    }
    summary(output, page);
}

/// `import.transcripts`.
pub(super) fn transcripts(answer: &Answer, page: &mut Page) {
    let output = &answer.output;
    let (messages, files) = (count(output, "new_messages"), count(output, "files"));
    if messages == 0 {
        page.line(&format!("Nothing new in {}.", line(output, "path")));
        if !items(output, "skipped").is_empty() {
            summary(output, page);
        }
        return;
    }
    let found = format!("{} in {}", counted(messages, "message", "messages"), counted(files, "file", "files"));
    if flag(&answer.input, "dry_run") {
        page.line(&format!("{found} in {} would be taken in.", line(output, "path")));
        page.line(&format!("Their vectors take about {} s in the background.", count(output, "embedding_seconds")));
        return;
    }
    page.line(&format!("Read {found} in {}.", line(output, "path")));
    summary(output, page);
}

/// `import.notes`.
pub(super) fn notes(answer: &Answer, page: &mut Page) {
    places(items(&answer.output, "sources"), page);
    if !flag(&answer.input, "dry_run") {
        summary(&answer.output, page);
    }
}

/// `sync.status`.
pub(super) fn status(answer: &Answer, page: &mut Page) {
    let output = &answer.output;
    let sources = items(output, "sources");
    if sources.is_empty() {
        page.line("Nothing is read from files here. Index the project you stand in with: scrubjay index");
    } else {
        places(sources, page);
    }
    let mut table = Table::new(&[Style::Plain, Style::Plain, Style::Dim, Style::Dim]);
    for trigger in items(output, "triggers") {
        let on = if flag(trigger, "enabled") { "on" } else { "off" };
        let last = match text(trigger, "last") {
            "" => "never".to_owned(),
            at => format!("{}, {} ms, {} read", page.ago(at), count(trigger, "took_ms"), count(trigger, "indexed")),
        };
        let failure = line(trigger, "failure");
        let last = if failure.is_empty() { last } else { format!("{last}; {failure}") };
        table.row([&line(trigger, "trigger"), on, &line(trigger, "about"), &last]);
    }
    page.line("");
    page.table(&table);
    let documents = items(output, "documents");
    if !documents.is_empty() {
        page.line("");
    }
    for record in documents {
        let (files, pieces) = (count(record, "documents"), count(record, "chunks"));
        let files = counted(files, "file", "files");
        page.line(&format!("{}: {files} in {}", line(record, "source"), counted(pieces, "piece", "pieces")));
    }
    waiting(output, page);
}

/// `sources`.
pub(super) fn sources(answer: &Answer, page: &mut Page) {
    let sources = items(&answer.output, "sources");
    if sources.is_empty() {
        page.line("Nothing is read from files here. Index the project you stand in with: scrubjay index");
    }
    places(sources, page);
}

/// `sources.files`.
pub(super) fn files(answer: &Answer, page: &mut Page) {
    let (files, skipped) = (items(&answer.output, "files"), items(&answer.output, "skipped"));
    if files.is_empty() && skipped.is_empty() {
        page.line("Nothing was read there yet. Read it now with: scrubjay sync");
    }
    let mut table = Table::new(&[Style::Plain, Style::Dim, Style::Dim]);
    for file in files {
        let size = format!("{} bytes", count(file, "size_bytes"));
        table.row([&line(file, "path"), &line(file, "source"), &size]);
    }
    page.table(&table);
    if !skipped.is_empty() {
        page.line(&format!("Skipped: {}", counted(skipped.len() as u64, "file", "files")));
        for file in skipped {
            page.wrapped(2, Style::Dim, &format!("{}: {}", line(file, "path"), line(file, "explanation")));
        }
    }
    let next = text(&answer.output, "next");
    if !next.is_empty() {
        page.styled(Style::Dim, &format!("There is more: add --after {next}"));
    }
}

/// `sources.add`.
pub(super) fn added(answer: &Answer, page: &mut Page) {
    let scope = line(&answer.output, "scope");
    let path = line(&answer.output, "path");
    if text(&answer.output, "format") == "facts" {
        page.line(&format!("Each fact of {scope} is a file in {path} now; what you edit there is read back."));
        return;
    }
    page.line(&format!("Reads {path} from now on, for {scope}."));
    let project = scope.strip_prefix("project/").map_or_else(String::new, |id| format!("--project {id} "));
    page.line(&format!("Read it now with: scrubjay {project}sync"));
}

/// `sources.remove`.
pub(super) fn removed(answer: &Answer, page: &mut Page) {
    let documents = counted(count(&answer.output, "documents"), "document", "documents");
    page.line(&format!("No longer reads {}; {documents} left the index.", line(&answer.output, "path")));
}

fn places(sources: &[Value], page: &mut Page) {
    for source in sources {
        let kind = match line(source, "format").as_str() {
            "" => line(source, "kind"),
            "notes" => "workspace (notes only)".to_owned(),
            format => format!("{} ({format})", line(source, "kind")),
        };
        let fresh = match (flag(source, "stale"), text(source, "synced_at")) {
            _ if flag(source, "missing") => "not there any more".to_owned(),
            (_, "") => "not read yet".to_owned(),
            (true, at) => format!("changed since it was read {}", page.ago(at)),
            (false, at) => format!("read {}", page.ago(at)),
        };
        page.line(&line(source, "path"));
        page.wrapped(2, Style::Dim, &format!("{kind} · {} · {fresh}", line(source, "scope")));
    }
}

fn summary(output: &Value, page: &mut Page) {
    let mut parts = Vec::new();
    for (field, what) in [("indexed", "read"), ("unchanged", "unchanged"), ("removed", "removed")] {
        if count(output, field) > 0 || field == "indexed" {
            parts.push(format!("{} {what}", count(output, field)));
        }
    }
    if count(output, "messages") > 0 {
        parts.push(counted(count(output, "messages"), "new message", "new messages"));
    }
    if count(output, "duplicates") > 0 {
        parts.push(format!("{} known already", count(output, "duplicates")));
    }
    let pieces = count(output, "chunks");
    let size = if pieces > 0 { format!(" ({})", counted(pieces, "piece", "pieces")) } else { String::new() };
    page.line(&format!("Files: {}{size}, in {} ms.", parts.join(", "), count(output, "took_ms")));
    let skipped = skipped(output);
    if !skipped.is_empty() {
        page.line(&format!("Skipped: {}.", skipped.join(", ")));
    }
    // What was meant to be left out needs no list.
    let surprising: Vec<&Value> = items(output, "skipped")
        .iter()
        .filter(|file| !matches!(text(file, "reason"), "hidden" | "dependencies" | "binary" | "empty" | "generated"))
        .collect();
    let mut table = Table::new(&[Style::Plain, Style::Dim]).indented(2);
    for file in surprising.iter().take(SHOWN) {
        table.row([&line(file, "path"), &line(file, "explanation")]);
    }
    page.table(&table);
    if surprising.len() > SHOWN {
        page.line(&format!("  and {} more; --json lists them", surprising.len() - SHOWN));
    }
    waiting(output, page);
}

fn waiting(output: &Value, page: &mut Page) {
    let waiting = count(output, "waiting_for_vectors");
    if waiting > 0 {
        let items = counted(waiting, "item waits for its vector", "items wait for their vectors");
        page.line(&format!("{items}; words are found already. Make them now with: scrubjay jobs run"));
    }
}

fn skipped(output: &Value) -> Vec<String> {
    let reasons = output.get("skipped_by_reason").and_then(Value::as_object);
    reasons.into_iter().flatten().map(|(reason, count)| format!("{count} {}", reason.replace('-', " "))).collect()
}
