//! Fills chunks: atoms in, windows with overlap out.
//!
//! An atom is what is not torn apart: a line, a part of a line that is too long, a fenced block that fits, a turn of
//! a conversation. Every atom is within the limits, so every window is.

use std::ops::Range;

use super::lines::Lines;
use super::{Chunk, Limits, tokens};

/// What is not torn apart.
#[derive(Debug, Clone)]
pub(super) struct Atom {
    pub(super) bytes: Range<usize>,
    pub(super) tokens: usize,
    /// A chunk may well end here, as after a blank line.
    pub(super) good_end: bool,
}

/// The atoms of a run of lines: each line one, or several when it is too long.
pub(super) fn atoms(lines: &Lines<'_>, range: Range<usize>, limits: &Limits, out: &mut Vec<Atom>) {
    let count = range.end;
    // Parts are small enough to be repeated, so that neighbours overlap inside a long line too.
    let part_tokens = if limits.overlap_tokens == 0 { limits.tokens } else { limits.overlap_tokens.min(limits.tokens) };
    let part_bytes = limits.max_bytes() / 4;
    for index in range {
        let bytes = lines.bytes(index..index + 1);
        let tokens = lines.tokens(index..index + 1);
        let good_end = lines.is_blank(index) || index + 1 == count;
        if tokens <= limits.tokens && bytes.len() <= limits.max_bytes() {
            out.push(Atom { bytes, tokens, good_end });
            continue;
        }
        for (part, tokens) in tokens::split(&lines.text[bytes.clone()], part_tokens, part_bytes) {
            out.push(Atom { bytes: bytes.start + part.start..bytes.start + part.end, tokens, good_end: false });
        }
    }
}

/// The windows over the atoms, as ranges of atoms. Each begins with what fits into the overlap of the one before,
/// and ends at a good end if there is one in its last part.
pub(super) fn windows(atoms: &[Atom], limits: &Limits) -> Vec<Range<usize>> {
    let mut windows: Vec<Range<usize>> = Vec::new();
    let mut next = 0;
    let target_tokens = even_share(atoms, limits);
    while next < atoms.len() {
        let start = windows.last().map_or(next, |last| overlap_start(atoms, next, limits).max(last.start + 1));
        let end = window_end(atoms, start, next, target_tokens, limits.max_bytes());
        windows.push(start..end);
        next = end;
    }
    windows
}

/// Makes the chunk of some bytes. Nothing is made of blank text: there is nothing in it to find.
pub(super) fn push_chunk(lines: &Lines<'_>, bytes: Range<usize>, context: String, out: &mut Vec<Chunk>) {
    let text = &lines.text[bytes.clone()];
    if text.trim().is_empty() {
        return;
    }
    let number = |byte| u32::try_from(lines.line_at(byte)).map_or(u32::MAX, |index| index.saturating_add(1));
    out.push(Chunk {
        start_line: number(bytes.start),
        end_line: number(bytes.end - 1),
        context,
        text: text.to_owned(),
        byte_range: bytes,
    });
}

/// Chunks of a run of lines: one if it fits, else windows. The first has the one context, the rest the other.
pub(super) fn push_lines(
    lines: &Lines<'_>,
    range: Range<usize>,
    context: &str,
    context_of_rest: &str,
    limits: &Limits,
    out: &mut Vec<Chunk>,
) {
    let bytes = lines.bytes(range.clone());
    if bytes.is_empty() {
        return;
    }
    if lines.tokens(range.clone()) <= limits.tokens && bytes.len() <= limits.max_bytes() {
        push_chunk(lines, bytes, context.to_owned(), out);
        return;
    }
    let mut list = Vec::new();
    atoms(lines, range, limits, &mut list);
    for (index, window) in windows(&list, limits).into_iter().enumerate() {
        let context = if index == 0 { context } else { context_of_rest };
        push_chunk(lines, span(&list, window), context.to_owned(), out);
    }
}

/// The bytes from the first to the last atom of a window.
pub(super) fn span(atoms: &[Atom], window: Range<usize>) -> Range<usize> {
    atoms[window.start].bytes.start..atoms[window.end - 1].bytes.end
}

/// How many tokens each window gets so that the last one is not a mere rest, with some room for uneven lines.
fn even_share(atoms: &[Atom], limits: &Limits) -> usize {
    let total: usize = atoms.iter().map(|atom| atom.tokens).sum();
    let step = limits.tokens.saturating_sub(limits.overlap_tokens).max(1);
    let windows = total.saturating_sub(limits.overlap_tokens).div_ceil(step).max(1);
    let share = (total + (windows - 1) * limits.overlap_tokens).div_ceil(windows);
    (share + share / 8).min(limits.tokens)
}

/// Where a window begins whose first new atom is `next`: as many whole atoms before it as the overlap holds and as
/// leave room for the new one.
fn overlap_start(atoms: &[Atom], next: usize, limits: &Limits) -> usize {
    let tokens_room = limits.overlap_tokens.min(limits.tokens.saturating_sub(atoms[next].tokens));
    let bytes_room = limits.max_bytes().saturating_sub(atoms[next].bytes.len()) / 2;
    let (mut start, mut tokens, mut bytes) = (next, 0, 0);
    while start > 0 {
        let before = &atoms[start - 1];
        tokens += before.tokens;
        bytes += before.bytes.len();
        if tokens > tokens_room || bytes > bytes_room {
            break;
        }
        start -= 1;
    }
    // Repeating only blank lines tells nothing.
    if atoms[start..next].iter().all(|atom| atom.tokens == 0) { next } else { start }
}

/// Where a window ends: at least one atom is new, and none is added that would be too much.
fn window_end(atoms: &[Atom], start: usize, next: usize, max_tokens: usize, max_bytes: usize) -> usize {
    let (mut tokens, mut end) = (0, start);
    let mut good = None;
    while end < atoms.len() {
        let atom = &atoms[end];
        tokens += atom.tokens;
        let bytes = atom.bytes.end - atoms[start].bytes.start;
        if (tokens > max_tokens || bytes > max_bytes) && end > next {
            break;
        }
        end += 1;
        if atom.good_end && end > next && tokens * 5 >= max_tokens * 3 {
            good = Some(end);
        }
    }
    // The last window takes all that is left.
    if end == atoms.len() { end } else { good.unwrap_or(end) }
}
