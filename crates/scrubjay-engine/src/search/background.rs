//! The background against which a similarity stands out.
//!
//! The cosine of two unrelated texts is not zero, and differs from question to
//! question and from store to store. What says something is how far a cosine
//! lies above what is usual here.

use scrubjay_index::{DocId, Snapshot};

use super::query::QueryVector;
use crate::Result;

/// Items that are looked at. Up to this many, the background is exact.
const SAMPLE: usize = 512;

/// What a small store lacks in numbers is taken from what is usual for the model:
/// as if so many more items had been looked at.
const PRIOR_ITEMS: f64 = 32.0;

/// What is usual here for cosines with one question.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Background {
    /// Their mean.
    pub(super) mean: f32,
    /// Their standard deviation.
    pub(super) deviation: f32,
}

impl Background {
    /// How far above the usual a similarity lies, in standard deviations.
    pub(super) fn surprise(&self, similarity: f32) -> f32 {
        (similarity - self.mean) / self.deviation
    }
}

/// Measures it. `similarity` is what is compared: the cosine, its neighbours
/// counted in.
///
/// # Errors
/// When the index is damaged.
pub(super) fn measure(
    snapshot: &Snapshot,
    vector: &QueryVector,
    mut similarity: impl FnMut(DocId) -> Result<Option<f32>>,
) -> Result<Background> {
    let mut values = Vec::with_capacity(SAMPLE);
    for document in snapshot.sample(&snapshot.shards(), SAMPLE)? {
        values.extend(similarity(document)?);
    }
    // Added up in the order of their size, the sum does not depend on how the
    // items are spread over files: the same store gives the same answer.
    values.sort_unstable_by(f32::total_cmp);
    let (usual, usual_deviation) = vector.calibration.usual();
    let (usual, usual_deviation) = (f64::from(usual), f64::from(usual_deviation));
    let mut count = PRIOR_ITEMS;
    let mut sum = PRIOR_ITEMS * usual;
    let mut squares = PRIOR_ITEMS * (usual * usual + usual_deviation * usual_deviation);
    for value in values.into_iter().map(f64::from) {
        count += 1.0;
        sum += value;
        squares += value * value;
    }
    let mean = sum / count;
    let deviation = (squares / count - mean * mean).max(1e-6).sqrt();
    #[expect(clippy::cast_possible_truncation, reason = "cosines, which were f32 before they were added up")]
    let (mean, deviation) = (mean as f32, deviation as f32);
    Ok(Background { mean, deviation })
}
