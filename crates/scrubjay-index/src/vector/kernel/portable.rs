//! The inner loops in plain Rust.

use std::ops::Range;

use super::super::layout::{LANES, lane_byte};
use super::{BlockHit, ScanPlan};

pub(super) fn next_block(
    plan: &ScanPlan,
    blocks: &[u8],
    range: Range<usize>,
    offset_worth: i16,
    floor: i16,
    hit: &mut BlockHit,
) -> bool {
    let code_bytes = plan.tables.len() / 2 * LANES;
    let stride = code_bytes + 4 * LANES;
    let Some(part) = blocks.get(range.start.saturating_mul(stride)..range.end.saturating_mul(stride)) else {
        return false;
    };
    for (block, bytes) in range.zip(part.chunks_exact(stride)) {
        let (codes, factors) = bytes.split_at(code_bytes);
        let (factors, _) = factors.as_chunks();
        let sums = sum_entries(plan, codes);
        hit.lanes = 0;
        for lane in 0..LANES {
            hit.sums[lane] = ((sums[lane_byte(lane)] << plan.shift) as i16).wrapping_sub(plan.bias);
            hit.weights[lane] = i16::from_le_bytes(factors[lane]);
            hit.offsets[lane] = i16::from_le_bytes(factors[LANES + lane]);
            let signs = high_half(hit.sums[lane], hit.weights[lane]);
            let offset = high_half(hit.offsets[lane], offset_worth);
            let passes = signs.saturating_add(offset) >= floor.saturating_sub(1);
            hit.lanes |= u32::from(passes) << lane;
        }
        if hit.lanes != 0 {
            hit.block = block;
            return true;
        }
    }
    false
}

/// A product divided by 65,536, rounded down.
fn high_half(left: i16, right: i16) -> i16 {
    ((i32::from(left) * i32::from(right)) >> 16) as i16
}

/// The sum of the looked-up entries of each vector, in the order of the bytes.
fn sum_entries(plan: &ScanPlan, codes: &[u8]) -> [u16; LANES] {
    let mut sums = [0_u16; LANES];
    for (codes, tables) in codes.chunks_exact(LANES).zip(plan.tables.chunks_exact(2)) {
        for (sum, code) in sums.iter_mut().zip(codes) {
            let low = tables[0][usize::from(code & 15)];
            let high = tables[1][usize::from(code >> 4)];
            *sum = sum.wrapping_add(u16::from(low) + u16::from(high));
        }
    }
    sums
}

pub(super) fn row_products(values: &[i8], query: &[i16], checksum_weights: &[i16]) -> (i64, u32) {
    let mut product = 0_i64;
    let mut checksum = 0_u32;
    // A part is short enough for its product to fit 32 bits.
    for ((values, query), weights) in values.chunks(256).zip(query.chunks(256)).zip(checksum_weights.chunks(256)) {
        let mut part = 0_i32;
        for ((&value, &query), &weight) in values.iter().zip(query).zip(weights) {
            part += i32::from(value) * i32::from(query);
            checksum = checksum.wrapping_add((i32::from(value) * i32::from(weight)) as u32);
        }
        product += i64::from(part);
    }
    (product, checksum)
}
