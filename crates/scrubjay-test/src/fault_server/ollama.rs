//! The protocol of Ollama. It wants no key.

use serde_json::{Value, json};

use super::dialect::Dialect;
use super::fault::Fault;
use super::state::{State, texts_of};
use super::vector::tokens;
use super::wire::{Response, Seen};

const CREATED: &str = "2026-05-01T12:00:00.000000Z";

pub(super) const DIALECT: Dialect = Dialect { is_spoken: |path| path.starts_with("/api/"), answer, failure: error };

fn answer(state: &State, seen: &Seen, fault: Option<Fault>) -> Option<Response> {
    let path = seen.path.strip_prefix("/api/")?;
    Some(match (seen.method.as_str(), path) {
        ("POST", "embed") => embed(&seen.json(), fault),
        ("POST", "chat") => chat(state, &seen.json(), fault),
        ("GET", "version") => Response::json(200, &json!({"version": "0.12.0"})),
        ("GET", "tags") => {
            let model = |name: &str| json!({"name": name, "model": name, "modified_at": CREATED, "size": 274_302_450});
            Response::json(200, &json!({"models": [model("nomic-embed-text:latest"), model("llama3.2:latest")]}))
        }
        _ => error(404, "404 page not found"),
    })
}

fn error(status: u16, message: &str) -> Response {
    Response::json(status, &json!({"error": message}))
}

fn embed(body: &Value, fault: Option<Fault>) -> Response {
    let model = body["model"].as_str().unwrap_or_default();
    let dimensions = match model.split(':').next().unwrap_or_default() {
        "nomic-embed-text" => 768,
        "mxbai-embed-large" => 1024,
        "all-minilm" => 384,
        _ => return error(404, &format!("model \"{model}\" not found, try pulling it first")),
    };
    let Some(texts) = texts_of(&body["input"]) else { return error(400, "invalid input type") };
    let used: usize = texts.iter().map(|text| tokens(text)).sum();
    let answer = json!({
        "model": model, "embeddings": State::vectors(&texts, dimensions, fault), "total_duration": 14_143_917,
        "load_duration": 1_019_500, "prompt_eval_count": used,
    });
    Response::json(200, &answer)
}

fn chat(state: &State, body: &Value, fault: Option<Fault>) -> Response {
    let model = body["model"].as_str().unwrap_or_default();
    if !model.starts_with("llama") && !model.starts_with("phi") {
        return error(404, &format!("model '{model}' not found"));
    }
    let turns = body["messages"].as_array().cloned().unwrap_or_default();
    let question = turns.last().and_then(|turn| turn["content"].as_str()).unwrap_or_default().to_owned();
    let shape = body.get("format").filter(|format| format.is_object());
    let said = state.says(&question, shape, fault);
    let reason = if fault == Some(Fault::CutOff) { "length" } else { "stop" };
    let mut answer = json!({
        "model": model, "created_at": CREATED, "message": {"role": "assistant", "content": said.text}, "done": true,
        "done_reason": reason, "total_duration": 4_883_583_458_u64, "load_duration": 1_334_875,
        "prompt_eval_count": said.input_tokens, "prompt_eval_duration": 342_546_000, "eval_count": said.output_tokens,
        "eval_duration": 4_535_599_000_u64,
    });
    if body["stream"] != json!(false) {
        let mut part = answer.clone();
        part["done"] = json!(false);
        answer["message"]["content"] = json!("");
        let lines = format!("{part}\n{answer}\n");
        return Response {
            status: 200,
            headers: vec![("content-type", "application/x-ndjson".to_owned())],
            body: lines.into_bytes(),
        };
    }
    Response::json(200, &answer)
}
