//! A text as lines: where each begins and how many tokens it has.

use std::ops::Range;

use super::tokens;

/// The lines of a text. A line ends with its `\n`; the last one may have none.
pub(super) struct Lines<'a> {
    pub(super) text: &'a str,
    /// Where each line begins, and the end of the text.
    starts: Vec<usize>,
    /// How many tokens stand before each line, and in the whole text. Lines are counted one by one, so that the cost
    /// of any run of lines is one subtraction; a run's own count differs only where blank lines would merge.
    tokens_before: Vec<usize>,
}

impl<'a> Lines<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        let mut starts = vec![0];
        let mut tokens_before = vec![0];
        let mut total = 0;
        for line in text.split_inclusive('\n') {
            starts.push(starts[starts.len() - 1] + line.len());
            if !is_free(line) {
                total += tokens::count(line);
            }
            tokens_before.push(total);
        }
        Self { text, starts, tokens_before }
    }

    /// How many lines there are.
    pub(super) fn len(&self) -> usize {
        self.starts.len() - 1
    }

    /// One line, with its end.
    pub(super) fn line(&self, index: usize) -> &'a str {
        &self.text[self.bytes(index..index + 1)]
    }

    pub(super) fn is_blank(&self, index: usize) -> bool {
        self.line(index).trim().is_empty()
    }

    /// The bytes of a run of lines. Lines after the last are empty: a grammar may put an end there.
    pub(super) fn bytes(&self, lines: Range<usize>) -> Range<usize> {
        let (start, end) = (lines.start.min(self.len()), lines.end.min(self.len()));
        self.starts[start]..self.starts[end.max(start)]
    }

    /// The tokens of a run of lines. Short blank lines cost nothing.
    pub(super) fn tokens(&self, lines: Range<usize>) -> usize {
        let (start, end) = (lines.start.min(self.len()), lines.end.min(self.len()));
        self.tokens_before[end.max(start)] - self.tokens_before[start]
    }

    /// The line that holds the byte; for the end of the text, the last line.
    pub(super) fn line_at(&self, byte: usize) -> usize {
        self.starts.partition_point(|&start| start <= byte).saturating_sub(1).min(self.len().saturating_sub(1))
    }
}

/// Line ends and indentation merge with their neighbours, so a short blank line is as good as free.
fn is_free(line: &str) -> bool {
    line.len() <= 16 && line.bytes().all(|byte| matches!(byte, b' ' | b'\t' | b'\r' | b'\n'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_keep_their_ends() {
        let lines = Lines::new("one\r\n\ntwo");
        assert_eq!((lines.len(), lines.line(0), lines.line(1), lines.line(2)), (3, "one\r\n", "\n", "two"));
        assert_eq!(lines.bytes(1..3), 5..9);
        assert_eq!([0, 4, 5, 6, 9].map(|byte| lines.line_at(byte)), [0, 0, 1, 2, 2]);
        assert_eq!(lines.tokens(0..3), lines.tokens(0..1) + lines.tokens(2..3));
        assert_eq!(Lines::new("").len(), 0);
        assert_eq!(Lines::new("a\n").len(), 1);
    }
}
