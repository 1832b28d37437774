//! A text as a list of named pieces; loose neighbours are joined and big pieces are cut.
//!
//! A segment begins at a line and goes on to where the next one begins, so that nothing can be left out.

use std::ops::Range;

use super::lines::Lines;
use super::{Chunk, Limits, pack};

/// What stands between the parts of a context.
pub(super) const STEP: &str = " > ";
/// The longest context, in bytes.
const CONTEXT_BYTES: usize = 240;

/// How a segment may be joined with its neighbours.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    /// The opening lines of a container. When they are few they go with its first item.
    Header,
    /// Imports, constants, short settings: joined up to a whole chunk.
    Loose,
    /// A thing of its own, in chunks of its own.
    Item,
}

/// A named piece of a text.
#[derive(Debug, Clone)]
pub(super) struct Segment {
    pub(super) first_line: usize,
    /// The path of what it stands in.
    pub(super) parent: String,
    /// Its own name; loose pieces may have none.
    pub(super) label: String,
    /// What the later parts are called if it has to be cut: the label with more detail, or nothing for the same.
    pub(super) signature: String,
    pub(super) role: Role,
}

/// The chunks of segments that are in order of their lines. Lines before the first segment become a loose one.
pub(super) fn push_segments(lines: &Lines<'_>, mut segments: Vec<Segment>, limits: &Limits, out: &mut Vec<Chunk>) {
    if lines.len() == 0 {
        return;
    }
    segments.dedup_by_key(|segment| segment.first_line);
    if segments.first().is_none_or(|segment| segment.first_line > 0) {
        let (parent, label, signature) = Default::default();
        segments.insert(0, Segment { first_line: 0, parent, label, signature, role: Role::Loose });
    }
    let mut start = 0;
    while start < segments.len() && out.len() < limits.chunks {
        let end = group_end(lines, &segments, start, limits);
        push_group(lines, &segments, start..end, limits, out);
        start = end;
    }
}

/// A path made of a parent and a last part, either of which may be empty.
pub(super) fn join(parent: &str, label: &str) -> String {
    match (parent.is_empty(), label.is_empty()) {
        (true, _) => label.to_owned(),
        (_, true) => parent.to_owned(),
        _ => format!("{parent}{STEP}{label}"),
    }
}

/// One line of at most the length of a context; white space is folded.
pub(super) fn shorten(text: &str, max_bytes: usize) -> String {
    let mut out = String::new();
    for word in text.split_whitespace() {
        if !out.is_empty() {
            out.push(' ');
        }
        out.push_str(word);
        if out.len() > max_bytes {
            let cut = (0..=max_bytes).rev().find(|&at| out.is_char_boundary(at)).unwrap_or(0);
            out.truncate(cut);
            out.push('…');
            break;
        }
    }
    out
}

/// Where the group that begins with the segment `start` ends.
fn group_end(lines: &Lines<'_>, segments: &[Segment], start: usize, limits: &Limits) -> usize {
    let tiny = (limits.tokens / 10).max(12);
    let first = &segments[start];
    let mut total = lines.tokens(range(lines, segments, start..start + 1));
    let mut end = start + 1;
    // What the next one has to stand in to join: the same as the first, or the innermost header so far.
    let mut place = if first.role == Role::Header { join(&first.parent, &first.label) } else { first.parent.clone() };
    // Several in one chunk would share a name, a vector and a place among the hits.
    if first.role == Role::Item {
        return end;
    }
    while let Some(next) = segments.get(end).filter(|next| next.parent == place) {
        let cost = lines.tokens(range(lines, segments, end..end + 1));
        let bytes = lines.bytes(range(lines, segments, start..end + 1)).len();
        let fits = total + cost <= limits.tokens && bytes <= limits.max_bytes();
        match next.role {
            Role::Loose if fits => {}
            // A header of a line or two goes with what comes first inside; if that is big, with its first part.
            Role::Item | Role::Loose if first.role == Role::Header && total <= tiny => return end + 1,
            Role::Header if first.role == Role::Header && total + cost <= tiny => place = join(&place, &next.label),
            _ => break,
        }
        total += cost;
        end += 1;
    }
    end
}

fn push_group(lines: &Lines<'_>, segments: &[Segment], group: Range<usize>, limits: &Limits, out: &mut Vec<Chunk>) {
    let members = &segments[group.clone()];
    // Headers and the item that went with them bear the name of the innermost.
    let innermost = members.iter().rev().find(|member| member.role != Role::Loose);
    let (named, signature) = match innermost {
        Some(last) if members[0].role == Role::Header => {
            (join(&last.parent, &last.label), join(&last.parent, &last.signature))
        }
        _ => {
            let labels: Vec<&str> =
                members.iter().map(|member| member.label.as_str()).filter(|label| !label.is_empty()).collect();
            let named = join(&members[0].parent, &labels.join(", "));
            let signature =
                if members.len() == 1 { join(&members[0].parent, &members[0].signature) } else { String::new() };
            (named, signature)
        }
    };
    let context = shorten(&named, CONTEXT_BYTES);
    let has_signature = members.iter().any(|member| !member.signature.is_empty()) && !signature.is_empty();
    let context_of_rest = if has_signature { shorten(&signature, CONTEXT_BYTES) } else { context.clone() };
    pack::push_lines(lines, range(lines, segments, group), &context, &context_of_rest, limits, out);
}

/// The lines of some neighbouring segments.
fn range(lines: &Lines<'_>, segments: &[Segment], of: Range<usize>) -> Range<usize> {
    segments[of.start].first_line..segments.get(of.end).map_or(lines.len(), |next| next.first_line)
}
