//! What a cosine means.

use serde::{Deserialize, Serialize};

/// Turns the cosine of two vectors into a relevance between 0 and 1 that means the same for every model: 0 for texts
/// that have nothing to do with one another, 1 for the same thing said twice.
///
/// A line through a few points, because models differ in where unrelated texts lie (near 0 for some, near 0.5 for
/// others) more than in the shape of the curve.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Calibration {
    /// Cosine and relevance of each point; both grow.
    points: [(f32, f32); 4],
    /// Mean and standard deviation of the cosine of a question with texts it has nothing to do with.
    usual: (f32, f32),
}

impl Calibration {
    /// For granite-embedding-30m-english, from 400 questions of five collections (chats, code, abstracts), their answers
    /// and 300 other texts, and 60 texts beside themselves in lower case with other punctuation:
    ///
    /// | | 5 % | 50 % | 95 % | 99 % |
    /// |---|---|---|---|---|
    /// | question and a text of another collection | 0.40 | 0.47 | 0.57 | 0.61 |
    /// | question and another text of its collection | 0.46 | 0.55 | 0.67 | 0.73 |
    /// | question and its answer | 0.62 | 0.76 | 0.87 | 0.90 |
    /// | a text twice | 0.97 | 0.99 | 1.00 | 1.00 |
    ///
    /// Nothing is 0.55: half of the unrelated texts of the same collection and 9 of 10 of others. A quarter of the
    /// answers are below the second point and three quarters below the third; the last lies below every repetition.
    pub const GRANITE_30M: Self =
        Self { points: [(0.30, 0.0), (0.45, 0.35), (0.65, 0.75), (0.90, 1.0)], usual: (0.15, 0.1) };

    /// For the static table of many languages. Its cosines depend on how many common words texts share, and so on their
    /// language, kind and length; 300 questions of each collection, short sentences in other languages:
    ///
    /// | mean and deviation | unrelated | answer (median) |
    /// |---|---|---|
    /// | chats in English (two collections) | 0.40 ± 0.14, 0.47 ± 0.12 | 0.56, 0.60 |
    /// | coding sessions in English | 0.45 ± 0.14 | 0.57 |
    /// | abstracts in English | 0.49 ± 0.09 | 0.65 |
    /// | sentences in German | 0.09 ± 0.10 | 0.22 |
    /// | sentences in Japanese | 0.09 ± 0.12 | 0.35 |
    /// | sentences in Chinese and Thai | 0.13 ± 0.11 | 0.42 |
    ///
    /// So what is usual, taken from the other languages, is only where to begin: [`Calibration::follows_store`].
    pub const POTION_MULTILINGUAL: Self =
        Self { points: [(0.40, 0.0), (0.52, 0.35), (0.65, 0.75), (0.93, 1.0)], usual: (0.10, 0.11) };

    /// The cosine itself where it is positive, for models of which nothing is known.
    pub const PLAIN: Self = Self { points: [(0.0, 0.0), (0.25, 0.25), (0.5, 0.5), (1.0, 1.0)], usual: (0.0, 0.15) };

    /// A line through four points of cosine and relevance. None unless both grow from point to point and relevance
    /// goes from 0 to 1.
    #[must_use]
    pub fn new(points: [(f32, f32); 4], usual: (f32, f32)) -> Option<Self> {
        let grows = points.windows(2).all(|pair| pair[0].0 < pair[1].0 && pair[0].1 <= pair[1].1);
        (grows && points[0].1 == 0.0 && points[3].1 == 1.0).then_some(Self { points, usual })
    }

    /// Mean and standard deviation of the cosine of a question with texts it has nothing to do with.
    #[must_use]
    pub fn usual(&self) -> (f32, f32) {
        self.usual
    }

    /// Whether the texts of a store tell better than [`Calibration::usual`] what unrelated texts have in common, because
    /// nothing is known about the model or it depends on the kind of text.
    #[must_use]
    pub fn follows_store(&self) -> bool {
        [Self::PLAIN, Self::POTION_MULTILINGUAL].contains(self)
    }

    /// The relevance of a cosine: never falls as the cosine grows, and is 0 for what is no number.
    #[must_use]
    pub fn relevance(&self, cosine: f32) -> f32 {
        let [first, .., last] = self.points;
        if cosine >= last.0 {
            return 1.0;
        }
        if cosine.is_nan() || cosine <= first.0 {
            return 0.0;
        }
        let segment = self.points.windows(2).find(|pair| cosine < pair[1].0);
        segment.map_or(1.0, |pair| {
            let share = (cosine - pair[0].0) / (pair[1].0 - pair[0].0);
            pair[0].1 + share * (pair[1].1 - pair[0].1)
        })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn relevance_goes_through_the_points() {
        for calibration in [Calibration::GRANITE_30M, Calibration::POTION_MULTILINGUAL, Calibration::PLAIN] {
            assert_eq!(Calibration::new(calibration.points, calibration.usual), Some(calibration));
            for (cosine, relevance) in calibration.points {
                assert!((calibration.relevance(cosine) - relevance).abs() < 1e-6);
            }
            assert_eq!(calibration.relevance(f32::NAN), 0.0);
            assert_eq!(calibration.relevance(-1.0), 0.0);
            assert_eq!(calibration.relevance(2.0), 1.0);
        }
        assert_eq!(Calibration::new([(0.5, 0.0), (0.4, 0.2), (0.6, 0.3), (0.7, 1.0)], (0.0, 0.1)), None);
        assert_eq!(Calibration::new([(0.1, 0.0), (0.4, 0.2), (0.6, 0.3), (0.7, 0.9)], (0.0, 0.1)), None);
    }

    proptest! {
        #[test]
        fn relevance_never_falls(one in -1.0_f32..1.0, other in -1.0_f32..1.0) {
            let (low, high) = if one < other { (one, other) } else { (other, one) };
            let relevance = |cosine| Calibration::GRANITE_30M.relevance(cosine);
            prop_assert!(relevance(low) <= relevance(high));
            prop_assert!((0.0..=1.0).contains(&relevance(one)));
        }
    }
}
