//! OpenAI's `/chat/completions`, which many servers speak.

use serde::Deserialize;
use serde_json::{Value, json};

use super::super::request::{ChatRequest, Speaker, Stop, Usage};
use super::protocol::{ChatProtocol, Said, understood};
use super::strict::strict;
use crate::http::Call;

/// OpenAI, or whoever speaks like it.
#[derive(Debug, Clone)]
pub struct OpenAiChat {
    /// The model.
    pub model: String,
    /// Whether it is OpenAI itself, whose newer models have other names for the same things.
    pub original: bool,
}

#[derive(Deserialize)]
struct Completion {
    choices: Vec<Choice>,
    usage: Option<Used>,
}

#[derive(Deserialize)]
struct Choice {
    message: Message,
    finish_reason: Option<String>,
}

#[derive(Deserialize)]
struct Message {
    content: Option<String>,
    refusal: Option<String>,
}

#[derive(Deserialize)]
struct Used {
    #[serde(default)]
    prompt_tokens: u64,
    #[serde(default)]
    completion_tokens: u64,
}

impl ChatProtocol for OpenAiChat {
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
        let mut body = serde_json::Map::new();
        body.insert("model".to_owned(), json!(self.model));
        body.insert("messages".to_owned(), Value::Array(messages));
        let limit = if self.original { "max_completion_tokens" } else { "max_tokens" };
        body.insert(limit.to_owned(), json!(request.max_tokens));
        if let Some(temperature) = request.temperature {
            body.insert("temperature".to_owned(), json!(temperature));
        }
        // What such a model thinks counts against the limit; the questions here need none of it.
        if self.original && self.model.starts_with("gpt-5") {
            body.insert("reasoning_effort".to_owned(), json!("minimal"));
        }
        if let Some(shape) = &request.shape {
            let schema = json!({"name": shape.name, "schema": strict(&shape.schema), "strict": true});
            body.insert("response_format".to_owned(), json!({"type": "json_schema", "json_schema": schema}));
        }
        Call::post("/chat/completions", &Value::Object(body))
    }

    fn read(&self, body: &[u8]) -> Result<Said, String> {
        let answer: Completion = understood(body)?;
        let choice = answer.choices.into_iter().next().ok_or("it has no choices")?;
        let usage = answer.usage.map_or_else(Usage::default, |used| Usage {
            input_tokens: used.prompt_tokens,
            output_tokens: used.completion_tokens,
        });
        let reason = choice.finish_reason.as_deref();
        Ok(Said {
            text: choice.message.content.unwrap_or_default(),
            usage,
            stop: if reason == Some("length") { Stop::Length } else { Stop::Done },
            refused: choice.message.refusal.is_some() || reason == Some("content_filter"),
        })
    }
}
