//! The contract of a reranker.

use async_trait::async_trait;

use super::error::RerankError;

/// Something that says how well passages answer a question.
///
/// - There are as many scores as passages, in the same order, and all are finite; otherwise the whole call fails.
/// - A higher score is better. Only scores for the same question can be compared.
/// - The same question and passage give the same score, whatever they are scored with.
/// - Question and passage together take [`Reranker::max_tokens`]; of a longer pair the end of the longer text is not
///   seen.
/// - Nothing is sent anywhere: a reranker runs in this process.
#[async_trait]
pub trait Reranker: Send + Sync {
    /// The name of the model with its provider and the version of its scores.
    fn id(&self) -> &str;

    /// The tokens of question and passage that are seen, with the three between and around them.
    fn max_tokens(&self) -> usize;

    /// One score per passage.
    ///
    /// # Errors
    /// If the model cannot be loaded, or gives something that is no score.
    async fn score(&self, question: &str, passages: &[String]) -> Result<Vec<f32>, RerankError>;
}
