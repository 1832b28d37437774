//! Fitting pieces into a number of tokens.

use scrubjay_ingest::Vocabulary;

use super::piece::{Piece, Rendered};

/// What was fitted in.
#[derive(Debug, Clone, Default)]
pub struct Packed {
    /// The pieces that are in, by their place among those given, in that order.
    pub taken: Vec<(usize, Rendered)>,
    /// The pieces that did not fit.
    pub left_out: Vec<usize>,
    /// The tokens of all that is in.
    pub tokens: usize,
}

/// How much one piece may take.
#[derive(Debug, Clone, Copy)]
pub struct Room {
    /// All of them together.
    pub tokens: usize,
    /// One of them, as long as others may still want something.
    pub per_piece: usize,
    /// What may be wasted to end with a sentence.
    pub slack: usize,
}

/// Takes pieces in their order while there is room. One that is too long is cut;
/// what is left at the end goes to those that were.
#[must_use]
pub fn pack(pieces: &[Piece], room: Room, vocabulary: Vocabulary) -> Packed {
    let mut packed = Packed::default();
    for (place, piece) in pieces.iter().enumerate() {
        let left = room.tokens - packed.tokens;
        match piece.render(left.min(room.per_piece), room.slack, vocabulary) {
            Some(rendered) => {
                packed.tokens += rendered.tokens;
                packed.taken.push((place, rendered));
            }
            None => packed.left_out.push(place),
        }
    }
    for (place, rendered) in packed.taken.iter_mut().filter(|(_, rendered)| rendered.cut) {
        let most = rendered.tokens + (room.tokens - packed.tokens);
        let longer = pieces[*place].render(most, room.slack, vocabulary);
        if let Some(longer) = longer.filter(|longer| longer.tokens > rendered.tokens) {
            packed.tokens += longer.tokens - rendered.tokens;
            *rendered = longer;
        }
    }
    packed
}
