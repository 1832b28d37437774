//! The protocol of Anthropic: messages.

use serde_json::{Value, json};

use super::dialect::Dialect;
use super::fault::Fault;
use super::instance::instance;
use super::state::{KEY, State};
use super::wire::{Response, Seen};

pub(super) const DIALECT: Dialect = Dialect {
    is_spoken: |path| path == "/v1/messages",
    answer,
    failure: |status, message| error(status, if status == 429 { "rate_limit_error" } else { "api_error" }, message),
};

fn answer(state: &State, seen: &Seen, fault: Option<Fault>) -> Option<Response> {
    if seen.path != "/v1/messages" || seen.method != "POST" {
        return None;
    }
    // Newer clients send the key as a bearer token; both are taken.
    let bearer = seen.header("authorization").and_then(|value| value.strip_prefix("Bearer "));
    if seen.header("x-api-key").or(bearer) != Some(KEY) {
        return Some(error(401, "authentication_error", "invalid x-api-key"));
    }
    if seen.header("anthropic-version").is_none() {
        return Some(error(400, "invalid_request_error", "anthropic-version: header is required"));
    }
    Some(messages(state, &seen.json(), fault))
}

fn error(status: u16, kind: &str, message: &str) -> Response {
    let error = json!({"type": kind, "message": message});
    Response::json(status, &json!({"type": "error", "error": error, "request_id": "req_1"}))
}

fn messages(state: &State, body: &Value, fault: Option<Fault>) -> Response {
    let invalid = |message: &str| error(400, "invalid_request_error", message);
    let model = body["model"].as_str().unwrap_or_default();
    if !model.starts_with("claude-") {
        return error(404, "not_found_error", &format!("model: {model}"));
    }
    if body["max_tokens"].as_u64().is_none_or(|tokens| tokens == 0) {
        return invalid("max_tokens: Field required");
    }
    let turns = body["messages"].as_array().cloned().unwrap_or_default();
    if turns.first().is_none_or(|turn| turn["role"] != "user") {
        return invalid("messages: first message must use the \"user\" role");
    }
    let last = turns.last().map(|turn| &turn["content"]);
    let question = match last {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Array(blocks)) => {
            blocks.iter().filter_map(|block| block["text"].as_str()).collect::<Vec<_>>().join("\n")
        }
        _ => return invalid("messages: text content blocks must be non-empty"),
    };
    if question.trim().is_empty() {
        return invalid("messages: text content blocks must be non-empty");
    }
    let choice = &body["tool_choice"];
    let tool = (choice["type"] == "tool")
        .then(|| body["tools"].as_array().into_iter().flatten().find(|tool| tool["name"] == choice["name"]))
        .flatten();
    let said = state.says(&question, tool.map(|tool| &tool["input_schema"]), fault);
    let (content, stop) = match (fault, tool) {
        (Some(Fault::Refusal), _) => (json!([]), "refusal"),
        (Some(Fault::Empty), _) => (json!([]), "end_turn"),
        (Some(Fault::CutOff), _) => (json!([{"type": "text", "text": said.text}]), "max_tokens"),
        (_, Some(tool)) => {
            let input: Value =
                serde_json::from_str(&said.text).unwrap_or_else(|_| json!({"not": instance(&tool["input_schema"])}));
            let block = json!({"type": "tool_use", "id": "toolu_1", "name": tool["name"], "input": input});
            (json!([block]), "tool_use")
        }
        (_, None) => (json!([{"type": "text", "text": said.text, "citations": null}]), "end_turn"),
    };
    let usage = json!({
        "input_tokens": said.input_tokens, "output_tokens": said.output_tokens, "cache_creation_input_tokens": 0,
        "cache_read_input_tokens": 0, "service_tier": "standard",
    });
    let answer = json!({
        "id": "msg_1", "type": "message", "role": "assistant", "model": model, "content": content,
        "stop_reason": stop, "stop_sequence": null, "usage": usage,
    });
    Response::json(200, &answer)
}
