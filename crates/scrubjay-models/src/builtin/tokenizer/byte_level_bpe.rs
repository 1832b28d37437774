//! Byte-level BPE: words are bytes at first, and the pair of lowest rank is merged until none is left.
//!
//! Sections of the weight file: `bpe.bytes`, 256 ids (u16); `bpe.merges`, a hash table of slots of four u16, left id,
//! right id, merged id and rank, all zero where empty (the id 0 begins a text and never merges). The slot of a pair is
//! (left · 2¹⁶ + right) · 0x9E3779B1 mod 2³² shifted down to the table's size, or the next free one.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::ops::Range;

use super::super::error::WeightError;
use super::super::weights::Weights;
use super::pretoken::first_word;
use super::tokens::Token;

const SLOT_BYTES: usize = 8;
/// Up to this many symbols the next merge is looked for by reading all; a longer word has a queue.
const SHORT_WORD: usize = 48;

/// The tables of a byte-level BPE tokenizer.
#[derive(Debug)]
pub(super) struct ByteLevelBpe {
    bytes: Vec<u16>,
    merges: Range<usize>,
    /// Bits by which a hash is shifted down to a slot.
    shift: u32,
}

/// A piece of a word: an id, and how many bytes it stands for.
#[derive(Debug, Clone, Copy)]
struct Symbol {
    id: u16,
    length: u32,
}

#[derive(Debug, Clone, Copy)]
struct Merge {
    rank: u16,
    merged: u16,
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
        let mut symbols = Vec::with_capacity(SHORT_WORD);
        let mut place = 0;
        while place < text.len() {
            let rest = &text[place..];
            // A word is never empty; the guard keeps a mistake there from hanging.
            let (word, _) = rest.split_at(first_word(rest).max(1));
            symbols.clear();
            symbols.extend(word.bytes().map(|byte| Symbol { id: self.bytes[usize::from(byte)], length: 1 }));
            if symbols.len() <= SHORT_WORD {
                table.merge_short(&mut symbols);
            } else {
                table.merge_long(&mut symbols);
            }
            for (number, symbol) in symbols.iter().enumerate() {
                place += symbol.length as usize;
                if !visit(Token { id: u32::from(symbol.id), end: place, begins_word: number == 0 }) {
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
    fn look_up(&self, left: u16, right: u16) -> Option<Merge> {
        let key = u32::from(left) << 16 | u32::from(right);
        let mut slot = (key.wrapping_mul(0x9E37_79B1) >> self.shift) as usize;
        loop {
            let content = u64::from_le_bytes(*self.merges.get(slot)?);
            if content == 0 {
                return None;
            }
            if content as u16 == left && (content >> 16) as u16 == right {
                return Some(Merge { merged: (content >> 32) as u16, rank: (content >> 48) as u16 });
            }
            slot = (slot + 1) & (self.merges.len() - 1);
        }
    }

    fn merge_short(&self, symbols: &mut Vec<Symbol>) {
        let mut merges = [None; SHORT_WORD];
        for (merge, pair) in merges.iter_mut().zip(symbols.windows(2)) {
            *merge = self.look_up(pair[0].id, pair[1].id);
        }
        let mut count = symbols.len();
        loop {
            let pairs = merges[..count.saturating_sub(1)].iter().enumerate();
            let ranked = pairs.filter_map(|(place, merge)| merge.map(|merge: Merge| (merge.rank, place, merge.merged)));
            let Some((_, place, merged)) = ranked.min() else { break };
            symbols[place] = Symbol { id: merged, length: symbols[place].length + symbols[place + 1].length };
            symbols.copy_within(place + 2..count, place + 1);
            merges.copy_within(place + 1..count - 1, place);
            count -= 1;
            if place + 1 < count {
                merges[place] = self.look_up(merged, symbols[place + 1].id);
            }
            if place > 0 {
                merges[place - 1] = self.look_up(symbols[place - 1].id, merged);
            }
        }
        symbols.truncate(count);
    }

    /// The same with a queue and a linked list, so that the time for a word of a megabyte does not grow with its square.
    fn merge_long(&self, symbols: &mut Vec<Symbol>) {
        let mut links: Vec<Link> =
            (0..symbols.len()).map(|place| Link { before: place.wrapping_sub(1), after: place + 1 }).collect();
        let mut queue = BinaryHeap::new();
        let push = |queue: &mut BinaryHeap<_>, symbols: &[Symbol], left: usize, right: usize| {
            if let (Some(one), Some(other)) = (symbols.get(left), symbols.get(right))
                && let Some(merge) = self.look_up(one.id, other.id)
            {
                queue.push(Reverse((merge.rank, left, right, one.id, other.id, merge.merged)));
            }
        };
        for place in 1..symbols.len() {
            push(&mut queue, symbols, place - 1, place);
        }
        while let Some(Reverse((_, left, right, left_id, right_id, merged))) = queue.pop() {
            // A symbol that was merged away has length 0; an entry whose symbols have changed is stale.
            let is_stale = symbols[left].length == 0
                || symbols[right].length == 0
                || links[left].after != right
                || (symbols[left].id, symbols[right].id) != (left_id, right_id);
            if is_stale {
                continue;
            }
            symbols[left] = Symbol { id: merged, length: symbols[left].length + symbols[right].length };
            symbols[right].length = 0;
            let after = links[right].after;
            links[left].after = after;
            if let Some(link) = links.get_mut(after) {
                link.before = left;
            }
            let before = links[left].before;
            push(&mut queue, symbols, before, left);
            push(&mut queue, symbols, left, after);
        }
        symbols.retain(|symbol| symbol.length > 0);
    }
}

#[derive(Debug, Clone, Copy)]
struct Link {
    before: usize,
    after: usize,
}
