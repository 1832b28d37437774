//! Reciprocal rank fusion.

use crate::search::scores::{ArmScores, ranks};

/// The constant of reciprocal rank fusion.
const K: f32 = 60.0;

/// The fused score of each admitted candidate, 0 to 1: first in every arm gives 1.
pub(in crate::search) fn rrf(scores: &[ArmScores], admitted: &[usize], has_vectors: bool) -> Vec<(usize, f64)> {
    let by_words = ranks(scores, |scores| Some(scores.bm25f).filter(|score| *score > 0.0));
    let by_cosine = ranks(scores, |scores| scores.cosine);
    let share = |rank: Option<usize>| rank.map_or(0.0, |rank| (K + 1.0) / (K + rank as f32));
    let arms = f32::from(u8::from(has_vectors)) + 1.0;
    let sum = |place: usize| f64::from((share(by_words[place]) + share(by_cosine[place])) / arms);
    admitted.iter().map(|place| (*place, sum(*place))).collect()
}
