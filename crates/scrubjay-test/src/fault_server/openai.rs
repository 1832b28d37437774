//! The protocol of OpenAI, and of those who speak it too: embeddings, chat, files and batches.

use serde_json::{Value, json};

use super::batch::{Batch, Batches, Fate};
use super::dialect::Dialect;
use super::fault::Fault;
use super::state::{KEY, State, lock, texts_of};
use super::vector::{tokens, vector};
use super::wire::{Response, Seen};

const CREATED: i64 = 1_777_636_800;
const MOST_INPUTS: usize = 2048;

pub(super) const DIALECT: Dialect =
    Dialect { is_spoken: |_| true, answer, failure: |status, message| error(status, "server_error", message) };

fn answer(state: &State, seen: &Seen, fault: Option<Fault>) -> Option<Response> {
    let path = seen.path.strip_prefix("/v1")?;
    if path == "/messages" {
        return None;
    }
    if seen.header("authorization") != Some(&format!("Bearer {KEY}")) {
        let message = "Incorrect API key provided. You can find your API key at https://platform.openai.com.";
        return Some(error(401, "invalid_request_error", message));
    }
    let parts: Vec<&str> = path.trim_start_matches('/').split('/').collect();
    Some(match (seen.method.as_str(), parts.as_slice()) {
        ("POST", ["embeddings"]) => embeddings(&seen.json(), fault),
        ("POST", ["chat", "completions"]) => chat(state, &seen.json(), fault),
        ("GET", ["models"]) => Response::json(200, &json!({"object": "list", "data": []})),
        ("POST", ["files"]) => upload(state, seen),
        ("GET", ["files", id, "content"]) => content(state, id),
        ("POST", ["batches"]) => submit(state, &seen.json()),
        ("GET", ["batches"]) => list(state),
        ("GET", ["batches", id]) => poll(state, id),
        ("POST", ["batches", id, "cancel"]) => poll(state, id),
        _ => error(404, "invalid_request_error", "Unknown request URL."),
    })
}

pub(super) fn error(status: u16, kind: &str, message: &str) -> Response {
    Response::json(status, &json!({"error": {"message": message, "type": kind, "param": null, "code": null}}))
}

fn dimensions_of(model: &str) -> Option<usize> {
    match model {
        "text-embedding-3-small" | "text-embedding-ada-002" => Some(1536),
        "text-embedding-3-large" => Some(3072),
        "bge-small" => Some(384),
        _ => None,
    }
}

fn embedded(body: &Value) -> Result<(Vec<String>, usize), Response> {
    let invalid = |message: &str| error(400, "invalid_request_error", message);
    let model = body["model"].as_str().unwrap_or_default();
    let Some(full) = dimensions_of(model) else {
        return Err(error(404, "invalid_request_error", &format!("The model `{model}` does not exist.")));
    };
    let Some(texts) = texts_of(&body["input"]) else { return Err(invalid("'$.input' is invalid.")) };
    if texts.is_empty() || texts.iter().any(String::is_empty) {
        return Err(invalid("'$.input' is invalid. Please check the API reference."));
    }
    if texts.len() > MOST_INPUTS || texts.iter().any(|text| tokens(text) > 8192) {
        return Err(invalid("This model's maximum context length is 8192 tokens."));
    }
    let dimensions = match body.get("dimensions").filter(|value| !value.is_null()) {
        None => full,
        Some(value) => match value.as_u64().and_then(|value| usize::try_from(value).ok()) {
            Some(wanted) if (1..=full).contains(&wanted) && model.starts_with("text-embedding-3") => wanted,
            _ => return Err(invalid("This model does not support specifying dimensions.")),
        },
    };
    Ok((texts, dimensions))
}

fn embeddings(body: &Value, fault: Option<Fault>) -> Response {
    let (texts, dimensions) = match embedded(body) {
        Ok(embedded) => embedded,
        Err(refused) => return refused,
    };
    let base64 = body["encoding_format"] == "base64";
    let vectors = State::vectors(&texts, dimensions, fault);
    let data: Vec<Value> = vectors
        .into_iter()
        .enumerate()
        .map(|(index, vector)| {
            let embedding = if base64 { json!(encoded(&vector)) } else { vector };
            json!({"object": "embedding", "index": index, "embedding": embedding})
        })
        .collect();
    let used: usize = texts.iter().map(|text| tokens(text)).sum();
    let usage = json!({"prompt_tokens": used, "total_tokens": used});
    Response::json(200, &json!({"object": "list", "data": data, "model": body["model"], "usage": usage}))
}

fn chat(state: &State, body: &Value, fault: Option<Fault>) -> Response {
    let turns = body["messages"].as_array().cloned().unwrap_or_default();
    let Some(question) = turns.iter().rev().find(|turn| turn["role"] == "user") else {
        return error(400, "invalid_request_error", "'messages' must contain at least one message.");
    };
    let format = &body["response_format"];
    let shape = match format["type"].as_str() {
        Some("json_schema") => {
            let schema = &format["json_schema"];
            if schema["strict"] == json!(true) && schema["schema"]["additionalProperties"] != json!(false) {
                let message = "Invalid schema: 'additionalProperties' is required to be supplied and to be false.";
                return error(400, "invalid_request_error", message);
            }
            Some(&schema["schema"])
        }
        _ => None,
    };
    let said = state.says(question["content"].as_str().unwrap_or_default(), shape, fault);
    let refusal = if fault == Some(Fault::Refusal) { json!("I cannot help with that.") } else { Value::Null };
    let content = if refusal.is_null() { json!(said.text) } else { Value::Null };
    let finish = if fault == Some(Fault::CutOff) { "length" } else { "stop" };
    let message = json!({"role": "assistant", "content": content, "refusal": refusal, "annotations": []});
    let choice = json!({"index": 0, "message": message, "logprobs": null, "finish_reason": finish});
    let (read, written) = (said.input_tokens, said.output_tokens);
    let usage = json!({"prompt_tokens": read, "completion_tokens": written, "total_tokens": read + written});
    let answer = json!({
        "id": "chatcmpl-1", "object": "chat.completion", "created": CREATED, "model": body["model"],
        "choices": [choice], "usage": usage, "service_tier": "default", "system_fingerprint": "fp_1",
    });
    Response::json(200, &answer)
}

fn upload(state: &State, seen: &Seen) -> Response {
    let boundary = seen.header("content-type").and_then(|value| value.split_once("boundary=")).map(|(_, after)| after);
    let Some(boundary) = boundary.map(|boundary| boundary.trim_matches('"')) else {
        return error(400, "invalid_request_error", "'file' is a required property");
    };
    let text = String::from_utf8_lossy(&seen.body).into_owned();
    let mut purpose = None;
    let mut file = None;
    for part in text.split(&format!("--{boundary}")) {
        let Some((head, body)) = part.split_once("\r\n\r\n") else { continue };
        let body = body.strip_suffix("\r\n").unwrap_or(body);
        if head.contains("name=\"purpose\"") {
            purpose = Some(body.to_owned());
        } else if head.contains("name=\"file\"") && head.contains("filename=") {
            file = Some(body.to_owned());
        }
    }
    let (Some("batch"), Some(file)) = (purpose.as_deref(), file) else {
        return error(400, "invalid_request_error", "'purpose' and 'file' are required properties");
    };
    let mut batches = lock(&state.batches);
    let id = batches.name("file-");
    let size = file.len();
    batches.files.insert(id.clone(), file.into_bytes());
    let answer = json!({
        "id": id, "object": "file", "bytes": size, "created_at": CREATED, "expires_at": null,
        "filename": "batch.jsonl", "purpose": "batch", "status": "processed", "status_details": null,
    });
    Response::json(200, &answer)
}

fn content(state: &State, id: &str) -> Response {
    match lock(&state.batches).files.get(id) {
        Some(file) => Response::bytes(file.clone()),
        None => error(404, "invalid_request_error", "No such File object."),
    }
}

fn submit(state: &State, body: &Value) -> Response {
    let mut batches = lock(&state.batches);
    let file = body["input_file_id"].as_str().unwrap_or_default();
    let complete = body["endpoint"] == "/v1/embeddings" && body["completion_window"] == "24h";
    if !batches.files.contains_key(file) || !complete {
        return error(400, "invalid_request_error", "Invalid batch request.");
    }
    let id = batches.name("batch_");
    let batch = Batch { request: body.clone(), model: String::new(), polls: 0, output: None, errors: None };
    batches.batches.insert(id.clone(), batch);
    Response::json(200, &shown(&batches, &id))
}

fn list(state: &State) -> Response {
    let batches = lock(&state.batches);
    let data: Vec<Value> = batches.batches.keys().rev().map(|id| shown(&batches, id)).collect();
    let (first, last) = (data.first().map(|batch| &batch["id"]), data.last().map(|batch| &batch["id"]));
    let answer = json!({"object": "list", "data": data, "first_id": first, "last_id": last, "has_more": false});
    Response::json(200, &answer)
}

fn poll(state: &State, id: &str) -> Response {
    let mut batches = lock(&state.batches);
    let Some(batch) = batches.batches.get_mut(id) else {
        return error(404, "invalid_request_error", "No batch found with that id.");
    };
    batch.polls += 1;
    let work = batch.polls >= 2 && batch.output.is_none();
    if work && matches!(batches.fate, Fate::Done | Fate::OneItemFails) {
        run(&mut batches, id);
    }
    Response::json(200, &shown(&batches, id))
}

fn run(batches: &mut Batches, id: &str) {
    let Some(batch) = batches.batches.get(id) else { return };
    let input = batch.request["input_file_id"].as_str().unwrap_or_default();
    let input = String::from_utf8_lossy(batches.files.get(input).map_or(&[][..], Vec::as_slice)).into_owned();
    let mut fails = batches.fate == Fate::OneItemFails;
    let (mut output, mut errors) = (String::new(), String::new());
    // The order of a batch's answers is nobody's promise.
    for line in input.lines().rev().filter(|line| !line.trim().is_empty()) {
        let request: Value = serde_json::from_str(line).unwrap_or_default();
        let failing = std::mem::take(&mut fails);
        let made = embedded(&request["body"]);
        let line = match made {
            Ok((texts, dimensions)) if !failing => {
                let data: Vec<Value> = texts.iter().enumerate().map(|(index, text)| {
                    json!({"object": "embedding", "index": index, "embedding": vector(text, dimensions)})
                }).collect();
                let used: usize = texts.iter().map(|text| tokens(text)).sum();
                let usage = json!({"prompt_tokens": used, "total_tokens": used});
                let body = json!({"object": "list", "data": data, "model": request["body"]["model"], "usage": usage});
                let response = json!({"status_code": 200, "request_id": "req_1", "body": body});
                json!({"id": "batch_req_1", "custom_id": request["custom_id"], "response": response, "error": null})
            }
            _ => {
                let body = json!({"error": {"message": "This item failed.", "type": "server_error"}});
                let response = json!({"status_code": 500, "request_id": "req_1", "body": body});
                let line = json!({"id": "batch_req_1", "custom_id": request["custom_id"], "response": response, "error": null});
                errors.push_str(&format!("{line}\n"));
                continue;
            }
        };
        output.push_str(&format!("{line}\n"));
    }
    let output_id = batches.name("file-");
    batches.files.insert(output_id.clone(), output.into_bytes());
    let error_id = (!errors.is_empty()).then(|| {
        let id = batches.name("file-");
        batches.files.insert(id.clone(), errors.into_bytes());
        id
    });
    if let Some(batch) = batches.batches.get_mut(id) {
        (batch.output, batch.errors) = (Some(output_id), error_id);
    }
}

fn shown(batches: &Batches, id: &str) -> Value {
    let Some(batch) = batches.batches.get(id) else { return Value::Null };
    let status = match (batches.fate, batch.polls) {
        (_, 0) => "validating",
        (Fate::Failed, 2..) => "failed",
        (Fate::Done | Fate::OneItemFails, 2..) => "completed",
        _ => "in_progress",
    };
    let errors = match status {
        "failed" => {
            json!({"object": "list", "data": [{"code": "token_limit_exceeded", "message": "Too many tokens."}]})
        }
        _ => Value::Null,
    };
    json!({
        "id": id, "object": "batch", "endpoint": "/v1/embeddings", "errors": errors,
        "input_file_id": batch.request["input_file_id"], "completion_window": "24h", "status": status,
        "output_file_id": batch.output, "error_file_id": batch.errors, "created_at": CREATED,
        "in_progress_at": null, "expires_at": CREATED + 86400, "finalizing_at": null, "completed_at": null,
        "failed_at": null, "expired_at": null, "cancelling_at": null, "cancelled_at": null,
        "request_counts": {"total": 0, "completed": 0, "failed": 0}, "metadata": batch.request["metadata"],
    })
}

// Little-endian floats in base64, which is how the vendor's own client asks for vectors.
fn encoded(vector: &Value) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let values = vector.as_array().into_iter().flatten().map(|value| value.as_f64().unwrap_or(f64::NAN) as f32);
    let bytes: Vec<u8> = values.flat_map(f32::to_le_bytes).collect();
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for part in bytes.chunks(3) {
        let number = part.iter().fold(0_u32, |number, byte| number << 8 | u32::from(*byte)) << (8 * (3 - part.len()));
        for place in 0..4 {
            let digit = DIGITS[(number >> (18 - 6 * place) & 63) as usize];
            text.push(if place <= part.len() { char::from(digit) } else { '=' });
        }
    }
    text
}
