//! The built-in reranker.

use std::num::NonZeroUsize;
use std::sync::{Arc, OnceLock};

use async_trait::async_trait;

use super::answer::check_scores;
use super::error::RerankError;
use super::provider::Reranker;
use crate::builtin::{CrossEncoder, WeightError, ms_marco_minilm};

/// Raised whenever the same pair would give another score.
const SCORE_VERSION: u32 = 1;

/// ms-marco-MiniLM-L-12-v2, compiled into the binary; English. Nothing is loaded before the first question comes.
#[derive(Debug)]
pub struct Builtin {
    id: String,
    threads: NonZeroUsize,
    model: Arc<OnceLock<CrossEncoder>>,
}

impl Builtin {
    /// A reranker that computes on `threads` threads; 0 means one per processor core.
    #[must_use]
    pub fn new(threads: usize) -> Self {
        let all = || std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
        Self {
            id: format!("builtin/ms-marco-minilm-l-12@{SCORE_VERSION}"),
            threads: NonZeroUsize::new(threads).unwrap_or_else(all),
            model: Arc::default(),
        }
    }
}

#[async_trait]
impl Reranker for Builtin {
    fn id(&self) -> &str {
        &self.id
    }

    fn max_tokens(&self) -> usize {
        512
    }

    async fn score(&self, question: &str, passages: &[String]) -> Result<Vec<f32>, RerankError> {
        if passages.is_empty() {
            return Ok(Vec::new());
        }
        let (question, passages) = (question.to_owned(), passages.to_vec());
        let (expected, threads, model) = (passages.len(), self.threads, Arc::clone(&self.model));
        // On a thread that may block, so that the caller's thread goes on with other things.
        let computed = tokio::task::spawn_blocking(move || {
            let passages: Vec<&str> = passages.iter().map(String::as_str).collect();
            Ok(load(&model)?.score(&question, &passages, threads))
        });
        match computed.await {
            Ok(Ok(scores)) => check_scores(scores, expected, &self.id),
            Ok(Err(source)) => Err(RerankError::Load { model: self.id.clone(), source }),
            Err(error) => Err(RerankError::Stopped { model: self.id.clone(), source: Box::new(error) }),
        }
    }
}

// The model, loaded if it was not yet. Two threads that come first at the same time both load it; one copy stays.
fn load(model: &OnceLock<CrossEncoder>) -> Result<&CrossEncoder, WeightError> {
    if let Some(model) = model.get() {
        return Ok(model);
    }
    let loaded = CrossEncoder::new(ms_marco_minilm()?)?;
    Ok(model.get_or_init(|| loaded))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_says_of_itself_what_the_weights_say() {
        let reranker = Builtin::new(1);
        let model = load(&reranker.model).unwrap();
        assert_eq!(reranker.max_tokens(), model.architecture().max_tokens);
        assert_eq!(reranker.id, format!("builtin/{}@{SCORE_VERSION}", model.name()));
    }
}
