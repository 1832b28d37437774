//! Anthropic's `/v1/messages`. JSON is asked for as the input of a tool that the model must use.

use serde::Deserialize;
use serde_json::{Value, json};

use super::super::request::{ChatRequest, Speaker, Stop, Usage};
use super::protocol::{ChatProtocol, Said, understood};
use crate::http::Call;

/// The version of the protocol.
pub const VERSION: &str = "2023-06-01";

/// Anthropic.
#[derive(Debug, Clone)]
pub struct AnthropicChat {
    /// The model.
    pub model: String,
}

#[derive(Deserialize)]
struct Message {
    content: Vec<Block>,
    stop_reason: Option<String>,
    #[serde(default)]
    usage: Used,
}

#[derive(Deserialize)]
struct Block {
    #[serde(rename = "type")]
    kind: String,
    #[serde(default)]
    text: Option<String>,
    #[serde(default)]
    input: Option<Value>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Used {
    input_tokens: u64,
    output_tokens: u64,
    cache_creation_input_tokens: Option<u64>,
    cache_read_input_tokens: Option<u64>,
}

impl ChatProtocol for AnthropicChat {
    fn call(&self, request: &ChatRequest) -> Call {
        let turns = request.turns.iter().map(|turn| {
            let role = match turn.speaker {
                Speaker::User => "user",
                Speaker::Assistant => "assistant",
            };
            // Empty turns are refused.
            json!({"role": role, "content": if turn.text.trim().is_empty() { "-" } else { turn.text.as_str() }})
        });
        let mut body = serde_json::Map::new();
        body.insert("model".to_owned(), json!(self.model));
        body.insert("max_tokens".to_owned(), json!(request.max_tokens));
        body.insert("messages".to_owned(), turns.collect());
        if !request.system.is_empty() {
            body.insert("system".to_owned(), json!(request.system));
        }
        if let Some(temperature) = request.temperature {
            body.insert("temperature".to_owned(), json!(temperature));
        }
        if let Some(shape) = &request.shape {
            let about = "Gives the answer. Use it exactly once.";
            let tool = json!({"name": shape.name, "description": about, "input_schema": shape.schema});
            body.insert("tools".to_owned(), json!([tool]));
            body.insert("tool_choice".to_owned(), json!({"type": "tool", "name": shape.name}));
        }
        Call::post("/v1/messages", &Value::Object(body))
    }

    fn read(&self, body: &[u8]) -> Result<Said, String> {
        let message: Message = understood(body)?;
        let mut text = String::new();
        for block in message.content {
            match (block.kind.as_str(), block.text, block.input) {
                // The answer, if there is one; what is said beside it is not asked for.
                ("tool_use", _, Some(input)) => {
                    text = input.to_string();
                    break;
                }
                ("text", Some(part), _) => text.push_str(&part),
                _ => {}
            }
        }
        let used = message.usage;
        let cached = used.cache_creation_input_tokens.unwrap_or(0) + used.cache_read_input_tokens.unwrap_or(0);
        Ok(Said {
            text,
            usage: Usage { input_tokens: used.input_tokens + cached, output_tokens: used.output_tokens },
            stop: if message.stop_reason.as_deref() == Some("max_tokens") { Stop::Length } else { Stop::Done },
            refused: message.stop_reason.as_deref() == Some("refusal"),
        })
    }
}
