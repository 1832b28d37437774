//! The centres of vector generations: what is taken off a vector before its signs are taken.

use std::collections::BTreeMap;

use crate::error::Result;
use crate::vector::VectorSectionBuilder;

/// The centre of each generation that has one. It makes estimates sharper and never changes an exact score, so that
/// sections with and without one live side by side.
#[derive(Debug, Clone, Default)]
pub(crate) struct Centres(BTreeMap<u64, Vec<f32>>);

impl Centres {
    pub(crate) fn set(&mut self, generation: u64, centre: Vec<f32>) {
        self.0.insert(generation, centre);
    }

    /// A builder for vectors of the generation. A centre of other dimensions is not for these vectors.
    pub(crate) fn builder(&self, generation: u64, dims: usize) -> Result<VectorSectionBuilder> {
        match self.0.get(&generation) {
            Some(centre) if centre.len() == dims => VectorSectionBuilder::with_centre(centre),
            _ => VectorSectionBuilder::new(dims),
        }
    }
}
