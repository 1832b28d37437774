//! Either tokenizer behind one face.

use super::super::error::WeightError;
use super::super::weights::{TokenizerHeader, Weights};
use super::byte_level_bpe::ByteLevelBpe;
use super::wordpiece::WordPiece;

/// A text is cut to this many bytes per token before it is tokenized.
const MAX_TOKEN_BYTES: usize = 512;

/// One token of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Token {
    pub(crate) id: u32,
    /// Where the text that it stands for ends, in bytes: inside a character if a character takes several tokens.
    pub(crate) end: usize,
    /// True for the first token of a word. A text is cut there if possible.
    pub(crate) begins_word: bool,
}

/// Two texts for a model that compares them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Pair {
    pub(crate) tokens: Vec<u32>,
    /// How many of them belong to the first text.
    pub(crate) first_part: usize,
}

/// The tokenizer of a model.
#[derive(Debug)]
pub(crate) struct Tokenizer {
    kind: Kind,
    begin: u32,
    end: u32,
}

#[derive(Debug)]
enum Kind {
    ByteLevelBpe(ByteLevelBpe),
    WordPiece(WordPiece),
}

impl Tokenizer {
    pub(crate) fn cut(weights: &Weights) -> Result<Self, WeightError> {
        match weights.header().tokenizer {
            TokenizerHeader::ByteLevelBpe { begin, end } => {
                Ok(Self { kind: Kind::ByteLevelBpe(ByteLevelBpe::cut(weights)?), begin, end })
            }
            TokenizerHeader::Wordpiece { begin, end, unknown } => {
                Ok(Self { kind: Kind::WordPiece(WordPiece::cut(weights, unknown)?), begin, end })
            }
        }
    }

    /// The ids of a text between those that begin and end it, `limit` in all at most.
    pub(crate) fn encode(&self, weights: &Weights, text: &str, limit: usize) -> Vec<u32> {
        let mut ids = vec![self.begin];
        ids.extend(self.tokens(weights, text, limit.saturating_sub(2)));
        ids.push(self.end);
        ids
    }

    /// The ids of a text alone, `limit` at most.
    pub(crate) fn tokens(&self, weights: &Weights, text: &str, limit: usize) -> Vec<u32> {
        // No vocabulary has tokens this long, and a text of a gigabyte must not take a gigabyte of them.
        let text = &text[..text.floor_char_boundary(limit.saturating_mul(MAX_TOKEN_BYTES))];
        let mut ids = Vec::new();
        self.visit(weights, text, &mut |token| {
            if ids.len() < limit {
                ids.push(token.id);
            }
            ids.len() < limit
        });
        ids
    }

    /// Two texts as one, `limit` ids in all at most. The longer one is cut first; if both have to be cut, they get
    /// halves, and the longer one (the second of two equal ones) the odd id.
    pub(crate) fn pair(&self, first: &[u32], second: &[u32], limit: usize) -> Pair {
        let (first_length, second_length) = lengths_of_pair(first.len(), second.len(), limit.saturating_sub(3));
        let mut tokens = Vec::with_capacity(first_length + second_length + 3);
        tokens.push(self.begin);
        tokens.extend_from_slice(&first[..first_length]);
        tokens.push(self.end);
        let first_part = tokens.len();
        tokens.extend_from_slice(&second[..second_length]);
        tokens.push(self.end);
        Pair { tokens, first_part }
    }

    /// Calls `visit` with each token until it says no.
    pub(crate) fn visit(&self, weights: &Weights, text: &str, visit: &mut dyn FnMut(Token) -> bool) {
        match &self.kind {
            Kind::ByteLevelBpe(tokenizer) => tokenizer.visit(weights, text, visit),
            Kind::WordPiece(tokenizer) => tokenizer.visit(weights, text, visit),
        }
    }
}

/// How much of two texts is left in `room` ids.
fn lengths_of_pair(first: usize, second: usize, room: usize) -> (usize, usize) {
    if first > second {
        let (second, first) = lengths_of_pair(second, first, room);
        return (first, second);
    }
    let half = room / 2;
    if first <= half { (first, second.min(room - first)) } else { (half.min(first), (room - half).min(second)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longer_text_is_cut_first() {
        for ((first, second, room), expected) in [
            ((3, 4, 9), (3, 4)),
            ((3, 40, 9), (3, 6)),
            ((40, 3, 9), (6, 3)),
            ((40, 40, 9), (4, 5)),
            ((41, 40, 9), (5, 4)),
            ((4, 5, 9), (4, 5)),
            ((5, 5, 9), (4, 5)),
            ((0, 12, 9), (0, 9)),
            ((0, 0, 9), (0, 0)),
            ((7, 7, 0), (0, 0)),
        ] {
            assert_eq!(lengths_of_pair(first, second, room), expected, "{first} and {second} in {room}");
        }
    }
}
