//! What the kernels take.

/// Output columns that are computed together. The weight file is packed for this number.
pub(in crate::builtin) const PANEL: usize = 16;

/// The largest quantised activation. With weights of at most 127 and groups of at most [`MAX_GROUP`], a sum fits i32.
pub(super) const LARGEST: f32 = 32767.0;

/// Weights along a row that may share a scale.
pub(in crate::builtin) const MAX_GROUP: usize = 512;

/// Rows of activations as int16, each with the factor that gives the real values back.
#[derive(Debug, Default)]
pub(in crate::builtin) struct QuantisedRows {
    pub(in crate::builtin) values: Vec<i16>,
    pub(in crate::builtin) scales: Vec<f32>,
}

impl QuantisedRows {
    /// Makes room for `rows` rows of `width` values; what they hold is to be overwritten.
    pub(in crate::builtin) fn resize(&mut self, rows: usize, width: usize) {
        self.values.resize(rows * width, 0);
        self.scales.resize(rows, 0.0);
    }
}

/// Some panels of a linear layer: [panel][pair of inputs][16 outputs][2 inputs] int8, as the weight file has them.
#[derive(Debug, Clone, Copy)]
pub(in crate::builtin) struct Panels<'weights> {
    /// `inputs` × 16 bytes per panel, each an i8.
    pub(in crate::builtin) weights: &'weights [u8],
    /// [panel][group][16 outputs].
    pub(in crate::builtin) scales: &'weights [f32],
    /// One per output.
    pub(in crate::builtin) bias: &'weights [f32],
    pub(in crate::builtin) inputs: usize,
    pub(in crate::builtin) group: usize,
}

impl<'weights> Panels<'weights> {
    /// The lengths fit one another. The kernels check this once per call, then read without checks.
    pub(super) fn is_consistent(&self) -> bool {
        let panels = self.bias.len() / PANEL;
        self.bias.len().is_multiple_of(PANEL)
            && (2..=MAX_GROUP).contains(&self.group)
            && self.group.is_multiple_of(2)
            && self.inputs.is_multiple_of(self.group)
            && self.weights.len() == panels * PANEL * self.inputs
            && self.scales.len() == panels * PANEL * (self.inputs / self.group)
    }

    /// Weights, scales and bias of each panel in turn.
    pub(super) fn each(self) -> impl Iterator<Item = (&'weights [u8], &'weights [f32], &'weights [f32])> {
        let weights = self.weights.chunks_exact(PANEL * self.inputs);
        let scales = self.scales.chunks_exact(PANEL * (self.inputs / self.group));
        weights.zip(scales).zip(self.bias.chunks_exact(PANEL)).map(|((weights, scales), bias)| (weights, scales, bias))
    }
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
