//! How much alike the best candidates are: which of them speak of the same matter.
//!
//! Two texts are compared by the windows of each that are nearest to the question, so that two long turns are alike
//! if what they say about the question is.

use std::collections::BTreeMap;

use scrubjay_index::Snapshot;

use super::candidates::CandidateSet;
use super::query::QueryVector;
use crate::Result;

/// The best candidates, which are compared with each other.
pub(super) const COMPARED: usize = 40;

/// The windows of each that are compared.
const WINDOWS: usize = 3;

/// The likeness of each two of the best candidates.
#[derive(Debug, Clone, Default)]
pub(super) struct Likeness {
    /// The row of a candidate in `values`, by its key.
    rows: BTreeMap<u64, usize>,
    /// One row after the other, 0 to 1.
    values: Vec<f32>,
}

impl Likeness {
    /// Compares candidates. `usual` is the mean cosine of unrelated texts, which counts as no likeness.
    ///
    /// # Errors
    /// When the index is damaged.
    pub(super) fn of(
        snapshot: &Snapshot,
        vector: &QueryVector,
        set: &CandidateSet,
        places: &[usize],
        usual: f32,
    ) -> Result<Self> {
        let mut windows: Vec<Vec<Vec<f32>>> = Vec::with_capacity(places.len());
        for place in places {
            let all = snapshot.vectors_of(set.documents[*place], vector.generation)?;
            windows.push(nearest(all, &set.candidates[*place].cosines));
        }
        let mut values = vec![0.0; places.len() * places.len()];
        for one in 0..places.len() {
            for other in one + 1..places.len() {
                let pairs = windows[one].iter().flat_map(|a| windows[other].iter().map(move |b| dot(a, b)));
                let cosine = pairs.fold(0.0, f32::max);
                let value = ((cosine - usual) / (1.0 - usual).max(0.01)).clamp(0.0, 1.0);
                values[one * places.len() + other] = value;
                values[other * places.len() + one] = value;
            }
        }
        let key = |place: &usize| set.candidates[*place].row.key;
        let rows = places.iter().enumerate().map(|(row, place)| (key(place), row)).collect();
        Ok(Self { rows, values })
    }

    /// How much alike two of them are on average.
    #[expect(clippy::cast_precision_loss, reason = "a count of candidates")]
    pub(super) fn mean(&self) -> f32 {
        let rows = self.rows.len();
        if rows < 2 { 0.0 } else { self.values.iter().sum::<f32>() / (rows * (rows - 1)) as f32 }
    }

    /// How much alike two candidates are, 0 to 1, by their keys; 0 if they were not compared.
    pub(super) fn between(&self, one: u64, other: u64) -> f32 {
        match (self.rows.get(&one), self.rows.get(&other)) {
            (Some(one), Some(other)) => self.values[one * self.rows.len() + other],
            _ => 0.0,
        }
    }
}

// The windows with the highest cosines.
fn nearest(windows: Vec<Vec<f32>>, cosines: &[f32]) -> Vec<Vec<f32>> {
    let mut paired: Vec<(f32, Vec<f32>)> = cosines.iter().copied().zip(windows).collect();
    paired.sort_by(|a, b| b.0.total_cmp(&a.0));
    paired.into_iter().take(WINDOWS).map(|(_, window)| window).collect()
}

fn dot(one: &[f32], other: &[f32]) -> f32 {
    // Eight sums side by side, which the compiler turns into vector instructions.
    let mut sums = [0.0_f32; 8];
    let (ones, others) = (one.chunks_exact(8), other.chunks_exact(8));
    for (a, b) in ones.zip(others) {
        for lane in 0..8 {
            sums[lane] += a[lane] * b[lane];
        }
    }
    sums.iter().sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_windows_nearest_to_the_question_are_compared() {
        let windows = (0..5_u8).map(|value| vec![f32::from(value)]).collect();
        let kept = nearest(windows, &[0.1, 0.5, 0.3, 0.9, 0.2]);
        assert_eq!(kept, [vec![3.0], vec![1.0], vec![2.0]]);
    }

    #[test]
    fn what_was_not_compared_is_not_alike() {
        let likeness = Likeness { rows: [(7, 0), (9, 1)].into(), values: vec![0.0, 0.8, 0.8, 0.0] };
        assert_eq!((likeness.between(7, 9), likeness.between(9, 7)), (0.8, 0.8));
        assert_eq!((likeness.between(7, 8), likeness.between(1, 2)), (0.0, 0.0));
    }
}
