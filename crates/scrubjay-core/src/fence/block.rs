//! Blocks: a text between two marks.

use std::borrow::Cow;
use std::collections::HashMap;

use super::mark::{Mark, marks};

/// Puts `body` between the marks.
#[must_use]
pub fn wrap(body: &str, nonce: &str) -> String {
    format!("<scrubjay-memory nonce=\"{nonce}\">\n{body}\n</scrubjay-memory nonce=\"{nonce}\">")
}

/// Takes every block out of `text`.
///
/// A block ends at the next closing mark with its own nonce. A mark that has no
/// counterpart, because someone made it up or a client cut the text, goes alone:
/// nobody may lose what they wrote to a mark that somebody else put before it.
#[must_use]
pub fn strip(text: &str) -> Cow<'_, str> {
    without_blocks(text, false)
}

/// The same, but the line ends inside a block stay, so that every other line
/// keeps its number.
#[must_use]
pub fn strip_keeping_lines(text: &str) -> Cow<'_, str> {
    without_blocks(text, true)
}

fn without_blocks(text: &str, keep_lines: bool) -> Cow<'_, str> {
    let marks = marks(text);
    if marks.is_empty() {
        return Cow::Borrowed(text);
    }
    let closing = closing_marks(&marks);
    let mut kept = String::with_capacity(text.len());
    let (mut through, mut next) = (0, 0);
    while let Some(mark) = marks.get(next) {
        let counterpart = if mark.closes { None } else { counterpart(&closing, &mark.nonce, next) };
        let last = counterpart.unwrap_or(next);
        kept.push_str(&text[through..mark.start]);
        through = marks[last].end;
        if keep_lines {
            kept.extend(text[mark.start..through].chars().filter(|&character| character == '\n'));
        }
        next = last + 1;
    }
    kept.push_str(&text[through..]);
    Cow::Owned(kept)
}

// The places of the closing marks of each nonce among all marks, in order.
fn closing_marks(marks: &[Mark]) -> HashMap<&str, Vec<usize>> {
    let mut closing: HashMap<&str, Vec<usize>> = HashMap::new();
    for (place, mark) in marks.iter().enumerate().filter(|(_, mark)| mark.closes) {
        closing.entry(&mark.nonce).or_default().push(place);
    }
    closing
}

fn counterpart(closing: &HashMap<&str, Vec<usize>>, nonce: &str, after: usize) -> Option<usize> {
    let places = closing.get(nonce)?;
    places.get(places.partition_point(|place| *place < after)).copied()
}

#[cfg(test)]
#[path = "tests.rs"]
mod tests;
