//! The vector arm: how near a candidate is in meaning, against what is usual here.
//!
//! The cosine of two unrelated texts is not zero, and differs from question to question and from store to store. What
//! counts is the z-score: how far a cosine lies above the null distribution, the cosines of the question with whatever
//! is stored.

use scrubjay_index::{DocId, Snapshot};

use super::super::query::QueryVector;
use crate::Result;

/// Documents that are sampled. Up to this many, the distribution is exact.
const SAMPLE: usize = 512;

/// The prior: a small store is taken for one with so many more documents, whose cosines are as is usual for the model.
const PRIOR_DOCUMENTS: f64 = 32.0;

/// The weight of a neighbour's cosine in the similarity of a text.
const NEIGHBOUR_WEIGHT: f32 = 0.1;

/// The cosines of a text and of its neighbours with the question.
#[derive(Debug, Clone, Copy)]
pub(in crate::search) struct Cosines {
    pub(in crate::search) own: f32,
    pub(in crate::search) before: Option<f32>,
    pub(in crate::search) after: Option<f32>,
}

/// The distribution of similarities of one question with the store.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(in crate::search) struct NullDistribution {
    /// Mean and standard deviation of plain cosines.
    pub(in crate::search) mean: f32,
    pub(in crate::search) deviation: f32,
    /// The same with neighbours counted in.
    near_mean: f32,
    near_deviation: f32,
}

impl NullDistribution {
    /// How many standard deviations above the mean a similarity lies, neighbours counted in.
    pub(in crate::search) fn z_score(&self, cosines: Cosines) -> f32 {
        (similarity(cosines, self.mean) - self.near_mean) / self.near_deviation
    }

    /// Samples it.
    ///
    /// # Errors
    /// When the index is damaged.
    pub(in crate::search) fn sample(snapshot: &Snapshot, vector: &QueryVector, neighbours: bool) -> Result<Self> {
        let cosine = |document: DocId| -> Result<Option<f32>> {
            Ok(snapshot.cosines(document, vector.generation, &vector.vector)?.into_iter().reduce(f32::max))
        };
        let mut sample = Vec::with_capacity(SAMPLE);
        for document in snapshot.sample(&snapshot.shards(), SAMPLE)? {
            let Some(own) = cosine(document)? else { continue };
            if !neighbours {
                sample.push(Cosines { own, before: None, after: None });
                continue;
            }
            let around = snapshot.neighbours(document, 1, 1)?;
            let beside = |documents: &[DocId]| documents.first().map_or(Ok(None), |document| cosine(*document));
            sample.push(Cosines { own, before: beside(&around.before)?, after: beside(&around.after)? });
        }
        let prior = vector.calibration.usual();
        let (mean, deviation) = mean_and_deviation(sample.iter().map(|cosines| cosines.own), prior);
        let near = sample.iter().map(|cosines| similarity(*cosines, mean));
        let (near_mean, near_deviation) = mean_and_deviation(near, prior);
        Ok(Self { mean, deviation, near_mean, near_deviation })
    }
}

// A neighbour counts by how far it lies above the mean. So a text without neighbours is neither better nor worse off:
// a fact beside the turns of a conversation, a short function beside a long one in pieces.
fn similarity(cosines: Cosines, mean: f32) -> f32 {
    let beside = [cosines.before, cosines.after].into_iter().flatten();
    cosines.own + NEIGHBOUR_WEIGHT * beside.map(|cosine| cosine - mean).sum::<f32>()
}

fn mean_and_deviation(values: impl Iterator<Item = f32>, prior: (f32, f32)) -> (f32, f32) {
    // Added up by size, the sum does not depend on how documents are spread over files.
    let mut values: Vec<f32> = values.collect();
    values.sort_unstable_by(f32::total_cmp);
    let (prior_mean, prior_deviation) = (f64::from(prior.0), f64::from(prior.1));
    let mut count = PRIOR_DOCUMENTS;
    let mut sum = PRIOR_DOCUMENTS * prior_mean;
    let mut squares = PRIOR_DOCUMENTS * (prior_mean * prior_mean + prior_deviation * prior_deviation);
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
        let null = NullDistribution { mean: 0.2, deviation: 0.1, near_mean: 0.2, near_deviation: 0.1 };
        let z_score = |before, after| null.z_score(Cosines { own: 0.5, before, after });
        let alone = z_score(None, None);
        assert!((z_score(Some(0.2), Some(0.2)) - alone).abs() < 1e-6);
        assert!(z_score(Some(0.4), Some(0.2)) > alone);
        assert!(z_score(Some(0.1), None) < alone);
    }
}
