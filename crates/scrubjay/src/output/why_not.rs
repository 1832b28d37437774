//! Why a memory is not among the hits.

use super::page::{Answer, Page, count, text, texts};
use super::recall::explain;
use super::style::Style;

/// `why-not`.
pub(super) fn why_not(answer: &Answer, page: &mut Page) {
    let output = &answer.output;
    let verdict = match text(output, "verdict") {
        "hit" => "It is found.",
        "ended" => "It is not active.",
        "below_threshold" => "It is not relevant enough.",
        "outranked" => "Others stand above it.",
        _ => "Nothing in the question leads to it.",
    };
    page.styled(Style::Strong, verdict);
    for reason in texts(output, "reasons") {
        page.wrapped(2, Style::Plain, reason);
    }
    let Some(hit) = output.get("hit").filter(|hit| hit.is_object()) else { return };
    page.line("");
    page.wrapped(2, Style::Plain, text(hit, "snippet"));
    page.wrapped(4, Style::Dim, &format!("place {} of all that came up", count(output, "place")));
    if let Some(explanation) = hit.get("explanation").filter(|value| value.is_object()) {
        explain(hit, explanation, page);
    }
}
