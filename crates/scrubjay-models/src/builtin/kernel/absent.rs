//! Stands for the AVX2 kernels on machines that cannot have them.

use std::ops::Range;

use super::int16::{Int16Panels, Int16Rows};
use super::shape::{Attention, Norm, Rows};
use super::uint7::{Uint7Panels, Uint7Rows};

/// Never made, so that its functions are never called.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Avx2 {}

impl Avx2 {
    pub(super) fn detect() -> Option<Self> {
        None
    }

    pub(super) fn multiply_int16(
        self,
        _: &Int16Rows,
        _: Range<usize>,
        _: Int16Panels<'_>,
        _: &mut [f32],
        _: usize,
        _: usize,
    ) {
        match self {}
    }

    pub(super) fn multiply_uint7(
        self,
        _: &Uint7Rows,
        _: Range<usize>,
        _: Uint7Panels<'_>,
        _: &mut [f32],
        _: usize,
        _: usize,
    ) {
        match self {}
    }

    pub(super) fn normalise(self, _: &mut [f32], _: Option<&[f32]>, _: Norm<'_>, _: &mut impl Rows) {
        match self {}
    }

    pub(super) fn activate(self, _: &mut [f32], _: usize, _: &mut impl Rows) {
        match self {}
    }

    pub(super) fn quantise(self, _: &[f32], _: usize, _: &mut impl Rows) {
        match self {}
    }

    pub(super) fn attend(self, _: Attention<'_>, _: &mut [f32], _: &mut Vec<f32>) {
        match self {}
    }
}
