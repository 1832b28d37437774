//! `POST /mcp`: the Model Context Protocol over HTTP.
//!
//! Each request is answered with JSON. There are no sessions and no streams, so
//! GET and DELETE are not taken, as the protocol allows.

use axum::http::{HeaderMap, StatusCode};
use serde_json::Value;

use super::operations::need_json;
use super::reply::{Reply, bytes, json};
use super::routes::{Answering, Call};
use crate::client::Caller;
use crate::mcp::{Fault, Handled, Server};

pub(crate) fn answer(call: Call) -> Answering {
    Box::pin(async move {
        if let Err(problem) = need_json(&call.request.headers) {
            return problem.reply();
        }
        let message: Value = match serde_json::from_slice(&call.body) {
            Ok(message) => message,
            Err(error) => return json(StatusCode::BAD_REQUEST, &Fault::not_json(&error).answer(&Value::Null)),
        };
        let ctx = match call.shared.stand(&call.grant, &call.request).await {
            Ok(ctx) => ctx.acting_as("mcp"),
            Err(problem) => return problem.reply(),
        };
        if let Err(fault) = check_headers(&call.request.headers, &message) {
            let id = message.get("id").cloned().unwrap_or(Value::Null);
            return json(StatusCode::BAD_REQUEST, &fault.answer(&id));
        }
        let server = Server::new(Caller::here(ctx), call.grant.clone());
        let reply = match &message {
            Value::Array(messages) => batch(&server, messages).await,
            single => one(server.handle(single).await),
        };
        call.shared.wrote();
        reply
    })
}

fn one(handled: Handled) -> Reply {
    match handled {
        Handled::Nothing => bytes(StatusCode::ACCEPTED, "application/json", ""),
        Handled::Result(answer) => json(StatusCode::OK, &answer),
        Handled::Fault { answer, code, stateless } => {
            let status = match code {
                -32601 if stateless => StatusCode::NOT_FOUND,
                -32022 | -32600 => StatusCode::BAD_REQUEST,
                -32602 if stateless => StatusCode::BAD_REQUEST,
                _ => StatusCode::OK,
            };
            json(status, &answer)
        }
    }
}

// Revision 2025-03-26 allowed several messages at once.
async fn batch(server: &Server, messages: &[Value]) -> Reply {
    let mut answers = Vec::new();
    for message in messages {
        match server.handle(message).await {
            Handled::Nothing => {}
            Handled::Result(answer) | Handled::Fault { answer, .. } => answers.push(answer),
        }
    }
    if messages.is_empty() {
        let fault = Fault::not_a_request("there is no message in the list");
        return json(StatusCode::BAD_REQUEST, &fault.answer(&Value::Null));
    }
    if answers.is_empty() { one(Handled::Nothing) } else { json(StatusCode::OK, &Value::Array(answers)) }
}

// Headers that repeat the body must agree with it, so that whoever routes by
// them and whoever reads the body see one request.
fn check_headers(headers: &HeaderMap, message: &Value) -> Result<(), Fault> {
    let meta = message.pointer("/params/_meta/io.modelcontextprotocol~1protocolVersion").and_then(Value::as_str);
    let header = |name: &str| headers.get(name).map(|value| value.to_str().unwrap_or_default());
    if let (Some(named), Some(meta)) = (header("mcp-protocol-version"), meta)
        && named != meta
    {
        return Err(Fault::header_mismatch("MCP-Protocol-Version"));
    }
    let method = message.get("method").and_then(Value::as_str).unwrap_or_default();
    if header("mcp-method").is_some_and(|named| named != method) {
        return Err(Fault::header_mismatch("Mcp-Method"));
    }
    let target = ["/params/name", "/params/uri"].into_iter().find_map(|place| message.pointer(place)?.as_str());
    let plain = |named: &str| !named.starts_with("=?base64?");
    if let (Some(named), Some(target)) = (header("mcp-name").filter(|named| plain(named)), target)
        && named != target
    {
        return Err(Fault::header_mismatch("Mcp-Name"));
    }
    Ok(())
}
