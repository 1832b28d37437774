//! Byte-level BPE: words are bytes at first, and the pair of lowest rank is merged until none is left.
//!
//! Sections of the weight file: `bpe.bytes`, 256 ids (u16); `bpe.merges`, a hash table of slots of four u16, left id,
//! right id, merged id and rank, all zero where empty (the id 0 begins a text and never merges). The slot of a pair is
//! (left · 2¹⁶ + right) · 0x9E3779B1 mod 2³² shifted down to the table's size, or the next free one.

use std::ops::Range;

use scrubjay_core::byte_pairs::{self, Pair, Piece};

use super::super::error::WeightError;
use super::super::weights::Weights;
use super::pretoken::first_word;
use super::tokens::Token;

const SLOT_BYTES: usize = 8;

/// The tables of a byte-level BPE tokenizer.
#[derive(Debug)]
pub(super) struct ByteLevelBpe {
    bytes: Vec<u16>,
    merges: Range<usize>,
    /// Bits by which a hash is shifted down to a slot.
    shift: u32,
}

impl ByteLevelBpe {
    pub(super) fn cut(weights: &Weights) -> Result<Self, WeightError> {
        let wrong = |name: &str| WeightError::Section { name: name.to_owned() };
        let place = weights.locate("bpe.bytes", 512)?;
        let bytes = weights.slice(&place).as_chunks().0.iter().map(|&two| u16::from_le_bytes(two)).collect();
        let length = weights.length("bpe.merges")?;
        let slots = length / SLOT_BYTES;
        if !slots.is_power_of_two() || slots < 2 || !length.is_multiple_of(SLOT_BYTES) {
            return Err(wrong("bpe.merges"));
        }
        let merges = weights.locate("bpe.merges", length)?;
        // A full table would be searched for ever.
        if !weights.slice(&merges).chunks_exact(SLOT_BYTES).rev().any(|slot| slot.iter().all(|&byte| byte == 0)) {
            return Err(wrong("bpe.merges"));
        }
        Ok(Self { bytes, merges, shift: 32 - slots.trailing_zeros() })
    }

    pub(super) fn visit(&self, weights: &Weights, text: &str, visit: &mut dyn FnMut(Token) -> bool) {
        let merges = weights.slice(&self.merges).as_chunks::<SLOT_BYTES>().0;
        let table = Table { merges, shift: self.shift };
        let mut pieces = Vec::with_capacity(byte_pairs::SHORT);
        let mut place = 0;
        while place < text.len() {
            let rest = &text[place..];
            // A word is never empty; the guard keeps a mistake there from hanging.
            let (word, _) = rest.split_at(first_word(rest).max(1));
            pieces.clear();
            let bytes = (0..).zip(word.bytes());
            pieces.extend(bytes.map(|(start, byte)| {
                let token = u32::from(self.bytes[usize::from(byte)]);
                Piece { token, start, length: 1 }
            }));
            byte_pairs::merge(&mut pieces, |one, other| table.look_up(one.token, other.token));
            for (number, piece) in pieces.iter().enumerate() {
                place += piece.length as usize;
                if !visit(Token { id: piece.token, end: place, begins_word: number == 0 }) {
                    return;
                }
            }
        }
    }
}

struct Table<'weights> {
    merges: &'weights [[u8; SLOT_BYTES]],
    shift: u32,
}

impl Table<'_> {
    // Tokens of this table have 16 bits.
    fn look_up(&self, left: u32, right: u32) -> Option<Pair> {
        let key = left << 16 | right;
        let mut slot = (key.wrapping_mul(0x9E37_79B1) >> self.shift) as usize;
        loop {
            let content = u64::from_le_bytes(*self.merges.get(slot)?);
            if content == 0 {
                return None;
            }
            if u32::from(content as u16) == left && u32::from((content >> 16) as u16) == right {
                let (token, rank) = (u32::from((content >> 32) as u16), (content >> 48) as u32);
                return Some(Pair { rank, token });
            }
            slot = (slot + 1) & (self.merges.len() - 1);
        }
    }
}
