//! `/v1/<operation>`: JSON in, JSON out.

use std::sync::Arc;

use axum::http::{HeaderMap, StatusCode, header};
use scrubjay_core::error::ErrorCode;
use scrubjay_engine::Ctx;
use scrubjay_engine::ops::{Entry, Risk};
use serde_json::{Map, Value};

use super::idempotency::Kept;
use super::problem::Problem;
use super::reply::{Reply, json};
use super::routes::Call;

/// Runs an operation, once for each idempotency key.
pub(crate) async fn run(entry: &'static Entry, call: Call) -> Reply {
    let input = match input(&call) {
        Ok(input) => input,
        Err(problem) => return problem.reply(),
    };
    perform(entry, call, input).await
}

/// Runs an operation on an input that was read already.
pub(crate) async fn perform(entry: &'static Entry, call: Call, input: Value) -> Reply {
    let key = match key(&call.request.headers) {
        Ok(key) => key,
        Err(problem) => return problem.reply(),
    };
    let ctx = match call.grant.allows(entry) {
        Ok(()) => call.shared.stand(&call.grant, &call.request).await,
        Err(error) => Err(error.into()),
    };
    let ctx = match ctx {
        Ok(ctx) => ctx,
        Err(problem) => return problem.reply(),
    };
    let Some(key) = key.filter(|_| entry.risk != Risk::Read) else {
        let value = answer(entry, &call, &ctx, input).await;
        return value.map_or_else(|problem| problem.reply(), |value| json(StatusCode::OK, &value));
    };
    let shared = Arc::clone(&call.shared);
    // The same key means the same request only from the same bearer, at the same place.
    let key = format!("{} {} {} {} {key}", call.grant.name(), ctx.home().agent, ctx.view().home(), entry.name);
    let asked = blake3::hash(input.to_string().as_bytes());
    let Some(slot) = shared.idempotency.slot(key, asked) else {
        let message = "this idempotency key was used for another request; take a new one";
        return Problem::new(ErrorCode::Conflict, message).reply();
    };
    let kept = slot.get_or_try_init(|| async {
        match answer(entry, &call, &ctx, input).await {
            Ok(value) => Ok(Kept { status: StatusCode::OK, value }),
            Err(problem) => Err(problem),
        }
    });
    match kept.await {
        Ok(kept) => json(kept.status, &kept.value),
        Err(problem) => problem.reply(),
    }
}

// Runs an operation where the request stands and gives its answer.
async fn answer(entry: &'static Entry, call: &Call, ctx: &Ctx, input: Value) -> Result<Value, Problem> {
    let outcome = entry.call(ctx, input).await;
    if entry.risk != Risk::Read {
        call.shared.wrote();
    }
    outcome.map_err(|error| {
        let problem = Problem::new(error.code(), error.to_string());
        if problem.status().is_server_error() {
            let fields = [("operation", entry.name.into()), ("error.code", error.code().name().into())];
            call.shared.log.fail("an operation failed", &fields);
        }
        if call.grant.is_owner() { problem.caused_by(&error) } else { problem }
    })
}

/// The body as the input of an operation.
fn input(call: &Call) -> Result<Value, Problem> {
    if call.body.iter().all(u8::is_ascii_whitespace) {
        return Ok(Value::Object(Map::new()));
    }
    need_json(&call.request.headers)?;
    match serde_json::from_slice(&call.body) {
        Ok(value @ Value::Object(_)) => Ok(value),
        Ok(_) => Err(Problem::new(ErrorCode::InvalidInput, "the body is not a JSON object; send {\"field\": value}")),
        Err(error) => Err(Problem::new(ErrorCode::InvalidInput, format!("the body is not JSON: {error}"))),
    }
}

/// Refuses a body that calls itself something else than JSON.
pub(crate) fn need_json(headers: &HeaderMap) -> Result<(), Problem> {
    let kind = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let kind = kind.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    if kind == "application/json" || kind == "application/x-ndjson" {
        return Ok(());
    }
    let message = "send JSON, with Content-Type: application/json";
    Err(Problem::of_protocol(StatusCode::UNSUPPORTED_MEDIA_TYPE, ErrorCode::InvalidInput, message))
}

fn key(headers: &HeaderMap) -> Result<Option<String>, Problem> {
    let Some(value) = headers.get("idempotency-key") else { return Ok(None) };
    let text = value.to_str().unwrap_or_default().trim();
    if text.is_empty() || text.len() > 200 {
        let message = "the idempotency key is not 1 to 200 plain characters";
        return Err(Problem::new(ErrorCode::InvalidInput, message));
    }
    Ok(Some(text.to_owned()))
}
