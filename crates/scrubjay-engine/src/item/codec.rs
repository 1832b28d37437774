//! Vectors as bytes: their length once, then scale and values of each.

use scrubjay_index::vector::{Quantized, quantize};

use crate::{EngineError, Result};

/// The vectors of one item as the store keeps them.
///
/// # Errors
/// When a vector is empty, has a number that is none, or another length than the
/// first.
pub fn encode(vectors: &[Vec<f32>]) -> Result<Vec<u8>> {
    let dimensions = vectors.first().map_or(0, Vec::len);
    let mut bytes = Vec::with_capacity(4 + vectors.len() * (dimensions + 4));
    bytes.extend(u32::try_from(dimensions).unwrap_or(0).to_le_bytes());
    for vector in vectors {
        if vector.len() != dimensions {
            return Err(EngineError::model("the embedder gave vectors of different lengths"));
        }
        let quantized = quantize(vector)
            .map_err(|error| EngineError::model(format!("the embedder gave a vector that cannot be used: {error}")))?;
        bytes.extend(quantized.scale.to_le_bytes());
        bytes.extend(quantized.values.iter().map(|value| value.cast_unsigned()));
    }
    Ok(bytes)
}

/// What the store keeps for an item that has no vectors and will get none.
#[must_use]
pub fn no_vectors(dimensions: usize) -> Vec<u8> {
    u32::try_from(dimensions).unwrap_or(0).to_le_bytes().to_vec()
}

/// The vectors in such bytes, if they have these dimensions.
#[must_use]
pub fn decode(bytes: &[u8], dimensions: usize) -> Option<Vec<Quantized>> {
    let (header, rest) = bytes.split_first_chunk::<4>()?;
    if u32::from_le_bytes(*header) as usize != dimensions || dimensions == 0 || rest.len() % (dimensions + 4) != 0 {
        return None;
    }
    let vector = |bytes: &[u8]| {
        let (scale, values) = bytes.split_first_chunk::<4>()?;
        let scale = f32::from_le_bytes(*scale);
        let values = values.iter().map(|byte| byte.cast_signed()).collect();
        (scale.is_finite() && scale > 0.0).then_some(Quantized { scale, values })
    };
    rest.chunks_exact(dimensions + 4).map(vector).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vectors_survive() {
        let vectors = vec![vec![0.6, -0.8, 0.0, 0.0], vec![0.0, 0.0, 1.0, 0.0]];
        let bytes = encode(&vectors).unwrap();
        let back = decode(&bytes, 4).unwrap();
        assert_eq!(back.len(), 2);
        for (vector, quantized) in vectors.iter().zip(&back) {
            for (value, back) in vector.iter().zip(quantized.as_ref().to_floats()) {
                assert!((value - back).abs() < 0.01);
            }
        }
    }

    #[test]
    fn other_bytes_are_refused() {
        let bytes = encode(&[vec![0.6, -0.8, 0.0, 0.0]]).unwrap();
        assert!(decode(&bytes, 8).is_none());
        assert!(decode(&bytes[..bytes.len() - 1], 4).is_none());
        assert!(decode(&[], 4).is_none());
        assert!(encode(&[vec![f32::NAN; 4]]).is_err());
        assert!(encode(&[vec![1.0; 4], vec![1.0; 8]]).is_err());
    }
}
