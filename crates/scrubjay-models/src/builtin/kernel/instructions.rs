//! The choice of instructions, and the one door to the kernels.

use std::ops::Range;

use super::avx2::Avx2;
use super::shape::{Attention, Norm, Rows};
use super::{float, portable};

/// Which instructions the kernels use. All give the same results.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::builtin) struct Instructions(Option<Avx2>);

impl Instructions {
    /// What any machine can run.
    pub(in crate::builtin) const PORTABLE: Self = Self(None);

    /// The best this machine has.
    pub(in crate::builtin) fn detect() -> Self {
        Self(Avx2::detect())
    }

    pub(super) fn avx2(self) -> Option<Avx2> {
        self.0
    }

    pub(in crate::builtin) fn name(self) -> &'static str {
        if self.0.is_some() { "avx2" } else { "portable" }
    }

    /// Writes some rows × panels + bias into `out`: rows `stride` apart, the first output at `column`.
    pub(in crate::builtin) fn multiply<R: Rows>(
        self,
        input: &R,
        rows: Range<usize>,
        panels: R::Panels<'_>,
        out: &mut [f32],
        stride: usize,
        column: usize,
    ) {
        input.multiply(self, rows, panels, out, stride, column);
    }

    /// Adds `added` to the rows, normalises them and quantises the result.
    pub(in crate::builtin) fn normalise(
        self,
        rows: &mut [f32],
        added: Option<&[f32]>,
        norm: Norm<'_>,
        out: &mut impl Rows,
    ) {
        match self.0 {
            Some(avx2) => avx2.normalise(rows, added, norm, out),
            None => float::normalise(rows, added, norm, out),
        }
    }

    /// Applies the Gaussian error linear unit to the rows and quantises the result.
    pub(in crate::builtin) fn activate(self, rows: &mut [f32], width: usize, out: &mut impl Rows) {
        match self.0 {
            Some(avx2) => avx2.activate(rows, width, out),
            None => float::activate(rows, width, out),
        }
    }

    /// Quantises rows of `width` values.
    pub(in crate::builtin) fn quantise(self, rows: &[f32], width: usize, out: &mut impl Rows) {
        match self.0 {
            Some(avx2) => avx2.quantise(rows, width, out),
            None => out.quantise(rows, width),
        }
    }

    /// Writes what each asking token gathers into `out`, `hidden` values a row.
    pub(in crate::builtin) fn attend(self, attention: Attention<'_>, out: &mut [f32], scratch: &mut Vec<f32>) {
        match self.0 {
            Some(avx2) => avx2.attend(attention, out, scratch),
            None => float::attend(attention, portable::PortableTiles, out, scratch),
        }
    }
}
