//! From a word to the rows of its pieces.

use std::ops::Range;

use super::super::error::WeightError;
use super::super::sections::Sections;

/// Stands before a piece that begins a word.
const START: &str = "\u{2581}";
const FNV_BASIS: u32 = 0x811C_9DC5;
const FNV_PRIME: u32 = 0x0100_0193;

/// Where the pieces lie in the file.
#[derive(Debug)]
pub(super) struct Pieces {
    text: Range<usize>,
    offsets: Range<usize>,
    slots: Range<usize>,
    shift: u32,
    longest_bytes: usize,
}

impl Pieces {
    pub(super) fn locate(sections: &Sections, rows: usize, longest_bytes: usize) -> Result<Self, WeightError> {
        let wrong = || WeightError::Section { name: "pieces.slots".to_owned() };
        let length = sections.length("pieces.slots")?;
        let slots = sections.locate("pieces.slots", length)?;
        let count = length / 4;
        // A full table would be searched for ever.
        let has_room = sections.slice(&slots).as_chunks::<4>().0.contains(&[0; 4]);
        if !count.is_power_of_two() || count < 2 || !has_room {
            return Err(wrong());
        }
        Ok(Self {
            text: sections.locate("pieces.text", sections.length("pieces.text")?)?,
            offsets: sections.locate("pieces.offsets", (rows + 1) * 4)?,
            slots,
            shift: 32 - count.trailing_zeros(),
            longest_bytes,
        })
    }

    pub(super) fn lookup<'file>(&self, sections: &'file Sections) -> Lookup<'file> {
        Lookup {
            text: sections.slice(&self.text),
            offsets: sections.slice(&self.offsets).as_chunks().0,
            slots: sections.slice(&self.slots).as_chunks().0,
            shift: self.shift,
            longest_bytes: self.longest_bytes,
        }
    }
}

/// The pieces, ready to be asked.
pub(super) struct Lookup<'file> {
    text: &'file [u8],
    offsets: &'file [[u8; 4]],
    slots: &'file [[u8; 4]],
    shift: u32,
    longest_bytes: usize,
}

impl Lookup<'_> {
    /// Calls `visit` with the row of each piece of a folded word: from the left, the longest there is. A word begins
    /// with a piece that may begin one, if there is any. A character that is in no piece is passed over.
    pub(super) fn rows(&self, word: &str, mut visit: impl FnMut(usize)) {
        let mut rest = word;
        let mut found = self.longest(START, rest);
        while let Some(first) = rest.chars().next() {
            let length = match found.or_else(|| self.longest("", rest)) {
                Some((length, row)) => {
                    visit(row);
                    length
                }
                None => first.len_utf8(),
            };
            rest = &rest[length..];
            found = None;
        }
    }

    /// The longest piece with this prefix that a text begins with: its length without the prefix, and its row.
    fn longest(&self, prefix: &str, text: &str) -> Option<(usize, usize)> {
        let mut hash = prefix.bytes().fold(FNV_BASIS, fnv1a);
        let reach = text.floor_char_boundary(self.longest_bytes.saturating_sub(prefix.len()));
        let mut best = None;
        for (place, byte) in text.bytes().enumerate().take(reach) {
            hash = fnv1a(hash, byte);
            let end = place + 1;
            if text.is_char_boundary(end)
                && let Some(row) = self.find(hash, prefix, &text[..end])
            {
                best = Some((end, row));
            }
        }
        best
    }

    fn find(&self, hash: u32, prefix: &str, piece: &str) -> Option<usize> {
        let number = |four: &[u8; 4]| u32::from_le_bytes(*four) as usize;
        let mut slot = (hash.wrapping_mul(0x9E37_79B1) >> self.shift) as usize;
        loop {
            let row = number(self.slots.get(slot)?).checked_sub(1)?;
            let entry = self.text.get(number(self.offsets.get(row)?)..number(self.offsets.get(row + 1)?))?;
            if entry.strip_prefix(prefix.as_bytes()) == Some(piece.as_bytes()) {
                return Some(row);
            }
            slot = (slot + 1) & (self.slots.len() - 1);
        }
    }
}

fn fnv1a(hash: u32, byte: u8) -> u32 {
    (hash ^ u32::from(byte)).wrapping_mul(FNV_PRIME)
}
