//! What every served embedder does.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use async_trait::async_trait;

use super::protocol::{Protocol, Purpose};
use crate::embed::answer::check_vectors;
use crate::embed::card::ModelCard;
use crate::embed::error::EmbedError;
use crate::embed::provider::{Embedder, Spent};
use crate::http::{HttpClient, together};

/// The most bytes of text in one request. Far below what any vendor takes, and few enough to be sent twice.
const REQUEST_BYTES: usize = 256 << 10;

/// Bytes of a token, where nobody counts them.
const BYTES_PER_TOKEN: u64 = 4;

/// What stands for a text without any words: most vendors refuse an empty one.
const NOTHING: &str = "-";

/// An embedder behind HTTP.
pub struct Served {
    client: Arc<HttpClient>,
    protocol: Box<dyn Protocol>,
    card: ModelCard,
    calls: AtomicU64,
    tokens: AtomicU64,
}

impl Served {
    /// An embedder with a known card. If its dimensions are 0, the first call of [`Served::detect`] finds them out.
    #[must_use]
    pub fn new(client: Arc<HttpClient>, protocol: Box<dyn Protocol>, card: ModelCard) -> Self {
        Self { client, protocol, card, calls: AtomicU64::new(0), tokens: AtomicU64::new(0) }
    }

    /// Asks for one vector to learn how long it is, and takes that for the model's dimensions.
    ///
    /// # Errors
    /// If the provider fails.
    pub async fn detect(mut self) -> Result<Self, EmbedError> {
        let found = self.request(&["How long is a vector?".to_owned()], Purpose::Document).await?;
        let length = found.first().map_or(0, Vec::len);
        if length == 0 {
            return Err(EmbedError::Count { model: self.card.id.clone(), expected: 1, found: 0 });
        }
        self.card.dimensions = length;
        Ok(self)
    }

    /// The same with another card: what was learned about the model.
    #[must_use]
    pub fn described(mut self, card: ModelCard) -> Self {
        self.card = card;
        self
    }

    /// How it is talked to.
    #[must_use]
    pub fn client(&self) -> &Arc<HttpClient> {
        &self.client
    }

    async fn embed(&self, texts: Vec<String>, purpose: Purpose) -> Result<Vec<Vec<f32>>, EmbedError> {
        let batches = batches(&texts, self.protocol.most_texts());
        let requests: Vec<_> = batches
            .into_iter()
            .map(|batch| -> std::pin::Pin<Box<dyn Future<Output = _> + Send + '_>> {
                Box::pin(self.request(batch, purpose))
            })
            .collect();
        // A provider that failed is let through one request; if that succeeds, the others follow.
        let at_once = if self.client.breaker().rest().is_some() { 1 } else { self.client.policy().at_once };
        let vectors = together(requests, at_once).await?;
        check_vectors(vectors.into_iter().flatten().collect(), texts.len(), &self.card)
    }

    async fn request(&self, texts: &[String], purpose: Purpose) -> Result<Vec<Vec<f32>>, EmbedError> {
        let call = self.protocol.call(texts, purpose);
        let answer = self.client.call(&call, |body| {
            let mut answer = self.protocol.read(body)?;
            if self.card.dimensions > 0 {
                // A wrong answer is the provider's failure, so that it is found here, where failures are counted.
                let checked = check_vectors(std::mem::take(&mut answer.vectors), texts.len(), &self.card);
                answer.vectors = checked.map_err(|error| error.to_string())?;
            }
            Ok(answer)
        });
        let answer = answer.await?;
        let bytes: usize = texts.iter().map(String::len).sum();
        let guessed = || (bytes as u64).div_ceil(BYTES_PER_TOKEN);
        self.calls.fetch_add(1, Ordering::Relaxed);
        self.tokens.fetch_add(answer.tokens.unwrap_or_else(guessed), Ordering::Relaxed);
        Ok(answer.vectors)
    }
}

#[async_trait]
impl Embedder for Served {
    fn model(&self) -> &ModelCard {
        &self.card
    }

    async fn embed_documents(&self, texts: &[String]) -> Result<Vec<Vec<f32>>, EmbedError> {
        let scheme = &self.card.prefix_scheme;
        self.embed(texts.iter().map(|text| scheme.document(worded(text)).into_owned()).collect(), Purpose::Document)
            .await
    }

    async fn embed_query(&self, text: &str) -> Result<Vec<f32>, EmbedError> {
        let text = self.card.prefix_scheme.query(worded(text)).into_owned();
        let vectors = self.embed(vec![text], Purpose::Query).await?;
        let missing = || EmbedError::Count { model: self.card.id.clone(), expected: 1, found: 0 };
        vectors.into_iter().next().ok_or_else(missing)
    }

    fn take_spent(&self) -> Spent {
        Spent { calls: self.calls.swap(0, Ordering::Relaxed), tokens: self.tokens.swap(0, Ordering::Relaxed) }
    }

    fn items_at_once(&self) -> usize {
        self.protocol.most_texts() * self.client.policy().at_once
    }
}

fn worded(text: &str) -> &str {
    if text.trim().is_empty() { NOTHING } else { text }
}

// Runs of texts that fit into one request; a text that is too large by itself goes alone.
fn batches(texts: &[String], most: usize) -> Vec<&[String]> {
    let mut batches = Vec::new();
    let mut start = 0;
    let mut bytes = 0;
    for (place, text) in texts.iter().enumerate() {
        if place > start && (place - start >= most.max(1) || bytes + text.len() > REQUEST_BYTES) {
            batches.push(&texts[start..place]);
            (start, bytes) = (place, 0);
        }
        bytes += text.len();
    }
    if start < texts.len() {
        batches.push(&texts[start..]);
    }
    batches
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_stay_small_and_keep_the_order() {
        let texts: Vec<String> = (0..10).map(|number| "x".repeat(if number == 4 { 300 << 10 } else { 100 })).collect();
        let lengths: Vec<usize> = batches(&texts, 3).iter().map(|batch| batch.len()).collect();
        assert_eq!(lengths, [3, 1, 1, 3, 2]);
        assert!(batches(&[], 3).is_empty());
    }
}
