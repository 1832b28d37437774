//! What is asked of a side.

use super::corpus::Question;
use crate::measure::{Taken, medians, on_this_thread};

/// How many documents are asked for.
pub(super) const WANTED: usize = 10;

/// One side of the comparison. All answers are the keys of at most [`WANTED`] documents, best first.
pub(super) trait Contender {
    /// The documents closest to the vector.
    fn by_vector(&self, vector: &[f32], among: Among) -> anyhow::Result<Vec<u64>>;

    /// The documents that fit any of the words best.
    fn by_words(&self, words: &str, among: Among) -> anyhow::Result<Vec<u64>>;

    /// The documents that are best in either way, in turn.
    fn by_both(&self, words: &str, vector: &[f32], among: Among) -> anyhow::Result<Vec<u64>> {
        let (by_words, by_vector) = (self.by_words(words, among)?, self.by_vector(vector, among)?);
        let mut keys = Vec::with_capacity(WANTED);
        for rank in 0..WANTED {
            for key in [by_words.get(rank), by_vector.get(rank)].into_iter().flatten() {
                if keys.len() < WANTED && !keys.contains(key) {
                    keys.push(*key);
                }
            }
        }
        Ok(keys)
    }
}

/// Which documents may be found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Among {
    All,
    /// Those of the small scope, one in ten.
    Scope,
    /// Those of one kind, one in ten, all over the scopes.
    Kind,
}

/// What is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum By {
    Vector,
    /// Eight words as they stand in a sentence.
    Words,
    /// Eight words that tell something.
    TellingWords,
    /// The words and the vector.
    Both,
}

/// What asking took, and the answers of the first round.
#[derive(Debug)]
pub(super) struct Asked {
    pub(super) taken: Taken,
    pub(super) answers: Vec<Vec<u64>>,
}

/// Asks all questions, several rounds of them.
pub(super) fn ask(
    side: &dyn Contender,
    questions: &[Question],
    by: By,
    among: Among,
    rounds: usize,
) -> anyhow::Result<Asked> {
    // What is read for the first time is read before the clock runs.
    for question in questions.iter().take(2) {
        ask_one(side, question, by, among)?;
    }
    let (mut taken, mut answers) = (Vec::new(), Vec::new());
    for round in 0..rounds {
        for question in questions {
            let (answer, time) = on_this_thread(|| ask_one(side, question, by, among))?;
            taken.push(time);
            if round == 0 {
                answers.push(answer);
            }
        }
    }
    Ok(Asked { taken: medians(&taken), answers })
}

/// The share of the right answers that were given.
pub(super) fn recall(given: &[Vec<u64>], right: &[Vec<u64>]) -> f64 {
    let wanted: usize = right.iter().map(Vec::len).sum();
    let found: usize =
        right.iter().zip(given).map(|(right, given)| right.iter().filter(|key| given.contains(key)).count()).sum();
    found as f64 / wanted.max(1) as f64
}

fn ask_one(side: &dyn Contender, question: &Question, by: By, among: Among) -> anyhow::Result<Vec<u64>> {
    match by {
        By::Vector => side.by_vector(&question.vector, among),
        By::Words => side.by_words(&question.words, among),
        By::TellingWords => side.by_words(&question.telling_words, among),
        By::Both => side.by_both(&question.words, &question.vector, among),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn recall_counts_what_was_found() {
        let right = [vec![1, 2, 3, 4], vec![5, 6]];
        assert!((recall(&[vec![4, 3, 2, 1], vec![5, 6]], &right) - 1.0).abs() < 1e-9);
        assert!((recall(&[vec![1, 9], vec![6, 7, 8]], &right) - 2.0 / 6.0).abs() < 1e-9);
        assert!(recall(&[Vec::new(), Vec::new()], &right).abs() < 1e-9);
    }
}
