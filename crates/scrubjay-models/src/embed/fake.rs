//! A test aid: vectors that say which words a text has, and nothing about what they mean.

use async_trait::async_trait;

use super::answer::check_vectors;
use super::calibration::Calibration;
use super::card::ModelCard;
use super::error::EmbedError;
use super::provider::Embedder;
use crate::prefix::PrefixScheme;

/// For tests only: each word of a text adds 1 or -1 at a place that its hash chooses. Texts with the same words are
/// near, others are not; it costs microseconds and is the same everywhere.
#[derive(Debug)]
pub struct Fake {
    card: ModelCard,
}

impl Fake {
    /// A fake of so many dimensions, at least 1.
    #[must_use]
    pub fn new(dimensions: usize) -> Self {
        Self::named("words", dimensions)
    }

    /// A fake under another name, whose vectors are in another space.
    #[must_use]
    pub fn named(name: &str, dimensions: usize) -> Self {
        Self {
            card: ModelCard {
                id: format!("fake/{name}@1"),
                provider: "fake".to_owned(),
                dimensions: dimensions.max(1),
                prefix_scheme: PrefixScheme::None,
                max_tokens: 512,
                calibration: Calibration::PLAIN,
            },
        }
    }

    fn vector(&self, text: &str) -> Vec<f32> {
        let mut vector = vec![0.0; self.card.dimensions];
        let words = text.split(|character: char| !character.is_alphanumeric()).filter(|word| !word.is_empty());
        for word in words {
            let hash = hash(&self.card.id, &word.to_lowercase());
            let place = (hash >> 1) % self.card.dimensions as u64;
            vector[place as usize] += if hash & 1 == 0 { 1.0 } else { -1.0 };
        }
        // A text without words, or whose words cancel out, has a vector too.
        if vector.iter().all(|&value| value == 0.0) {
            let place = (hash(&self.card.id, text) >> 1) % self.card.dimensions as u64;
            vector[place as usize] = 1.0;
        }
        vector
    }
}

#[async_trait]
impl Embedder for Fake {
    fn model(&self) -> &ModelCard {
        &self.card
    }

    async fn embed_documents(&self, texts: &[String]) -> Result<Vec<Vec<f32>>, EmbedError> {
        let vectors = texts.iter().map(|text| self.vector(text)).collect();
        check_vectors(vectors, texts.len(), &self.card)
    }

    async fn embed_query(&self, text: &str) -> Result<Vec<f32>, EmbedError> {
        Ok(check_vectors(vec![self.vector(text)], 1, &self.card)?.remove(0))
    }
}

/// 64-bit FNV-1a, its bits mixed once more because the lowest ones are weak.
fn hash(seed: &str, text: &str) -> u64 {
    let bytes = seed.bytes().chain(text.bytes());
    let hash =
        bytes.fold(0xCBF2_9CE4_8422_2325_u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01B3));
    (hash ^ (hash >> 29)).wrapping_mul(0xBF58_476D_1CE4_E5B9) >> 7
}
