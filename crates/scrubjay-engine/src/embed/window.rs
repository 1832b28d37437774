//! The parts of a long text that get a vector each.
//!
//! One vector cannot hold what a long text is about. Above a length, a text is
//! cut into windows that end at lines and sentences; a question is then compared
//! with the window that fits it best.

use std::ops::Range;

/// Up to this length a text has one vector.
const WHOLE_BYTES: usize = 1200;

/// The length of a window.
const WINDOW_BYTES: usize = 640;

/// The windows of a text, in order; all of it is in some window.
#[must_use]
pub fn windows(text: &str) -> Vec<Range<usize>> {
    if text.len() <= WHOLE_BYTES {
        return std::iter::once(0..text.len()).collect();
    }
    let mut windows = Vec::new();
    let mut start = 0;
    while start < text.len() {
        let end = end_of(text, start);
        windows.push(start..end);
        start = end;
    }
    windows
}

// Where the window that begins here ends: at the last line end, else sentence
// end, else space that leaves it at least half full.
fn end_of(text: &str, start: usize) -> usize {
    if text.len() - start <= WINDOW_BYTES {
        return text.len();
    }
    let limit = text.floor_char_boundary(start + WINDOW_BYTES);
    let window = &text[start..limit];
    let half = window.len() / 2;
    let after = |place: Option<usize>, width: usize| place.map(|place| place + width).filter(|end| *end > half);
    let line = after(window.rfind('\n'), 1);
    let sentence = || {
        let ends = [". ", "! ", "? "].into_iter().filter_map(|mark| window.rfind(mark));
        after(ends.max(), 2).or_else(|| after(window.rfind(['。', '！', '？']), 3))
    };
    let space = || after(window.rfind(' '), 1);
    line.or_else(sentence).or_else(space).map_or(limit, |end| start + end)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_short_text_is_whole_and_a_long_one_ends_at_lines() {
        assert_eq!(windows("short"), vec![0..5]);
        assert_eq!(windows(""), vec![0..0]);
        let line = "words and more words to fill a line with something\n".repeat(60);
        for window in windows(&line) {
            assert!(line[window].ends_with('\n'));
        }
    }

    proptest! {
        #[test]
        fn nothing_is_lost(text in "(\\PC{0,40}[ .\\n]){0,120}") {
            let windows = windows(&text);
            let joined: String = windows.iter().map(|window| &text[window.clone()]).collect();
            prop_assert_eq!(&joined, &text);
            prop_assert!(windows.iter().all(|window| window.len() <= WHOLE_BYTES));
        }
    }
}
