//! How good a ranking is, given what should be in it.

use std::collections::BTreeSet;

/// The usual measures, 0 to 1.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Metrics {
    /// The share of what should be found that is among the first 5, 10 and 20.
    pub recall: [f64; 3],
    /// Whether all of it is among the first 5.
    pub all_in_5: f64,
    /// Normalised discounted cumulative gain of the first 10.
    pub ndcg_10: f64,
    /// One over the rank of the first right one.
    pub reciprocal_rank: f64,
}

/// Compares a ranking with what should have been found. An id counts once.
#[must_use]
#[expect(clippy::cast_precision_loss, reason = "ranks and counts of a test set")]
pub fn metrics(ranked: &[String], wanted: &[String]) -> Metrics {
    let wanted: BTreeSet<&str> = wanted.iter().map(String::as_str).collect();
    if wanted.is_empty() {
        return Metrics::default();
    }
    let mut seen = BTreeSet::new();
    let right: Vec<bool> =
        ranked.iter().filter(|id| seen.insert(id.as_str())).map(|id| wanted.contains(id.as_str())).collect();
    let found = |first: usize| right.iter().take(first).filter(|right| **right).count();
    let gain = |place: usize| 1.0 / (place as f64 + 2.0).log2();
    let gained: f64 =
        right.iter().take(10).enumerate().filter(|(_, right)| **right).map(|(place, _)| gain(place)).sum();
    let ideal: f64 = (0..wanted.len().min(10)).map(gain).sum();
    let first = right.iter().position(|right| *right);
    Metrics {
        recall: [5, 10, 20].map(|first| found(first) as f64 / wanted.len() as f64),
        all_in_5: f64::from(u8::from(found(5) == wanted.len())),
        ndcg_10: gained / ideal,
        reciprocal_rank: first.map_or(0.0, |place| 1.0 / (place as f64 + 1.0)),
    }
}

/// The mean of many.
#[must_use]
#[expect(clippy::cast_precision_loss, reason = "a count of questions")]
pub fn mean(all: &[Metrics]) -> Metrics {
    let count = all.len().max(1) as f64;
    let average = |value: fn(&Metrics) -> f64| all.iter().map(value).sum::<f64>() / count;
    Metrics {
        recall: [average(|m| m.recall[0]), average(|m| m.recall[1]), average(|m| m.recall[2])],
        all_in_5: average(|m| m.all_in_5),
        ndcg_10: average(|m| m.ndcg_10),
        reciprocal_rank: average(|m| m.reciprocal_rank),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ids(text: &str) -> Vec<String> {
        text.split(' ').map(str::to_owned).collect()
    }

    #[test]
    fn a_ranking_is_measured() {
        let measured = metrics(&ids("x a y b"), &ids("a b"));
        assert_eq!(measured.recall, [1.0, 1.0, 1.0]);
        assert_eq!(measured.all_in_5, 1.0);
        assert_eq!(measured.reciprocal_rank, 0.5);
        let gain = (1.0 / 3f64.log2() + 1.0 / 5f64.log2()) / (1.0 + 1.0 / 3f64.log2());
        assert!((measured.ndcg_10 - gain).abs() < 1e-12);
        assert_eq!(metrics(&ids("a a a b"), &ids("a b")).recall[0], 1.0);
        assert_eq!(metrics(&ids("x y"), &ids("a")), Metrics::default());
    }

    #[test]
    fn a_mean_is_a_mean() {
        let both = mean(&[metrics(&ids("a"), &ids("a")), metrics(&ids("x"), &ids("a"))]);
        assert_eq!((both.recall[0], both.ndcg_10), (0.5, 0.5));
    }
}
