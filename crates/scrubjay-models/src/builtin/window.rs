//! Where a text that is too long for the model is cut.

use std::ops::Range;

use super::tokenizer::{Token, Tokenizer};
use super::weights::Weights;

/// Tokens that begin and end a text, and some to spare: a part is tokenized anew and may have a few more tokens than it
/// had in the whole.
const RESERVED_TOKENS: usize = 2 + 8;
/// One in so many tokens is seen twice, so that a sentence on a border is whole in one of the parts.
const OVERLAP_SHARE: usize = 10;
/// One in so many tokens may be left free to end between two words.
const SLACK_SHARE: usize = 4;

/// Ranges of at most `max_tokens` tokens that cover the text, on character boundaries and between words if there are
/// any near.
pub(crate) fn by_tokens(tokenizer: &Tokenizer, weights: &Weights, text: &str, max_tokens: usize) -> Vec<Range<usize>> {
    let mut tokens = Vec::new();
    tokenizer.visit(weights, text, &mut |token| {
        tokens.push(token);
        true
    });
    cut(text, &tokens, max_tokens)
}

fn cut(text: &str, tokens: &[Token], max_tokens: usize) -> Vec<Range<usize>> {
    if tokens.len() + 2 <= max_tokens {
        return std::iter::once(0..text.len()).collect();
    }
    let room = max_tokens.saturating_sub(RESERVED_TOKENS).max(1);
    let mut windows: Vec<Range<usize>> = Vec::new();
    let mut first = 0;
    loop {
        let is_last = tokens.len() - first <= room;
        let last = if is_last { tokens.len() } else { word_near(tokens, first + room, room / SLACK_SHARE) };
        let end = if is_last { text.len() } else { boundary_before(text, tokens, last) };
        // One character may be several tokens, with a border among them: such a part begins or ends where another does.
        let (start_before, end_before) = windows.last().map_or((None, 0), |window| (Some(window.start), window.end));
        if end > end_before {
            let start = boundary_before(text, tokens, first);
            windows.push(if Some(start) > start_before { start..end } else { end_before..end });
        }
        if is_last {
            return windows;
        }
        let back = word_near(tokens, last - room / OVERLAP_SHARE, room / OVERLAP_SHARE);
        first = if back > first { back } else { last };
    }
}

/// The start of a word at or up to `reach` tokens before a token; the token itself if there is none.
fn word_near(tokens: &[Token], place: usize, reach: usize) -> usize {
    let near = (place.saturating_sub(reach) + 1..=place).rev();
    near.into_iter().find(|&token| tokens.get(token).is_some_and(|token| token.begins_word)).unwrap_or(place)
}

/// Where the text of a token begins, moved to the start of a character.
fn boundary_before(text: &str, tokens: &[Token], token: usize) -> usize {
    let end_of_previous = token.checked_sub(1).and_then(|previous| tokens.get(previous)).map_or(0, |token| token.end);
    text.floor_char_boundary(end_of_previous)
}
