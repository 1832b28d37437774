//! A sentence-transformer in a folder.

use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::Arc;

use async_trait::async_trait;

use super::answer::check_vectors;
use super::calibration::Calibration;
use super::card::ModelCard;
use super::computed::Computed;
use super::error::EmbedError;
use super::provider::Embedder;
use crate::transformer::{Encoder, read_folder};

/// A model of the BERT family that lies on the disk as Hugging Face's libraries save it, run by our own encoder.
pub struct Folder {
    card: ModelCard,
    threads: NonZeroUsize,
    encoder: Arc<Encoder>,
}

impl Folder {
    /// Reads a model. It takes memory for all of its weights.
    ///
    /// # Errors
    /// If something is missing, or is of a kind that the encoder does not run.
    pub fn read(path: &Path, threads: usize) -> Result<Self, EmbedError> {
        let unusable = |why: String| EmbedError::Folder { path: path.to_owned(), why };
        let model = read_folder(path).map_err(unusable)?;
        let all = || std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
        let card = ModelCard {
            id: format!("local/{}@{:016x}", model.name, model.fingerprint),
            provider: "local".to_owned(),
            dimensions: model.encoder.dimensions(),
            prefix_scheme: model.prefix_scheme,
            max_tokens: model.encoder.max_tokens(),
            calibration: Calibration::PLAIN,
        };
        let threads = NonZeroUsize::new(threads).unwrap_or_else(all);
        Ok(Self { card, threads, encoder: Arc::new(model.encoder) })
    }

    /// Whether a path looks like such a folder.
    #[must_use]
    pub fn is_one(path: &Path) -> bool {
        ["config.json", "tokenizer.json", "model.safetensors"].iter().all(|name| path.join(name).is_file())
    }

    /// Takes over what was learned about the model.
    #[must_use]
    pub fn calibrated(mut self, calibration: Calibration) -> Self {
        self.card.calibration = calibration;
        self
    }
}

#[async_trait]
impl Computed for Folder {
    const TEXTS_AT_ONCE: usize = 32;

    fn card(&self) -> &ModelCard {
        &self.card
    }

    fn threads(&self) -> NonZeroUsize {
        self.threads
    }

    async fn compute(&self, texts: Vec<String>, threads: NonZeroUsize) -> Result<Vec<Vec<f32>>, EmbedError> {
        let count = texts.len();
        let encoder = Arc::clone(&self.encoder);
        let computed = tokio::task::spawn_blocking(move || encoder.embed_all(&texts, threads)).await;
        let stopped = |error| EmbedError::Stopped { model: self.card.id.clone(), source: Box::new(error) };
        check_vectors(computed.map_err(stopped)?, count, &self.card)
    }
}

#[async_trait]
impl Embedder for Folder {
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
