//! A weighted sum of calibrated similarity and lexical share.

use scrubjay_models::embed::Calibration;

use crate::search::arm::lexical::BM25;
use crate::search::scores::ArmScores;

/// The weights of the two arms.
const VECTOR_WEIGHT: f32 = 0.7;
const LEXICAL_WEIGHT: f32 = 0.3;

/// The fused score of each admitted candidate, 0 to 1.
pub(in crate::search) fn weighted(
    scores: &[ArmScores],
    admitted: &[usize],
    calibration: Option<Calibration>,
) -> Vec<(usize, f64)> {
    let sum = |place: usize| {
        let similarity = match (calibration, scores[place].cosine) {
            (Some(calibration), Some(cosine)) => calibration.relevance(cosine),
            _ => 0.0,
        };
        let lexical = (scores[place].bm25f / (BM25.k1 + 1.0)).min(1.0);
        f64::from(VECTOR_WEIGHT * similarity + LEXICAL_WEIGHT * lexical)
    };
    admitted.iter().map(|place| (*place, sum(*place))).collect()
}
