//! A weighted sum of calibrated similarity and lexical share, and similarity alone for a vector without words.

use scrubjay_models::embed::Calibration;

use crate::config::Hybrid;
use crate::search::arm::lexical::BM25;
use crate::search::scores::ArmScores;

/// The weights of the two arms. They add up to 1.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(in crate::search) struct ArmWeights {
    vector: f32,
    text: f32,
}

impl ArmWeights {
    /// Those that the settings name, made to add up to 1. Where both are 0, each is half.
    pub(in crate::search) fn of(settings: &Hybrid) -> Self {
        let (vector, text) = (settings.vector_weight, settings.text_weight);
        let sum = vector + text;
        let (vector, text) = if sum > 0.0 { (vector / sum, text / sum) } else { (0.5, 0.5) };
        #[expect(clippy::cast_possible_truncation, reason = "weights need no more digits")]
        let weights = Self { vector: vector as f32, text: text as f32 };
        weights
    }
}

/// The fused score of each admitted candidate, 0 to 1.
pub(in crate::search) fn weighted(
    scores: &[ArmScores],
    admitted: &[usize],
    calibration: Option<Calibration>,
    weights: ArmWeights,
) -> Vec<(usize, f64)> {
    let sum = |place: usize| {
        let lexical = (scores[place].bm25f / (BM25.k1 + 1.0)).min(1.0);
        f64::from(weights.vector * similarity(&scores[place], calibration) + weights.text * lexical)
    };
    admitted.iter().map(|place| (*place, sum(*place))).collect()
}

/// The calibrated similarity of each admitted candidate, for a question that is a vector and nothing else: the model
/// was fitted to questions with words, and would take one without for a question that asks for nothing.
pub(in crate::search) fn by_vector_alone(
    scores: &[ArmScores],
    admitted: &[usize],
    calibration: Option<Calibration>,
) -> Vec<(usize, f64)> {
    admitted.iter().map(|place| (*place, f64::from(similarity(&scores[*place], calibration)))).collect()
}

fn similarity(scores: &ArmScores, calibration: Option<Calibration>) -> f32 {
    match (calibration, scores.cosine) {
        (Some(calibration), Some(cosine)) => calibration.relevance(cosine),
        _ => 0.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(vector_weight: f64, text_weight: f64) -> ArmWeights {
        ArmWeights::of(&Hybrid { vector_weight, text_weight, ..Hybrid::default() })
    }

    #[test]
    fn weights_add_up_to_1() {
        assert_eq!(ArmWeights::of(&Hybrid::default()), ArmWeights { vector: 0.7, text: 0.3 });
        for (vector, text, expected) in
            [(1.0, 1.0, (0.5, 0.5)), (0.2, 0.6, (0.25, 0.75)), (0.0, 0.4, (0.0, 1.0)), (0.0, 0.0, (0.5, 0.5))]
        {
            let got = of(vector, text);
            assert!((got.vector - expected.0).abs() < 1e-6 && (got.text - expected.1).abs() < 1e-6, "{got:?}");
        }
    }

    #[test]
    fn the_heavier_arm_decides() {
        let near = ArmScores { cosine: Some(0.9), ..ArmScores::default() };
        let worded = ArmScores { bm25f: BM25.k1 + 1.0, ..ArmScores::default() };
        let first = |weights: ArmWeights| {
            let fused = weighted(&[near, worded], &[0, 1], Some(Calibration::PLAIN), weights);
            if fused[0].1 > fused[1].1 { "near" } else { "worded" }
        };
        assert_eq!(first(of(0.7, 0.3)), "near");
        assert_eq!(first(of(0.3, 0.7)), "worded");
    }
}
