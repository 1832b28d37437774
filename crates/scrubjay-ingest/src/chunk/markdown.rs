//! Markdown: a chunk per section, with the path of headings as context.
//!
//! Front matter goes with the text after it: by itself it would be found by the title of a note and say nothing but
//! that. A fenced block stays whole when it fits into a chunk, and a `#` inside one is no
//! heading. A heading with nothing under it but smaller headings goes with the first of those.

use std::ops::Range;

use super::lines::Lines;
use super::pack::{self, Atom};
use super::segment::{join, shorten};
use super::{Chunk, Limits};
use crate::source::front_matter;

/// The deepest heading that Markdown knows.
const LEVELS: usize = 6;
const HEADING_BYTES: usize = 100;
const CONTEXT_BYTES: usize = 240;

/// The chunks of a Markdown text.
#[must_use]
pub fn chunk(text: &str, limits: &Limits) -> Vec<Chunk> {
    let lines = Lines::new(text);
    let outline = outline(&lines);
    let mut out = Vec::new();
    for section in &outline.sections {
        if out.len() >= limits.chunks {
            break;
        }
        push_section(&lines, section, &outline.fences, limits, &mut out);
    }
    out
}

struct Section {
    lines: Range<usize>,
    context: String,
}

struct Outline {
    sections: Vec<Section>,
    /// Fenced blocks, as lines.
    fences: Vec<Range<usize>>,
}

/// Reads the headings and fences, once from top to bottom.
fn outline(lines: &Lines<'_>) -> Outline {
    let mut path: [String; LEVELS] = Default::default();
    let mut sections = Vec::new();
    let mut fences = Vec::new();
    let mut open_fence: Option<(usize, u8, usize)> = None;
    let mut start = 0;
    let mut context = String::new();
    // Whether the section so far has more than headings in it.
    let mut has_body = false;
    let mut index = 0;
    if let Some(front) = front_matter::parse(lines.text) {
        index = lines.line_at(front.body_start.saturating_sub(1)) + 1;
    }
    while index < lines.len() {
        let line = lines.line(index);
        if let Some((first, sign, width)) = open_fence {
            if fence(line).is_some_and(|(other, length, bare)| other == sign && length >= width && bare) {
                fences.push(first..index + 1);
                open_fence = None;
            }
            index += 1;
            continue;
        }
        if let Some((sign, width, _)) = fence(line) {
            open_fence = Some((index, sign, width));
            has_body = true;
            index += 1;
            continue;
        }
        let Some((level, title, height)) = heading(lines, index) else {
            has_body |= !lines.is_blank(index);
            index += 1;
            continue;
        };
        // A heading of the same or a higher rank ends even an empty section: it would not belong to it.
        let deeper = path[level - 1..].iter().all(String::is_empty);
        if index > start && (has_body || !deeper) {
            sections.push(Section { lines: start..index, context: context.clone() });
            start = index;
        }
        path[level - 1] = title;
        path[level..].fill(String::new());
        context = path.iter().fold(String::new(), |parent, label| join(&parent, label));
        has_body = false;
        index += height;
    }
    if start < lines.len() {
        sections.push(Section { lines: start..lines.len(), context });
    }
    Outline { sections, fences }
}

fn push_section(lines: &Lines<'_>, section: &Section, fences: &[Range<usize>], limits: &Limits, out: &mut Vec<Chunk>) {
    let context = shorten(&section.context, CONTEXT_BYTES);
    let fits = |range: &Range<usize>| {
        lines.tokens(range.clone()) <= limits.tokens && lines.bytes(range.clone()).len() <= limits.max_bytes()
    };
    if fits(&section.lines) {
        pack::push_chunk(lines, lines.bytes(section.lines.clone()), context, out);
        return;
    }
    let mut atoms = Vec::new();
    let mut index = section.lines.start;
    let first = fences.partition_point(|fence| fence.start < section.lines.start);
    for fence in fences[first..].iter().take_while(|fence| fence.end <= section.lines.end).filter(|fence| fits(fence)) {
        pack::atoms(lines, index..fence.start, limits, &mut atoms);
        let tokens = lines.tokens(fence.clone());
        atoms.push(Atom { bytes: lines.bytes(fence.clone()), tokens, good_end: true });
        index = fence.end;
    }
    pack::atoms(lines, index..section.lines.end, limits, &mut atoms);
    for window in pack::windows(&atoms, limits) {
        pack::push_chunk(lines, pack::span(&atoms, window), context.clone(), out);
    }
}

/// The level, title and number of lines of the heading that begins at a line.
fn heading(lines: &Lines<'_>, index: usize) -> Option<(usize, String, usize)> {
    let line = lines.line(index);
    let trimmed = line.trim();
    let indent = line.len() - line.trim_start_matches(' ').len();
    if indent > 3 || trimmed.is_empty() {
        return None;
    }
    let level = trimmed.bytes().take_while(|&byte| byte == b'#').count();
    if level > 0 {
        let rest = &trimmed[level..];
        let is_heading = level <= LEVELS && (rest.is_empty() || rest.starts_with([' ', '\t']));
        let title = rest.trim().trim_end_matches('#').trim();
        return is_heading.then(|| (level, shorten(title, HEADING_BYTES), 1));
    }
    // A line underlined with `=` or `-`, under a blank line: a paragraph of several lines is rarely meant as a title.
    if index + 1 >= lines.len() || (index > 0 && !lines.is_blank(index - 1)) || !starts_a_title(trimmed) {
        return None;
    }
    let under = lines.line(index + 1).trim_end();
    let sign = *under.as_bytes().first()?;
    let level = match sign {
        b'=' => 1,
        b'-' if under.len() >= 3 => 2,
        _ => return None,
    };
    let is_underline = under.len() >= 2 && under.bytes().all(|byte| byte == sign);
    is_underline.then(|| (level, shorten(trimmed, HEADING_BYTES), 2))
}

/// Lists, quotes, tables and rules are not titles, whatever stands under them.
fn starts_a_title(line: &str) -> bool {
    !line.starts_with(['-', '*', '+', '>', '|', '=', '<', '`'])
}

/// The sign and length of a fence, and whether nothing follows it.
fn fence(line: &str) -> Option<(u8, usize, bool)> {
    let body = line.trim_start_matches(' ');
    // Fences in lists are indented further than Markdown allows at the top; those count too.
    let sign = *body.as_bytes().first().filter(|&&byte| byte == b'`' || byte == b'~')?;
    let width = body.bytes().take_while(|&byte| byte == sign).count();
    let rest = body[width..].trim();
    let is_fence = width >= 3 && !(sign == b'`' && rest.contains('`'));
    is_fence.then_some((sign, width, rest.is_empty()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &[(&str, u32, u32)]) {
        let chunks = chunk(text, &Limits::default());
        let found: Vec<_> = chunks.iter().map(|c| (c.context.as_str(), c.start_line, c.end_line)).collect();
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn sections_have_their_path() {
        check(
            "intro\n\n# Guide\n\ntext\n\n## Install\nrun\n### Linux\napt\n## Use\ncall\n# End\nbye\n",
            &[
                ("", 1, 2),
                ("Guide", 3, 6),
                ("Guide > Install", 7, 8),
                ("Guide > Install > Linux", 9, 10),
                ("Guide > Use", 11, 12),
                ("End", 13, 14),
            ],
        );
    }

    #[test]
    fn an_empty_heading_goes_with_the_next() {
        check("# Guide\n\n## Install\nrun\n", &[("Guide > Install", 1, 4)]);
        check("# A\n# B\ntext\n", &[("A", 1, 1), ("B", 2, 3)]);
    }

    #[test]
    fn underlined_titles_count() {
        check(
            "Title\n=====\ntext\n\nPart\n----\nmore\n\nno\ntitle\n---\n",
            &[("Title", 1, 4), ("Title > Part", 5, 11)],
        );
    }

    #[test]
    fn a_fence_hides_headings_and_stays_whole() {
        check("# A\n```sh\n# not a heading\n```\ntext\n", &[("A", 1, 5)]);
        let block = format!("```\n{}```\n", "let value = compute(value);\n".repeat(40));
        let text = format!("# A\n{}\n{block}\n{}", "Some words before it.\n".repeat(60), "And after.\n".repeat(60));
        let chunks = chunk(&text, &Limits::default());
        assert!(chunks.len() > 2);
        assert!(chunks.iter().any(|chunk| chunk.text.contains(&block)));
        assert!(chunks.iter().all(|chunk| chunk.context == "A"));
    }

    #[test]
    fn front_matter_goes_with_what_follows() {
        check("---\ntitle: Notes\ntags: [a, b]\n---\n# A\ntext\n# B\nmore\n", &[("A", 1, 6), ("B", 7, 8)]);
        check("---\ntitle: Notes\n---\n\ntext\n# A\nmore\n", &[("", 1, 5), ("A", 6, 7)]);
        check("---\ntitle: Notes\n---\n", &[("", 1, 3)]);
        check("---\nno end\n\n# A\ntext\n", &[("", 1, 3), ("A", 4, 5)]);
    }
}
