//! The inner loops for AVX2.
#![expect(unsafe_code, reason = "loads of whole registers and calls that need AVX2; each block says why it is sound")]

use std::arch::x86_64::*;
use std::ops::Range;

use super::super::layout::LANES;
use super::{BlockHit, ScanPlan};

pub(super) fn next_block(
    plan: &ScanPlan,
    blocks: &[u8],
    range: Range<usize>,
    offset_worth: i16,
    floor: i16,
    hit: &mut BlockHit,
) -> bool {
    let stride = plan.tables.len() / 2 * LANES + 4 * LANES;
    // Four tables are looked up per step, and `part` has whole blocks only.
    let whole_steps = plan.tables.len().is_multiple_of(4);
    let part = blocks.get(range.start.saturating_mul(stride)..range.end.saturating_mul(stride));
    let (true, Some(part), true) = (whole_steps, part, is_x86_feature_detected!("avx2")) else { return false };
    // SAFETY: the processor has AVX2, the number of tables is a multiple of four, and
    // `part` is a multiple of the block size that belongs to that number of tables.
    let found = unsafe { find(plan, part, offset_worth, floor, hit) };
    hit.block += range.start;
    found
}

/// # Safety
/// The number of tables is a multiple of four, and `part` has a multiple of
/// `16 * tables + 128` bytes.
#[target_feature(enable = "avx2")]
unsafe fn find(plan: &ScanPlan, part: &[u8], offset_worth: i16, floor: i16, hit: &mut BlockHit) -> bool {
    let code_bytes = plan.tables.len() / 2 * LANES;
    let stride = code_bytes + 4 * LANES;
    let nibble = _mm256_set1_epi8(15);
    let bias = _mm256_set1_epi16(plan.bias);
    let shift = _mm_cvtsi32_si128(plan.shift as i32);
    let offset_worth = _mm256_set1_epi16(offset_worth);
    // There is no "at least", so what is compared with is one lower still, and where
    // nothing is lower the answer is known.
    let below_floor = _mm256_set1_epi16(floor.saturating_sub(2));
    let all_pass = floor < i16::MIN + 2;
    let tables = plan.tables.as_ptr().cast::<__m256i>();
    for block in 0..part.len() / stride {
        // SAFETY: block < part.len() / stride, so the block is inside `part`.
        let start = unsafe { part.as_ptr().add(block * stride) };
        // The low half of each 16 bits is the sum of an even byte; the high half is
        // what overflowed into it and the sum of the odd byte, which is kept by itself.
        let mut whole = _mm256_setzero_si256();
        let mut odd = _mm256_setzero_si256();
        for step in 0..plan.tables.len() / 4 {
            // SAFETY: a step reads 64 bytes of codes, of which a block has 16 for each
            // table, and four tables of 32 bytes, which exist because step < tables / 4.
            let (first, second, low_first, high_first, low_second, high_second) = unsafe {
                let codes = start.add(step * 64).cast::<__m256i>();
                let tables = tables.add(step * 4);
                (
                    _mm256_loadu_si256(codes),
                    _mm256_loadu_si256(codes.add(1)),
                    _mm256_loadu_si256(tables),
                    _mm256_loadu_si256(tables.add(1)),
                    _mm256_loadu_si256(tables.add(2)),
                    _mm256_loadu_si256(tables.add(3)),
                )
            };
            let low = _mm256_shuffle_epi8(low_first, _mm256_and_si256(first, nibble));
            let high = _mm256_shuffle_epi8(high_first, _mm256_and_si256(_mm256_srli_epi16::<4>(first), nibble));
            let first = _mm256_add_epi8(low, high);
            let low = _mm256_shuffle_epi8(low_second, _mm256_and_si256(second, nibble));
            let high = _mm256_shuffle_epi8(high_second, _mm256_and_si256(_mm256_srli_epi16::<4>(second), nibble));
            let four = _mm256_add_epi8(first, _mm256_add_epi8(low, high));
            whole = _mm256_add_epi16(whole, four);
            odd = _mm256_add_epi16(odd, _mm256_srli_epi16::<8>(four));
        }
        let even = _mm256_sub_epi16(whole, _mm256_slli_epi16::<8>(odd));
        let even = _mm256_sub_epi16(_mm256_sll_epi16(even, shift), bias);
        let odd = _mm256_sub_epi16(_mm256_sll_epi16(odd, shift), bias);
        // SAFETY: 64 bytes of weights and 64 of offsets follow the codes of the block.
        let (even_weights, odd_weights, even_offsets, odd_offsets) = unsafe {
            let factors = start.add(code_bytes).cast::<__m256i>();
            (
                _mm256_loadu_si256(factors),
                _mm256_loadu_si256(factors.add(1)),
                _mm256_loadu_si256(factors.add(2)),
                _mm256_loadu_si256(factors.add(3)),
            )
        };
        let even_score =
            _mm256_adds_epi16(_mm256_mulhi_epi16(even, even_weights), _mm256_mulhi_epi16(even_offsets, offset_worth));
        let odd_score =
            _mm256_adds_epi16(_mm256_mulhi_epi16(odd, odd_weights), _mm256_mulhi_epi16(odd_offsets, offset_worth));
        let even_over = _mm256_cmpgt_epi16(even_score, below_floor);
        let odd_over = _mm256_cmpgt_epi16(odd_score, below_floor);
        let over = _mm256_permute4x64_epi64::<0b11_01_10_00>(_mm256_packs_epi16(even_over, odd_over));
        let lanes = if all_pass { u32::MAX } else { _mm256_movemask_epi8(over) as u32 };
        if lanes != 0 {
            hit.block = block;
            hit.lanes = lanes;
            store(&mut hit.sums, even, odd);
            store(&mut hit.weights, even_weights, odd_weights);
            store(&mut hit.offsets, even_offsets, odd_offsets);
            return true;
        }
    }
    false
}

#[target_feature(enable = "avx2")]
fn store(to: &mut [i16; LANES], first: __m256i, second: __m256i) {
    let to = to.as_mut_ptr().cast::<__m256i>();
    // SAFETY: the array has 32 numbers of 16 bits, which are two registers.
    unsafe {
        _mm256_storeu_si256(to, first);
        _mm256_storeu_si256(to.add(1), second);
    }
}

pub(super) fn row_products(values: &[i8], query: &[i16], checksum_weights: &[i16]) -> (i64, u32) {
    let steps = values.len().min(query.len()).min(checksum_weights.len()) / 32;
    if !is_x86_feature_detected!("avx2") {
        return super::portable::row_products(values, query, checksum_weights);
    }
    // SAFETY: the processor has AVX2, and each slice has 32 values for each step.
    unsafe { products(values.as_ptr(), query.as_ptr(), checksum_weights.as_ptr(), steps) }
}

/// # Safety
/// Each pointer is at `32 * steps` readable numbers.
#[target_feature(enable = "avx2")]
unsafe fn products(values: *const i8, query: *const i16, weights: *const i16, steps: usize) -> (i64, u32) {
    let mut product = [_mm256_setzero_si256(); 2];
    let mut checksum = [_mm256_setzero_si256(); 2];
    for step in 0..steps {
        for half in 0..2 {
            let at = step * 32 + half * 16;
            // SAFETY: at + 16 <= 32 * steps, which is how many numbers there are.
            let (values, query, weights) = unsafe {
                (
                    _mm_loadu_si128(values.add(at).cast()),
                    _mm256_loadu_si256(query.add(at).cast()),
                    _mm256_loadu_si256(weights.add(at).cast()),
                )
            };
            let values = _mm256_cvtepi8_epi16(values);
            // A lane adds 256 products of two at most, each below 2^23: no overflow.
            product[half] = _mm256_add_epi32(product[half], _mm256_madd_epi16(values, query));
            checksum[half] = _mm256_add_epi32(checksum[half], _mm256_madd_epi16(values, weights));
        }
    }
    let product = sum_wide(product[0]) + sum_wide(product[1]);
    let checksum = _mm256_add_epi32(checksum[0], checksum[1]);
    let checksum = _mm_add_epi32(_mm256_castsi256_si128(checksum), _mm256_extracti128_si256::<1>(checksum));
    let checksum = _mm_add_epi32(checksum, _mm_unpackhi_epi64(checksum, checksum));
    let checksum = _mm_add_epi32(checksum, _mm_shuffle_epi32::<1>(checksum));
    (product, _mm_cvtsi128_si32(checksum) as u32)
}

/// The sum of eight numbers of 32 bits, which may need more than 32.
#[target_feature(enable = "avx2")]
fn sum_wide(numbers: __m256i) -> i64 {
    let low = _mm256_cvtepi32_epi64(_mm256_castsi256_si128(numbers));
    let high = _mm256_cvtepi32_epi64(_mm256_extracti128_si256::<1>(numbers));
    let four = _mm256_add_epi64(low, high);
    let two = _mm_add_epi64(_mm256_castsi256_si128(four), _mm256_extracti128_si256::<1>(four));
    _mm_cvtsi128_si64(_mm_add_epi64(two, _mm_unpackhi_epi64(two, two)))
}

pub(super) fn prefetch(bytes: &[u8]) {
    for line in bytes.chunks(64) {
        // SAFETY: a prefetch reads nothing, and the address is inside a slice.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(line.as_ptr().cast()) };
    }
}
