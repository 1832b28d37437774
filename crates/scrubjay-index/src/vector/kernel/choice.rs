//! What the loops are given and give back, and which of them runs.

use std::ops::Range;

use super::super::layout::LANES;
use super::super::quantize::MAX_DIMS;
use super::super::rotation::spread;
#[cfg(target_arch = "x86_64")]
use super::avx2;
use super::portable;

/// The largest entry of a lookup table. Four of them fit one byte, so that lookups of
/// two bytes of codes are added up before they have to be widened.
pub(in crate::vector) const MAX_ENTRY: u8 = 63;

/// A query in the form in which blocks are scored.
#[derive(Debug)]
pub(in crate::vector) struct ScanPlan {
    /// For each nibble of a code its table of sixteen entries, written twice because
    /// AVX2 looks up each half of a register by itself.
    pub tables: Vec<[u8; 32]>,
    /// How far a sum of entries is shifted to the left to use all of sixteen bits.
    pub shift: u32,
    /// What a shifted sum of entries is when the query and the signs are orthogonal.
    pub bias: i16,
}

/// A block with vectors over the floor.
pub(in crate::vector) struct BlockHit {
    /// The number of the block.
    pub block: usize,
    /// One bit for each vector that is over the floor.
    pub lanes: u32,
    /// The centred sums of all vectors of the block.
    pub sums: [i16; LANES],
    /// Their weights.
    pub weights: [i16; LANES],
    /// Their offsets.
    pub offsets: [i16; LANES],
}

impl BlockHit {
    /// A place to put a hit.
    pub(in crate::vector) fn empty() -> Self {
        Self { block: 0, lanes: 0, sums: [0; LANES], weights: [0; LANES], offsets: [0; LANES] }
    }

    /// The score of one vector: its sum times its weight, and its offset times what an
    /// offset is worth to this query. Two products of 16 bits fit 32.
    pub(in crate::vector) fn score(&self, lane: usize, offset_worth: i16) -> i32 {
        i32::from(self.sums[lane]) * i32::from(self.weights[lane])
            + i32::from(self.offsets[lane]) * i32::from(offset_worth)
    }
}

/// The next block in `range` that has a vector near or over the floor: the two products
/// of its score, each divided by 65,536 and rounded down, add up to `floor - 1` or more.
/// No vector whose score is at least `65_536 * floor` is left out. Returns whether there
/// is such a block; then it is in `hit`.
///
/// `blocks` are the blocks of a section, as many bytes each as `plan` has tables.
pub(in crate::vector) fn next_block(
    plan: &ScanPlan,
    blocks: &[u8],
    range: Range<usize>,
    offset_worth: i16,
    floor: i16,
    hit: &mut BlockHit,
) -> bool {
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("avx2") {
        return avx2::next_block(plan, blocks, range, offset_worth, floor, hit);
    }
    portable::next_block(plan, blocks, range, offset_worth, floor, hit)
}

/// The product of int8 values with a query, and with the checksum weights.
/// The slices have the same length, a multiple of 32 up to [`MAX_DIMS`].
pub(in crate::vector) fn row_products(values: &[i8], query: &[i16]) -> (i64, u32) {
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("avx2") {
        return avx2::row_products(values, query, &CHECKSUM_WEIGHTS);
    }
    portable::row_products(values, query, &CHECKSUM_WEIGHTS)
}

/// Asks for bytes that will be read soon. It may do nothing.
pub(in crate::vector) fn prefetch(bytes: &[u8]) {
    #[cfg(target_arch = "x86_64")]
    avx2::prefetch(bytes);
    #[cfg(not(target_arch = "x86_64"))]
    let _ = bytes;
}

/// Pseudo-random odd numbers. The checksum of a row is its product with them: a wrong
/// byte always changes it, and it costs next to nothing beside the product with the
/// query, which reads the same bytes.
pub(super) static CHECKSUM_WEIGHTS: [i16; MAX_DIMS] = {
    let mut weights = [0; MAX_DIMS];
    let mut position = 0;
    while position < MAX_DIMS {
        weights[position] = (spread(0x5EED_0000_0000 + position as u64) >> 48) as i16 | 1;
        position += 1;
    }
    weights
};
