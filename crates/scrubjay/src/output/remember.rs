//! What became of something to remember, and of a correction.

use super::page::{Answer, Page, text};
use super::style::Style;

/// `remember`.
pub(super) fn remember(answer: &Answer, page: &mut Page) {
    let output = &answer.output;
    let (id, merged_into) = (text(output, "id"), text(output, "merged_into"));
    if !merged_into.is_empty() {
        page.line(&format!("Known already, and now more important: {}", page.paint(Style::Strong, merged_into)));
    } else {
        page.line(&format!("Remembered: {}", page.paint(Style::Strong, id)));
    }
}

/// `correct`.
pub(super) fn correct(answer: &Answer, page: &mut Page) {
    let output = &answer.output;
    page.line(&format!("Corrected: {}", page.paint(Style::Strong, text(output, "id"))));
    page.styled(Style::Dim, &format!("replaces   {}", text(output, "replaces")));
}
