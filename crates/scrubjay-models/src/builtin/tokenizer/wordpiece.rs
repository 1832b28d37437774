//! WordPiece as BERT uses it, lower case and without accents.
//!
//! Sections of the weight file: `wordpiece.text`, all pieces one after another; `wordpiece.offsets`, where each begins
//! and the last ends (u32); `wordpiece.slots`, a hash table of ids plus 1 (u32), 0 where empty. The slot of a piece is
//! its 32-bit FNV-1a hash · 0x9E3779B1 mod 2³² shifted down to the table's size, or the next free one.

use std::ops::Range;

use unicode_normalization::char::decompose_canonical;

use super::super::error::WeightError;
use super::super::weights::Weights;
use super::tokens::Token;
use scrubjay_core::character::{is_ideograph, is_left_out, is_mark_without_width, is_punctuation};

/// A longer word is unknown as a whole.
const MAX_WORD_CHARACTERS: usize = 100;
const CONTINUATION: &str = "##";
const FNV_BASIS: u32 = 0x811C_9DC5;
const FNV_PRIME: u32 = 0x0100_0193;

/// The tables of a WordPiece tokenizer.
#[derive(Debug)]
pub(super) struct WordPiece {
    text: Range<usize>,
    offsets: Range<usize>,
    slots: Range<usize>,
    shift: u32,
    unknown: u32,
}

impl WordPiece {
    pub(super) fn cut(weights: &Weights, unknown: u32) -> Result<Self, WeightError> {
        let wrong = || WeightError::Section { name: "wordpiece.slots".to_owned() };
        let length = weights.length("wordpiece.slots")?;
        let count = length / 4;
        let slots = weights.locate("wordpiece.slots", length)?;
        // A full table would be searched for ever.
        let has_room = weights.slice(&slots).as_chunks::<4>().0.contains(&[0; 4]);
        if !count.is_power_of_two() || count < 2 || !has_room {
            return Err(wrong());
        }
        Ok(Self {
            text: weights.locate("wordpiece.text", weights.length("wordpiece.text")?)?,
            offsets: weights.locate("wordpiece.offsets", (weights.header().architecture.vocabulary + 1) * 4)?,
            slots,
            shift: 32 - count.trailing_zeros(),
            unknown,
        })
    }

    pub(super) fn visit(&self, weights: &Weights, text: &str, visit: &mut dyn FnMut(Token) -> bool) {
        let table = Table {
            text: weights.slice(&self.text),
            offsets: weights.slice(&self.offsets).as_chunks().0,
            slots: weights.slice(&self.slots).as_chunks().0,
            shift: self.shift,
        };
        let mut word = String::new();
        let mut pieces = Vec::new();
        let mut flush = |word: &mut String, end: usize| {
            pieces.clear();
            if !word.is_empty() && !table.pieces(word, &mut pieces) {
                pieces.clear();
                pieces.push(self.unknown);
            }
            word.clear();
            pieces.iter().enumerate().all(|(number, &id)| visit(Token { id, end, begins_word: number == 0 }))
        };
        for (place, character) in text.char_indices() {
            let end = place + character.len_utf8();
            if is_left_out(character) {
                continue;
            }
            if is_ideograph(character) {
                if !flush(&mut word, place) {
                    return;
                }
                word.push(character);
                if !flush(&mut word, end) {
                    return;
                }
                continue;
            }
            let mut plain = Plain::default();
            decompose_canonical(character, |part| plain.add(part));
            for part in plain.parts() {
                let goes_on = if part.is_whitespace() {
                    flush(&mut word, place)
                } else if is_punctuation(part) {
                    let before = flush(&mut word, place);
                    word.push(part);
                    before && flush(&mut word, end)
                } else {
                    word.push(part);
                    true
                };
                if !goes_on {
                    return;
                }
            }
        }
        flush(&mut word, text.len());
    }
}

/// A character in lower case and without its accents: a few characters.
#[derive(Debug, Default)]
struct Plain(Vec<char>);

impl Plain {
    fn add(&mut self, part: char) {
        if !is_mark_without_width(part) {
            self.0.extend(part.to_lowercase());
        }
    }

    fn parts(&self) -> impl Iterator<Item = char> {
        self.0.iter().copied()
    }
}

struct Table<'weights> {
    text: &'weights [u8],
    offsets: &'weights [[u8; 4]],
    slots: &'weights [[u8; 4]],
    shift: u32,
}

impl Table<'_> {
    /// Cuts a word into the longest pieces there are, from the left. False if some part of it is no piece.
    fn pieces(&self, word: &str, pieces: &mut Vec<u32>) -> bool {
        if word.chars().count() > MAX_WORD_CHARACTERS {
            return false;
        }
        let mut start = 0;
        while start < word.len() {
            let prefix = if start == 0 { "" } else { CONTINUATION };
            let rest = &word[start..];
            let ends = rest.char_indices().map(|(place, character)| place + character.len_utf8()).rev();
            let found = ends.into_iter().find_map(|end| self.look_up(prefix, &rest[..end]).map(|id| (end, id)));
            let Some((end, id)) = found else { return false };
            pieces.push(id);
            start += end;
        }
        true
    }

    fn look_up(&self, prefix: &str, piece: &str) -> Option<u32> {
        let hash = prefix
            .bytes()
            .chain(piece.bytes())
            .fold(FNV_BASIS, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(FNV_PRIME));
        let mut slot = (hash.wrapping_mul(0x9E37_79B1) >> self.shift) as usize;
        loop {
            let id = u32::from_le_bytes(*self.slots.get(slot)?).checked_sub(1)?;
            let begin = u32::from_le_bytes(*self.offsets.get(id as usize)?) as usize;
            let end = u32::from_le_bytes(*self.offsets.get(id as usize + 1)?) as usize;
            let entry = self.text.get(begin..end)?;
            if entry.strip_prefix(prefix.as_bytes()) == Some(piece.as_bytes()) {
                return Some(id);
            }
            slot = (slot + 1) & (self.slots.len() - 1);
        }
    }
}
