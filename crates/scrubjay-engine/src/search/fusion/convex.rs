//! A sum of scores in which each arm counts by how sure it is of this very question.
//!
//! The lexical share counts as it is; the z-score counts cubed. A question whose nearest texts are no nearer than
//! chance leaves the order to the words; one that stands out takes the lead.
//!
//! The height of the sum says little about whether any candidate is about the question: in a large store something
//! always stands out. So a gate looks at the plain similarity and the lexical share of the best few, and each
//! candidate gets its share of what the gate lets through.

use crate::search::feedback::Feedback;
use crate::search::scores::ArmScores;

/// The z-score that counts as much as all words of the question together: one text in half a million is so near by
/// chance.
const FULL_Z_SCORE: f32 = 4.64;

/// The weight of the entity score.
const ENTITY_WEIGHT: f32 = 0.25;

/// The best candidates, which decide whether there is anything to find.
const GATE_TOP_K: usize = 3;

/// The gate's logistic: weight of the best plain z-score, weight of the best lexical share, and bias.
/// `docs/quality.md` says what this was fitted to.
const GATE_Z_WEIGHT: f32 = 1.8;
const GATE_LEXICAL_WEIGHT: f32 = 11.0;
const GATE_BIAS: f32 = -7.8;

/// The same where there are only words.
const GATE_LEXICAL_ONLY_WEIGHT: f32 = 12.0;
const GATE_LEXICAL_ONLY_BIAS: f32 = -5.7;

/// The fused score of each candidate, before the gate.
pub(in crate::search) fn convex_sums(scores: &[ArmScores]) -> Vec<f32> {
    scores.iter().map(convex_sum).collect()
}

/// The relevance of each admitted candidate. `usual` is the mean and deviation of cosines with unrelated texts.
pub(in crate::search) fn convex(
    scores: &[ArmScores],
    admitted: &[usize],
    usual: (f32, f32),
    feedback: Option<&Feedback>,
) -> Vec<(usize, f64)> {
    let mut sums: Vec<(usize, f32)> = admitted.iter().map(|place| (*place, convex_sum(&scores[*place]))).collect();
    let by_sum = |a: &(usize, f32), b: &(usize, f32)| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0));
    sums.sort_by(by_sum);
    let best: Vec<ArmScores> = sums.iter().take(GATE_TOP_K).map(|(place, _)| scores[*place]).collect();
    let gate = f64::from(gate(&best, usual));
    sums.retain(|(_, sum)| *sum > 0.0);
    let highest = sums.first().map_or(1.0, |(_, sum)| f64::from(*sum));
    let relevances: Vec<f64> = sums.iter().map(|(_, sum)| gate * f64::from(*sum) / highest).collect();
    if let Some(feedback) = feedback {
        for (place, sum) in &mut sums {
            *sum += feedback.weight * scores[*place].feedback;
        }
        sums.sort_by(by_sum);
    }
    // Feedback changes the order; how relevant the first, the second … are stays as it was.
    sums.into_iter().zip(relevances).map(|((place, _), relevance)| (place, relevance)).collect()
}

/// The same of one candidate.
pub(in crate::search) fn convex_sum(scores: &ArmScores) -> f32 {
    let similarity = scores.z_score.map_or(0.0, |z_score| (z_score.max(0.0) / FULL_Z_SCORE).powi(3));
    // A name alone says nothing; it lifts what fits in some other way.
    let sum = scores.bm25f + similarity;
    sum + ENTITY_WEIGHT * scores.entity * sum.min(1.0)
}

fn gate(best: &[ArmScores], usual: (f32, f32)) -> f32 {
    let most = |values: &mut dyn Iterator<Item = f32>| values.reduce(f32::max);
    let share = |scores: &ArmScores| scores.bm25f.min(1.0);
    let cosine = most(&mut best.iter().filter_map(|scores| scores.cosine));
    let with_vectors = cosine.map(|cosine| {
        let distance = (cosine - usual.0) / usual.1;
        let share = most(&mut best.iter().map(share)).unwrap_or(0.0);
        logistic(GATE_Z_WEIGHT * distance + GATE_LEXICAL_WEIGHT * share + GATE_BIAS)
    });
    // What has no vector, or none yet, can only be judged by its words.
    let without = &mut best.iter().filter(|scores| scores.cosine.is_none()).map(share);
    let by_words = most(without).map(|share| logistic(GATE_LEXICAL_ONLY_WEIGHT * share + GATE_LEXICAL_ONLY_BIAS));
    most(&mut [with_vectors, by_words].into_iter().flatten()).unwrap_or(0.0)
}

fn logistic(logit: f32) -> f32 {
    1.0 / (1.0 + (-logit).exp())
}

#[cfg(test)]
mod tests {
    use super::*;

    const USUAL: (f32, f32) = (0.15, 0.1);

    fn scores(bm25f: f32, cosine: Option<f32>) -> ArmScores {
        ArmScores { bm25f, cosine, ..ArmScores::default() }
    }

    #[test]
    fn nearness_and_words_open_the_gate_and_neither_keeps_it_shut() {
        // Lexical share, cosine, and whether the default threshold lets it through.
        for (bm25f, cosine, opens) in [
            (0.0, Some(0.3), false),
            (0.0, Some(0.6), true),
            (0.2, Some(0.3), false),
            (0.3, Some(0.3), false),
            (0.5, Some(0.45), true),
            (1.0, Some(0.2), true),
            (0.3, None, false),
            (0.5, None, true),
        ] {
            assert_eq!(gate(&[scores(bm25f, cosine)], USUAL) >= 0.35, opens, "{bm25f} {cosine:?}");
        }
        assert_eq!(gate(&[], USUAL), 0.0);
    }

    #[test]
    fn the_best_candidates_count_together() {
        let apart = gate(&[scores(0.4, Some(0.2))], USUAL).max(gate(&[scores(0.0, Some(0.5))], USUAL));
        assert!(gate(&[scores(0.4, Some(0.2)), scores(0.0, Some(0.5))], USUAL) > apart);
        // What was just stored and has no vector yet is found by its words.
        assert!(gate(&[scores(0.9, None), scores(0.0, Some(0.1))], USUAL) > 0.9);
    }
}
