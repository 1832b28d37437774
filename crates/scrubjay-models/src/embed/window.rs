//! Cutting a long text where no tokenizer is at hand.

use std::ops::Range;

/// One in so many bytes is seen twice.
const OVERLAP_SHARE: usize = 10;
/// One in so many bytes may be left free to end between two words.
const SLACK_SHARE: usize = 4;

/// Ranges of at most `max_bytes` bytes (but at least one character) that cover the text, in order, with a small
/// overlap, and cut at white space if there is any near.
#[must_use]
pub fn by_bytes(text: &str, max_bytes: usize) -> Vec<Range<usize>> {
    let mut windows = Vec::new();
    let mut start = 0;
    while text.len() - start > max_bytes {
        let limit = text.floor_char_boundary(start + max_bytes);
        // A character longer than the limit is a part of its own.
        let limit = if limit > start { limit } else { text.ceil_char_boundary(start + 1) };
        let end = space_before(text, limit, max_bytes / SLACK_SHARE);
        windows.push(start..end);
        let back = text.floor_char_boundary(end - (max_bytes / OVERLAP_SHARE).min(end - start));
        let back = space_before(text, back, max_bytes / SLACK_SHARE);
        start = if back > start { back } else { end };
    }
    windows.push(start..text.len());
    windows
}

/// The end of a white space at most `reach` bytes before a place; the place itself if there is none.
fn space_before(text: &str, place: usize, reach: usize) -> usize {
    let near = text.floor_char_boundary(place.saturating_sub(reach));
    let Some(part) = text.get(near..place) else { return place };
    let found = part.char_indices().rev().find(|(_, character)| character.is_whitespace());
    found.map_or(place, |(at, space)| near + at + space.len_utf8())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_short_text_is_one_window() {
        assert!(by_bytes("", 10).iter().eq(std::iter::once(&(0..0))));
        assert!(by_bytes("ten bytes.", 10).iter().eq(std::iter::once(&(0..10))));
    }

    #[test]
    fn windows_end_between_words() {
        let text = "alpha beta gamma delta epsilon zeta eta theta";
        let windows: Vec<&str> = by_bytes(text, 24).into_iter().map(|window| &text[window]).collect();
        assert_eq!(windows, ["alpha beta gamma delta ", "delta epsilon zeta eta ", "eta theta"]);
    }

    proptest! {
        #[test]
        fn windows_cover_any_text(text in any::<String>(), max_bytes in 0_usize..60) {
            let windows = by_bytes(&text, max_bytes);
            prop_assert_eq!(windows[0].start, 0);
            prop_assert_eq!(windows[windows.len() - 1].end, text.len());
            for pair in windows.windows(2) {
                prop_assert!(pair[0].start < pair[1].start && pair[1].start <= pair[0].end && pair[0].end <= pair[1].end);
            }
            for window in windows {
                prop_assert!(text[window.clone()].len() <= max_bytes.max(4));
            }
        }
    }
}
