//! The block for an agent.

use super::page::{Answer, Page, text};

/// `inject`: the block itself, so that it can be piped on.
pub(super) fn inject(answer: &Answer, page: &mut Page) {
    for line in text(&answer.output, "text").lines() {
        page.line(line);
    }
}
