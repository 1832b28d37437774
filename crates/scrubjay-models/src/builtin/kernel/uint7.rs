//! Products of 7-bit activations and int8 weights with one scale per output: twice as fast as those of int16.
//!
//! `vpmaddubsw` adds two products in 16 bits. The weight file says how many of its results can be added before they have
//! to be widened to 32 bits so that nothing overflows, whatever the activations are: the runs of each panel.

use std::ops::Range;

use super::float::{ROUNDING, bounds_of};
use super::instructions::Instructions;
use super::shape::{PANEL, Rows};

/// The largest quantised activation; `scripts/make-weights` has the same number, and the runs depend on it.
const LARGEST: f32 = 127.0;
/// Inputs that one step takes.
pub(super) const QUAD: usize = 4;

/// Rows of activations: a real value is `low` + `scale` · value.
#[derive(Debug, Default)]
pub(in crate::builtin) struct Uint7Rows {
    pub(super) values: Vec<u8>,
    pub(super) scales: Vec<f32>,
    pub(super) lows: Vec<f32>,
}

/// Some panels of a linear layer: [panel][four inputs][16 outputs][4 inputs] int8, as the weight file has them.
#[derive(Debug, Clone, Copy)]
pub(in crate::builtin) struct Uint7Panels<'weights> {
    /// `inputs` × 16 bytes per panel, each an i8.
    pub(in crate::builtin) weights: &'weights [u8],
    /// How many quads of inputs are summed in 16 bits, one run after another.
    pub(in crate::builtin) runs: &'weights [u8],
    /// Where the runs of each panel begin in `runs`, and where the last ones end.
    pub(in crate::builtin) run_starts: &'weights [usize],
    /// One per output.
    pub(in crate::builtin) scales: &'weights [f32],
    /// The sum of the weights of each output.
    pub(in crate::builtin) sums: &'weights [f32],
    /// One per output.
    pub(in crate::builtin) bias: &'weights [f32],
    pub(in crate::builtin) inputs: usize,
}

/// One panel of [`Uint7Panels`].
#[derive(Debug, Clone, Copy)]
pub(super) struct Uint7Panel<'weights> {
    pub(super) weights: &'weights [u8],
    pub(super) runs: &'weights [u8],
    pub(super) scales: &'weights [f32],
    pub(super) sums: &'weights [f32],
    pub(super) bias: &'weights [f32],
}

impl<'weights> Uint7Panels<'weights> {
    /// Each panel in turn.
    pub(super) fn each(self) -> impl Iterator<Item = Uint7Panel<'weights>> {
        let weights = self.weights.chunks_exact(PANEL * self.inputs);
        weights.zip(self.run_starts.windows(2)).enumerate().map(move |(panel, (weights, starts))| {
            let outputs = panel * PANEL..(panel + 1) * PANEL;
            Uint7Panel {
                weights,
                runs: &self.runs[starts[0]..starts[1]],
                scales: &self.scales[outputs.clone()],
                sums: &self.sums[outputs.clone()],
                bias: &self.bias[outputs],
            }
        })
    }
}

impl Rows for Uint7Rows {
    type Panels<'weights> = Uint7Panels<'weights>;

    /// The smallest value of a row becomes 0, the largest 127.
    #[inline(always)]
    fn quantise(&mut self, rows: &[f32], width: usize) {
        self.values.resize(rows.len(), 0);
        self.scales.resize(rows.len() / width, 0.0);
        self.lows.resize(rows.len() / width, 0.0);
        let targets = self.values.chunks_exact_mut(width).zip(&mut self.scales).zip(&mut self.lows);
        for (row, ((target, scale), low)) in rows.chunks_exact(width).zip(targets) {
            let (lowest, highest) = bounds_of(row);
            let reach = highest - lowest;
            let factor = if reach > 0.0 { LARGEST / reach } else { 0.0 };
            *scale = reach / LARGEST;
            *low = lowest;
            for (target, value) in target.iter_mut().zip(row) {
                *target = (((value - lowest) * factor + ROUNDING).to_bits().wrapping_sub(ROUNDING.to_bits())) as u8;
            }
        }
    }

    fn keep(&mut self, kept: impl Iterator<Item = usize>, width: usize) {
        let mut rows = 0;
        for from in kept {
            self.values.copy_within(from * width..(from + 1) * width, rows * width);
            self.scales.copy_within(from..=from, rows);
            self.lows.copy_within(from..=from, rows);
            rows += 1;
        }
        self.values.truncate(rows * width);
        self.scales.truncate(rows);
        self.lows.truncate(rows);
    }

    fn multiply(
        &self,
        instructions: Instructions,
        rows: Range<usize>,
        panels: Uint7Panels<'_>,
        out: &mut [f32],
        stride: usize,
        column: usize,
    ) {
        match instructions.avx2() {
            Some(avx2) => avx2.multiply_uint7(self, rows, panels, out, stride, column),
            None => multiply(self, rows, panels, out, stride, column),
        }
    }
}

/// The product for any machine, and the one to read first.
fn multiply(
    input: &Uint7Rows,
    rows: Range<usize>,
    panels: Uint7Panels<'_>,
    out: &mut [f32],
    stride: usize,
    column: usize,
) {
    let inputs = panels.inputs;
    for (number, panel) in panels.each().enumerate() {
        for (to, from) in rows.clone().enumerate() {
            let exact = panel_of_row(&input.values[from * inputs..(from + 1) * inputs], panel.weights);
            let (scale, low) = (input.scales[from], input.lows[from]);
            let place = to * stride + column + number * PANEL;
            for (output, out) in out[place..place + PANEL].iter_mut().enumerate() {
                let real = exact[output] as f32 * scale + low * panel.sums[output];
                *out = real * panel.scales[output] + panel.bias[output];
            }
        }
    }
}

fn panel_of_row(values: &[u8], weights: &[u8]) -> [i32; PANEL] {
    let mut sums = [0_i32; PANEL];
    for (values, weights) in values.as_chunks::<QUAD>().0.iter().zip(weights.chunks_exact(QUAD * PANEL)) {
        for (sum, weights) in sums.iter_mut().zip(weights.as_chunks::<QUAD>().0) {
            for (value, weight) in values.iter().zip(weights) {
                *sum += i32::from(*value) * i32::from(weight.cast_signed());
            }
        }
    }
    sums
}
