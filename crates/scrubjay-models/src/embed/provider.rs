//! The contract of an embedder.

use async_trait::async_trait;

use super::card::ModelCard;
use super::error::EmbedError;

/// What calls took since someone last asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Spent {
    /// Requests.
    pub calls: u64,
    /// Tokens, counted by the provider or guessed.
    pub tokens: u64,
}

/// Something that turns texts into vectors.
///
/// - A vector has [`ModelCard::dimensions`] finite values and length 1.
/// - There are as many vectors as texts, in the same order; otherwise the whole call fails.
/// - The same text gives the same vector, whatever it is embedded with.
/// - Texts are given without prefix; the embedder puts the one of its scheme before them.
/// - What is past [`ModelCard::max_tokens`] is not seen: whoever has a longer text cuts it first.
#[async_trait]
pub trait Embedder: Send + Sync {
    /// What the vectors are.
    fn model(&self) -> &ModelCard;

    /// The vectors of texts to be found.
    ///
    /// # Errors
    /// If the provider fails, or answers with something that is no vector.
    async fn embed_documents(&self, texts: &[String]) -> Result<Vec<Vec<f32>>, EmbedError>;

    /// The vector of a question.
    ///
    /// # Errors
    /// If the provider fails, or answers with something that is no vector.
    async fn embed_query(&self, text: &str) -> Result<Vec<f32>, EmbedError>;

    /// What was spent since this was called last; nothing for a model that costs nothing.
    fn take_spent(&self) -> Spent {
        Spent::default()
    }

    /// How many texts it likes to be given at a time.
    fn items_at_once(&self) -> usize {
        32
    }
}
