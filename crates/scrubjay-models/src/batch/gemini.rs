//! Gemini's asynchronous batches: requests go up inline, answers come down inline.

use std::sync::Arc;

use async_trait::async_trait;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::protocol::{BatchProtocol, Outcome, Progress};
use crate::embed::served::{Gemini, Purpose};
use crate::http::{Call, CallError, HttpClient};

/// Pages of the list of batches that are looked through.
const PAGES: usize = 10;

/// Gemini's batch service.
pub struct GeminiBatch {
    /// How it is talked to.
    pub client: Arc<HttpClient>,
    /// What is asked for.
    pub protocol: Gemini,
}

#[derive(Deserialize)]
struct Operation {
    name: String,
    #[serde(default)]
    metadata: Value,
    #[serde(default)]
    response: Value,
    error: Option<Value>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Page {
    #[serde(default)]
    operations: Vec<Operation>,
    next_page_token: Option<String>,
}

impl GeminiBatch {
    fn outcomes(operation: &Operation, count: usize) -> Vec<Outcome> {
        // The answers stand in the operation's response, and in its description.
        let places = [&operation.response, operation.metadata.get("output").unwrap_or(&Value::Null)];
        let paths = ["/inlinedResponses/inlinedResponses", "/inlinedEmbedContentResponses/inlinedResponses"];
        let found = places.iter().flat_map(|place| paths.iter().filter_map(|path| place.pointer(path)));
        let responses = found.filter_map(Value::as_array).next().cloned().unwrap_or_default();
        let mut outcomes: Vec<Outcome> = vec![Err("there is no answer".to_owned()); count];
        for (order, response) in responses.iter().enumerate() {
            let key = response.pointer("/metadata/key").and_then(Value::as_str).and_then(|key| key.parse().ok());
            let Some(place) = outcomes.get_mut(key.unwrap_or(order)) else { continue };
            *place = match response.pointer("/response/embedding/values") {
                Some(values) => {
                    serde_json::from_value(values.clone()).map_err(|_| "it holds what is no vector".to_owned())
                }
                None => {
                    let why = response.pointer("/error/message").and_then(Value::as_str);
                    Err(why.unwrap_or("no reason was given").chars().take(200).collect())
                }
            };
        }
        outcomes
    }
}

#[async_trait]
impl BatchProtocol for GeminiBatch {
    fn most_texts(&self) -> usize {
        // Inline requests may hold 20 MB in all.
        5000
    }

    async fn submit(&self, name: &str, texts: &[String]) -> Result<String, CallError> {
        let requests: Vec<Value> = texts
            .iter()
            .enumerate()
            .map(|(place, text)| {
                let request = self.protocol.request(text, Purpose::Document);
                json!({"request": request, "metadata": {"key": place.to_string()}})
            })
            .collect();
        let input = json!({"requests": {"requests": requests}});
        let body = json!({"batch": {"displayName": name, "inputConfig": input}});
        let path = format!("/models/{}:asyncBatchEmbedContent", self.protocol.model);
        let call = Call::post(path, &body).once();
        self.client.call(&call, |body| read::<Operation>(body).map(|operation| operation.name)).await
    }

    async fn find(&self, name: &str) -> Result<Option<String>, CallError> {
        let mut after = String::new();
        for _ in 0..PAGES {
            let page: Page = self.client.call(&Call::get(format!("/batches?pageSize=100{after}")), read).await?;
            let ours = |operation: &&Operation| operation.metadata["displayName"].as_str() == Some(name);
            if let Some(found) = page.operations.iter().find(ours) {
                return Ok(Some(found.name.clone()));
            }
            match page.next_page_token.filter(|token| !token.is_empty()) {
                Some(token) => after = format!("&pageToken={token}"),
                None => return Ok(None),
            }
        }
        Ok(None)
    }

    async fn poll(&self, id: &str, count: usize) -> Result<Progress, CallError> {
        let operation: Operation = self.client.call(&Call::get(format!("/{id}")), read).await?;
        if let Some(error) = &operation.error {
            let why = error.get("message").and_then(Value::as_str).unwrap_or("no reason was given");
            return Ok(Progress::Failed(why.chars().take(200).collect()));
        }
        let state = operation.metadata.get("state").and_then(Value::as_str).unwrap_or_default();
        match state.trim_start_matches("BATCH_STATE_").trim_start_matches("JOB_STATE_") {
            "SUCCEEDED" => Ok(Progress::Done(Self::outcomes(&operation, count))),
            "FAILED" | "CANCELLED" | "EXPIRED" => Ok(Progress::Failed(format!("the batch is {state}"))),
            _ => Ok(Progress::Working),
        }
    }

    async fn cancel(&self, id: &str) -> Result<(), CallError> {
        self.client.call(&Call::post(format!("/{id}:cancel"), &json!({})), |_| Ok(())).await
    }
}

fn read<Form: DeserializeOwned>(body: &[u8]) -> Result<Form, String> {
    serde_json::from_slice(body).map_err(|error| format!("not the expected JSON, near column {}", error.column()))
}
