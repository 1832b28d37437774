//! From a text in a language to chunks.

use std::ops::ControlFlow;

use tree_sitter::{ParseOptions, ParseState, Parser, Tree};

use super::super::lines::Lines;
use super::super::segment::push_segments;
use super::super::{Chunk, Limits, pack};
use super::{grammar, outline};
use crate::source::language::Language;

/// Lines this long on average were not written by a person, and have no structure that line numbers could show.
const AVERAGE_LINE_BYTES: usize = 400;

/// The chunks of a source text.
#[must_use]
pub fn chunk(language: Language, text: &str, limits: &Limits) -> Vec<Chunk> {
    let lines = Lines::new(text);
    let mut out = Vec::new();
    let written_by_hand = text.len() / lines.len().max(1) <= AVERAGE_LINE_BYTES;
    let tree = if written_by_hand { parse(language, text) } else { None };
    match tree {
        Some(tree) => {
            let segments = outline::segments(&tree, grammar::of(language), &lines, limits);
            push_segments(&lines, segments, limits, &mut out);
        }
        None => pack::push_lines(&lines, 0..lines.len(), "", "", limits, &mut out),
    }
    out
}

/// The tree of the text, or nothing when the grammar would take far more steps than such a text deserves.
///
/// The steps are counted, not timed, so that the same text always gives the same chunks.
fn parse(language: Language, text: &str) -> Option<Tree> {
    let mut parser = Parser::new();
    parser.set_language(&grammar::of(language).language()).ok()?;
    let bytes = text.as_bytes();
    // The grammar reports every hundred steps; ordinary code needs about one step per byte.
    let mut reports_left = 1_000 + bytes.len() / 4;
    let mut watch = |_: &ParseState| {
        reports_left = reports_left.saturating_sub(1);
        if reports_left == 0 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let options = ParseOptions::new().progress_callback(&mut watch);
    let mut read = |at: usize, _| bytes.get(at..).unwrap_or_default();
    parser.parse_with_options(&mut read, None, Some(options))
}
