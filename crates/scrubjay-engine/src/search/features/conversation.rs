//! What the rest of a conversation tells of one of its turns.
//!
//! A turn that answers is often short and says little by itself; the turns around it say what it is about. A
//! conversation in which much is near to the question is more likely to be the one that is asked about.

use std::collections::BTreeMap;

use super::crowd::Crowd;
use crate::search::candidates::CandidateSet;
use crate::search::scores::ArmScores;

/// The turns before and after one that are nearby.
const NEARBY: usize = 3;

/// The conversations of the candidates.
pub(super) struct Conversations {
    /// The cosines of each conversation's candidates, highest first, and how many of them are in the crowd.
    by_sequence: BTreeMap<u64, (Vec<f32>, usize)>,
    /// The conversation of each candidate, its cosine, and the candidates beside it.
    turns: Vec<Turn>,
}

#[derive(Clone, Copy)]
struct Turn {
    sequence: u64,
    cosine: Option<f32>,
    before: Option<usize>,
    after: Option<usize>,
}

/// What one candidate's conversation tells.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Conversation {
    /// The highest cosine in it.
    pub(super) best: f32,
    /// The mean of its three highest.
    pub(super) top_3: f32,
    /// How many of its turns are in the crowd, as a logarithm.
    pub(super) in_crowd: f32,
    /// The highest cosine nearby, its own included.
    pub(super) nearby: f32,
    /// The mean of those.
    pub(super) nearby_mean: f32,
}

impl Conversations {
    /// Of all candidates.
    pub(super) fn of(set: &CandidateSet, scores: &[ArmScores], crowd: &Crowd) -> Self {
        let turn = |(place, scores): (usize, &ArmScores)| {
            let candidate = &set.candidates[place];
            let (before, after) = (candidate.before, candidate.after);
            Turn { sequence: candidate.row.columns.sequence, cosine: scores.cosine, before, after }
        };
        let turns: Vec<Turn> = scores.iter().enumerate().map(turn).collect();
        let mut by_sequence: BTreeMap<u64, (Vec<f32>, usize)> = BTreeMap::new();
        for turn in turns.iter().filter(|turn| turn.sequence != 0) {
            by_sequence.entry(turn.sequence).or_default().0.extend(turn.cosine);
        }
        for (cosines, _) in by_sequence.values_mut() {
            cosines.sort_by(|a, b| b.total_cmp(a));
        }
        for place in &crowd.places {
            if let Some((_, count)) = by_sequence.get_mut(&turns[*place].sequence) {
                *count += 1;
            }
        }
        Self { by_sequence, turns }
    }

    /// For one candidate. What stands alone is a conversation of its own.
    #[expect(clippy::cast_precision_loss, reason = "counts of turns")]
    pub(super) fn of_candidate(&self, place: usize, own: f32) -> Conversation {
        let alone = Conversation { best: own, top_3: own, in_crowd: 0.0, nearby: own, nearby_mean: own };
        let Some((cosines, in_crowd)) = self.by_sequence.get(&self.turns[place].sequence) else { return alone };
        let top: Vec<f32> = cosines.iter().take(3).copied().collect();
        let nearby = self.nearby(place, own);
        Conversation {
            best: top.first().copied().unwrap_or(own),
            top_3: if top.is_empty() { own } else { top.iter().sum::<f32>() / top.len() as f32 },
            in_crowd: (1.0 + *in_crowd as f32).ln(),
            nearby: nearby.iter().copied().fold(own, f32::max),
            nearby_mean: nearby.iter().sum::<f32>() / nearby.len() as f32,
        }
    }

    // The cosines of the turns nearby, as far as they are candidates, its own first.
    fn nearby(&self, place: usize, own: f32) -> Vec<f32> {
        let mut cosines = vec![own];
        for step in [(|turn: &Turn| turn.before) as fn(&Turn) -> Option<usize>, |turn: &Turn| turn.after] {
            let mut at = Some(place);
            for _ in 0..NEARBY {
                at = at.and_then(|place| step(&self.turns[place]));
                cosines.extend(at.and_then(|place| self.turns[place].cosine));
            }
        }
        cosines
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn turns_nearby_and_the_best_of_the_conversation_count() {
        let turn = |cosine, before, after| Turn { sequence: 7, cosine: Some(cosine), before, after };
        let turns = vec![turn(0.1, None, Some(1)), turn(0.2, Some(0), Some(2)), turn(0.6, Some(1), None)];
        let by_sequence = [(7, (vec![0.6, 0.2, 0.1], 2))].into();
        let conversations = Conversations { by_sequence, turns };
        let first = conversations.of_candidate(0, 0.1);
        assert_eq!((first.best, first.nearby), (0.6, 0.6));
        assert!((first.top_3 - 0.3).abs() < 1e-6 && (first.nearby_mean - 0.3).abs() < 1e-6, "{first:?}");
    }

    #[test]
    fn what_stands_alone_is_a_conversation_of_its_own() {
        let turns = vec![Turn { sequence: 0, cosine: Some(0.4), before: None, after: None }];
        let alone = Conversations { by_sequence: BTreeMap::new(), turns }.of_candidate(0, 0.4);
        assert_eq!((alone.best, alone.top_3, alone.nearby, alone.in_crowd), (0.4, 0.4, 0.4, 0.0));
    }
}
