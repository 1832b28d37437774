//! What was found.

use serde_json::Value;

use super::page::{Answer, Page, caution, count, items, line, number, short_number, text, texts};
use super::style::Style;

/// `recall`.
pub(super) fn recall(answer: &Answer, page: &mut Page) {
    let hits = items(&answer.output, "hits");
    if hits.is_empty() {
        page.line("Nothing here fits that question.");
        let near = items(&answer.output, "near");
        if !near.is_empty() {
            page.line("What came nearest, and does not fit well enough:");
            for (place, hit) in near.iter().enumerate() {
                show_hit(place + 1, ("relevance ", number(hit, "relevance")), hit, page);
            }
            page.line("");
        }
        let reasons = answer.output.get("missing").map(|missing| texts(missing, "reasons")).unwrap_or_default();
        if !reasons.is_empty() {
            page.line("What was missing:");
            reasons.iter().for_each(|reason| page.wrapped(2, Style::Plain, reason));
            page.line("");
        }
        page.line("Try other words, look around with: scrubjay list");
        page.line("or tell me something: scrubjay remember \"…\"");
        return;
    }
    for (place, hit) in hits.iter().enumerate() {
        if place > 0 {
            page.line("");
        }
        show_hit(place + 1, ("", number(hit, "score")), hit, page);
    }
}

// A hit shows its score, which the order follows; a near miss its relevance, which was too low.
fn show_hit(place: usize, (measure, value): (&str, f64), hit: &Value, page: &mut Page) {
    let score = page.paint(Style::Good, &format!("{measure}{value:.2}"));
    let mut about = format!("{} · {} · {}", line(hit, "kind"), line(hit, "type"), page.when(text(hit, "event_time")));
    if let Some(caution) = caution(text(hit, "origin")) {
        about.push_str(&format!(" · {caution}"));
    }
    page.line(&format!("{place:>2}  {score}  {}", page.paint(Style::Dim, &about)));
    if !text(hit, "outdated_since").is_empty() {
        let by = match text(hit, "superseded_by") {
            "" => String::new(),
            by => format!(" by {by}"),
        };
        let changed = format!("changed {}{by}", page.when(text(hit, "outdated_since")));
        page.wrapped(4, Style::Dim, &changed);
    } else if !text(hit, "newer").is_empty() {
        let newer =
            format!("newer on the same matter: {} of {}", text(hit, "newer"), page.when(text(hit, "newer_since")));
        page.wrapped(4, Style::Dim, &newer);
    }
    if !text(hit, "mentions_gone").is_empty() {
        let since = page.when(text(hit, "gone_since"));
        page.wrapped(4, Style::Dim, &format!("mentions {}, gone since {since}", text(hit, "mentions_gone")));
    }
    let path = line(hit, "path");
    if text(hit, "kind") != "chunk" {
        page.wrapped(4, Style::Plain, text(hit, "snippet"));
        page.wrapped(4, Style::Dim, text(hit, "id"));
        // A memory that was made from a file has no line of its own.
        if !path.is_empty() {
            page.line(&format!("    {}", page.paint(Style::Dim, &format!("from {path}"))));
        }
    } else {
        // As terminals and editors open it: never wrapped, and the line right behind the path.
        for row in text(hit, "snippet").lines() {
            // Indentation is part of what a piece of a file says.
            page.line(&format!("    {row}"));
        }
        let since = match text(hit, "file_state") {
            "changed" => ", the file changed since it was read",
            "gone" => ", the file is gone",
            _ => "",
        };
        let first = if hit.get("line").is_some() { count(hit, "line") } else { count(hit, "start_line") };
        let lines = format!("(to line {}{since})", count(hit, "end_line"));
        page.line(&format!("    {}:{first}  {}", path, page.paint(Style::Dim, &lines)));
    }
    if let Some(explanation) = hit.get("explanation").filter(|value| value.is_object()) {
        explain(hit, explanation, page);
    }
}

/// How a hit came to its place.
pub(super) fn explain(hit: &Value, explanation: &Value, page: &mut Page) {
    let fields = |name: &str| explanation.get(name).and_then(Value::as_object).into_iter().flatten();
    let mut factors = format!("relevance {}", short_number(number(hit, "relevance")));
    for (name, factor) in fields("weights") {
        factors.push_str(&format!(" × {name} {}", short_number(factor.as_f64().unwrap_or_default())));
    }
    page.wrapped(4, Style::Dim, &format!("{factors} = score {}", short_number(number(hit, "score"))));
    for (arm, place) in fields("arms") {
        let (rank, score) = (count(place, "rank"), short_number(number(place, "score")));
        page.wrapped(4, Style::Dim, &format!("{arm}: rank {rank}, score {score}"));
    }
    if let Some(provenance) = explanation.get("provenance") {
        let learned = page.when(text(provenance, "created_at"));
        page.wrapped(4, Style::Dim, &format!("from {}, learned {learned}", line(provenance, "origin")));
        for source in texts(provenance, "source_ids") {
            page.wrapped(4, Style::Dim, &format!("made from {source}"));
        }
    }
}
