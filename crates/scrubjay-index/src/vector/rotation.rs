//! The fixed rotation that every vector goes through before it is made smaller.
//!
//! Embeddings keep much of their length in a few coordinates, which a sign bit cannot
//! say, and which leave few steps of an int8 for the others. A rotation changes no angle and spreads the length over all coordinates. This
//! one is made of sign flips and Hadamard transforms, so it costs a few additions per
//! coordinate. It is part of the file format: it follows from the number of dimensions
//! alone, and uses no operation that rounds differently on another machine.

/// Every round mixes one power of two of coordinates, at the start or at the end in
/// turn; after four, each coordinate has reached each other whatever the length.
const ROUNDS: u64 = 4;

/// Rotates the vector in place.
pub(super) fn rotate(vector: &mut [f32]) {
    let dims = vector.len();
    let Some(bits) = dims.checked_ilog2() else { return };
    let span = 1_usize << bits;
    for round in 0..ROUNDS {
        flip_signs(vector, round);
        let start = if round % 2 == 0 { 0 } else { dims - span };
        hadamard(&mut vector[start..start + span]);
    }
}

/// Undoes [`rotate`].
pub(super) fn rotate_back(vector: &mut [f32]) {
    let dims = vector.len();
    let Some(bits) = dims.checked_ilog2() else { return };
    let span = 1_usize << bits;
    for round in (0..ROUNDS).rev() {
        // Flips and Hadamard transforms are each their own inverse.
        let start = if round % 2 == 0 { 0 } else { dims - span };
        hadamard(&mut vector[start..start + span]);
        flip_signs(vector, round);
    }
}

fn flip_signs(vector: &mut [f32], round: u64) {
    for (word, values) in vector.chunks_mut(64).enumerate() {
        let flips = spread(round << 32 | word as u64);
        for (position, value) in values.iter_mut().enumerate() {
            let sign = ((flips >> position) as u32 & 1) << 31;
            *value = f32::from_bits(value.to_bits() ^ sign);
        }
    }
}

/// The orthonormal Hadamard transform of a power of two of values.
fn hadamard(values: &mut [f32]) {
    let mut half = 1;
    while half < values.len() {
        for pair in values.chunks_exact_mut(2 * half) {
            let (left, right) = pair.split_at_mut(half);
            for (left, right) in left.iter_mut().zip(right) {
                (*left, *right) = (*left + *right, *left - *right);
            }
        }
        half *= 2;
    }
    let scale = 1.0 / (values.len() as f32).sqrt();
    for value in values {
        *value *= scale;
    }
}

/// Pseudo-random bits that follow from `number`.
pub(super) const fn spread(number: u64) -> u64 {
    let mut bits = number.wrapping_add(1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    bits ^ (bits >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unit(dims: usize, axis: usize) -> Vec<f32> {
        let mut vector = vec![0.0; dims];
        vector[axis] = 1.0;
        rotate(&mut vector);
        vector
    }

    #[test]
    fn axes_stay_orthogonal_and_of_length_one() {
        for dims in [4, 12, 32, 100, 384] {
            let axes: Vec<Vec<f32>> = (0..dims).map(|axis| unit(dims, axis)).collect();
            for (row, left) in axes.iter().enumerate().step_by(1 + dims / 50) {
                for (column, right) in axes.iter().enumerate() {
                    let dot: f32 = left.iter().zip(right).map(|(left, right)| left * right).sum();
                    let expected = if row == column { 1.0 } else { 0.0 };
                    assert!((dot - expected).abs() < 1e-4, "{dims}: {row} {column} {dot}");
                }
            }
        }
    }

    #[test]
    fn a_rotation_can_be_undone() {
        for dims in [4, 12, 100, 384] {
            let original: Vec<f32> = (0..dims).map(|position| (position as f32).sin()).collect();
            let mut vector = original.clone();
            rotate(&mut vector);
            rotate_back(&mut vector);
            assert!(vector.iter().zip(&original).all(|(left, right)| (left - right).abs() < 1e-5), "{dims}");
        }
    }

    #[test]
    fn one_coordinate_is_spread_over_all() {
        for axis in [0, 200, 383] {
            let largest = unit(384, axis).iter().fold(0.0_f32, |largest, value| largest.max(value.abs()));
            assert!(largest < 0.3, "{axis}: {largest}");
        }
    }
}
