//! The f32 code, compiled for each instruction set.
//!
//! Everything is `inline(always)`, so that a caller with AVX2 switched on gets it with AVX2. Values are taken 8 or 16 at
//! a time in arrays, which the compiler turns into vector registers; sums keep that many lanes on every machine, so that
//! the order of additions, and with it the result, is the same everywhere.

use super::shape::{Attention, BLOCK, Norm, Rows, Strided, Tiles};

const LANES: usize = 8;
/// Queries whose scores are computed together.
const ASKING: usize = 4;
/// Adding and subtracting 1.5 · 2²³ rounds to a whole number, which then stands in the low bits.
pub(super) const ROUNDING: f32 = 12_582_912.0;

/// Turns `rows` into their layer norm, `added` being added before, and quantises the result.
#[inline(always)]
pub(super) fn normalise(rows: &mut [f32], added: Option<&[f32]>, norm: Norm<'_>, quantised: &mut impl Rows) {
    let width = norm.scale.len();
    if let Some(added) = added {
        for (value, added) in rows.iter_mut().zip(added) {
            *value += added;
        }
    }
    for row in rows.chunks_exact_mut(width) {
        let mean = sum_of(row, |value| value) / width as f32;
        let variance = sum_of(row, |value| (value - mean) * (value - mean)) / width as f32;
        let factor = 1.0 / (variance + norm.epsilon).sqrt();
        for ((value, scale), shift) in row.iter_mut().zip(norm.scale).zip(norm.shift) {
            *value = (*value - mean) * factor * scale + shift;
        }
    }
    quantised.quantise(rows, width);
}

/// The Gaussian error linear unit of each value (the exact one, with erf), and its quantisation.
#[inline(always)]
pub(super) fn activate(rows: &mut [f32], width: usize, quantised: &mut impl Rows) {
    for value in rows.iter_mut() {
        *value = gelu(*value);
    }
    quantised.quantise(rows, width);
}

/// What the asking tokens of one text gather from all its tokens, `hidden` values a row.
#[inline(always)]
pub(super) fn attend(attention: Attention<'_>, tiles: impl Tiles, out: &mut [f32], scratch: &mut Vec<f32>) {
    let Attention { queries, query_stride, answers, answer_stride, hidden, heads } = attention;
    let width = hidden / heads;
    let tokens = answers.len() / answer_stride;
    let padded = tokens.next_multiple_of(BLOCK);
    scratch.clear();
    scratch.resize(padded * width + padded * ASKING, 0.0);
    let (keys, scores) = scratch.split_at_mut(padded * width);
    let asking = out.len() / hidden;
    for head in 0..heads {
        let at = head * width;
        gather_keys(answers, answer_stride, hidden + at, width, keys);
        let values = Strided { rows: &answers[2 * hidden + at..], stride: answer_stride };
        let mut first = 0;
        while first < asking {
            let queries = Strided { rows: &queries[first * query_stride + at..], stride: query_stride };
            let target = &mut out[first * hidden + at..];
            if asking - first >= ASKING {
                gather::<ASKING>(tiles, queries, keys, width, scores, tokens, values, target, hidden);
                first += ASKING;
            } else {
                gather::<1>(tiles, queries, keys, width, scores, tokens, values, target, hidden);
                first += 1;
            }
        }
    }
}

/// The keys of one head as [block of 16 tokens][dimension][token].
#[inline(always)]
fn gather_keys(answers: &[f32], stride: usize, at: usize, width: usize, keys: &mut [f32]) {
    for (token, row) in answers.chunks_exact(stride).enumerate() {
        let block = &mut keys[token / BLOCK * BLOCK * width..][..BLOCK * width];
        for (dimension, value) in row[at..at + width].iter().enumerate() {
            block[dimension * BLOCK + token % BLOCK] = *value;
        }
    }
}

/// One head for `ROWS` asking tokens.
#[inline(always)]
#[expect(clippy::too_many_arguments, reason = "slices and their sizes; a struct for one call would say no more")]
fn gather<const ROWS: usize>(
    tiles: impl Tiles,
    queries: Strided<'_>,
    keys: &[f32],
    width: usize,
    scores: &mut [f32],
    tokens: usize,
    values: Strided<'_>,
    out: &mut [f32],
    out_stride: usize,
) {
    let padded = keys.len() / width;
    let scores = &mut scores[..ROWS * padded];
    tiles.score::<ROWS>(queries, keys, width, scores);
    let factor = 1.0 / (width as f32).sqrt();
    let mut totals = [0.0_f32; ROWS];
    for (scores, total) in scores.chunks_exact_mut(padded).zip(&mut totals) {
        *total = exponentials(scores, tokens, factor);
    }
    for at in (0..width).step_by(BLOCK) {
        let values = Strided { rows: &values.rows[at..], stride: values.stride };
        let sums = tiles.mix::<ROWS>(scores, tokens, values);
        for (row, (sums, total)) in sums.iter().zip(totals).enumerate() {
            for (out, sum) in out[row * out_stride + at..][..BLOCK].iter_mut().zip(sums) {
                *out = sum / total;
            }
        }
    }
}

/// Turns the first `tokens` scores into powers of e relative to the largest, the rest into 0, and gives their sum.
#[inline(always)]
fn exponentials(scores: &mut [f32], tokens: usize, factor: f32) -> f32 {
    scores[tokens..].fill(f32::NEG_INFINITY);
    let mut largest = [f32::NEG_INFINITY; LANES];
    for scores in scores.as_chunks::<LANES>().0 {
        for (largest, &score) in largest.iter_mut().zip(scores) {
            *largest = if score > *largest { score } else { *largest };
        }
    }
    let largest = largest.into_iter().fold(f32::NEG_INFINITY, f32::max);
    for score in scores.iter_mut() {
        *score = exponential((*score - largest) * factor);
    }
    scores[tokens..].fill(0.0);
    sum_of(scores, |score| score)
}

#[inline(always)]
fn sum_of(values: &[f32], term: impl Fn(f32) -> f32) -> f32 {
    let mut sums = [0.0_f32; LANES];
    for values in values.as_chunks::<LANES>().0 {
        for (sum, &value) in sums.iter_mut().zip(values) {
            *sum += term(value);
        }
    }
    sums.into_iter().sum()
}

#[inline(always)]
pub(super) fn largest_of(values: &[f32]) -> f32 {
    let mut largest = [0.0_f32; LANES];
    for values in values.as_chunks::<LANES>().0 {
        for (largest, value) in largest.iter_mut().zip(values) {
            let size = value.abs();
            *largest = if size > *largest { size } else { *largest };
        }
    }
    largest.into_iter().fold(0.0, f32::max)
}

/// The smallest and the largest of some values.
#[inline(always)]
pub(super) fn bounds_of(values: &[f32]) -> (f32, f32) {
    let (mut lowest, mut highest) = ([f32::INFINITY; LANES], [f32::NEG_INFINITY; LANES]);
    for values in values.as_chunks::<LANES>().0 {
        for ((lowest, highest), &value) in lowest.iter_mut().zip(&mut highest).zip(values) {
            *lowest = if value < *lowest { value } else { *lowest };
            *highest = if value > *highest { value } else { *highest };
        }
    }
    (lowest.into_iter().fold(f32::INFINITY, f32::min), highest.into_iter().fold(f32::NEG_INFINITY, f32::max))
}

/// x · Φ(x), with the approximation of erf by Abramowitz and Stegun, 7.1.26 (error below 1.5e-7).
#[inline(always)]
pub(super) fn gelu(x: f32) -> f32 {
    let size = x.abs() * std::f32::consts::FRAC_1_SQRT_2;
    let t = 1.0 / (1.0 + 0.327_591_1 * size);
    let polynomial = ((((1.061_405_4 * t - 1.453_152_1) * t + 1.421_413_8) * t - 0.284_496_74) * t + 0.254_829_6) * t;
    let tail = 0.5 * polynomial * exponential(-size * size);
    x * if x < 0.0 { tail } else { 1.0 - tail }
}

/// e to the power of a number that is not above 0, to about 1e-7 of its value. Below -87 it stays at e⁻⁸⁷.
#[inline(always)]
pub(super) fn exponential(x: f32) -> f32 {
    const LN_2_HIGH: f32 = 0.693_359_4;
    const LN_2_LOW: f32 = -2.121_944_4e-4;
    let x = if x < -87.0 { -87.0 } else { x };
    let shifted = x * std::f32::consts::LOG2_E + ROUNDING;
    let whole = shifted - ROUNDING;
    let rest = x - whole * LN_2_HIGH - whole * LN_2_LOW;
    let mut series = 1.0 / 720.0;
    for term in [1.0 / 120.0, 1.0 / 24.0, 1.0 / 6.0, 0.5, 1.0, 1.0] {
        series = series * rest + term;
    }
    let exponent = shifted.to_bits().wrapping_sub(ROUNDING.to_bits()).wrapping_add(127);
    f32::from_bits(exponent << 23) * series
}

/// The hyperbolic tangent, to about 1e-7.
pub(in crate::builtin) fn hyperbolic_tangent(x: f32) -> f32 {
    let power = exponential(-2.0 * x.abs());
    ((1.0 - power) / (1.0 + power)).copysign(x)
}
