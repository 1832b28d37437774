//! What every arm says about every candidate.

use super::arm::vector::Cosines;
use super::candidates::CandidateSet;
use super::feedback::Feedback;
use super::question::Question;

/// The scores of one candidate, each in its arm's own measure.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct ArmScores {
    /// The share of the question's information that it holds.
    pub(super) bm25f: f32,
    /// The cosine of its best window.
    pub(super) cosine: Option<f32>,
    /// How far its similarity lies above the null distribution, neighbours counted in.
    pub(super) z_score: Option<f32>,
    /// How strongly the names in the question point to it.
    pub(super) entity: f32,
    /// How well it lies in a time that the question names.
    pub(super) time: f32,
    /// The share of the feedback terms that it holds.
    pub(super) feedback: f32,
}

/// Scores all candidates, with the feedback of a first ranking if there is one.
pub(super) fn score_arms(set: &CandidateSet, question: &Question, feedback: Option<&Feedback>) -> Vec<ArmScores> {
    (0..set.candidates.len()).map(|place| score(set, question, feedback, place)).collect()
}

fn score(set: &CandidateSet, question: &Question, feedback: Option<&Feedback>, place: usize) -> ArmScores {
    let candidate = &set.candidates[place];
    let cosine_of = |place: Option<usize>| place.and_then(|place| set.candidates[place].cosine());
    let cosine = candidate.cosine();
    let z_score = match (set.null_distribution, cosine) {
        (Some(null), Some(own)) => {
            let (before, after) = (cosine_of(candidate.before), cosine_of(candidate.after));
            Some(null.z_score(Cosines { own, before, after }))
        }
        _ => None,
    };
    ArmScores {
        bm25f: if question.arms.lexical { set.lexical.bm25f(&set.candidates, place) } else { 0.0 },
        cosine,
        z_score,
        entity: candidate.entity_score,
        time: candidate.time_fit,
        feedback: feedback.map_or(0.0, |feedback| feedback.score(set, place)),
    }
}

/// The rank of each candidate by one score, from 1; none where the arm says nothing.
pub(super) fn ranks(scores: &[ArmScores], score: impl Fn(&ArmScores) -> Option<f32>) -> Vec<Option<usize>> {
    let mut order: Vec<(usize, f32)> =
        scores.iter().enumerate().filter_map(|(place, scores)| Some((place, score(scores)?))).collect();
    order.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    let mut ranks = vec![None; scores.len()];
    for (rank, (place, _)) in order.into_iter().enumerate() {
        ranks[place] = Some(rank + 1);
    }
    ranks
}
