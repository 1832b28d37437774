//! What the encoder needs of a linear layer.

use std::fmt::Debug;
use std::ops::Range;

use super::super::error::WeightError;
use super::super::kernel::Rows;
use super::super::weights::Weights;

/// A linear layer in a weight file. The weights stay in the file; what is small is copied.
pub(in crate::builtin) trait Linear: Debug + Sized {
    /// How activations are quantised for it.
    type Rows: Rows;

    /// Finds the sections of a layer.
    ///
    /// # Errors
    /// If one is missing, or is not what its sizes and the kernels need.
    fn cut(weights: &Weights, name: &str, inputs: usize, outputs: usize) -> Result<Self, WeightError>;

    /// The panels of some outputs, which begin and end at a multiple of 16.
    fn outputs<'model>(
        &'model self,
        weights: &'model Weights,
        outputs: Range<usize>,
    ) -> <Self::Rows as Rows>::Panels<'model>;

    /// The panels of all outputs.
    fn all<'model>(&'model self, weights: &'model Weights) -> <Self::Rows as Rows>::Panels<'model>;
}
