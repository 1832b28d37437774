//! Reciprocal rank fusion over all arms: words, meaning, names of known things, and times that the question names.

use crate::search::scores::ArmScores;

/// The constant of reciprocal rank fusion.
const K: f32 = 60.0;

/// The fused score of each admitted candidate, 0 to 1: first in every arm that found anything gives 1.
pub(in crate::search) fn rrf(scores: &[ArmScores], admitted: &[usize]) -> Vec<(usize, f64)> {
    let positive = |score: f32| Some(score).filter(|score| *score > 0.0);
    let arms = [
        shared_ranks(scores, |scores| positive(scores.bm25f)),
        shared_ranks(scores, |scores| scores.cosine),
        shared_ranks(scores, |scores| positive(scores.entity)),
        shared_ranks(scores, |scores| positive(scores.time)),
    ];
    let taking_part: Vec<&Vec<Option<usize>>> = arms.iter().filter(|ranks| ranks.iter().any(Option::is_some)).collect();
    let share = |rank: Option<usize>| rank.map_or(0.0, |rank| (K + 1.0) / (K + rank as f32));
    let sum = |place: usize| {
        let sum: f32 = taking_part.iter().map(|ranks| share(ranks[place])).sum();
        f64::from(sum / taking_part.len().max(1) as f32)
    };
    admitted.iter().map(|place| (*place, sum(*place))).collect()
}

// The rank of each candidate, from 1. Equal scores share the better rank: all that mention a name, or lie in a month, do
// so equally well, and the order in which they were gathered says nothing.
fn shared_ranks(scores: &[ArmScores], score: impl Fn(&ArmScores) -> Option<f32>) -> Vec<Option<usize>> {
    let mut falling: Vec<f32> = scores.iter().filter_map(&score).collect();
    falling.sort_by(|a, b| b.total_cmp(a));
    let rank = |own: f32| falling.partition_point(|other| other.total_cmp(&own).is_gt()) + 1;
    scores.iter().map(|scores| score(scores).map(rank)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fused(scores: &[ArmScores]) -> Vec<f64> {
        let all: Vec<usize> = (0..scores.len()).collect();
        rrf(scores, &all).into_iter().map(|(_, score)| score).collect()
    }

    fn scores(bm25f: f32, cosine: f32) -> ArmScores {
        ArmScores { bm25f, cosine: Some(cosine), ..ArmScores::default() }
    }

    #[test]
    fn a_name_and_a_time_count_as_much_as_words_and_meaning() {
        let (first, second) = (scores(0.9, 0.8), scores(0.5, 0.6));
        let plain = fused(&[first, second]);
        assert!(plain[0] > plain[1]);
        let named = fused(&[first, ArmScores { entity: 0.5, ..second }]);
        assert!(named[1] > named[0], "{named:?}");
        let timed = fused(&[first, ArmScores { time: 0.5, ..second }]);
        assert!(timed[1] > timed[0], "{timed:?}");
    }

    #[test]
    fn the_sum_is_that_of_the_reciprocal_ranks() {
        // Ranks 1 and 2 by words, 2 and 1 by meaning, none and 1 by name.
        let both = fused(&[scores(0.9, 0.3), ArmScores { entity: 1.0, ..scores(0.5, 0.6) }]);
        let arms = 3.0 / 61.0;
        let expected = [(1.0 / 61.0 + 1.0 / 62.0) / arms, (1.0 / 62.0 + 1.0 / 61.0 + 1.0 / 61.0) / arms];
        for (got, expected) in both.iter().zip(expected) {
            assert!((got - expected).abs() < 1e-6, "{both:?}");
        }
    }

    #[test]
    fn first_everywhere_is_1_however_many_arms_there_are() {
        let close = |score: f64| (score - 1.0).abs() < 1e-6;
        assert!(close(fused(&[ArmScores { bm25f: 0.1, ..ArmScores::default() }])[0]));
        let everywhere = ArmScores { entity: 0.1, time: 0.1, ..scores(0.9, 0.8) };
        assert!(close(fused(&[everywhere, scores(0.1, 0.1)])[0]));
        assert_eq!(fused(&[ArmScores::default()]), [0.0], "found by no arm");
    }

    #[test]
    fn equal_scores_share_a_rank() {
        let named = |entity: f32| ArmScores { entity, ..ArmScores::default() };
        let ranks = shared_ranks(&[named(0.5), named(1.0), named(0.0), named(0.5), named(0.2)], |scores| {
            Some(scores.entity).filter(|score| *score > 0.0)
        });
        assert_eq!(ranks, [Some(2), Some(1), None, Some(2), Some(4)]);
    }
}
