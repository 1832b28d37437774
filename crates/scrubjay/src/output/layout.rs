//! Measuring, wrapping and aligning text on a screen of fixed columns.

use super::style::{Palette, Style};

/// How many columns a text takes.
pub(crate) fn width(text: &str) -> usize {
    text.chars().map(columns).sum()
}

/// The text in lines of at most `room` columns, broken between words where that
/// is possible. Line breaks in the text are kept.
pub(crate) fn wrap(text: &str, room: usize) -> Vec<String> {
    let room = room.max(1);
    let mut lines = Vec::new();
    for paragraph in text.lines() {
        let mut line = String::new();
        let mut used = 0;
        for word in paragraph.split_whitespace() {
            for piece in pieces(word, room) {
                let needed = width(piece) + usize::from(used > 0);
                if used + needed > room && used > 0 {
                    lines.push(std::mem::take(&mut line));
                    used = 0;
                }
                if used > 0 {
                    line.push(' ');
                    used += 1;
                }
                line.push_str(piece);
                used += width(piece);
            }
        }
        lines.push(line);
    }
    lines
}

/// The text with all white space as single spaces.
pub(crate) fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The text cut to `room` columns, with an ellipsis if something is missing.
pub(crate) fn shortened(text: &str, room: usize) -> String {
    if width(text) <= room {
        return text.to_owned();
    }
    let mut short = String::new();
    let mut used = 0;
    for character in text.chars() {
        used += columns(character);
        if used + 1 > room {
            break;
        }
        short.push(character);
    }
    format!("{}…", short.trim_end())
}

/// Rows of cells under one another. The last column takes the room that is left
/// and wraps; the others are as wide as their widest cell.
pub(crate) struct Table {
    styles: Vec<Style>,
    rows: Vec<Vec<(String, Option<Style>)>>,
    indent: usize,
}

impl Table {
    /// A table with these columns.
    pub(crate) fn new(styles: &[Style]) -> Self {
        Self { styles: styles.to_vec(), rows: Vec::new(), indent: 0 }
    }

    /// The same, moved to the right.
    pub(crate) fn indented(mut self, indent: usize) -> Self {
        self.indent = indent;
        self
    }

    /// Adds a row.
    pub(crate) fn row<const N: usize>(&mut self, cells: [&str; N]) {
        self.styled_row(cells.map(|cell| (cell, None)));
    }

    /// Adds a row with cells that look different from their column.
    pub(crate) fn styled_row<const N: usize>(&mut self, cells: [(&str, Option<Style>); N]) {
        self.rows.push(cells.into_iter().map(|(cell, style)| (cell.to_owned(), style)).collect());
    }

    /// The table as text.
    pub(crate) fn render(&self, palette: Palette, total: usize) -> String {
        let last = self.styles.len().saturating_sub(1);
        let widest = |column: usize| self.rows.iter().map(|row| width(&row[column].0)).max().unwrap_or(0);
        let widths: Vec<usize> = (0..last).map(widest).collect();
        let left = self.indent + widths.iter().map(|width| width + 2).sum::<usize>();
        let room = total.saturating_sub(left).max(20);
        let mut text = String::new();
        for row in &self.rows {
            let style = |column: usize| row[column].1.unwrap_or(self.styles[column]);
            let mut line = " ".repeat(self.indent);
            for (column, widest) in widths.iter().enumerate() {
                let cell = &row[column].0;
                line.push_str(&palette.paint(style(column), cell));
                line.push_str(&" ".repeat(widest - width(cell) + 2));
            }
            let wrapped = wrap(&row[last].0, room);
            for (number, part) in wrapped.iter().enumerate() {
                let start = if number == 0 { line.clone() } else { " ".repeat(left) };
                text.push_str(format!("{start}{}", palette.paint(style(last), part)).trim_end());
                text.push('\n');
            }
            if wrapped.is_empty() {
                text.push_str(line.trim_end());
                text.push('\n');
            }
        }
        text
    }
}

// Text without spaces between words, as in Chinese, is cut where the line ends.
// Paths, addresses and ids are not: a cut one cannot be copied.
fn pieces(word: &str, room: usize) -> Vec<&str> {
    if word.is_ascii() {
        return vec![word];
    }
    let mut pieces = Vec::new();
    let (mut start, mut used) = (0, 0);
    for (at, character) in word.char_indices() {
        let wide = columns(character);
        if used + wide > room && at > start {
            pieces.push(&word[start..at]);
            (start, used) = (at, 0);
        }
        used += wide;
    }
    pieces.push(&word[start..]);
    pieces
}

// Good enough for laying out: most characters take one column, East Asian ones
// and pictures two, and those that join others none.
fn columns(character: char) -> usize {
    match u32::from(character) {
        0x300..=0x36f | 0x483..=0x489 | 0x591..=0x5bd | 0x610..=0x61a | 0x64b..=0x65f => 0,
        0x200b..=0x200f | 0x20d0..=0x20ff | 0xfe00..=0xfe0f | 0xfe20..=0xfe2f => 0,
        0x1100..=0x115f | 0x2e80..=0x303e | 0x3041..=0xa4cf | 0xac00..=0xd7a3 | 0xf900..=0xfaff => 2,
        0xfe30..=0xfe6f | 0xff00..=0xff60 | 0xffe0..=0xffe6 => 2,
        0x1f300..=0x1f64f | 0x1f680..=0x1f6ff | 0x1f900..=0x1faff | 0x20000..=0x3fffd => 2,
        _ => 1,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn wrapping_breaks_between_words() {
        assert_eq!(wrap("one two three", 7), ["one two", "three"]);
        assert_eq!(wrap("a\n\nb", 7), ["a", "", "b"]);
        assert_eq!(wrap("abcdefgh ij", 3), ["abcdefgh", "ij"]);
        assert_eq!(wrap("漢字漢字", 5), ["漢字", "漢字"]);
        assert_eq!(wrap("", 5), Vec::<String>::new());
    }

    #[test]
    fn shortening_says_that_something_is_missing() {
        assert_eq!(shortened("short", 5), "short");
        assert_eq!(shortened("longer text", 8), "longer…");
        assert_eq!(shortened("漢字漢字", 5), "漢字…");
    }

    #[test]
    fn tables_align_and_wrap_their_last_column() {
        let mut table = Table::new(&[Style::Plain, Style::Dim, Style::Plain]);
        table.row(["a", "bbb", "one two three four five six seven eight nine"]);
        table.row(["aaa", "", ""]);
        let text = table.indented(1).render(Palette { colour: false }, 40);
        assert_eq!(text, " a    bbb  one two three four five six\n           seven eight nine\n aaa\n");
    }

    proptest! {
        #[test]
        fn lines_fit_and_no_word_is_lost(text in "[a-zé漢 \\n]{0,80}", room in 2usize..30) {
            let lines = wrap(&text, room);
            prop_assert!(lines.iter().all(|line| width(line) <= room || (line.is_ascii() && !line.contains(' '))));
            let letters = |text: &str| text.chars().filter(|c| !c.is_whitespace()).collect::<String>();
            prop_assert_eq!(letters(&lines.concat()), letters(&text));
        }
    }
}
