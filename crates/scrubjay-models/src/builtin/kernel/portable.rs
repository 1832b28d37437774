//! The matrix products for any machine, and the ones to read first.

use super::shape::{BLOCK, PANEL, Panels, QuantisedRows, Strided, Tiles};

/// Writes input × panels + bias into `out`: rows `stride` apart, the first output at `column`.
pub(super) fn multiply(input: &QuantisedRows, panels: Panels<'_>, out: &mut [f32], stride: usize, column: usize) {
    for (panel, (weights, scales, bias)) in panels.each().enumerate() {
        let first = column + panel * PANEL;
        for (row, (values, &scale)) in input.values.chunks_exact(panels.inputs).zip(&input.scales).enumerate() {
            let sums = panel_of_row(values, weights, scales, panels.group);
            let place = row * stride + first;
            for ((out, sum), bias) in out[place..place + PANEL].iter_mut().zip(sums).zip(bias) {
                *out = sum * scale + bias;
            }
        }
    }
}

fn panel_of_row(values: &[i16], weights: &[u8], scales: &[f32], group: usize) -> [f32; PANEL] {
    let mut sums = [0.0_f32; PANEL];
    let groups = values.chunks_exact(group).zip(weights.chunks_exact(group * PANEL));
    for ((values, weights), scales) in groups.zip(scales.chunks_exact(PANEL)) {
        let mut exact = [0_i32; PANEL];
        for (pair, weights) in values.chunks_exact(2).zip(weights.chunks_exact(2 * PANEL)) {
            let (first, second) = (i32::from(pair[0]), i32::from(pair[1]));
            for (exact, weights) in exact.iter_mut().zip(weights.chunks_exact(2)) {
                *exact += first * i32::from(weights[0].cast_signed()) + second * i32::from(weights[1].cast_signed());
            }
        }
        for ((sum, exact), scale) in sums.iter_mut().zip(exact).zip(scales) {
            *sum += exact as f32 * scale;
        }
    }
    sums
}

/// Attention for any machine.
#[derive(Debug, Clone, Copy)]
pub(super) struct PortableTiles;

impl Tiles for PortableTiles {
    fn score<const ROWS: usize>(self, queries: Strided<'_>, keys: &[f32], width: usize, scores: &mut [f32]) {
        let padded = keys.len() / width;
        for (block, keys) in keys.chunks_exact(BLOCK * width).enumerate() {
            for row in 0..ROWS {
                let query = &queries.rows[row * queries.stride..][..width];
                let mut sums = [0.0_f32; BLOCK];
                for (asked, keys) in query.iter().zip(keys.chunks_exact(BLOCK)) {
                    for (sum, key) in sums.iter_mut().zip(keys) {
                        *sum += asked * key;
                    }
                }
                scores[row * padded + block * BLOCK..][..BLOCK].copy_from_slice(&sums);
            }
        }
    }

    fn mix<const ROWS: usize>(self, scores: &[f32], tokens: usize, values: Strided<'_>) -> [[f32; BLOCK]; ROWS] {
        let padded = scores.len() / ROWS;
        std::array::from_fn(|row| {
            let mut sums = [0.0_f32; BLOCK];
            for (token, weight) in scores[row * padded..][..tokens].iter().enumerate() {
                for (sum, value) in sums.iter_mut().zip(&values.rows[token * values.stride..][..BLOCK]) {
                    *sum += weight * value;
                }
            }
            sums
        })
    }
}
