//! The built-in embedder.

use std::num::NonZeroUsize;
use std::sync::{Arc, OnceLock};

use async_trait::async_trait;

use super::answer::check_vectors;
use super::calibration::Calibration;
use super::card::ModelCard;
use super::computed::Computed;
use super::error::EmbedError;
use super::provider::Embedder;
use crate::builtin::{Model, granite};
use crate::prefix::PrefixScheme;

/// The mean of the vectors of many kinds of text, little-endian floats; `weights/README.md` says of which.
const CENTRE: &[u8] = include_bytes!("../../weights/granite-embedding-30m-english.centre");

/// Raised whenever the same text would give another vector, so that vectors of before are made again.
const VECTOR_VERSION: u32 = 1;

/// granite-embedding-30m-english, compiled into the binary. Nothing is loaded before the first text comes.
#[derive(Debug)]
pub struct Builtin {
    card: ModelCard,
    threads: NonZeroUsize,
    model: Arc<OnceLock<Model>>,
}

impl Builtin {
    /// An embedder that computes documents on `threads` threads; 0 means one per processor core.
    #[must_use]
    pub fn new(threads: usize) -> Self {
        let all = || std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
        Self {
            card: ModelCard {
                id: format!("builtin/granite-embedding-30m-english@{VECTOR_VERSION}"),
                provider: "builtin".to_owned(),
                dimensions: 384,
                prefix_scheme: PrefixScheme::None,
                max_tokens: 512,
                calibration: Calibration::GRANITE_30M,
            },
            threads: NonZeroUsize::new(threads).unwrap_or_else(all),
            model: Arc::default(),
        }
    }
}

#[async_trait]
impl Computed for Builtin {
    const TEXTS_AT_ONCE: usize = 64;

    fn card(&self) -> &ModelCard {
        &self.card
    }

    fn threads(&self) -> NonZeroUsize {
        self.threads
    }

    async fn compute(&self, texts: Vec<String>, threads: NonZeroUsize) -> Result<Vec<Vec<f32>>, EmbedError> {
        let count = texts.len();
        let model = Arc::clone(&self.model);
        let computed = tokio::task::spawn_blocking(move || {
            let model = load(&model)?;
            let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
            Ok(model.embed(&texts, threads).into_iter().map(centred).collect())
        });
        match computed.await {
            Ok(Ok(vectors)) => check_vectors(vectors, count, &self.card),
            Ok(Err(source)) => Err(EmbedError::Load { model: self.card.id.clone(), source }),
            Err(error) => Err(EmbedError::Stopped { model: self.card.id.clone(), source: Box::new(error) }),
        }
    }
}

#[async_trait]
impl Embedder for Builtin {
    fn model(&self) -> &ModelCard {
        &self.card
    }

    async fn embed_documents(&self, texts: &[String]) -> Result<Vec<Vec<f32>>, EmbedError> {
        self.documents(texts).await
    }

    async fn embed_query(&self, text: &str) -> Result<Vec<f32>, EmbedError> {
        self.query(text).await
    }
}

// All texts have much in common for the model: its vectors lie in a narrow cone. Without the direction they share,
// the rest of a vector tells more.
fn centred(mut vector: Vec<f32>) -> Vec<f32> {
    let (centre, _) = CENTRE.as_chunks::<4>();
    for (value, shared) in vector.iter_mut().zip(centre) {
        *value -= f32::from_le_bytes(*shared);
    }
    vector
}

// The model, loaded if it was not yet. Two threads that come first at the same time both load it; one copy stays.
fn load(model: &OnceLock<Model>) -> Result<&Model, crate::builtin::WeightError> {
    if let Some(model) = model.get() {
        return Ok(model);
    }
    let loaded = Model::new(granite()?)?;
    Ok(model.get_or_init(|| loaded))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_card_is_that_of_the_weights() {
        let embedder = Builtin::new(1);
        let model = load(&embedder.model).unwrap();
        assert_eq!(embedder.card.dimensions, model.architecture().hidden);
        assert_eq!(embedder.card.max_tokens, model.architecture().max_tokens);
        assert_eq!(embedder.card.id, format!("builtin/{}@{VECTOR_VERSION}", model.name()));
    }
}
