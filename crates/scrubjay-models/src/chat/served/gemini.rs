//! Gemini's `generateContent`.

use serde::Deserialize;
use serde_json::{Value, json};

use super::super::request::{ChatRequest, Speaker, Stop, Usage};
use super::protocol::{ChatProtocol, Said, understood};
use crate::http::Call;

/// Gemini.
#[derive(Debug, Clone)]
pub struct GeminiChat {
    /// The model.
    pub model: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Generated {
    #[serde(default)]
    candidates: Vec<Candidate>,
    prompt_feedback: Option<Feedback>,
    #[serde(default)]
    usage_metadata: Used,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Candidate {
    content: Option<Content>,
    finish_reason: Option<String>,
}

#[derive(Deserialize)]
struct Content {
    #[serde(default)]
    parts: Vec<Part>,
}

#[derive(Deserialize)]
struct Part {
    text: Option<String>,
    #[serde(default)]
    thought: bool,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Feedback {
    block_reason: Option<String>,
}

#[derive(Deserialize, Default)]
#[serde(default, rename_all = "camelCase")]
struct Used {
    prompt_token_count: u64,
    candidates_token_count: u64,
    thoughts_token_count: u64,
}

impl ChatProtocol for GeminiChat {
    fn call(&self, request: &ChatRequest) -> Call {
        let contents = request.turns.iter().map(|turn| {
            let role = match turn.speaker {
                Speaker::User => "user",
                Speaker::Assistant => "model",
            };
            json!({"role": role, "parts": [{"text": turn.text}]})
        });
        let mut config = serde_json::Map::new();
        config.insert("maxOutputTokens".to_owned(), json!(request.max_tokens));
        if let Some(temperature) = request.temperature {
            config.insert("temperature".to_owned(), json!(temperature));
        }
        // What such a model thinks counts against the limit; the questions here need none of it.
        if self.model.starts_with("gemini-2.5-flash") {
            config.insert("thinkingConfig".to_owned(), json!({"thinkingBudget": 0}));
        }
        if let Some(shape) = &request.shape {
            config.insert("responseMimeType".to_owned(), json!("application/json"));
            config.insert("responseJsonSchema".to_owned(), shape.schema.clone());
        }
        let mut body = serde_json::Map::new();
        body.insert("contents".to_owned(), contents.collect());
        body.insert("generationConfig".to_owned(), Value::Object(config));
        if !request.system.is_empty() {
            body.insert("systemInstruction".to_owned(), json!({"parts": [{"text": request.system}]}));
        }
        Call::post(format!("/models/{}:generateContent", self.model), &Value::Object(body))
    }

    fn read(&self, body: &[u8]) -> Result<Said, String> {
        let answer: Generated = understood(body)?;
        let blocked = answer.prompt_feedback.and_then(|feedback| feedback.block_reason).is_some();
        let used = answer.usage_metadata;
        let usage = Usage {
            input_tokens: used.prompt_token_count,
            output_tokens: used.candidates_token_count + used.thoughts_token_count,
        };
        let Some(candidate) = answer.candidates.into_iter().next() else {
            if blocked {
                return Ok(Said { text: String::new(), usage, stop: Stop::Done, refused: true });
            }
            return Err("it has no candidates".to_owned());
        };
        let parts = candidate.content.map_or_else(Vec::new, |content| content.parts);
        let text = parts.into_iter().filter(|part| !part.thought).filter_map(|part| part.text).collect();
        let reason = candidate.finish_reason.as_deref().unwrap_or("STOP");
        let refused = matches!(reason, "SAFETY" | "RECITATION" | "BLOCKLIST" | "PROHIBITED_CONTENT" | "SPII");
        let stop = if reason == "MAX_TOKENS" { Stop::Length } else { Stop::Done };
        Ok(Said { text, usage, stop, refused })
    }
}
