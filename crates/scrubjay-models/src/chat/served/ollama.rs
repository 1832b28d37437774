//! Ollama's `/api/chat`.

use serde::Deserialize;
use serde_json::{Value, json};

use super::super::request::{ChatRequest, Speaker, Stop, Usage};
use super::protocol::{ChatProtocol, Said, understood};
use crate::http::Call;

/// Ollama.
#[derive(Debug, Clone)]
pub struct OllamaChat {
    /// The model.
    pub model: String,
}

#[derive(Deserialize)]
struct Reply {
    message: Message,
    #[serde(default)]
    done: bool,
    done_reason: Option<String>,
    #[serde(default)]
    prompt_eval_count: u64,
    #[serde(default)]
    eval_count: u64,
}

#[derive(Deserialize)]
struct Message {
    #[serde(default)]
    content: String,
}

impl ChatProtocol for OllamaChat {
    fn call(&self, request: &ChatRequest) -> Call {
        let mut messages = Vec::new();
        if !request.system.is_empty() {
            messages.push(json!({"role": "system", "content": request.system}));
        }
        messages.extend(request.turns.iter().map(|turn| {
            let role = match turn.speaker {
                Speaker::User => "user",
                Speaker::Assistant => "assistant",
            };
            json!({"role": role, "content": turn.text})
        }));
        // The default window of Ollama is small, and what does not fit is cut off without a word.
        let window = (request.length_chars() / 3 + request.max_tokens as usize).next_power_of_two().max(4096);
        let mut options = serde_json::Map::new();
        options.insert("num_predict".to_owned(), json!(request.max_tokens));
        options.insert("num_ctx".to_owned(), json!(window));
        if let Some(temperature) = request.temperature {
            options.insert("temperature".to_owned(), json!(temperature));
        }
        let mut body = serde_json::Map::new();
        body.insert("model".to_owned(), json!(self.model));
        body.insert("messages".to_owned(), Value::Array(messages));
        body.insert("stream".to_owned(), json!(false));
        body.insert("options".to_owned(), Value::Object(options));
        if let Some(shape) = &request.shape {
            body.insert("format".to_owned(), shape.schema.clone());
        }
        Call::post("/api/chat", &Value::Object(body))
    }

    fn read(&self, body: &[u8]) -> Result<Said, String> {
        let reply: Reply = understood(body)?;
        if !reply.done {
            return Err("it is not finished".to_owned());
        }
        let stop = if reply.done_reason.as_deref() == Some("length") { Stop::Length } else { Stop::Done };
        let usage = Usage { input_tokens: reply.prompt_eval_count, output_tokens: reply.eval_count };
        Ok(Said { text: reply.message.content, usage, stop, refused: false })
    }
}
