//! OpenAI's `/embeddings`, which many servers speak.

use serde::Deserialize;
use serde_json::{Value, json};

use super::protocol::{Protocol, Purpose, Vectors, understood};
use crate::http::Call;

/// OpenAI, or whoever speaks like it.
#[derive(Debug, Clone)]
pub struct OpenAi {
    /// The model, for instance `text-embedding-3-small`.
    pub model: String,
    /// Fewer values than the model has by itself, for models that can.
    pub dimensions: Option<usize>,
    /// The most texts of one request; a small server wants fewer.
    pub most_texts: usize,
}

#[derive(Deserialize)]
struct EmbeddingResponse {
    data: Vec<Entry>,
    usage: Option<Usage>,
}

#[derive(Deserialize)]
struct Entry {
    index: usize,
    embedding: Vec<f32>,
}

#[derive(Deserialize)]
struct Usage {
    #[serde(default)]
    prompt_tokens: u64,
}

impl OpenAi {
    /// What stands in a request, alone or as a line of a batch.
    #[must_use]
    pub fn body(&self, texts: &[String]) -> Value {
        let mut body = json!({"model": self.model, "input": texts, "encoding_format": "float"});
        if let (Some(dimensions), Some(fields)) = (self.dimensions, body.as_object_mut()) {
            fields.insert("dimensions".to_owned(), json!(dimensions));
        }
        body
    }
}

impl Protocol for OpenAi {
    fn most_texts(&self) -> usize {
        self.most_texts
    }

    fn call(&self, texts: &[String], _purpose: Purpose) -> Call {
        Call::post("/embeddings", &self.body(texts))
    }

    fn read(&self, body: &[u8]) -> Result<Vectors, String> {
        let answer: EmbeddingResponse = understood(body)?;
        let count = answer.data.len();
        let mut vectors: Vec<Option<Vec<f32>>> = vec![None; count];
        for entry in answer.data {
            let place = vectors.get_mut(entry.index).filter(|place| place.is_none());
            *place.ok_or("a vector has no place, or another's")? = Some(entry.embedding);
        }
        let tokens = answer.usage.map(|usage| usage.prompt_tokens);
        Ok(Vectors { vectors: vectors.into_iter().flatten().collect(), tokens })
    }
}
