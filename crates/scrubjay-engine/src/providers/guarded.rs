//! An embedder that keeps the rules.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use scrubjay_models::embed::{EmbedError, Embedder, ModelCard, Spent};
use scrubjay_models::http::CallError;

use super::guard::Guard;
use super::ledger::estimated_tokens;

/// An embedder that is paid for, or is someone else's.
pub(crate) struct Guarded {
    pub(crate) inner: Arc<dyn Embedder>,
    pub(crate) card: ModelCard,
    pub(crate) guard: Guard,
    pub(crate) query_timeout: Duration,
}

impl Guarded {
    async fn guarded<Output>(
        &self,
        texts: &[String],
        call: impl Future<Output = Result<Output, EmbedError>>,
    ) -> Result<Output, EmbedError> {
        let unnoted = |error: crate::EngineError| EmbedError::Paused { why: format!("{}: {error}", self.card.id) };
        let begun = self
            .guard
            .begin((estimated_tokens(texts), 0))
            .await
            .map_err(unnoted)?
            .map_err(|why| EmbedError::Paused { why })?;
        let result = call.await;
        let spent = self.inner.take_spent();
        self.guard.end(begun, spent.calls, (spent.tokens, 0)).await.map_err(unnoted)?;
        result
    }
}

#[async_trait]
impl Embedder for Guarded {
    fn model(&self) -> &ModelCard {
        &self.card
    }

    async fn embed_documents(&self, texts: &[String]) -> Result<Vec<Vec<f32>>, EmbedError> {
        let texts: Vec<String> = texts.iter().map(|text| self.guard.clean(text)).collect();
        self.guarded(&texts, self.inner.embed_documents(&texts)).await
    }

    async fn embed_query(&self, text: &str) -> Result<Vec<f32>, EmbedError> {
        let text = self.guard.clean(text);
        let asked = async {
            if !self.guard.is_outside() {
                return self.inner.embed_query(&text).await;
            }
            // Whoever asks a question waits for an answer, and would rather have one without vectors.
            match tokio::time::timeout(self.query_timeout, self.inner.embed_query(&text)).await {
                Ok(result) => result,
                Err(_) => {
                    self.guard.took_too_long();
                    let provider = self.card.provider.clone();
                    Err(CallError::TimedOut { provider, after: self.query_timeout }.into())
                }
            }
        };
        self.guarded(std::slice::from_ref(&text), asked).await
    }

    fn take_spent(&self) -> Spent {
        Spent::default()
    }

    fn items_at_once(&self) -> usize {
        self.inner.items_at_once()
    }
}
