//! Byte pair encoding: the neighbours whose pair has the lowest rank become one, until no pair has a rank.
//!
//! Which pairs have one is up to the vocabulary; the rest is the same for all of them.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Up to this many pieces the next pair is looked for by reading all; more have a queue.
pub const SHORT: usize = 48;

/// A piece of a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Piece {
    /// Its token.
    pub token: u32,
    /// Where in the word it begins.
    pub start: u32,
    /// How many bytes it has.
    pub length: u32,
}

/// What two pieces become.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Pair {
    /// The lowest goes first; of equal ones, the leftmost.
    pub rank: u32,
    /// The token of the two together.
    pub token: u32,
}

impl Piece {
    /// Its bytes.
    #[must_use]
    pub fn of(self, word: &[u8]) -> &[u8] {
        &word[self.start as usize..(self.start + self.length) as usize]
    }

    fn with(self, next: Self, pair: Pair) -> Self {
        Self { token: pair.token, start: self.start, length: self.length + next.length }
    }
}

/// Merges neighbouring pieces as long as there is a pair.
pub fn merge(pieces: &mut Vec<Piece>, look_up: impl Fn(Piece, Piece) -> Option<Pair>) {
    if pieces.len() <= SHORT { merge_short(pieces, look_up) } else { merge_long(pieces, look_up) }
}

fn merge_short(pieces: &mut Vec<Piece>, look_up: impl Fn(Piece, Piece) -> Option<Pair>) {
    let mut pairs = [None; SHORT];
    for (pair, two) in pairs.iter_mut().zip(pieces.windows(2)) {
        *pair = look_up(two[0], two[1]);
    }
    let mut count = pieces.len();
    loop {
        let ranked = pairs[..count.saturating_sub(1)].iter().enumerate();
        let ranked = ranked.filter_map(|(place, pair)| pair.map(|pair: Pair| (pair.rank, place, pair)));
        let Some((_, place, pair)) = ranked.min() else { break };
        pieces[place] = pieces[place].with(pieces[place + 1], pair);
        pieces.copy_within(place + 2..count, place + 1);
        pairs.copy_within(place + 1..count - 1, place);
        count -= 1;
        if place + 1 < count {
            pairs[place] = look_up(pieces[place], pieces[place + 1]);
        }
        if place > 0 {
            pairs[place - 1] = look_up(pieces[place - 1], pieces[place]);
        }
    }
    pieces.truncate(count);
}

/// The same with a queue and a linked list, so that the time for a word of a megabyte does not grow with its square.
fn merge_long(pieces: &mut Vec<Piece>, look_up: impl Fn(Piece, Piece) -> Option<Pair>) {
    let mut links: Vec<Link> =
        (0..pieces.len()).map(|place| Link { before: place.wrapping_sub(1), after: place + 1 }).collect();
    let entry = |pieces: &[Piece], left: usize, right: usize| {
        let (one, other) = (*pieces.get(left)?, *pieces.get(right)?);
        let pair = look_up(one, other)?;
        Some(Reverse((pair.rank, left, other.start + other.length, pair.token)))
    };
    let mut queue: BinaryHeap<_> =
        (1..pieces.len()).filter_map(|right| entry(pieces, right - 1, right)).collect::<Vec<_>>().into();
    while let Some(Reverse((rank, left, end, token))) = queue.pop() {
        // A piece that was merged away has length 0. Pieces only grow, so that an entry whose two have changed does
        // not end where it did.
        let right = links[left].after;
        let next = pieces.get(right).copied().filter(|_| pieces[left].length > 0);
        let Some(next) = next.filter(|next| next.start + next.length == end) else { continue };
        pieces[left] = pieces[left].with(next, Pair { rank, token });
        pieces[right].length = 0;
        let after = links[right].after;
        links[left].after = after;
        if let Some(link) = links.get_mut(after) {
            link.before = left;
        }
        queue.extend(entry(pieces, links[left].before, left));
        queue.extend(entry(pieces, left, after));
    }
    pieces.retain(|piece| piece.length > 0);
}

#[derive(Debug, Clone, Copy)]
struct Link {
    before: usize,
    after: usize,
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    // Any two pieces whose lengths add up to a power of two, or whose first letters are next to one another.
    fn look_up(word: &[u8]) -> impl Fn(Piece, Piece) -> Option<Pair> {
        move |one, other| {
            let (first, second) = (one.of(word)[0], other.of(word)[0]);
            let length = one.length + other.length;
            let fits = length.is_power_of_two() || second == first + 1;
            let rank = u32::from(first ^ second) + length;
            (fits && length < 40).then_some(Pair { rank, token: 1000 * length + rank })
        }
    }

    fn pieces(word: &[u8]) -> Vec<Piece> {
        let piece = |(start, byte): (usize, &u8)| Piece { token: u32::from(*byte), start: start as u32, length: 1 };
        word.iter().enumerate().map(piece).collect()
    }

    proptest! {
        #[test]
        fn a_queue_merges_as_reading_all_does(word in "[a-f]{0,48}") {
            let word = word.as_bytes();
            let (mut short, mut long) = (pieces(word), pieces(word));
            merge_short(&mut short, look_up(word));
            merge_long(&mut long, look_up(word));
            prop_assert_eq!(&short, &long);
            let lengths: u32 = short.iter().map(|piece| piece.length).sum();
            prop_assert_eq!(lengths as usize, word.len());
        }
    }
}
