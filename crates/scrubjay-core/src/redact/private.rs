//! Removes what a person marked as private.

use std::borrow::Cow;

/// A text without its private parts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stripped<'a> {
    /// What may be kept; borrowed when there was nothing to remove.
    pub text: Cow<'a, str>,
    /// How many outermost private parts were removed.
    pub removed: usize,
}

impl Stripped<'_> {
    /// Whether the whole text was private, so that nothing is left to keep.
    pub fn is_only_private(&self) -> bool {
        self.removed > 0 && self.text.trim().is_empty()
    }
}

/// Removes every `<private>…</private>` with its content: in any case, with attributes, nested. A part that is never
/// closed reaches to the end of the text, unless it is plainly no mark: a type such as `Vec<Private>`, or the name of
/// the tag in backticks. A closing tag without an opening one is ordinary text.
pub fn strip_private(text: &str) -> Stripped<'_> {
    strip(text, Manner { keep_lines: false, whole_parts_only: false })
}

/// The same, but the line ends inside a part stay, so that every other line keeps its number.
pub fn strip_private_keeping_lines(text: &str) -> Stripped<'_> {
    strip(text, Manner { keep_lines: true, whole_parts_only: false })
}

/// The same for code and documents, which speak of tags: one that is never closed is ordinary text.
pub fn strip_closed_private_keeping_lines(text: &str) -> Stripped<'_> {
    strip(text, Manner { keep_lines: true, whole_parts_only: true })
}

#[derive(Debug, Clone, Copy)]
struct Manner {
    keep_lines: bool,
    whole_parts_only: bool,
}

fn strip(text: &str, manner: Manner) -> Stripped<'_> {
    let mut kept = Cow::Borrowed(text);
    let mut removed = 0;
    // Removing a part joins what stood around it, and the joint can spell a new tag. So the result is looked at again;
    // a text that goes on doing this is made to do it, and then everything from its next tag on is private.
    for pass in 0..=MAXIMUM_PASSES {
        let Some((without, parts)) = without_private(&kept, manner) else { break };
        removed += parts;
        kept = Cow::Owned(without);
        if pass == MAXIMUM_PASSES
            && let Some(opening) = next_tag(&kept, 0)
        {
            kept = Cow::Owned(kept[..opening.start].to_owned());
        }
    }
    Stripped { text: kept, removed }
}

const MAXIMUM_PASSES: usize = 32;
const NAME: &str = "private";

/// A tag that is longer is no tag. The bound keeps a text full of half tags from being read once for each of them.
const MAXIMUM_ATTRIBUTE_BYTES: usize = 1024;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Opening,
    SelfClosing,
    Closing,
}

#[derive(Debug, Clone, Copy)]
struct Tag {
    start: usize,
    end: usize,
    kind: Kind,
}

/// One pass; `None` when there is nothing to remove.
fn without_private(text: &str, manner: Manner) -> Option<(String, usize)> {
    let unclosed = unclosed(text);
    let is_text =
        |tag: &Tag| unclosed.binary_search(&tag.start).is_ok() && (manner.whole_parts_only || is_spoken_of(text, tag));
    let line_ends =
        |part: &str| if manner.keep_lines { "\n".repeat(part.matches('\n').count()) } else { String::new() };
    let mut opened_at = 0;
    let mut without = String::new();
    let mut parts = 0;
    let mut depth = 0_usize;
    let mut kept_until = 0;
    let mut position = 0;
    while let Some(tag) = next_tag(text, position) {
        position = tag.end;
        match tag.kind {
            Kind::Opening if is_text(&tag) => {}
            Kind::Opening => {
                if depth == 0 {
                    without.push_str(&text[kept_until..tag.start]);
                    parts += 1;
                    opened_at = tag.start;
                }
                depth += 1;
            }
            Kind::SelfClosing if depth == 0 => {
                without.push_str(&text[kept_until..tag.start]);
                parts += 1;
                without.push_str(&line_ends(&text[tag.start..tag.end]));
                kept_until = tag.end;
            }
            Kind::Closing if depth > 0 => {
                depth -= 1;
                kept_until = tag.end;
                if depth == 0 {
                    without.push_str(&line_ends(&text[opened_at..tag.end]));
                }
            }
            Kind::SelfClosing | Kind::Closing => {}
        }
    }
    if parts == 0 {
        return None;
    }
    if depth == 0 {
        without.push_str(&text[kept_until..]);
    }
    Some((without, parts))
}

/// Where the openings are that nothing closes, in order.
fn unclosed(text: &str) -> Vec<usize> {
    let mut open = Vec::new();
    let mut position = 0;
    while let Some(tag) = next_tag(text, position) {
        position = tag.end;
        match tag.kind {
            Kind::Opening => open.push(tag.start),
            Kind::Closing => drop(open.pop()),
            Kind::SelfClosing => {}
        }
    }
    open
}

/// Whether a tag is a type's parameter, or its own name in backticks.
fn is_spoken_of(text: &str, tag: &Tag) -> bool {
    let before = text[..tag.start].chars().next_back();
    let is_type = before.is_some_and(|c| c.is_alphanumeric() || c == '_') && text[tag.start..].starts_with("<Private>");
    is_type || (before == Some('`') && text[tag.end..].starts_with('`'))
}

/// The next tag of ours at or after `from`.
fn next_tag(text: &str, from: usize) -> Option<Tag> {
    let candidates = text[from..].match_indices('<').map(|(offset, _)| from + offset);
    candidates.into_iter().find_map(|start| tag_at(text, start))
}

fn tag_at(text: &str, start: usize) -> Option<Tag> {
    let bytes = text.as_bytes();
    let closing = bytes.get(start + 1) == Some(&b'/');
    let name_start = start + 1 + usize::from(closing);
    let name_end = name_start + NAME.len();
    if !bytes.get(name_start..name_end)?.eq_ignore_ascii_case(NAME.as_bytes()) {
        return None;
    }
    if !matches!(bytes.get(name_end)?, b'>' | b'/' | b' ' | b'\t' | b'\r' | b'\n') {
        return None;
    }
    let attributes = &bytes[name_end..bytes.len().min(name_end + MAXIMUM_ATTRIBUTE_BYTES)];
    let kind_of = |last: usize| match (closing, attributes[..last].ends_with(b"/")) {
        (true, _) => Kind::Closing,
        (false, true) => Kind::SelfClosing,
        (false, false) => Kind::Opening,
    };
    if let Some(last) = unquoted_end(attributes) {
        return Some(Tag { start, end: name_end + last + 1, kind: kind_of(last) });
    }
    // A quotation mark that is never closed ends nothing. The tag then ends at the first `>`, and it opens, because the
    // slash before that `>` may be part of a value.
    let last = attributes.iter().position(|byte| *byte == b'>')?;
    let kind = if closing { Kind::Closing } else { Kind::Opening };
    Some(Tag { start, end: name_end + last + 1, kind })
}

/// The first `>` that does not stand in a quoted value. Only after `=` does a quotation mark begin a value; elsewhere it
/// is an apostrophe.
fn unquoted_end(attributes: &[u8]) -> Option<usize> {
    let mut quote = None;
    let mut previous = b' ';
    for (index, byte) in attributes.iter().enumerate() {
        match (quote, byte) {
            (None, b'>') => return Some(index),
            (None, b'"' | b'\'') if previous == b'=' => quote = Some(*byte),
            (Some(open), byte) if open == *byte => quote = None,
            _ => {}
        }
        if !byte.is_ascii_whitespace() {
            previous = *byte;
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &str) {
        assert_eq!(strip_private(text).text, expected, "{text:?}");
    }

    #[test]
    fn removes_tags_with_their_content() {
        check("a <private>b</private> c", "a  c");
        check("<private>b</private>", "");
        check("<PRIVATE>b</Private>c", "c");
        check("a<private reason=\"x>y\" level='1'>b</private >c", "ac");
        check("a<private\n>b\n</private\n>c", "ac");
        check("1<private>a</private>2<private>b</private>3", "123");
        check("ä<private>ö</private>ü", "äü");
    }

    #[test]
    fn nested_parts_are_one() {
        check("a<private>b<private>c</private>d</private>e", "ae");
        assert_eq!(strip_private("a<private>b<private>c</private>d</private>e").removed, 1);
    }

    #[test]
    fn an_unclosed_part_reaches_to_the_end() {
        check("a<private>b", "a");
        check("a<private>b<private>c</private>d", "a");
        check("a<private it's>b</private>c", "ac");
        check("a<private reason=\"b/>c</private>d", "ad");
    }

    #[test]
    fn what_is_plainly_no_mark_stays() {
        check("We return Vec<Private> from load.", "We return Vec<Private> from load.");
        check("a `<private>` tag hides", "a `<private>` tag hides");
        check("Vec<Private>, and <private>b</private>c", "Vec<Private>, and c");
        check("Vec<private>b", "Vec");
        let in_file = |text: &'static str| strip_closed_private_keeping_lines(text).text.into_owned();
        assert_eq!(in_file("a <private> b\nc"), "a <private> b\nc");
        assert_eq!(in_file("a<private>b\n<private>c\n</private>d"), "a<private>b\n\nd");
    }

    #[test]
    fn a_text_full_of_openings_is_read_once() {
        let text = "a<private>".repeat(300_000);
        assert_eq!(strip_private(&text).text, "a");
        assert_eq!(strip_closed_private_keeping_lines(&text).text.len(), text.len());
    }

    #[test]
    fn an_empty_tag_encloses_nothing() {
        check("a<private/>b", "ab");
        check("a<private />b", "ab");
        check("a<private reason='/>'>b</private>c", "ac");
    }

    #[test]
    fn other_text_is_borrowed_unchanged() {
        for text in [
            "",
            "a < b",
            "<privateer>x</privateer>",
            "x</private>y",
            "<private",
            "</private",
            "< private>x",
            "<b>x</b>",
        ] {
            let stripped = strip_private(text);
            assert!(matches!(stripped.text, Cow::Borrowed(same) if same == text), "{text:?}");
            assert_eq!(stripped.removed, 0);
            assert!(!stripped.is_only_private());
        }
    }

    #[test]
    fn a_joint_that_spells_a_tag_is_removed_too() {
        check("<pri<private>x</private>vate>y</private>z", "z");
        let deep = format!("{}{}end", "<pri<private>x</private>".repeat(200), "vate>".repeat(200));
        assert!(!strip_private(&deep).text.to_lowercase().contains("<private"));
    }

    #[test]
    fn knows_when_nothing_is_left() {
        assert!(strip_private("<private>b</private>").is_only_private());
        assert!(strip_private(" \n<private>b</private>\n<private>c").is_only_private());
        assert!(!strip_private("a<private>b</private>").is_only_private());
        assert!(!strip_private("   ").is_only_private());
    }
}
