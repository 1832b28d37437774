//! Gemini's `batchEmbedContents`.

use serde::Deserialize;
use serde_json::{Value, json};

use super::protocol::{Protocol, Purpose, Vectors, understood};
use crate::http::Call;

/// Gemini.
#[derive(Debug, Clone)]
pub struct Gemini {
    /// The model, for instance `gemini-embedding-001`.
    pub model: String,
    /// Fewer values than the model has by itself.
    pub dimensions: Option<usize>,
}

#[derive(Deserialize)]
struct EmbeddingResponse {
    embeddings: Vec<Values>,
}

#[derive(Deserialize)]
struct Values {
    values: Vec<f32>,
}

impl Gemini {
    /// The request for one text, as it stands in a batch of either kind.
    #[must_use]
    pub fn request(&self, text: &str, purpose: Purpose) -> Value {
        let task = match purpose {
            Purpose::Document => "RETRIEVAL_DOCUMENT",
            Purpose::Query => "RETRIEVAL_QUERY",
        };
        let model = format!("models/{}", self.model);
        let mut request = json!({"model": model, "content": {"parts": [{"text": text}]}, "taskType": task});
        if let (Some(dimensions), Some(fields)) = (self.dimensions, request.as_object_mut()) {
            fields.insert("outputDimensionality".to_owned(), json!(dimensions));
        }
        request
    }
}

impl Protocol for Gemini {
    fn most_texts(&self) -> usize {
        100
    }

    fn call(&self, texts: &[String], purpose: Purpose) -> Call {
        let requests: Vec<Value> = texts.iter().map(|text| self.request(text, purpose)).collect();
        Call::post(format!("/models/{}:batchEmbedContents", self.model), &json!({"requests": requests}))
    }

    fn read(&self, body: &[u8]) -> Result<Vectors, String> {
        let answer: EmbeddingResponse = understood(body)?;
        Ok(Vectors { vectors: answer.embeddings.into_iter().map(|entry| entry.values).collect(), tokens: None })
    }
}
