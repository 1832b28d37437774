//! Which parts of a text are code, where `@` and `#` mean something else.

use std::ops::Range;

/// How far back on a line an opening backtick is looked for.
const INLINE_REACH_BYTES: usize = 200;

/// The fenced code blocks of a Markdown text.
pub(in crate::ner) struct CodeBlocks<'text> {
    text: &'text str,
    fenced: Vec<Range<usize>>,
}

impl<'text> CodeBlocks<'text> {
    pub(in crate::ner) fn of(text: &'text str) -> Self {
        let mut fenced = Vec::new();
        for fence in ["```", "~~~"] {
            let mut opened = None;
            for (place, _) in text.match_indices(fence).filter(|(place, _)| is_line_start(text, *place)) {
                match opened.take() {
                    Some(start) => fenced.push(start..place),
                    None => opened = Some(place),
                }
            }
            // A block that is not closed reaches to the end.
            fenced.extend(opened.map(|start| start..text.len()));
        }
        fenced.sort_by_key(|block| block.start);
        Self { text, fenced }
    }

    /// True inside a fenced block, and on a line after an odd number of backticks.
    pub(in crate::ner) fn contains(&self, place: usize) -> bool {
        let following = self.fenced.partition_point(|block| block.start <= place);
        let block = following.checked_sub(1).and_then(|index| self.fenced.get(index));
        block.is_some_and(|block| place < block.end) || self.is_inline_code(place)
    }

    fn is_inline_code(&self, place: usize) -> bool {
        let reach = place.saturating_sub(INLINE_REACH_BYTES);
        let line = self.text.as_bytes().get(reach..place).unwrap_or_default();
        line.iter().rev().take_while(|&&byte| byte != b'\n').filter(|&&byte| byte == b'`').count() % 2 == 1
    }
}

/// True if only indentation stands before `place` on its line.
pub(super) fn is_line_start(text: &str, place: usize) -> bool {
    let left = text.get(..place).unwrap_or_default().trim_end_matches([' ', '\t']);
    left.is_empty() || left.ends_with('\n')
}
