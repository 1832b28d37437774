//! Ollama's `/api/embed`.

use serde::Deserialize;
use serde_json::json;

use super::protocol::{Protocol, Purpose, Vectors, understood};
use crate::http::Call;

/// Ollama.
#[derive(Debug, Clone)]
pub struct Ollama {
    /// The model, for instance `nomic-embed-text`.
    pub model: String,
}

#[derive(Deserialize)]
struct EmbeddingResponse {
    embeddings: Vec<Vec<f32>>,
    prompt_eval_count: Option<u64>,
}

impl Protocol for Ollama {
    fn most_texts(&self) -> usize {
        32
    }

    fn call(&self, texts: &[String], _purpose: Purpose) -> Call {
        // Texts are cut into windows long before; what is a little too long for a small model is cut by Ollama.
        Call::post("/api/embed", &json!({"model": self.model, "input": texts, "truncate": true}))
    }

    fn read(&self, body: &[u8]) -> Result<Vectors, String> {
        let answer: EmbeddingResponse = understood(body)?;
        Ok(Vectors { vectors: answer.embeddings, tokens: answer.prompt_eval_count })
    }
}
