//! Products of int16 activations and int8 weights whose groups have scales of their own: nearly exact.

use std::ops::Range;

use super::float::{ROUNDING, largest_of};
use super::instructions::Instructions;
use super::shape::{PANEL, Rows};

/// The largest quantised activation. With weights of at most 127 and groups of at most [`MAX_GROUP`], a sum fits i32.
const LARGEST: f32 = 32767.0;

/// Weights along a row that may share a scale.
pub(in crate::builtin) const MAX_GROUP: usize = 512;

/// Rows of activations as int16, each with the factor that gives the real values back.
#[derive(Debug, Default)]
pub(in crate::builtin) struct Int16Rows {
    pub(super) values: Vec<i16>,
    pub(super) scales: Vec<f32>,
}

/// Some panels of a linear layer: [panel][pair of inputs][16 outputs][2 inputs] int8, as the weight file has them.
#[derive(Debug, Clone, Copy)]
pub(in crate::builtin) struct Int16Panels<'weights> {
    /// `inputs` × 16 bytes per panel, each an i8.
    pub(in crate::builtin) weights: &'weights [u8],
    /// [panel][group][16 outputs].
    pub(in crate::builtin) scales: &'weights [f32],
    /// One per output.
    pub(in crate::builtin) bias: &'weights [f32],
    pub(in crate::builtin) inputs: usize,
    pub(in crate::builtin) group: usize,
}

impl<'weights> Int16Panels<'weights> {
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

impl Rows for Int16Rows {
    type Panels<'weights> = Int16Panels<'weights>;

    /// The largest value of a row becomes ±32,767.
    #[inline(always)]
    fn quantise(&mut self, rows: &[f32], width: usize) {
        self.values.resize(rows.len(), 0);
        self.scales.resize(rows.len() / width, 0.0);
        let targets = self.values.chunks_exact_mut(width).zip(&mut self.scales);
        for (row, (target, scale)) in rows.chunks_exact(width).zip(targets) {
            let largest = largest_of(row);
            let factor = if largest > 0.0 { LARGEST / largest } else { 0.0 };
            *scale = largest / LARGEST;
            for (target, value) in target.iter_mut().zip(row) {
                *target = ((value * factor + ROUNDING).to_bits().wrapping_sub(ROUNDING.to_bits())) as i16;
            }
        }
    }

    fn keep(&mut self, kept: impl Iterator<Item = usize>, width: usize) {
        let mut rows = 0;
        for from in kept {
            self.values.copy_within(from * width..(from + 1) * width, rows * width);
            self.scales.copy_within(from..=from, rows);
            rows += 1;
        }
        self.values.truncate(rows * width);
        self.scales.truncate(rows);
    }

    fn multiply(
        &self,
        instructions: Instructions,
        rows: Range<usize>,
        panels: Int16Panels<'_>,
        out: &mut [f32],
        stride: usize,
        column: usize,
    ) {
        match instructions.avx2() {
            Some(avx2) => avx2.multiply_int16(self, rows, panels, out, stride, column),
            None => multiply(self, rows, panels, out, stride, column),
        }
    }
}

/// The product for any machine, and the one to read first.
fn multiply(
    input: &Int16Rows,
    rows: Range<usize>,
    panels: Int16Panels<'_>,
    out: &mut [f32],
    stride: usize,
    column: usize,
) {
    let inputs = panels.inputs;
    for (panel, (weights, scales, bias)) in panels.each().enumerate() {
        let first = column + panel * PANEL;
        let values = input.values[rows.start * inputs..rows.end * inputs].chunks_exact(inputs);
        for (row, (values, &scale)) in values.zip(&input.scales[rows.clone()]).enumerate() {
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
