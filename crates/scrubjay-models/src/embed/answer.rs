//! Whether an answer is one.

use super::card::ModelCard;
use super::error::EmbedError;

/// Passes on the vectors of `expected` texts, brought to length 1.
///
/// # Errors
/// If there are more or fewer, if one has not the card's dimensions, or if one has no direction: a value that is not
/// finite, or zeros only.
pub fn check_vectors(
    mut vectors: Vec<Vec<f32>>,
    expected: usize,
    card: &ModelCard,
) -> Result<Vec<Vec<f32>>, EmbedError> {
    let model = || card.id.clone();
    if vectors.len() != expected {
        return Err(EmbedError::Count { model: model(), expected, found: vectors.len() });
    }
    for (place, vector) in vectors.iter_mut().enumerate() {
        if vector.len() != card.dimensions {
            return Err(EmbedError::Dimensions { model: model(), expected: card.dimensions, found: vector.len() });
        }
        let length = vector.iter().map(|&value| f64::from(value) * f64::from(value)).sum::<f64>().sqrt();
        if !length.is_finite() || length == 0.0 {
            return Err(EmbedError::NotAVector { model: model(), place });
        }
        // A vector that has length 1 already stays as it is, to the last bit.
        if (length - 1.0).abs() > 1e-6 {
            for value in vector {
                *value = (f64::from(*value) / length) as f32;
            }
        }
    }
    Ok(vectors)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::embed::{Calibration, PrefixScheme};

    fn check(vectors: Vec<Vec<f32>>) -> Result<Vec<Vec<f32>>, EmbedError> {
        let card = ModelCard {
            id: "test".to_owned(),
            provider: "test".to_owned(),
            dimensions: 2,
            prefix_scheme: PrefixScheme::None,
            max_tokens: 10,
            calibration: Calibration::PLAIN,
        };
        check_vectors(vectors, 1, &card)
    }

    #[test]
    fn only_vectors_pass_and_have_length_one() {
        assert_eq!(check(vec![vec![3.0, 4.0]]).unwrap(), [[0.6, 0.8]]);
        assert_eq!(check(vec![vec![1e30, 0.0]]).unwrap(), [[1.0, 0.0]]);
        assert_eq!(check(vec![vec![0.6, 0.8]]).unwrap(), [[0.6, 0.8]]);
        assert!(matches!(check(vec![]), Err(EmbedError::Count { found: 0, .. })));
        assert!(matches!(check(vec![vec![1.0, 0.0]; 2]), Err(EmbedError::Count { found: 2, .. })));
        assert!(matches!(check(vec![vec![1.0]]), Err(EmbedError::Dimensions { found: 1, .. })));
        for wrong in [[f32::NAN, 1.0], [f32::INFINITY, 1.0], [0.0, 0.0]] {
            assert!(matches!(check(vec![wrong.to_vec()]), Err(EmbedError::NotAVector { place: 0, .. })));
        }
    }
}
