//! Stands for the AVX2 kernels on machines that cannot have them.

use super::shape::{Attention, Norm, Panels, QuantisedRows};

/// Never made, so that its functions are never called.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Avx2 {}

impl Avx2 {
    pub(super) fn detect() -> Option<Self> {
        None
    }

    pub(super) fn multiply(self, _: &QuantisedRows, _: Panels<'_>, _: &mut [f32], _: usize, _: usize) {
        match self {}
    }

    pub(super) fn normalise(self, _: &mut [f32], _: Option<&[f32]>, _: Norm<'_>, _: &mut QuantisedRows) {
        match self {}
    }

    pub(super) fn activate(self, _: &mut [f32], _: usize, _: &mut QuantisedRows) {
        match self {}
    }

    pub(super) fn quantise(self, _: &[f32], _: usize, _: &mut QuantisedRows) {
        match self {}
    }

    pub(super) fn attend(self, _: Attention<'_>, _: &mut [f32], _: &mut Vec<f32>) {
        match self {}
    }
}
