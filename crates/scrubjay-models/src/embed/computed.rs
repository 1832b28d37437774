//! What embedders that compute here share.

use std::num::NonZeroUsize;

use async_trait::async_trait;

use super::card::ModelCard;
use super::error::EmbedError;

/// An embedder whose vectors are computed in this process.
#[async_trait]
pub(super) trait Computed: Send + Sync {
    /// The texts that are computed in one go, so that a call that is given up does not go on for long.
    const TEXTS_AT_ONCE: usize;

    /// What the vectors are.
    fn card(&self) -> &ModelCard;

    /// How many threads documents may take; a question takes one.
    fn threads(&self) -> NonZeroUsize;

    /// The vectors of texts that have their prefix, on a thread that may block, so that the caller's thread goes on
    /// with other things.
    async fn compute(&self, texts: Vec<String>, threads: NonZeroUsize) -> Result<Vec<Vec<f32>>, EmbedError>;

    /// The vectors of texts to be found.
    async fn documents(&self, texts: &[String]) -> Result<Vec<Vec<f32>>, EmbedError> {
        let mut vectors = Vec::with_capacity(texts.len());
        for texts in texts.chunks(Self::TEXTS_AT_ONCE) {
            let prefixed = texts.iter().map(|text| self.card().prefix_scheme.document(text).into_owned()).collect();
            vectors.extend(self.compute(prefixed, self.threads()).await?);
        }
        Ok(vectors)
    }

    /// The vector of a question.
    async fn query(&self, text: &str) -> Result<Vec<f32>, EmbedError> {
        let texts = vec![self.card().prefix_scheme.query(text).into_owned()];
        let vectors = self.compute(texts, NonZeroUsize::MIN).await?;
        let missing = || EmbedError::Count { model: self.card().id.clone(), expected: 1, found: 0 };
        vectors.into_iter().next().ok_or_else(missing)
    }
}
