//! The built-in embedder for many languages.

use std::sync::{Arc, OnceLock};

use async_trait::async_trait;

use super::answer::check_vectors;
use super::calibration::Calibration;
use super::card::ModelCard;
use super::error::EmbedError;
use super::provider::Embedder;
use crate::builtin::{StaticTable, WeightError, potion_multilingual};
use crate::prefix::PrefixScheme;

/// Raised whenever the same text would give another vector, so that vectors of before are made again.
const VECTOR_VERSION: u32 = 1;
/// The texts that are computed in one go, so that a call that is given up does not go on for long.
const TEXTS_AT_ONCE: usize = 1024;

/// A static table of 101 languages, compiled into the binary. It knows words, not their order; a text takes
/// microseconds.
#[derive(Debug)]
pub struct Multilingual {
    card: ModelCard,
    table: Arc<OnceLock<StaticTable>>,
}

impl Multilingual {
    /// An embedder whose table is looked at when the first text comes.
    #[must_use]
    pub fn new() -> Self {
        Self {
            card: ModelCard {
                id: format!("builtin/potion-multilingual-128@{VECTOR_VERSION}"),
                provider: "builtin".to_owned(),
                dimensions: StaticTable::DIMENSIONS,
                prefix_scheme: PrefixScheme::None,
                // The table has no limit of its own, but the mean of many words means little.
                max_tokens: 512,
                calibration: Calibration::POTION_MULTILINGUAL,
            },
            table: Arc::default(),
        }
    }

    fn failed(&self, source: WeightError) -> EmbedError {
        EmbedError::Load { model: self.card.id.clone(), source }
    }
}

impl Default for Multilingual {
    fn default() -> Self {
        Self::new()
    }
}

#[async_trait]
impl Embedder for Multilingual {
    fn model(&self) -> &ModelCard {
        &self.card
    }

    async fn embed_documents(&self, texts: &[String]) -> Result<Vec<Vec<f32>>, EmbedError> {
        let mut vectors = Vec::with_capacity(texts.len());
        for texts in texts.chunks(TEXTS_AT_ONCE) {
            let (table, owned) = (Arc::clone(&self.table), texts.to_vec());
            let computed = tokio::task::spawn_blocking(move || {
                let table = load(&table)?;
                Ok(owned.iter().map(|text| vector(table, text)).collect())
            });
            let computed: Result<Vec<Vec<f32>>, WeightError> = computed
                .await
                .map_err(|error| EmbedError::Stopped { model: self.card.id.clone(), source: Box::new(error) })?;
            let computed = computed.map_err(|source| self.failed(source))?;
            vectors.extend(check_vectors(computed, texts.len(), &self.card)?);
        }
        Ok(vectors)
    }

    async fn embed_query(&self, text: &str) -> Result<Vec<f32>, EmbedError> {
        // Shorter than handing it to another thread.
        let table = load(&self.table).map_err(|source| self.failed(source))?;
        let vectors = check_vectors(vec![vector(table, text)], 1, &self.card)?;
        let missing = || EmbedError::Count { model: self.card.id.clone(), expected: 1, found: 0 };
        vectors.into_iter().next().ok_or_else(missing)
    }
}

fn vector(table: &StaticTable, text: &str) -> Vec<f32> {
    table.vector(text).unwrap_or_else(|| direction_of_its_own(text)).to_vec()
}

/// A text without any known word is like itself and, nearly, at a right angle to everything else: its bytes choose the
/// direction.
fn direction_of_its_own(text: &str) -> [f32; StaticTable::DIMENSIONS] {
    let mut state = text
        .bytes()
        .fold(0xCBF2_9CE4_8422_2325_u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01B3));
    std::array::from_fn(|_| {
        // The steps of SplitMix64.
        state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (state ^ (state >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        if (mixed ^ (mixed >> 31)) & 1 == 0 { 1.0 } else { -1.0 }
    })
}

// The table, loaded if it was not yet. Two threads that come first at the same time both load it; one stays.
fn load(table: &OnceLock<StaticTable>) -> Result<&StaticTable, WeightError> {
    if let Some(table) = table.get() {
        return Ok(table);
    }
    let loaded = potion_multilingual()?;
    Ok(table.get_or_init(|| loaded))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_card_is_that_of_the_table() {
        let embedder = Multilingual::new();
        let table = load(&embedder.table).unwrap();
        assert_eq!(embedder.card.id, format!("builtin/{}@{VECTOR_VERSION}", table.name()));
    }

    #[test]
    fn texts_without_words_are_like_themselves_only() {
        let cosine = |one: &str, other: &str| {
            let (one, other) = (direction_of_its_own(one), direction_of_its_own(other));
            one.iter().zip(&other).map(|(one, other)| one * other).sum::<f32>() / StaticTable::DIMENSIONS as f32
        };
        assert_eq!(cosine("\u{1F600}", "\u{1F600}"), 1.0);
        for (one, other) in [("\u{1F600}", "\u{1F389}"), ("", "..."), ("!", "?")] {
            assert!(cosine(one, other).abs() < 0.35, "{one} {other}");
        }
    }
}
