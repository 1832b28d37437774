//! The kernels with AVX2, for 64-bit x86.
#![expect(
    unsafe_code,
    reason = "vector instructions have to be loaded through pointers, and code with AVX2 may run only where it exists"
)]

use std::arch::x86_64::{
    __m128i, __m256, __m256i, _mm_loadu_si128, _mm256_add_epi16, _mm256_add_epi32, _mm256_add_ps, _mm256_cvtepi8_epi16,
    _mm256_cvtepi32_ps, _mm256_loadu_ps, _mm256_loadu_si256, _mm256_madd_epi16, _mm256_maddubs_epi16, _mm256_mul_ps,
    _mm256_set1_epi16, _mm256_set1_epi32, _mm256_set1_ps, _mm256_setzero_ps, _mm256_setzero_si256, _mm256_storeu_ps,
};
use std::ops::Range;

use super::float;
use super::int16::{Int16Panels, Int16Rows};
use super::shape::{Attention, BLOCK, Norm, PANEL, Rows, Strided, Tiles, tiles};
use super::uint7::{QUAD, Uint7Panel, Uint7Panels, Uint7Rows};

/// Rows of activations in one tile: 5 × 2 sums, 2 vectors of weights and 2 more fill the 16 registers.
const HIGHEST_TILE: usize = 5;

/// Proof that this machine has AVX2: only [`Avx2::detect`] makes one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Avx2(());

impl Avx2 {
    pub(super) fn detect() -> Option<Self> {
        is_x86_feature_detected!("avx2").then_some(Self(()))
    }

    pub(super) fn multiply_int16(
        self,
        input: &Int16Rows,
        rows: Range<usize>,
        panels: Int16Panels<'_>,
        out: &mut [f32],
        stride: usize,
        column: usize,
    ) {
        // SAFETY: `self` exists, so that the machine has AVX2.
        unsafe { multiply_int16(input, rows, panels, out, stride, column) }
    }

    pub(super) fn multiply_uint7(
        self,
        input: &Uint7Rows,
        rows: Range<usize>,
        panels: Uint7Panels<'_>,
        out: &mut [f32],
        stride: usize,
        column: usize,
    ) {
        // SAFETY: `self` exists, so that the machine has AVX2.
        unsafe { multiply_uint7(input, rows, panels, out, stride, column) }
    }

    pub(super) fn normalise(self, rows: &mut [f32], added: Option<&[f32]>, norm: Norm<'_>, out: &mut impl Rows) {
        // SAFETY: `self` exists, so that the machine has AVX2.
        unsafe { normalise(rows, added, norm, out) }
    }

    pub(super) fn activate(self, rows: &mut [f32], width: usize, out: &mut impl Rows) {
        // SAFETY: `self` exists, so that the machine has AVX2.
        unsafe { activate(rows, width, out) }
    }

    pub(super) fn quantise(self, rows: &[f32], width: usize, out: &mut impl Rows) {
        // SAFETY: `self` exists, so that the machine has AVX2.
        unsafe { quantise(rows, width, out) }
    }

    pub(super) fn attend(self, attention: Attention<'_>, out: &mut [f32], scratch: &mut Vec<f32>) {
        // SAFETY: `self` exists, so that the machine has AVX2.
        unsafe { attend(self, attention, out, scratch) }
    }
}

impl Tiles for Avx2 {
    fn score<const ROWS: usize>(self, queries: Strided<'_>, keys: &[f32], width: usize, scores: &mut [f32]) {
        // SAFETY: `self` exists, so that the machine has AVX2.
        unsafe { score::<ROWS>(queries, keys, width, scores) }
    }

    fn mix<const ROWS: usize>(self, scores: &[f32], tokens: usize, values: Strided<'_>) -> [[f32; BLOCK]; ROWS] {
        // SAFETY: `self` exists, so that the machine has AVX2.
        unsafe { mix::<ROWS>(scores, tokens, values) }
    }
}

#[target_feature(enable = "avx2")]
fn normalise(rows: &mut [f32], added: Option<&[f32]>, norm: Norm<'_>, out: &mut impl Rows) {
    float::normalise(rows, added, norm, out);
}

#[target_feature(enable = "avx2")]
fn activate(rows: &mut [f32], width: usize, out: &mut impl Rows) {
    float::activate(rows, width, out);
}

#[target_feature(enable = "avx2")]
fn quantise(rows: &[f32], width: usize, out: &mut impl Rows) {
    out.quantise(rows, width);
}

#[target_feature(enable = "avx2")]
fn attend(tiles: Avx2, attention: Attention<'_>, out: &mut [f32], scratch: &mut Vec<f32>) {
    float::attend(attention, tiles, out, scratch);
}

/// Panel by panel, so that a panel's weights (6 or 24 KB) stay in the nearest cache while the rows pass by.
#[target_feature(enable = "avx2")]
fn multiply_int16(
    input: &Int16Rows,
    rows: Range<usize>,
    panels: Int16Panels<'_>,
    out: &mut [f32],
    stride: usize,
    column: usize,
) {
    assert!(panels.is_consistent(), "slices that do not fit together");
    for (panel, (weights, scales, bias)) in panels.each().enumerate() {
        let first = column + panel * PANEL;
        for tile in tiles(rows.len(), HIGHEST_TILE) {
            let from = rows.start + tile.start..rows.start + tile.end;
            let values = &input.values[from.start * panels.inputs..from.end * panels.inputs];
            let row_scales = &input.scales[from];
            let out = &mut out[tile.start * stride + first..];
            let work =
                Int16Tile { values, row_scales, weights, scales, bias, inputs: panels.inputs, group: panels.group };
            match tile.len() {
                1 => work.multiply::<1>(out, stride),
                2 => work.multiply::<2>(out, stride),
                3 => work.multiply::<3>(out, stride),
                4 => work.multiply::<4>(out, stride),
                _ => work.multiply::<HIGHEST_TILE>(out, stride),
            }
        }
    }
}

/// A few rows of activations and one panel of weights.
struct Int16Tile<'data> {
    values: &'data [i16],
    row_scales: &'data [f32],
    weights: &'data [u8],
    scales: &'data [f32],
    bias: &'data [f32],
    inputs: usize,
    group: usize,
}

impl Int16Tile<'_> {
    #[target_feature(enable = "avx2")]
    #[inline]
    fn multiply<const ROWS: usize>(&self, out: &mut [f32], stride: usize) {
        let groups = self.inputs / self.group;
        assert!(
            self.values.len() == ROWS * self.inputs
                && self.row_scales.len() == ROWS
                && self.weights.len() == PANEL * self.inputs
                && self.scales.len() == PANEL * groups
                && self.bias.len() == PANEL
                && self.group.is_multiple_of(2)
                && groups * self.group == self.inputs,
            "slices that do not fit together"
        );
        let mut sums = [[_mm256_setzero_ps(); 2]; ROWS];
        for group in 0..groups {
            let exact = self.group_sums::<ROWS>(group);
            let scales = load_16(&self.scales[group * PANEL..]);
            for (sums, exact) in sums.iter_mut().zip(exact) {
                for half in 0..2 {
                    let scaled = _mm256_mul_ps(_mm256_cvtepi32_ps(exact[half]), scales[half]);
                    sums[half] = _mm256_add_ps(sums[half], scaled);
                }
            }
        }
        let bias = load_16(self.bias);
        for (row, (sums, &scale)) in sums.iter().zip(self.row_scales).enumerate() {
            let scale = _mm256_set1_ps(scale);
            let values = [0, 1].map(|half| _mm256_add_ps(_mm256_mul_ps(sums[half], scale), bias[half]));
            store_16(values, &mut out[row * stride..]);
        }
    }

    /// The exact sums over one group of inputs.
    ///
    /// A product of a weight (at most 2⁷) and an activation (at most 2¹⁵) is at most 2²²; `madd` adds two of them and
    /// the loop at most 256 pairs, so that nothing overflows 31 bits.
    #[target_feature(enable = "avx2")]
    #[inline]
    fn group_sums<const ROWS: usize>(&self, group: usize) -> [[__m256i; 2]; ROWS] {
        let mut sums = [[_mm256_setzero_si256(); 2]; ROWS];
        for pair in group * self.group / 2..(group + 1) * self.group / 2 {
            // SAFETY: `multiply` checked that the panel has 16 bytes per input, so that 32 bytes follow each pair.
            let weights = unsafe {
                let place = self.weights.as_ptr().add(pair * 2 * PANEL);
                [load_wide(place), load_wide(place.add(PANEL))]
            };
            for (row, sums) in sums.iter_mut().enumerate() {
                // SAFETY: `multiply` checked that there are ROWS rows of `inputs` values, and `pair * 2 + 1` is below
                // `inputs`. The read needs no alignment.
                let values =
                    unsafe { self.values.as_ptr().add(row * self.inputs + pair * 2).cast::<i32>().read_unaligned() };
                let values = _mm256_set1_epi32(values);
                for half in 0..2 {
                    sums[half] = _mm256_add_epi32(sums[half], _mm256_madd_epi16(values, weights[half]));
                }
            }
        }
        sums
    }
}

/// As [`multiply_int16`].
#[target_feature(enable = "avx2")]
fn multiply_uint7(
    input: &Uint7Rows,
    rows: Range<usize>,
    panels: Uint7Panels<'_>,
    out: &mut [f32],
    stride: usize,
    column: usize,
) {
    let inputs = panels.inputs;
    for (number, panel) in panels.each().enumerate() {
        let first = column + number * PANEL;
        for tile in tiles(rows.len(), HIGHEST_TILE) {
            let from = rows.start + tile.start..rows.start + tile.end;
            let work = Uint7Tile {
                values: input.values[from.start * inputs..from.end * inputs].as_chunks().0,
                row_scales: &input.scales[from.clone()],
                lows: &input.lows[from],
                panel,
            };
            let out = &mut out[tile.start * stride + first..];
            match tile.len() {
                1 => work.multiply::<1>(out, stride),
                2 => work.multiply::<2>(out, stride),
                3 => work.multiply::<3>(out, stride),
                4 => work.multiply::<4>(out, stride),
                _ => work.multiply::<HIGHEST_TILE>(out, stride),
            }
        }
    }
}

/// A few rows of 7-bit activations and one panel of weights.
struct Uint7Tile<'data> {
    values: &'data [[u8; QUAD]],
    row_scales: &'data [f32],
    lows: &'data [f32],
    panel: Uint7Panel<'data>,
}

impl Uint7Tile<'_> {
    #[target_feature(enable = "avx2")]
    #[inline]
    fn multiply<const ROWS: usize>(&self, out: &mut [f32], stride: usize) {
        let exact = self.exact_sums::<ROWS>();
        let (sums, scales, bias) = (load_16(self.panel.sums), load_16(self.panel.scales), load_16(self.panel.bias));
        for (row, exact) in exact.iter().enumerate() {
            let (scale, low) = (_mm256_set1_ps(self.row_scales[row]), _mm256_set1_ps(self.lows[row]));
            let values = [0, 1].map(|half| {
                let scaled = _mm256_mul_ps(_mm256_cvtepi32_ps(exact[half]), scale);
                let real = _mm256_add_ps(scaled, _mm256_mul_ps(low, sums[half]));
                _mm256_add_ps(_mm256_mul_ps(real, scales[half]), bias[half])
            });
            store_16(values, &mut out[row * stride..]);
        }
    }

    /// The runs are such that no sum of 16 bits overflows. If a file lied about them, sums would be wrong and no more.
    #[target_feature(enable = "avx2")]
    #[inline]
    fn exact_sums<const ROWS: usize>(&self) -> [[__m256i; 2]; ROWS] {
        let ones = _mm256_set1_epi16(1);
        let quads = self.values.len() / ROWS;
        let mut sums = [[_mm256_setzero_si256(); 2]; ROWS];
        let mut first = 0;
        for &run in self.panel.runs {
            let run = usize::from(run);
            let weights = &self.panel.weights.as_chunks::<{ QUAD * PANEL }>().0[first..first + run];
            let values: [&[[u8; QUAD]]; ROWS] =
                std::array::from_fn(|row| &self.values[row * quads + first..row * quads + first + run]);
            let mut narrow = [[_mm256_setzero_si256(); 2]; ROWS];
            for (quad, weights) in weights.iter().enumerate() {
                let weights = load_64_bytes(weights);
                for (narrow, values) in narrow.iter_mut().zip(values) {
                    // SAFETY: each row was cut to `run` quads, of which `weights` has as many.
                    let values = _mm256_set1_epi32(i32::from_le_bytes(*unsafe { values.get_unchecked(quad) }));
                    for half in 0..2 {
                        narrow[half] = _mm256_add_epi16(narrow[half], _mm256_maddubs_epi16(values, weights[half]));
                    }
                }
            }
            for (sums, narrow) in sums.iter_mut().zip(narrow) {
                for half in 0..2 {
                    sums[half] = _mm256_add_epi32(sums[half], _mm256_madd_epi16(narrow[half], ones));
                }
            }
            first += run;
        }
        sums
    }
}

#[target_feature(enable = "avx2")]
#[inline]
fn load_64_bytes(bytes: &[u8; 64]) -> [__m256i; 2] {
    // SAFETY: there are 64 bytes, and each load takes 32 without a need for alignment.
    unsafe { [_mm256_loadu_si256(bytes.as_ptr().cast()), _mm256_loadu_si256(bytes.as_ptr().add(32).cast())] }
}

#[target_feature(enable = "avx2")]
fn score<const ROWS: usize>(queries: Strided<'_>, keys: &[f32], width: usize, scores: &mut [f32]) {
    let padded = keys.len() / width;
    let queries: [&[f32]; ROWS] = std::array::from_fn(|row| &queries.rows[row * queries.stride..][..width]);
    for (block, keys) in keys.chunks_exact(BLOCK * width).enumerate() {
        let mut sums = [[_mm256_setzero_ps(); 2]; ROWS];
        for dimension in 0..width {
            let keys = load_16(&keys[dimension * BLOCK..]);
            for (sums, queries) in sums.iter_mut().zip(queries) {
                accumulate(sums, queries[dimension], keys);
            }
        }
        for (row, &sums) in sums.iter().enumerate() {
            store_16(sums, &mut scores[row * padded + block * BLOCK..]);
        }
    }
}

#[target_feature(enable = "avx2")]
fn mix<const ROWS: usize>(scores: &[f32], tokens: usize, values: Strided<'_>) -> [[f32; BLOCK]; ROWS] {
    let padded = scores.len() / ROWS;
    let weights: [&[f32]; ROWS] = std::array::from_fn(|row| &scores[row * padded..][..tokens]);
    let mut sums = [[_mm256_setzero_ps(); 2]; ROWS];
    for token in 0..tokens {
        let values = load_16(&values.rows[token * values.stride..]);
        for (sums, weights) in sums.iter_mut().zip(weights) {
            accumulate(sums, weights[token], values);
        }
    }
    let mut out = [[0.0; BLOCK]; ROWS];
    for (out, sums) in out.iter_mut().zip(sums) {
        store_16(sums, out);
    }
    out
}

#[target_feature(enable = "avx2")]
#[inline]
fn accumulate(sums: &mut [__m256; 2], factor: f32, values: [__m256; 2]) {
    let factor = _mm256_set1_ps(factor);
    for half in 0..2 {
        sums[half] = _mm256_add_ps(sums[half], _mm256_mul_ps(factor, values[half]));
    }
}

/// 16 bytes as 16 int16 values.
///
/// # Safety
/// 16 bytes must be readable at `place`.
#[target_feature(enable = "avx2")]
#[inline]
unsafe fn load_wide(place: *const u8) -> __m256i {
    // SAFETY: the caller vouches for the 16 bytes; the load needs no alignment.
    _mm256_cvtepi8_epi16(unsafe { _mm_loadu_si128(place.cast::<__m128i>()) })
}

#[target_feature(enable = "avx2")]
#[inline]
fn load_16(values: &[f32]) -> [__m256; 2] {
    let values = &values[..PANEL];
    // SAFETY: the slice has 16 values, and each load takes 8.
    unsafe { [_mm256_loadu_ps(values.as_ptr()), _mm256_loadu_ps(values.as_ptr().add(8))] }
}

#[target_feature(enable = "avx2")]
#[inline]
fn store_16(values: [__m256; 2], out: &mut [f32]) {
    let out = &mut out[..PANEL];
    // SAFETY: the slice has 16 values, and each store fills 8.
    unsafe {
        _mm256_storeu_ps(out.as_mut_ptr(), values[0]);
        _mm256_storeu_ps(out.as_mut_ptr().add(8), values[1]);
    }
}
