//! Vectors as int8: a quarter of the size of f32, and still exact enough for ranking.

use super::rotation::{rotate, rotate_back};
use crate::error::{IndexError, Result};

/// The longest vector an index takes.
pub const MAX_DIMS: usize = 4096;

/// How far the length of a quantized vector may be from one. A vector made by
/// [`quantize`] is closer by four orders of magnitude.
const LENGTH_TOLERANCE: f64 = 1e-3;

/// A vector of length one as int8: `values[i] * scale` is its coordinate `i` after the
/// fixed rotation of the index. Products of two such vectors are what they were before
/// it; [`QuantizedRef::to_floats`] turns one back.
#[derive(Clone, Debug, PartialEq)]
pub struct Quantized {
    /// The size of one step.
    pub scale: f32,
    /// The rotated coordinates in steps, from -127 to 127.
    pub values: Box<[i8]>,
}

/// A [`Quantized`] that lives elsewhere, such as in a memory-mapped segment.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct QuantizedRef<'a> {
    /// The size of one step.
    pub scale: f32,
    /// The rotated coordinates in steps, from -127 to 127.
    pub values: &'a [i8],
}

/// The int8 form of a vector's direction. Its length is dropped: only cosines are
/// asked of it.
///
/// It is rotated first, which halves the error where a model has a few large coordinates.
/// The scale is chosen so that the int8 vector has length one, and not so that it is
/// nearest to the original: a cosine computed from it then really is a cosine.
///
/// # Errors
/// [`IndexError::Invalid`] for a length that is no multiple of four or over
/// [`MAX_DIMS`], a coordinate that is not finite, and a vector of zeros.
pub fn quantize(vector: &[f32]) -> Result<Quantized> {
    check_dims(vector.len())?;
    let largest = largest_coordinate(vector)?;
    let mut rotated: Vec<f32> = vector.iter().map(|&value| value / largest).collect();
    rotate(&mut rotated);
    let largest = largest_coordinate(&rotated)?;
    let values: Box<[i8]> = rotated.iter().map(|&value| rounded(value / largest * 127.0) as i8).collect();
    let scale = (1.0 / squared_length(&values).sqrt()) as f32;
    Ok(Quantized { scale, values })
}

impl Quantized {
    /// The same vector, borrowed.
    pub fn as_ref(&self) -> QuantizedRef<'_> {
        QuantizedRef { scale: self.scale, values: &self.values }
    }
}

impl QuantizedRef<'_> {
    /// A copy that owns its values.
    pub fn to_quantized(self) -> Quantized {
        Quantized { scale: self.scale, values: self.values.into() }
    }

    /// The coordinates as floating point numbers, before the rotation.
    pub fn to_floats(self) -> Vec<f32> {
        let mut floats: Vec<f32> = self.values.iter().map(|&value| f32::from(value) * self.scale).collect();
        rotate_back(&mut floats);
        floats
    }

    /// Refuses what [`quantize`] cannot have made.
    pub(super) fn check(self, dims: usize) -> Result<()> {
        if self.values.len() != dims {
            return Err(IndexError::Invalid(format!(
                "a vector of {} dimensions was given to an index of {dims}",
                self.values.len()
            )));
        }
        let length = squared_length(self.values).sqrt() * f64::from(self.scale);
        // A scale that is not a number fails this too.
        if !((length - 1.0).abs() <= LENGTH_TOLERANCE && self.scale > 0.0) || self.values.contains(&i8::MIN) {
            return Err(IndexError::Invalid(format!("a quantized vector has length {length} instead of 1")));
        }
        Ok(())
    }
}

pub(super) fn check_dims(dims: usize) -> Result<()> {
    if dims == 0 || dims > MAX_DIMS || !dims.is_multiple_of(4) {
        return Err(IndexError::Invalid(format!(
            "a vector of {dims} dimensions: an index takes multiples of four up to {MAX_DIMS}"
        )));
    }
    Ok(())
}

/// The largest coordinate without its sign, which is finite and not zero.
pub(super) fn largest_coordinate(vector: &[f32]) -> Result<f32> {
    let mut largest = 0.0_f32;
    for value in vector {
        if !value.is_finite() {
            return Err(IndexError::Invalid("a coordinate of the vector is not a finite number".into()));
        }
        largest = largest.max(value.abs());
    }
    if largest == 0.0 {
        return Err(IndexError::Invalid("a vector of zeros has no direction".into()));
    }
    Ok(largest)
}

/// The nearest whole number. `f32::round` is a call into a library on many machines,
/// and this is asked a few thousand times a query.
pub(super) fn rounded(value: f32) -> i32 {
    (value + 0.5_f32.copysign(value)) as i32
}

fn squared_length(values: &[i8]) -> f64 {
    let squares: i32 = values.iter().map(|&value| i32::from(value) * i32::from(value)).sum();
    f64::from(squares)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn cosine(left: &[f32], right: &[f32]) -> f64 {
        let dot = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(&a, &b)| f64::from(a) * f64::from(b)).sum::<f64>();
        dot(left, right) / (dot(left, left) * dot(right, right)).sqrt()
    }

    proptest! {
        #[test]
        fn the_direction_is_kept(vector in proptest::collection::vec(-1.0_f32..1.0, 96..97), length in 1e-20_f32..1e20) {
            let vector: Vec<f32> = vector.iter().flat_map(|value| [value * length, -value * length * 0.3]).collect();
            prop_assume!(vector.iter().any(|&value| value != 0.0));
            let quantized = quantize(&vector).unwrap();
            quantized.as_ref().check(vector.len()).unwrap();
            prop_assert!(1.0 - cosine(&vector, &quantized.as_ref().to_floats()) < 1e-3);
        }
    }

    #[test]
    fn what_has_no_direction_is_refused() {
        for vector in [&[][..], &[1.0; 3], &[0.0; 8], &[1.0, f32::NAN, 0.0, 0.0], &[1.0, f32::INFINITY, 0.0, 0.0]] {
            assert!(matches!(quantize(vector), Err(IndexError::Invalid(_))), "{vector:?}");
        }
        assert!(quantize(&vec![1.0; MAX_DIMS + 4]).is_err());
        assert!(quantize(&vec![1.0; MAX_DIMS]).is_ok());
    }

    #[test]
    fn a_vector_that_is_not_of_length_one_is_refused() {
        let good = quantize(&[0.1, -0.4, 0.3, 0.8]).unwrap();
        good.as_ref().check(4).unwrap();
        for scale in [good.scale * 1.01, -good.scale, 0.0, f32::NAN, f32::INFINITY] {
            assert!(QuantizedRef { scale, values: &good.values }.check(4).is_err(), "{scale}");
        }
        assert!(good.as_ref().check(8).is_err());
    }
}
