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

/// What the texts beside a text add to its similarity.
const NEIGHBOUR: f32 = 0.1;

/// The cosines of a text and of those beside it with a question.
#[derive(Debug, Clone, Copy)]
pub(super) struct Cosines {
    pub(super) own: f32,
    pub(super) before: Option<f32>,
    pub(super) after: Option<f32>,
}

/// What is usual here for the similarity with one question.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Background {
    /// Mean and standard deviation of plain cosines.
    pub(super) mean: f32,
    pub(super) deviation: f32,
    /// The same with neighbours counted in.
    near_mean: f32,
    near_deviation: f32,
}

impl Background {
    /// How far above the usual a similarity lies, in standard deviations.
    pub(super) fn surprise(&self, cosines: Cosines) -> f32 {
        (similarity(cosines, self.mean) - self.near_mean) / self.near_deviation
    }
}

// A neighbour speaks for a text as far as it is nearer to the question than is usual. So one that has none is neither
// better nor worse off: a fact beside the turns of a conversation, a short function beside a long one in pieces.
fn similarity(cosines: Cosines, usual: f32) -> f32 {
    let beside = [cosines.before, cosines.after].into_iter().flatten();
    cosines.own + NEIGHBOUR * beside.map(|cosine| cosine - usual).sum::<f32>()
}

/// Measures it.
///
/// # Errors
/// When the index is damaged.
pub(super) fn measure(
    snapshot: &Snapshot,
    vector: &QueryVector,
    mut cosines: impl FnMut(DocId) -> Result<Option<Cosines>>,
) -> Result<Background> {
    let mut sample = Vec::with_capacity(SAMPLE);
    for document in snapshot.sample(&snapshot.shards(), SAMPLE)? {
        sample.extend(cosines(document)?);
    }
    let usual = vector.calibration.usual();
    let (mean, deviation) = mean_and_deviation(sample.iter().map(|cosines| cosines.own), usual);
    let near = sample.iter().map(|cosines| similarity(*cosines, mean));
    let (near_mean, near_deviation) = mean_and_deviation(near, usual);
    Ok(Background { mean, deviation, near_mean, near_deviation })
}

fn mean_and_deviation(values: impl Iterator<Item = f32>, usual: (f32, f32)) -> (f32, f32) {
    // Added up in the order of their size, the sum does not depend on how the
    // items are spread over files: the same store gives the same answer.
    let mut values: Vec<f32> = values.collect();
    values.sort_unstable_by(f32::total_cmp);
    let (usual, usual_deviation) = (f64::from(usual.0), f64::from(usual.1));
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
    let both = (mean as f32, deviation as f32);
    both
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_without_neighbours_is_no_worse_off() {
        let background = Background { mean: 0.2, deviation: 0.1, near_mean: 0.2, near_deviation: 0.1 };
        let surprise = |before, after| background.surprise(Cosines { own: 0.5, before, after });
        let alone = surprise(None, None);
        assert!((surprise(Some(0.2), Some(0.2)) - alone).abs() < 1e-6);
        assert!(surprise(Some(0.4), Some(0.2)) > alone);
        assert!(surprise(Some(0.1), None) < alone);
    }
}
