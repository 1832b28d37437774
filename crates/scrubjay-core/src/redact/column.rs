//! Reads the columns of tables whose head names a secret: CSV, TSV, Markdown, and what database shells print.
//!
//! The cells of such a column have nothing beside them that tells what they are, so no pattern finds them.

use std::ops::Range;

/// The part of a table below one head.
pub(super) struct Column {
    /// The cells, without blanks, quotation marks and backticks around them; empty ones are left out.
    pub(super) cells: Vec<Range<usize>>,
    /// Whether this is a file of accounts: values without blanks between them, beside a column for users or addresses.
    pub(super) is_account_list: bool,
}

/// What a table has below the heads that were asked for.
pub(super) struct Table {
    pub(super) columns: Vec<Column>,
    /// Where it was read to; nothing before that has to be read again.
    pub(super) end: usize,
}

/// Reads the table whose head is the line around `hit`, if it is one.
pub(super) fn read_table(text: &str, hit: usize, is_secret_head: impl Fn(&str) -> bool) -> Table {
    if !could_be_head(text.as_bytes(), hit) {
        return Table { columns: Vec::new(), end: hit };
    }
    let line_ends = LineEnds::around(text, hit);
    let head = line_ends.line_at(text, hit);
    let mut end = head.end;
    let nothing = |end| Table { columns: Vec::new(), end };
    if head.len() > MAXIMUM_LINE_BYTES {
        return nothing(end);
    }
    let Some(first) = line_ends.line_after(text, &head) else { return nothing(end) };
    let layout = match is_rule_line(&text[first.clone()]) && text[head.clone()].contains('|') {
        true => Layout { separator: "|", is_piped: true },
        false => match ["\t", "\\t", ";", ","].into_iter().find(|separator| text[head.clone()].contains(separator)) {
            Some(separator) => Layout { separator, is_piped: false },
            None => return nothing(end),
        },
    };
    let heads = layout.cells(text, head.clone());
    let names: Vec<&str> = heads.iter().map(|cell| &text[cell.clone()]).collect();
    let is_head = |name: &&str| layout.is_piped || is_column_name(name);
    let secret: Vec<usize> = (0..names.len()).filter(|index| is_secret_head(names[*index])).collect();
    if names.len() < 2 || names.len() > MAXIMUM_COLUMNS || secret.is_empty() || !names.iter().all(is_head) {
        return nothing(end);
    }
    let is_compact = !layout.is_piped && !text[head].contains([' ']);
    let has_users = names.iter().any(|name| names_a_user(name));
    let mut columns: Vec<Column> =
        secret.iter().map(|_| Column { cells: Vec::new(), is_account_list: is_compact && has_users }).collect();
    let mut next = if layout.is_piped { line_ends.line_after(text, &first) } else { Some(first) };
    while let Some(line) = next.filter(|line| line.len() <= MAXIMUM_LINE_BYTES) {
        let cells = layout.cells(text, line.clone());
        let is_row = if layout.is_piped { cells.len() > 1 } else { cells.len() == names.len() };
        if !is_row {
            break;
        }
        for (column, index) in columns.iter_mut().zip(&secret) {
            column.cells.extend(cells.get(*index).filter(|cell| !cell.is_empty()).cloned());
        }
        end = line.end;
        next = line_ends.line_after(text, &line);
    }
    Table { columns, end }
}

/// A cheap look at what encloses the cell, because most words that could be heads stand in sentences and in code.
fn could_be_head(bytes: &[u8], hit: usize) -> bool {
    let is_name = |byte: &u8| byte.is_ascii_alphanumeric() || b"_-./ \"'`*".contains(byte) || !byte.is_ascii();
    // Inside a string, lines end by an escape.
    let ends_cell = |byte: &u8| b",;|\t\r\n\\".contains(byte);
    let after = bytes[hit..].iter().take(64).find(|byte| !is_name(byte));
    if !after.is_some_and(ends_cell) {
        return false;
    }
    let before = bytes[..hit].iter().rev().take(64).find(|byte| !is_name(byte));
    before.is_none_or(ends_cell)
}

/// Longer lines are no rows that anybody reads; it bounds what a hostile text can cost.
const MAXIMUM_LINE_BYTES: usize = 4096;
const MAXIMUM_COLUMNS: usize = 64;

/// How lines end: by a line feed, or by its escape where the table stands inside a string.
#[derive(Clone, Copy)]
enum LineEnds {
    Real,
    Escaped,
}

impl LineEnds {
    /// The kind that ends the line around `hit`.
    fn around(text: &str, hit: usize) -> LineEnds {
        let rest = &text.as_bytes()[hit..text.len().min(hit + MAXIMUM_LINE_BYTES)];
        let end = rest.iter().position(|byte| *byte == b'\n').unwrap_or(rest.len());
        match rest[..end].windows(2).any(|pair| pair == b"\\n") {
            true => LineEnds::Escaped,
            false => LineEnds::Real,
        }
    }

    fn line_at(self, text: &str, hit: usize) -> Range<usize> {
        let bytes = text.as_bytes();
        let from = hit.saturating_sub(MAXIMUM_LINE_BYTES);
        let mut start = bytes[from..hit].iter().rposition(|byte| *byte == b'\n').map_or(from, |at| from + at + 1);
        if let LineEnds::Escaped = self {
            start = bytes[start..hit].windows(2).rposition(|pair| pair == b"\\n").map_or(start, |at| start + at + 2);
        }
        let start = text.ceil_char_boundary(start).min(hit);
        start..self.end_of_line(text, hit)
    }

    fn line_after(self, text: &str, line: &Range<usize>) -> Option<Range<usize>> {
        let rest = &text[line.end..];
        let feed = match self {
            LineEnds::Real => rest.strip_prefix('\r').unwrap_or(rest).strip_prefix('\n')?,
            LineEnds::Escaped => rest.strip_prefix("\\r").unwrap_or(rest).strip_prefix("\\n")?,
        };
        let start = text.len() - feed.len();
        Some(start..self.end_of_line(text, start)).filter(|line| !line.is_empty())
    }

    /// Looks one byte further than a line may be long, so that a longer one is recognised.
    fn end_of_line(self, text: &str, from: usize) -> usize {
        let limit = text.floor_char_boundary(text.len().min(from + MAXIMUM_LINE_BYTES + 4));
        let rest = &text[from..limit];
        let rest = rest.split('\n').next().unwrap_or(rest);
        let line = match self {
            LineEnds::Real => rest.strip_suffix('\r').unwrap_or(rest),
            LineEnds::Escaped => {
                let line = rest.split("\\n").next().unwrap_or(rest);
                line.strip_suffix("\\r").unwrap_or(line)
            }
        };
        from + line.len()
    }
}

struct Layout {
    separator: &'static str,
    is_piped: bool,
}

impl Layout {
    fn cells(&self, text: &str, line: Range<usize>) -> Vec<Range<usize>> {
        let mut line = trimmed(text, line, &[' ']);
        if self.is_piped {
            // A pipe at either end encloses the row and separates nothing.
            line.start += usize::from(text[line.clone()].starts_with('|'));
            line.end -= usize::from(text[line.clone()].ends_with('|'));
        }
        let mut cells = Vec::new();
        let mut start = line.start;
        let mut is_quoted = false;
        for (offset, character) in text[line.clone()].char_indices() {
            let at = line.start + offset;
            is_quoted ^= character == '"' && !self.is_piped;
            if !is_quoted && text[at..line.end].starts_with(self.separator) {
                cells.push(start..at);
                start = at + self.separator.len();
            }
        }
        cells.push(start..line.end);
        let around: &[char] = if self.is_piped { &[' ', '\t', '`', '*'] } else { &[' ', '"', '\'', '\\'] };
        cells.into_iter().map(|cell| trimmed(text, cell, around)).collect()
    }
}

/// Without these characters at both ends.
fn trimmed(text: &str, range: Range<usize>, around: &[char]) -> Range<usize> {
    let left = text[range.clone()].trim_start_matches(around);
    let start = range.end - left.len();
    start..start + left.trim_end_matches(around).len()
}

/// The line below the heads: `|---|:--:|`, `-----+-----`.
fn is_rule_line(line: &str) -> bool {
    line.contains("--") && line.chars().all(|c| matches!(c, '-' | '|' | '+' | ':' | ' ' | '\t' | '='))
}

/// What the first line of a CSV file has in each column; prose and code have other marks, too.
fn is_column_name(name: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | ' ' | '/');
    !name.is_empty() && name.chars().count() <= 32 && name.chars().all(is_part)
}

fn names_a_user(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    ["user", "login", "mail", "url", "uri", "account"].iter().any(|part| name.contains(part))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &[&str]) {
        let hit = text.find("password").unwrap();
        let table = read_table(text, hit, |name| name == "password");
        let cells = table.columns.into_iter().flat_map(|column| column.cells);
        assert_eq!(cells.map(|cell| &text[cell]).collect::<Vec<_>>(), expected, "{text:?}");
    }

    #[test]
    fn columns_of_each_kind_of_table() {
        check("user,password\nanna,one\nbob,\"t,wo\"\n\nend", &["one", "t,wo"]);
        check("user;password\r\nanna;one\r\nbob;two", &["one", "two"]);
        check("user\tpassword\nanna\tone\n", &["one"]);
        check("\\nuser\\tpassword\\nanna\\tone\\n", &["one"]);
        check("| user | password |\n|---|:--:|\n| anna | `one` |\n| bob | two |\ntext", &["one", "two"]);
        check(" user | password \n------+------\n anna | one\n", &["one"]);
        check("{\"a\": \"user,password\\nanna,one\\n\"}", &[]);
        check("{\"a\": \"\\nuser,password\\nanna,one\\n\"}", &["one"]);
    }

    #[test]
    fn other_lines_are_no_tables() {
        check("fn login(user, password)\nanna, one", &[]);
        check("user, password\nanna, one, two", &[]);
        check("| password |\nanna | one", &[]);
        check("password\none", &[]);
        check("password,", &[]);
    }
}
