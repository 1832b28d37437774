//! OpenAI's batches: a file of requests goes up, a file of answers comes down.

use std::sync::Arc;

use async_trait::async_trait;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::protocol::{BatchProtocol, Outcome, Progress};
use crate::embed::served::{OpenAi, Protocol};
use crate::http::{Call, CallError, HttpClient};

/// The metadata under which a batch carries our name for it.
const NAME: &str = "scrubjay_batch";

/// The boundary of the parts of an upload. No line of JSON begins with it.
const BOUNDARY: &str = "----scrubjay-3f1c9b7e5a2d";

/// Pages of the list of batches that are looked through.
const PAGES: usize = 10;

/// OpenAI's batch service.
pub struct OpenAiBatch {
    /// How it is talked to.
    pub client: Arc<HttpClient>,
    /// What is asked for.
    pub protocol: OpenAi,
}

#[derive(Deserialize)]
struct Batch {
    id: String,
    status: String,
    output_file_id: Option<String>,
    error_file_id: Option<String>,
    errors: Option<Value>,
    metadata: Option<Value>,
}

#[derive(Deserialize)]
struct Page {
    data: Vec<Batch>,
    #[serde(default)]
    has_more: bool,
}

#[derive(Deserialize)]
struct Line {
    custom_id: String,
    response: Option<Response>,
    error: Option<Value>,
}

#[derive(Deserialize)]
struct Response {
    status_code: u16,
    body: Value,
}

impl OpenAiBatch {
    async fn upload(&self, texts: &[String]) -> Result<String, CallError> {
        let mut body = format!(
            "--{BOUNDARY}\r\nContent-Disposition: form-data; name=\"purpose\"\r\n\r\nbatch\r\n--{BOUNDARY}\r\n\
             Content-Disposition: form-data; name=\"file\"; filename=\"batch.jsonl\"\r\n\
             Content-Type: application/jsonl\r\n\r\n"
        );
        for (place, text) in texts.iter().enumerate() {
            let request = self.protocol.body(std::slice::from_ref(text));
            let line = json!({
                "custom_id": place.to_string(), "method": "POST", "url": "/v1/embeddings", "body": request,
            });
            body.push_str(&format!("{line}\n"));
        }
        body.push_str(&format!("\r\n--{BOUNDARY}--\r\n"));
        let content_type = format!("multipart/form-data; boundary={BOUNDARY}");
        let call = Call::with_body("/files", content_type, body.into_bytes());
        self.client.call(&call, |body| text_at(body, "id")).await
    }

    async fn batch(&self, id: &str) -> Result<Batch, CallError> {
        self.client.call(&Call::get(format!("/batches/{id}")), read).await
    }

    async fn outcomes(&self, file: &str, outcomes: &mut [Outcome]) -> Result<(), CallError> {
        let call = Call::get(format!("/files/{file}/content"));
        let lines = self.client.call(&call, |body| {
            let text = str::from_utf8(body).map_err(|_| "the file of answers is no text".to_owned())?;
            text.lines().filter(|line| !line.trim().is_empty()).map(|line| read::<Line>(line.as_bytes())).collect()
        });
        let lines: Vec<Line> = lines.await?;
        for line in lines {
            // An answer to something that was not asked is left out.
            let place = line.custom_id.parse::<usize>().ok();
            if let Some(place) = place.and_then(|place| outcomes.get_mut(place)) {
                *place = self.outcome(line);
            }
        }
        Ok(())
    }

    fn outcome(&self, line: Line) -> Outcome {
        let failed = |value: &Value| {
            let message = value.pointer("/error/message").or_else(|| value.get("message")).and_then(Value::as_str);
            message.unwrap_or("no reason was given").chars().take(200).collect::<String>()
        };
        match (line.response, line.error) {
            (Some(response), _) if response.status_code == 200 => {
                let answer = self.protocol.read(response.body.to_string().as_bytes())?;
                answer.vectors.into_iter().next().ok_or_else(|| "there is no vector".to_owned())
            }
            (Some(response), _) => Err(failed(&response.body)),
            (None, Some(error)) => Err(failed(&error)),
            (None, None) => Err("there is no answer".to_owned()),
        }
    }
}

#[async_trait]
impl BatchProtocol for OpenAiBatch {
    fn most_texts(&self) -> usize {
        50_000
    }

    async fn submit(&self, name: &str, texts: &[String]) -> Result<String, CallError> {
        let file = self.upload(texts).await?;
        let body = json!({
            "input_file_id": file, "endpoint": "/v1/embeddings", "completion_window": "24h", "metadata": {NAME: name},
        });
        self.client.call(&Call::post("/batches", &body).once(), |body| text_at(body, "id")).await
    }

    async fn find(&self, name: &str) -> Result<Option<String>, CallError> {
        let mut after = String::new();
        for _ in 0..PAGES {
            let page: Page = self.client.call(&Call::get(format!("/batches?limit=100{after}")), read).await?;
            let ours = |batch: &&Batch| {
                batch.metadata.as_ref().and_then(|metadata| metadata.get(NAME)).and_then(Value::as_str) == Some(name)
            };
            if let Some(found) = page.data.iter().find(ours) {
                return Ok(Some(found.id.clone()));
            }
            match page.data.last().filter(|_| page.has_more) {
                Some(last) => after = format!("&after={}", last.id),
                None => return Ok(None),
            }
        }
        Ok(None)
    }

    async fn poll(&self, id: &str, count: usize) -> Result<Progress, CallError> {
        let batch = self.batch(id).await?;
        match batch.status.as_str() {
            // What was done before it expired was paid for, and is used.
            "completed" | "expired" | "cancelled" => {
                let mut outcomes: Vec<Outcome> = vec![Err("there is no answer".to_owned()); count];
                for file in [&batch.output_file_id, &batch.error_file_id].into_iter().flatten() {
                    self.outcomes(file, &mut outcomes).await?;
                }
                if outcomes.iter().all(Result::is_err) {
                    return Ok(Progress::Failed(format!("the batch is {} and holds no vectors", batch.status)));
                }
                Ok(Progress::Done(outcomes))
            }
            "failed" => {
                let errors = batch.errors.unwrap_or_default();
                let why = errors.pointer("/data/0/message").and_then(Value::as_str).unwrap_or("no reason was given");
                Ok(Progress::Failed(why.chars().take(200).collect()))
            }
            _ => Ok(Progress::Working),
        }
    }

    async fn cancel(&self, id: &str) -> Result<(), CallError> {
        self.client.call(&Call::post(format!("/batches/{id}/cancel"), &json!({})), |_| Ok(())).await
    }
}

fn read<Form: DeserializeOwned>(body: &[u8]) -> Result<Form, String> {
    serde_json::from_slice(body).map_err(|error| format!("not the expected JSON, near column {}", error.column()))
}

fn text_at(body: &[u8], field: &str) -> Result<String, String> {
    let value: Value = read(body)?;
    value.get(field).and_then(Value::as_str).map(str::to_owned).ok_or_else(|| format!("it has no `{field}`"))
}
