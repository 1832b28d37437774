//! What every reranker's answer goes through.

use super::error::RerankError;

/// Gives the scores back if there are as many as passages and all are finite.
///
/// # Errors
/// If not.
pub fn check_scores(scores: Vec<f32>, expected: usize, model: &str) -> Result<Vec<f32>, RerankError> {
    if scores.len() != expected {
        return Err(RerankError::Count { model: model.to_owned(), expected, found: scores.len() });
    }
    match scores.iter().position(|score| !score.is_finite()) {
        Some(place) => Err(RerankError::NotFinite { model: model.to_owned(), place }),
        None => Ok(scores),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_score_is_refused() {
        assert_eq!(check_scores(vec![1.0, -2.0], 2, "m").unwrap(), [1.0, -2.0]);
        assert!(matches!(check_scores(vec![1.0], 2, "m"), Err(RerankError::Count { expected: 2, found: 1, .. })));
        for odd in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
            assert!(matches!(check_scores(vec![0.0, odd], 2, "m"), Err(RerankError::NotFinite { place: 1, .. })));
        }
    }
}
