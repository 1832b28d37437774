//! BM25: how much a term of the query says about a document.

use crate::error::{IndexError, Result};

/// The parameters of the ranking.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bm25 {
    /// How slowly repeated terms stop to matter.
    pub k1: f32,
    /// How much longer documents are held back, from 0 to 1.
    pub b: f32,
}

impl Default for Bm25 {
    fn default() -> Self {
        Bm25 { k1: 1.2, b: 0.75 }
    }
}

impl Bm25 {
    /// What it counts that a term occurs so often in a document of this length, from 0 to `k1 + 1`. The length is
    /// relative to the average.
    #[must_use]
    pub fn presence(&self, frequency: f32, length: f32) -> f32 {
        frequency * (self.k1 + 1.0) / (frequency + self.k1 * (1.0 - self.b + self.b * length))
    }
}

/// One term of a query.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TermQuery {
    /// The hash of the term.
    pub hash: u64,
    /// What its share of the score is multiplied with; at least 0.
    pub weight: f32,
}

/// What is known about the live documents of some shards.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Statistics {
    /// How many there are.
    pub documents: u64,
    /// The sum of their lengths.
    pub total_length: u64,
    /// For each term that was asked for, in how many of them it occurs.
    pub document_frequencies: Vec<u64>,
}

/// What one term of a query adds to the score of a document.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TermScorer {
    boost: f32,
    base: f32,
    slope: f32,
}

impl Bm25 {
    /// The scorers of the terms, whose document frequencies are in `statistics` in the same order.
    ///
    /// # Errors
    /// [`IndexError::Invalid`] for parameters or weights that are negative or not finite, a `b` above 1, and other
    /// statistics than of these terms.
    pub fn scorers(&self, terms: &[TermQuery], statistics: &Statistics) -> Result<Vec<TermScorer>> {
        let sound = self.k1.is_finite() && self.k1 >= 0.0 && (0.0..=1.0).contains(&self.b);
        if !sound || terms.iter().any(|term| !(term.weight.is_finite() && term.weight >= 0.0)) {
            return Err(IndexError::Invalid("a parameter or a weight of the ranking is out of range".to_owned()));
        }
        if terms.len() != statistics.document_frequencies.len() {
            return Err(IndexError::Invalid("the statistics belong to other terms".to_owned()));
        }
        let documents = statistics.documents as f64;
        let average = (statistics.total_length as f64 / documents.max(1.0)).max(1.0) as f32;
        let scorer = |(term, frequency): (&TermQuery, &u64)| {
            let frequency = *frequency as f64;
            let rarity = (1.0 + (documents - frequency + 0.5) / (frequency + 0.5)).ln() as f32;
            TermScorer {
                boost: term.weight * rarity * (self.k1 + 1.0),
                base: self.k1 * (1.0 - self.b),
                slope: self.k1 * self.b / average,
            }
        };
        Ok(terms.iter().zip(&statistics.document_frequencies).map(scorer).collect())
    }
}

impl TermScorer {
    /// The share of the term in the score of a document of this length that contains it so many times. The score of a
    /// document is the sum over the terms in the order of the query.
    #[inline]
    pub fn score(&self, frequency: u32, length: u32) -> f32 {
        if frequency == 0 {
            return 0.0;
        }
        let frequency = frequency as f32;
        self.boost * (frequency / (frequency + (self.base + self.slope * length as f32)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scorers(terms: &[(f32, u64)]) -> Result<Vec<TermScorer>> {
        let queries: Vec<TermQuery> = terms.iter().map(|term| TermQuery { hash: 1, weight: term.0 }).collect();
        let document_frequencies = terms.iter().map(|term| term.1).collect();
        let statistics = Statistics { documents: 100, total_length: 2_000, document_frequencies };
        Bm25::default().scorers(&queries, &statistics)
    }

    #[test]
    fn a_rare_term_in_a_short_document_says_most() {
        let scorers = scorers(&[(1.0, 1), (1.0, 90), (2.0, 1)]).unwrap();
        let (rare, common, weighted) = (scorers[0], scorers[1], scorers[2]);
        assert!(rare.score(1, 20) > common.score(5, 20));
        assert!(rare.score(2, 20) > rare.score(1, 20));
        assert!(rare.score(1, 10) > rare.score(1, 20));
        assert_eq!(weighted.score(1, 20), 2.0 * rare.score(1, 20));
        assert!(common.score(1, 20) > 0.0);
        assert_eq!(rare.score(0, 20), 0.0);
        // ln(1 + 99.5 / 1.5) times 2.2 times 1 / (1 + 1.2), the length being the average.
        assert!((rare.score(1, 20) - 4.2093).abs() < 1e-3, "{}", rare.score(1, 20));
    }

    #[test]
    fn what_would_break_the_order_is_refused() {
        assert!(scorers(&[(-1.0, 1)]).is_err());
        assert!(scorers(&[(f32::NAN, 1)]).is_err());
        let empty = Statistics::default();
        assert!(Bm25 { k1: -1.0, b: 0.5 }.scorers(&[], &empty).is_err());
        assert!(Bm25 { k1: 1.0, b: 1.5 }.scorers(&[], &empty).is_err());
        assert!(Bm25::default().scorers(&[TermQuery { hash: 1, weight: 1.0 }], &empty).is_err());
    }
}
