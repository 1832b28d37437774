//! The protocol of Gemini: embeddings, batches of them, and content.

use serde_json::{Value, json};

use super::batch::{Batch, Batches, Fate};
use super::dialect::Dialect;
use super::fault::Fault;
use super::state::{KEY, State, lock};
use super::vector::vector;
use super::wire::{Response, Seen};

const CREATED: &str = "2026-05-01T12:00:00Z";

pub(super) const DIALECT: Dialect = Dialect {
    is_spoken: |path| path.starts_with("/v1beta/"),
    answer,
    failure: |status, message| error(status, if status == 429 { "RESOURCE_EXHAUSTED" } else { "INTERNAL" }, message),
};

fn answer(state: &State, seen: &Seen, fault: Option<Fault>) -> Option<Response> {
    let path = seen.path.strip_prefix("/v1beta/")?;
    if seen.header("x-goog-api-key") != Some(KEY) {
        return Some(error(400, "INVALID_ARGUMENT", "API key not valid. Please pass a valid API key."));
    }
    let body = seen.json();
    if let Some((model, action)) = path.strip_prefix("models/").and_then(|rest| rest.split_once(':')) {
        return Some(match action {
            "embedContent" => single(model, &body, fault),
            "batchEmbedContents" => several(model, &body, fault),
            "asyncBatchEmbedContent" => submit(state, model, &body),
            "generateContent" => generate(state, model, &body, fault),
            _ => error(404, "NOT_FOUND", "Requested entity was not found."),
        });
    }
    Some(match (seen.method.as_str(), path.strip_prefix("batches")) {
        ("GET", Some("")) => list(state),
        ("GET", Some(_)) => poll(state, path),
        ("POST", Some(action)) if action.ends_with(":cancel") => Response::json(200, &json!({})),
        _ => error(404, "NOT_FOUND", "Requested entity was not found."),
    })
}

fn error(status: u16, name: &str, message: &str) -> Response {
    Response::json(status, &json!({"error": {"code": status, "message": message, "status": name}}))
}

fn embedded(model: &str, request: &Value) -> Result<(String, usize), Response> {
    let full = match model {
        "gemini-embedding-001" | "gemini-embedding-2" => 3072,
        _ => return Err(error(404, "NOT_FOUND", &format!("models/{model} is not found for API version v1beta."))),
    };
    let parts = request["content"]["parts"].as_array().cloned().unwrap_or_default();
    let text = parts.iter().filter_map(|part| part["text"].as_str()).collect::<Vec<_>>().join("\n");
    if text.is_empty() {
        return Err(error(400, "INVALID_ARGUMENT", "content contains an empty Part."));
    }
    let wanted = request["outputDimensionality"].as_u64().and_then(|wanted| usize::try_from(wanted).ok());
    Ok((text, wanted.unwrap_or(full)))
}

fn single(model: &str, body: &Value, fault: Option<Fault>) -> Response {
    match embedded(model, body) {
        Err(refused) => refused,
        Ok((text, dimensions)) => {
            let vector = State::vectors(&[text], dimensions, fault).into_iter().next();
            Response::json(200, &json!({"embedding": {"values": vector}}))
        }
    }
}

fn several(model: &str, body: &Value, fault: Option<Fault>) -> Response {
    let requests = body["requests"].as_array().cloned().unwrap_or_default();
    if requests.is_empty() || requests.len() > 100 {
        return error(400, "INVALID_ARGUMENT", "at most 100 requests can be in one batch");
    }
    let mut texts = Vec::new();
    let mut dimensions = 0;
    for request in &requests {
        if request["model"] != json!(format!("models/{model}")) {
            return error(400, "INVALID_ARGUMENT", "The model in the request does not match the one in the URL.");
        }
        match embedded(model, request) {
            Err(refused) => return refused,
            Ok((text, wanted)) => {
                texts.push(text);
                dimensions = wanted;
            }
        }
    }
    let vectors = State::vectors(&texts, dimensions, fault);
    let embeddings: Vec<Value> = vectors.into_iter().map(|values| json!({"values": values})).collect();
    Response::json(200, &json!({"embeddings": embeddings}))
}

fn generate(state: &State, model: &str, body: &Value, fault: Option<Fault>) -> Response {
    if !model.starts_with("gemini-") {
        return error(404, "NOT_FOUND", &format!("models/{model} is not found for API version v1beta."));
    }
    let contents = body["contents"].as_array().cloned().unwrap_or_default();
    let Some(last) = contents.last() else {
        return error(400, "INVALID_ARGUMENT", "* GenerateContentRequest.contents: contents is not specified");
    };
    let question = last["parts"][0]["text"].as_str().unwrap_or_default();
    let config = &body["generationConfig"];
    let shape = ["responseJsonSchema", "responseSchema"].iter().find_map(|name| config.get(name));
    let said = state.says(question, shape, fault);
    let usage = json!({
        "promptTokenCount": said.input_tokens, "candidatesTokenCount": said.output_tokens,
        "totalTokenCount": said.input_tokens + said.output_tokens,
    });
    if fault == Some(Fault::Refusal) {
        let feedback = json!({"blockReason": "PROHIBITED_CONTENT"});
        return Response::json(
            200,
            &json!({"promptFeedback": feedback, "usageMetadata": usage, "modelVersion": model}),
        );
    }
    let reason = if fault == Some(Fault::CutOff) { "MAX_TOKENS" } else { "STOP" };
    let content = json!({"parts": [{"text": said.text}], "role": "model"});
    let candidate = json!({"content": content, "finishReason": reason, "index": 0});
    let answer = json!({"candidates": [candidate], "usageMetadata": usage, "modelVersion": model, "responseId": "r1"});
    Response::json(200, &answer)
}

fn submit(state: &State, model: &str, body: &Value) -> Response {
    let requests = body["batch"]["inputConfig"]["requests"]["requests"].as_array().cloned().unwrap_or_default();
    if requests.is_empty() {
        return error(400, "INVALID_ARGUMENT", "batch.input_config is required");
    }
    if let Some(Err(refused)) = requests.iter().map(|item| embedded(model, &item["request"])).find(Result::is_err) {
        return refused;
    }
    let mut batches = lock(&state.batches);
    let name = batches.name("batches/");
    let batch = Batch { request: body["batch"].clone(), model: model.to_owned(), polls: 0, output: None, errors: None };
    batches.batches.insert(name.clone(), batch);
    Response::json(200, &shown(&batches, &name))
}

fn list(state: &State) -> Response {
    let batches = lock(&state.batches);
    let operations: Vec<Value> = batches.batches.keys().rev().map(|name| shown(&batches, name)).collect();
    Response::json(200, &json!({"operations": operations}))
}

fn poll(state: &State, name: &str) -> Response {
    let mut batches = lock(&state.batches);
    let Some(batch) = batches.batches.get_mut(name) else {
        return error(404, "NOT_FOUND", "Requested entity was not found.");
    };
    batch.polls += 1;
    Response::json(200, &shown(&batches, name))
}

fn shown(batches: &Batches, name: &str) -> Value {
    let Some(batch) = batches.batches.get(name) else { return Value::Null };
    let (batch_state, done) = match (batches.fate, batch.polls) {
        (_, 0) => ("BATCH_STATE_PENDING", false),
        (Fate::Failed, 2..) => ("BATCH_STATE_FAILED", true),
        (Fate::Done | Fate::OneItemFails, 2..) => ("BATCH_STATE_SUCCEEDED", true),
        _ => ("BATCH_STATE_RUNNING", false),
    };
    let mut metadata = json!({
        "@type": "type.googleapis.com/google.ai.generativelanguage.v1main.EmbedContentBatch",
        "model": format!("models/{}", batch.model), "displayName": batch.request["displayName"], "createTime": CREATED,
        "updateTime": CREATED, "state": batch_state, "name": name,
    });
    let mut shown = json!({"name": name});
    if batch_state == "BATCH_STATE_SUCCEEDED" {
        let output = json!({"inlinedResponses": {"inlinedResponses": responses(batches.fate, batch)}});
        metadata["output"] = output.clone();
        metadata["endTime"] = json!(CREATED);
        shown["response"] = output;
    }
    if batch_state == "BATCH_STATE_FAILED" {
        shown["error"] = json!({"code": 13, "message": "The batch failed."});
    }
    shown["metadata"] = metadata;
    if done {
        shown["done"] = json!(true);
    }
    shown
}

fn responses(fate: Fate, batch: &Batch) -> Vec<Value> {
    let requests = batch.request["inputConfig"]["requests"]["requests"].as_array().cloned().unwrap_or_default();
    let made = requests.iter().enumerate().map(|(place, item)| {
        let mut response = match embedded(&batch.model, &item["request"]) {
            Ok((text, dimensions)) if place > 0 || fate != Fate::OneItemFails => {
                json!({"response": {"embedding": {"values": vector(&text, dimensions)}}})
            }
            _ => json!({"error": {"code": 13, "message": "This item failed."}}),
        };
        if let Some(metadata) = item.get("metadata") {
            response["metadata"] = metadata.clone();
        }
        response
    });
    made.collect()
}
