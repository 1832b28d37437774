//! A test aid: scores that say which words two texts share, and nothing about what they mean.

use std::collections::HashSet;

use async_trait::async_trait;

use super::answer::check_scores;
use super::error::RerankError;
use super::provider::Reranker;

/// For tests only: the share of the question's words that a passage has, between -10 for none and 10 for all.
#[derive(Debug, Default)]
pub struct Fake;

#[async_trait]
impl Reranker for Fake {
    fn id(&self) -> &str {
        "fake/shared-words@1"
    }

    fn max_tokens(&self) -> usize {
        512
    }

    async fn score(&self, question: &str, passages: &[String]) -> Result<Vec<f32>, RerankError> {
        let asked = words(question);
        let score = |passage: &String| {
            let shared = words(passage).intersection(&asked).count();
            20.0 * shared as f32 / asked.len().max(1) as f32 - 10.0
        };
        check_scores(passages.iter().map(score).collect(), passages.len(), self.id())
    }
}

fn words(text: &str) -> HashSet<String> {
    text.split(|character: char| !character.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect()
}
