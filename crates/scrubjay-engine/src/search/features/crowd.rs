//! The crowd: the best candidates of a question, with which each of them is compared.

use crate::search::candidates::CandidateSet;
use crate::search::scores::ArmScores;

/// How many they are.
const CROWD: usize = 40;

/// The best candidates by the convex sum, and their scores in falling order.
pub(super) struct Crowd {
    /// Where they are, best first.
    pub(super) places: Vec<usize>,
    /// The highest convex sum.
    pub(super) best_sum: f32,
    cosines: Vec<f32>,
    lexical: Vec<f32>,
}

impl Crowd {
    /// Of the candidates that the conditions admit.
    pub(super) fn of(set: &CandidateSet, scores: &[ArmScores], sums: &[f32], admitted: &[usize]) -> Self {
        let mut places = admitted.to_vec();
        let key = |place: &usize| set.candidates[*place].row.key;
        places.sort_by(|a, b| sums[*b].total_cmp(&sums[*a]).then_with(|| key(a).cmp(&key(b))));
        places.truncate(CROWD);
        let falling = |mut values: Vec<f32>| {
            values.sort_by(|a, b| b.total_cmp(a));
            values
        };
        Self {
            best_sum: places.first().map_or(0.0, |place| sums[*place]),
            cosines: falling(places.iter().filter_map(|place| scores[*place].cosine).collect()),
            lexical: falling(places.iter().map(|place| scores[*place].bm25f).collect()),
            places,
        }
    }

    /// How full it is, 0 to 1: a young store has few candidates, and margins over them say less.
    #[expect(clippy::cast_precision_loss, reason = "a small count")]
    pub(super) fn share(&self) -> f32 {
        self.places.len() as f32 / CROWD as f32
    }

    /// The cosine at a rank from 0; of a smaller crowd, its last.
    pub(super) fn cosine(&self, rank: usize) -> f32 {
        self.cosines.get(rank).or(self.cosines.last()).copied().unwrap_or(0.0)
    }

    /// The same of the lexical score.
    pub(super) fn lexical(&self, rank: usize) -> f32 {
        self.lexical.get(rank).or(self.lexical.last()).copied().unwrap_or(0.0)
    }
}
