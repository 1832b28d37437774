//! Either tokenizer behind one face.

use super::super::error::WeightError;
use super::super::weights::{TokenizerHeader, Weights};
use super::byte_level_bpe::ByteLevelBpe;
use super::wordpiece::WordPiece;

/// One token of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Token {
    pub(crate) id: u32,
    /// Where the text that it stands for ends, in bytes: inside a character if a character takes several tokens.
    pub(crate) end: usize,
    /// True for the first token of a word. A text is cut there if possible.
    pub(crate) begins_word: bool,
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
        let room = limit.saturating_sub(2);
        let mut ids = vec![self.begin];
        self.visit(weights, text, &mut |token| {
            if ids.len() <= room {
                ids.push(token.id);
            }
            ids.len() <= room
        });
        ids.push(self.end);
        ids
    }

    /// Calls `visit` with each token until it says no.
    pub(crate) fn visit(&self, weights: &Weights, text: &str, visit: &mut dyn FnMut(Token) -> bool) {
        match &self.kind {
            Kind::ByteLevelBpe(tokenizer) => tokenizer.visit(weights, text, visit),
            Kind::WordPiece(tokenizer) => tokenizer.visit(weights, text, visit),
        }
    }
}
