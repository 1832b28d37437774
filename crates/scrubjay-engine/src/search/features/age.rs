//! How a candidate compares in age with the other good ones, above all with those that speak of the same matter.

use super::crowd::Crowd;
use crate::search::candidates::CandidateSet;

/// The best candidates that the age of a candidate is compared with, and what keeps a comparison with few of them small.
const CONTEMPORARIES: usize = 20;
const FEW_CONTEMPORARIES: f32 = 0.3;

/// The ages of the candidates, and how good they are.
pub(super) struct Ages {
    /// When each was said, and which of the same moment came later.
    ages: Vec<(i64, u64)>,
    /// The conversation of each; 0 for what stands alone.
    sequences: Vec<u64>,
    /// The convex sum of each beside the best, 0 to 1.
    weights: Vec<f32>,
}

/// What the age of one candidate tells.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Age {
    /// The likeness of the most alike among the newer ones of its own conversation, and of others; the better they
    /// are, the more they count.
    pub(super) newer_alike_in_session: f32,
    pub(super) newer_alike_elsewhere: f32,
    /// The same of the older ones.
    pub(super) older_alike: f32,
    /// The share of the good ones that is newer and of its own conversation, newer at all, older and of its own.
    pub(super) newer_share_in_session: f32,
    pub(super) newer_share: f32,
    pub(super) older_share_in_session: f32,
    /// The share of the best five and ten that is newer.
    pub(super) newer_among_5: f32,
    pub(super) newer_among_10: f32,
}

impl Ages {
    /// Of all candidates. `sums` is the convex sum of each.
    pub(super) fn of(set: &CandidateSet, sums: &[f32], crowd: &Crowd) -> Self {
        let rows = || set.candidates.iter().map(|candidate| &candidate.row);
        Self {
            ages: rows().map(|row| (row.columns.event_time, row.key)).collect(),
            sequences: rows().map(|row| row.columns.sequence).collect(),
            weights: sums.iter().map(|sum| (sum / crowd.best_sum.max(0.1)).max(0.0)).collect(),
        }
    }

    /// How much newer a candidate is than the other good ones, of its own conversation or of others: -1 if all of them
    /// are newer, 1 if none is. The better a candidate, the more it counts.
    pub(super) fn recency(&self, crowd: &Crowd, place: usize, in_session: bool) -> f32 {
        let (mut newer, mut all) = (0.0, 0.0);
        for other in crowd.places.iter().take(CONTEMPORARIES).copied().filter(|other| *other != place) {
            if self.is_of_same_session(other, place) != in_session {
                continue;
            }
            let weight = self.weights[other].powi(2);
            all += weight;
            newer += if self.ages[other] < self.ages[place] { weight } else { -weight };
        }
        newer / (all + FEW_CONTEMPORARIES)
    }

    /// For one candidate.
    pub(super) fn of_candidate(&self, set: &CandidateSet, crowd: &Crowd, place: usize) -> Age {
        let mut age = Age::default();
        let key = set.candidates[place].row.key;
        let mut all = 0.0;
        for (rank, other) in crowd.places.iter().copied().take(CONTEMPORARIES).enumerate() {
            let weight = self.weights[other].sqrt();
            all += weight;
            if other == place {
                continue;
            }
            let is_newer = self.ages[other] > self.ages[place];
            let in_session = self.is_of_same_session(other, place);
            let alike = weight * set.likeness.between(key, set.candidates[other].row.key);
            let most = match (is_newer, in_session) {
                (true, true) => &mut age.newer_alike_in_session,
                (true, false) => &mut age.newer_alike_elsewhere,
                (false, _) => &mut age.older_alike,
            };
            *most = most.max(alike);
            if is_newer {
                age.newer_share += weight;
                age.newer_share_in_session += if in_session { weight } else { 0.0 };
                age.newer_among_5 += if rank < 5 { 0.2 } else { 0.0 };
                age.newer_among_10 += if rank < 10 { 0.1 } else { 0.0 };
            } else if in_session {
                age.older_share_in_session += weight;
            }
        }
        for share in [&mut age.newer_share, &mut age.newer_share_in_session, &mut age.older_share_in_session] {
            *share /= all.max(FEW_CONTEMPORARIES);
        }
        age
    }

    fn is_of_same_session(&self, one: usize, other: usize) -> bool {
        self.sequences[one] == self.sequences[other] && self.sequences[one] != 0
    }
}
