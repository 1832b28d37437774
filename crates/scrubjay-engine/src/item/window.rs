//! The parts of a long text that get a vector each.
//!
//! One vector cannot hold what a long text is about: what people say in passing
//! drowns in what they talk about. Above a length, prose is cut into small
//! windows that end at lines and sentences; a question is then compared with the
//! window that fits it best. Code is the other way round: a function means
//! something as a whole, and its parts mean little.

use scrubjay_core::text::TextHash;
use std::ops::Range;

use scrubjay_core::source::Source;
use scrubjay_store::item::Item;

use super::definition::defined_name;
use super::text::{embedded_text, text_hash};

/// About as much code as a model reads at once (512 tokens); what comes after
/// would have no vector.
const CODE_BYTES: usize = 1600;

/// How finely a text is cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Grain {
    /// Sentences.
    Prose,
    /// Functions.
    Code,
}

impl Grain {
    /// The grain of an item.
    #[must_use]
    pub fn of(item: &Item) -> Self {
        let is_code = match item {
            Item::Chunk(chunk) => chunk.source == Source::Code,
            Item::Memory(memory) => defined_name(&memory.content).is_some(),
        };
        if is_code { Self::Code } else { Self::Prose }
    }

    /// Up to this many bytes a text has one vector.
    const fn whole_bytes(self) -> usize {
        match self {
            Self::Prose => 600,
            Self::Code => CODE_BYTES,
        }
    }

    /// The length of a window, in bytes.
    const fn window_bytes(self) -> usize {
        match self {
            Self::Prose => 300,
            Self::Code => CODE_BYTES,
        }
    }
}

/// The windows of a text, in order; all of it is in some window.
#[must_use]
pub fn windows(text: &str, grain: Grain) -> Vec<Range<usize>> {
    if text.len() <= grain.whole_bytes() {
        return std::iter::once(0..text.len()).collect();
    }
    let mut windows = Vec::new();
    let mut start = 0;
    while start < text.len() {
        let end = end_of(text, start, grain.window_bytes());
        windows.push(start..end);
        start = end;
    }
    windows
}

// Where the window that begins here ends: at the last line end, else sentence
// end, else space that leaves it at least half full.
fn end_of(text: &str, start: usize, window_bytes: usize) -> usize {
    if text.len() - start <= window_bytes {
        return text.len();
    }
    let limit = text.floor_char_boundary(start + window_bytes);
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

/// What an item's vectors are made from: the hash of its text, and its windows.
#[must_use]
pub fn item_windows(item: &Item, most: usize) -> (TextHash, Vec<String>) {
    let text = embedded_text(item);
    let cut = windows(&text, Grain::of(item)).into_iter().take(most).map(|range| text[range].to_owned()).collect();
    (text_hash(&text), cut)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_short_text_is_whole_and_a_long_one_ends_at_lines() {
        assert_eq!(windows("short", Grain::Prose), vec![0..5]);
        assert_eq!(windows("", Grain::Prose), vec![0..0]);
        let line = "words and more words to fill a line with something\n".repeat(30);
        assert_eq!(windows(&line, Grain::Code).len(), 1, "a function is whole");
        for window in windows(&line, Grain::Prose) {
            assert!(line[window].ends_with('\n'));
        }
    }

    proptest! {
        #[test]
        fn nothing_is_lost(text in "(\\PC{0,40}[ .\\n]){0,120}") {
            for grain in [Grain::Prose, Grain::Code] {
                let windows = windows(&text, grain);
                let joined: String = windows.iter().map(|window| &text[window.clone()]).collect();
                prop_assert_eq!(&joined, &text);
                prop_assert!(windows.iter().all(|window| window.len() <= grain.whole_bytes()));
            }
        }
    }
}
