//! What the kernels take.

use std::ops::Range;

use super::instructions::Instructions;

/// Output columns that are computed together. The weight file is packed for this number.
pub(in crate::builtin) const PANEL: usize = 16;

/// Rows of activations, quantised for matrix products with the weights of one kind of panel.
pub(in crate::builtin) trait Rows: std::fmt::Debug + Default {
    /// The weights that these rows are multiplied with.
    type Panels<'weights>: Copy;

    /// Takes rows of `width` values in. Implementations are `inline(always)`, for the reason told in `float.rs`.
    fn quantise(&mut self, rows: &[f32], width: usize);

    /// Leaves some rows, given in ascending order, and drops the others.
    fn keep(&mut self, kept: impl Iterator<Item = usize>, width: usize);

    /// Writes some rows × panels + bias into `out`: rows `stride` apart, the first output at `column`.
    fn multiply(
        &self,
        instructions: Instructions,
        rows: Range<usize>,
        panels: Self::Panels<'_>,
        out: &mut [f32],
        stride: usize,
        column: usize,
    );
}

/// Scale and shift of a layer norm.
#[derive(Debug, Clone, Copy)]
pub(in crate::builtin) struct Norm<'weights> {
    pub(in crate::builtin) scale: &'weights [f32],
    pub(in crate::builtin) shift: &'weights [f32],
    pub(in crate::builtin) epsilon: f32,
}

/// The attention of one text: some of its tokens ask, all of them answer.
#[derive(Debug, Clone, Copy)]
pub(in crate::builtin) struct Attention<'rows> {
    /// Rows that begin with the query vectors of all heads.
    pub(in crate::builtin) queries: &'rows [f32],
    pub(in crate::builtin) query_stride: usize,
    /// Rows that hold the keys of all heads from `hidden` on and the values from twice `hidden` on.
    pub(in crate::builtin) answers: &'rows [f32],
    pub(in crate::builtin) answer_stride: usize,
    pub(in crate::builtin) hidden: usize,
    pub(in crate::builtin) heads: usize,
}

/// Values that the inner loops of attention take at a time.
pub(super) const BLOCK: usize = 16;

/// Rows that begin `stride` values apart.
#[derive(Debug, Clone, Copy)]
pub(super) struct Strided<'rows> {
    pub(super) rows: &'rows [f32],
    pub(super) stride: usize,
}

/// The two inner loops of attention, which the compiler does not reliably turn into vector instructions by itself.
pub(super) trait Tiles: Copy {
    /// The products of `ROWS` queries with all keys, [row][token]. The keys are [block of tokens][dimension][token].
    fn score<const ROWS: usize>(self, queries: Strided<'_>, keys: &[f32], width: usize, scores: &mut [f32]);

    /// The sums of 16 dimensions of the values of all tokens, weighted with each of `ROWS` rows of scores.
    fn mix<const ROWS: usize>(self, scores: &[f32], tokens: usize, values: Strided<'_>) -> [[f32; BLOCK]; ROWS];
}

/// How `rows` rows are cut into tiles of nearly the same height of at most `highest`.
pub(super) fn tiles(rows: usize, highest: usize) -> impl Iterator<Item = std::ops::Range<usize>> {
    let count = rows.div_ceil(highest);
    (0..count).map(move |tile| rows * tile / count..rows * (tile + 1) / count)
}
