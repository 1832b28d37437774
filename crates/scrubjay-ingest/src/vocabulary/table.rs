//! The tokens of a vocabulary, ready to be looked up: nothing has to be unpacked before the first count.
//!
//! The file, made by `scripts/make-vocabularies`, numbers little-endian: `SJVOCAB1`; how many tokens there are, how
//! many bits a slot's number has, and how long the longest token is (u32 each); the slots of a hash table, each the
//! number of a token plus 1, or 0 where it is free (u32); where the bytes of each token begin, and where the last ones
//! end (u32); all bytes. The number of a token is also its rank. The tests read all of both files.

use scrubjay_core::byte_pairs::{self, Pair, Piece};

const HEAD_BYTES: usize = 20;
const MULTIPLIER: u64 = 0x9E37_79B9_7F4A_7C15;

/// The table of a vocabulary.
#[derive(Debug)]
pub(super) struct Table {
    slots: &'static [[u8; 4]],
    starts: &'static [[u8; 4]],
    bytes: &'static [u8],
    longest: usize,
    bits: u32,
}

pub(super) static CL100K_BASE: Table = Table::of(include_bytes!("../../vocabularies/cl100k_base.sjv"));
pub(super) static O200K_BASE: Table = Table::of(include_bytes!("../../vocabularies/o200k_base.sjv"));

impl Table {
    /// Done by the compiler, which refuses a file that is cut short.
    const fn of(file: &'static [u8]) -> Self {
        let (head, rest) = file.split_at(HEAD_BYTES);
        assert!(number(head, 0) == u32::from_le_bytes(*b"SJVO") && number(head, 4) == u32::from_le_bytes(*b"CAB1"));
        let (tokens, bits) = (number(head, 8) as usize, number(head, 12));
        let (slots, rest) = rest.split_at(4 << bits);
        let (starts, bytes) = rest.split_at(4 * (tokens + 1));
        let longest = number(head, 16) as usize;
        Self { slots: slots.as_chunks().0, starts: starts.as_chunks().0, bytes, longest, bits }
    }

    /// How many bytes each token of a word has, in order.
    pub(super) fn tokens(&self, word: &[u8], visit: &mut dyn FnMut(usize)) {
        // Most words are one token.
        if self.token(word).is_some() {
            return visit(word.len());
        }
        let bytes = (0..).zip(word);
        let mut pieces: Vec<Piece> =
            bytes.map(|(start, byte)| Piece { token: u32::from(*byte), start, length: 1 }).collect();
        byte_pairs::merge(&mut pieces, |one, other| {
            let (start, end) = (one.start as usize, (other.start + other.length) as usize);
            self.token(&word[start..end]).map(|token| Pair { rank: token, token })
        });
        for piece in pieces {
            visit(piece.length as usize);
        }
    }

    /// The number of a token.
    fn token(&self, bytes: &[u8]) -> Option<u32> {
        if bytes.len() > self.longest {
            return None;
        }
        let mut slot = self.slot(bytes);
        loop {
            let token = u32::from_le_bytes(*self.slots.get(slot)?).checked_sub(1)?;
            if self.bytes_of(token) == Some(bytes) {
                return Some(token);
            }
            slot = (slot + 1) & (self.slots.len() - 1);
        }
    }

    fn slot(&self, bytes: &[u8]) -> usize {
        let mut value = bytes.len() as u64;
        for part in bytes.chunks(8) {
            let mut eight = [0; 8];
            eight[..part.len()].copy_from_slice(part);
            value = (value ^ u64::from_le_bytes(eight)).wrapping_mul(MULTIPLIER);
            value ^= value >> 32;
        }
        (value.wrapping_mul(MULTIPLIER) >> (64 - self.bits)) as usize
    }

    fn bytes_of(&self, token: u32) -> Option<&'static [u8]> {
        let start = |place: usize| self.starts.get(place).map(|start| u32::from_le_bytes(*start) as usize);
        self.bytes.get(start(token as usize)?..start(token as usize + 1)?)
    }
}

const fn number(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_token_is_found_and_nothing_else() {
        for (table, tokens) in [(&CL100K_BASE, 100_256), (&O200K_BASE, 199_998)] {
            assert_eq!(table.starts.len(), tokens + 1);
            for token in 0..u32::try_from(tokens).unwrap() {
                let bytes = table.bytes_of(token).expect("the bytes of a token");
                assert!(!bytes.is_empty() && bytes.len() <= table.longest);
                assert_eq!(table.token(bytes), Some(token));
            }
            let taken = table.slots.iter().filter(|slot| **slot != [0; 4]).count();
            assert_eq!(taken, tokens);
            assert_eq!(table.token("no token has these words".as_bytes()), None);
            assert_eq!(table.token(b""), None);
            // Whatever the bytes are, each is a token by itself.
            assert!((0..=255).all(|byte| table.token(&[byte]).is_some()));
        }
    }
}
