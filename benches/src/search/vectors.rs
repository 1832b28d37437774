//! The vectors of the corpus in the place of a model, which would take hours for a million texts.

use std::collections::HashMap;
use std::sync::Arc;

use async_trait::async_trait;
use scrubjay_models::embed::{Builtin, EmbedError, Embedder, ModelCard};

use super::corpus::{Corpus, Question};

/// What stands before the key in the first word of a document.
const KEY: &str = "item";

/// Gives each document and each question the vector it has in the corpus. They count as vectors of the built-in model,
/// which is where they come from.
pub(super) struct CorpusVectors {
    card: ModelCard,
    /// None where nothing is stored any more.
    corpus: Option<Arc<Corpus>>,
    questions: HashMap<String, Vec<f32>>,
}

/// The first word of the document with this key, by which its vector is found.
pub(super) fn first_word(key: u64) -> String {
    format!("{KEY}{key}")
}

impl CorpusVectors {
    pub(super) fn new(corpus: Option<Arc<Corpus>>, questions: &[Question]) -> Self {
        let card = ModelCard { id: "bench/corpus@1".to_owned(), ..Builtin::new(1).model().clone() };
        let questions = questions.iter().map(|question| (question.words.clone(), question.vector.clone())).collect();
        CorpusVectors { card, corpus, questions }
    }

    fn unknown(&self, text: &str) -> EmbedError {
        EmbedError::Stopped { model: self.card.id.clone(), source: format!("`{text}` is not of the corpus").into() }
    }

    fn of_document(&self, text: &str) -> Option<Vec<f32>> {
        let key = text.split_ascii_whitespace().next()?.strip_prefix(KEY)?.parse().ok()?;
        Some(self.corpus.as_ref()?.document(key).vector)
    }
}

#[async_trait]
impl Embedder for CorpusVectors {
    fn model(&self) -> &ModelCard {
        &self.card
    }

    async fn embed_documents(&self, texts: &[String]) -> Result<Vec<Vec<f32>>, EmbedError> {
        texts.iter().map(|text| self.of_document(text).ok_or_else(|| self.unknown(text))).collect()
    }

    async fn embed_query(&self, text: &str) -> Result<Vec<f32>, EmbedError> {
        self.questions.get(text).cloned().ok_or_else(|| self.unknown(text))
    }
}
