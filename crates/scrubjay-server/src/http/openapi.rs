//! `/openapi.json`: the routes, described from the same types that they are
//! made from.

use axum::http::StatusCode;
use scrubjay_engine::ops::{Entry, REGISTRY, Risk};
use serde_json::{Map, Value, json};

use super::reply::json as reply;
use super::routes::{Answering, Call};

pub(crate) fn answer(_: Call) -> Answering {
    Box::pin(async { reply(StatusCode::OK, &document()) })
}

/// The whole document, OpenAPI 3.1.
#[must_use]
pub fn document() -> Value {
    let mut paths = Map::new();
    for entry in REGISTRY.iter().filter(|entry| entry.surfaces.http) {
        paths.insert(format!("/v1/{}", entry.name), json!({ "post": operation(entry) }));
    }
    paths.extend(others());
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "Scrubjay",
            "version": env!("CARGO_PKG_VERSION"),
            "description": "Long-term memory for AI agents. Every operation takes a JSON object and answers with one; \
                a failure is a problem document (RFC 9457) whose `code` is stable.",
            "license": {"name": "MIT OR Apache-2.0"},
        },
        "security": [{"token": []}],
        "paths": paths,
        "components": {
            "securitySchemes": {
                "token": {"type": "http", "scheme": "bearer", "description": "The file `token` in the home folder, or a token made with `scrubjay token create`."},
            },
            "schemas": {"Problem": problem()},
            "parameters": {
                "project": {
                    "name": "Scrubjay-Project", "in": "header", "required": false,
                    "description": "The project to stand in; without it only global memories are seen. A token may be confined to one.",
                    "schema": {"type": "string", "pattern": "^[a-z0-9][a-z0-9._-]{0,79}$"},
                },
                "agent": {
                    "name": "Scrubjay-Agent", "in": "header", "required": false,
                    "description": "Whose memory it is; `default` if not given.",
                    "schema": {"type": "string", "enum": ["default"]},
                },
                "idempotency": {
                    "name": "Idempotency-Key", "in": "header", "required": false,
                    "description": "A request that is sent again under its key is not done again; it gets the same answer. Keys are kept while the daemon runs.",
                    "schema": {"type": "string", "pattern": "^[A-Za-z0-9._:-]{1,200}$"},
                },
            },
        },
    })
}

fn operation(entry: &Entry) -> Value {
    let (summary, description) = entry.about();
    let mut input = schema(entry.input_schema());
    // An unknown field is refused, so the schema says so.
    input["additionalProperties"] = json!(false);
    let mut parameters = vec![reference("project"), reference("agent")];
    if entry.risk != Risk::Read {
        parameters.push(reference("idempotency"));
    }
    json!({
        "operationId": entry.name,
        "summary": summary,
        "description": description,
        "parameters": parameters,
        "requestBody": {"required": true, "content": {"application/json": {"schema": input}}},
        "responses": responses("What the operation answers.", &schema(entry.output_schema())),
        "x-risk": entry.risk.name(),
    })
}

// The routes that are no operation.
fn others() -> Map<String, Value> {
    let capture = REGISTRY.iter().find(|entry| entry.name == "capture");
    let messages = capture.map_or(Value::Null, |entry| schema(entry.input_schema()));
    let message = messages.pointer("/properties/messages/items").cloned().unwrap_or(Value::Bool(true));
    let captured = capture.map_or(Value::Bool(true), |entry| schema(entry.output_schema()));
    let any = json!({"type": "object"});
    let text = |about: &str, kind: &str| json!({"200": {"description": about, "content": {kind: {"schema": {"type": "string"}}}}, "default": failure()});
    let mut paths = Map::new();
    paths.insert(
        "/v1/messages".to_owned(),
        json!({"post": {
            "operationId": "messages", "summary": "Keep messages, as a chat bridge sends them",
            "description": "One message, a list of them, or an object with a list in `messages`.",
            "parameters": [reference("project"), reference("agent"), reference("idempotency")],
            "requestBody": {"required": true, "content": {"application/json": {"schema": {"anyOf": [message, {"type": "array", "minItems": 1, "items": message}]}}}},
            "responses": responses("What became of each message.", &captured),
        }}),
    );
    paths.insert(
        "/v1/memory-tool".to_owned(),
        json!({"post": {
            "operationId": "memory-tool", "summary": "A command of Anthropic's memory tool",
            "description": "Files under /memories, kept as memories of the project. Send the tool's input as it is.",
            "parameters": [reference("project"), reference("agent")],
            "requestBody": {"required": true, "content": {"application/json": {"schema": {"type": "object", "required": ["command"], "properties": {"command": {"type": "string", "enum": ["view", "create", "str_replace", "insert", "delete", "rename"]}}}}}},
            "responses": responses("The tool's result.", &json!({"type": "object", "required": ["content", "is_error"], "properties": {"content": {"type": "string"}, "is_error": {"type": "boolean"}}})),
        }}),
    );
    paths.insert(
        "/v1/status".to_owned(),
        json!({"get": {"operationId": "status", "summary": "About the daemon itself", "responses": responses("Version, process, agents.", &any)}}),
    );
    paths.insert(
        "/v1/events".to_owned(),
        json!({"get": {"operationId": "events", "summary": "What changes, as it changes (server-sent events)", "parameters": [reference("project"), reference("agent")], "responses": text("Events named `changed` (a memory, or a piece of a file) and `session_completed` (facts were drawn from a session to its end).", "text/event-stream")}}),
    );
    paths.insert(
        "/healthz".to_owned(),
        json!({"get": {"operationId": "health", "summary": "Whether the daemon lives", "security": [], "responses": text("It does.", "text/plain")}}),
    );
    paths.insert(
        "/metrics".to_owned(),
        json!({"get": {"operationId": "metrics", "summary": "Numbers for Prometheus", "responses": text("The numbers.", "text/plain")}}),
    );
    paths
}

fn responses(about: &str, schema: &Value) -> Value {
    json!({
        "200": {"description": about, "content": {"application/json": {"schema": schema}}},
        "default": failure(),
    })
}

fn failure() -> Value {
    let schema = json!({"$ref": "#/components/schemas/Problem"});
    json!({"description": "A failure.", "content": {"application/problem+json": {"schema": schema}}})
}

fn problem() -> Value {
    json!({
        "type": "object",
        "required": ["type", "title", "status", "detail", "code"],
        "properties": {
            "type": {"type": "string"},
            "title": {"type": "string"},
            "status": {"type": "integer"},
            "detail": {"type": "string", "description": "What happened and what to do."},
            "code": {"type": "string", "enum": scrubjay_core::error::TABLE.iter().map(|row| row.name).collect::<Vec<_>>()},
            "causes": {"type": "array", "items": {"type": "string"}},
        },
    })
}

fn reference(parameter: &str) -> Value {
    json!({"$ref": format!("#/components/parameters/{parameter}")})
}

// A schema as part of a document: without its own header.
fn schema(mut schema: Value) -> Value {
    if let Some(fields) = schema.as_object_mut() {
        fields.remove("$schema");
    }
    schema
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::http::routes;

    #[test]
    fn every_route_for_programs_is_described() {
        let document = document();
        // Pages, the way in, and what only our own processes ask for.
        let own = ["/", "/docs", "/docs.js", "/docs.css", "/login", "/logout", "/openapi.json", "/mcp"];
        let own = [&own[..], &["/v1/hook", "/v1/shutdown", "/login/link", "/enter"]].concat();
        for route in routes() {
            let method = route.method.as_str().to_ascii_lowercase();
            let described = document["paths"][&route.path].get(&method).is_some();
            let is_own = own.contains(&route.path.as_str()) || route.path.starts_with("/web/");
            assert_eq!(described, !is_own, "{method} {}", route.path);
        }
        assert!(!document.to_string().contains("$schema"));
    }
}
