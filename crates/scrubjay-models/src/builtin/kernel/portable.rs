//! The inner loops of attention for any machine, and the ones to read first.

use super::shape::{BLOCK, Strided, Tiles};

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
