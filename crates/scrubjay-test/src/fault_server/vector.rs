//! Vectors that are made from words.

/// A vector in which texts with common words are alike. Never all zeros.
pub(super) fn vector(text: &str, dimensions: usize) -> Vec<f32> {
    let mut vector = vec![0.01; dimensions];
    for word in text.to_lowercase().split(|character: char| !character.is_alphanumeric()) {
        let hash = word
            .bytes()
            .fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3));
        let place = usize::try_from((hash >> 17) % dimensions as u64).unwrap_or(0);
        vector[place] += if hash & 1 == 0 { 1.0 } else { -1.0 };
    }
    let length = vector.iter().map(|value| value * value).sum::<f32>().sqrt();
    vector.iter().map(|value| value / length).collect()
}

/// A guess at the tokens of a text, as usage counts them.
pub(super) fn tokens(text: &str) -> usize {
    text.len().div_ceil(4).max(1)
}
