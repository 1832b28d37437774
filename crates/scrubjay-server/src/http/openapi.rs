//! `/openapi.json`: the routes, described from the same types that they are
//! made from.

use std::collections::BTreeMap;

use axum::http::{StatusCode, header};
use scrubjay_engine::ops::{Access, Entry, NamedSchemas, REGISTRY, Risk, named_schemas};
use serde_json::{Map, Value, json};

use super::example::example;
use super::reply::json as reply;
use super::routes::{Answering, Call};
use crate::schema::plain;

/// Where the document keeps its schemas.
const SCHEMAS: &str = "/components/schemas";

pub(crate) fn answer(call: Call) -> Answering {
    Box::pin(async move {
        // The gate let in only names that are this daemon's.
        let host = call.request.headers.get(header::HOST).and_then(|host| host.to_str().ok());
        let server = format!("http://{}", host.unwrap_or("127.0.0.1:4747"));
        reply(StatusCode::OK, &document(&server))
    })
}

/// The whole document, OpenAPI 3.1, for the daemon at this address.
#[must_use]
pub fn document(server: &str) -> Value {
    let offered: Vec<&Entry> = REGISTRY.iter().filter(|entry| entry.surfaces.http).collect();
    let NamedSchemas { mut schemas, references } = named_schemas(offered.iter().copied(), SCHEMAS);
    let mut paths = Map::new();
    let mut tags = BTreeMap::new();
    for (entry, (input, output)) in offered.iter().zip(references) {
        // An unknown field is refused, so the schema says so.
        if let Some(schema) = named(&input).and_then(|name| schemas.get_mut(name)) {
            schema["additionalProperties"] = json!(false);
        }
        let (tag, about) = tag(entry, &offered);
        tags.entry(tag.clone()).or_insert(about);
        paths.insert(format!("/v1/{}", entry.name), json!({ "post": operation(entry, &tag, &input, &output) }));
    }
    paths.extend(others());
    tags.insert("daemon".to_owned(), "The daemon itself.".to_owned());
    tags.entry("messages".to_owned()).or_insert_with(|| "What chat bridges and agents send as it is.".to_owned());
    let tags: Vec<Value> = tags.iter().map(|(name, about)| json!({"name": name, "description": about})).collect();
    let mut components: Map<String, Value> = schemas.into_iter().map(|(name, schema)| (name, plain(schema))).collect();
    components.insert("Problem".to_owned(), problem());
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "Scrubjay",
            "version": env!("CARGO_PKG_VERSION"),
            "description": "Long-term memory for AI agents. Every operation takes a JSON object and answers with one; \
                a failure is a problem document (RFC 9457) whose `code` is stable.",
            "license": {"name": "MIT OR Apache-2.0", "identifier": "MIT OR Apache-2.0"},
        },
        "servers": [{"url": server, "description": "The daemon on this machine."}],
        "security": [{"token": []}],
        "tags": tags,
        "paths": paths,
        "components": {
            "securitySchemes": {
                "token": {"type": "http", "scheme": "bearer", "description": "The file `token` in the home folder, or a token made with `scrubjay token create`."},
            },
            "schemas": components,
            "parameters": {
                "project": {
                    "name": "Scrubjay-Project", "in": "header", "required": false,
                    "description": "The project to stand in; without it only global memories are seen. A token may be confined to one.",
                    "schema": {"type": "string", "pattern": "^[a-z0-9][a-z0-9._-]{0,79}$"},
                    "example": "app-1a2b3c4d",
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
                    "example": "release-notes-42",
                },
            },
        },
    })
}

fn operation(entry: &Entry, tag: &str, input: &Value, output: &Value) -> Value {
    let (summary, description) = entry.about();
    let mut parameters = vec![reference("project"), reference("agent")];
    if entry.risk != Risk::Read {
        parameters.push(reference("idempotency"));
    }
    let body = json!({"schema": input, "example": example(entry.name, entry.input_schema())});
    json!({
        "operationId": entry.name,
        "tags": [tag],
        "summary": summary,
        "description": description,
        "parameters": parameters,
        "requestBody": {"required": true, "content": {"application/json": body}},
        "responses": responses("What the operation answers.", output),
        "x-risk": entry.risk.name(),
    })
}

// Operations on the same noun belong together; the others go by who may ask for them and what they do.
fn tag(entry: &Entry, all: &[&Entry]) -> (String, String) {
    let noun = |name: &'static str| name.split('.').next().unwrap_or(name);
    let own = noun(entry.name);
    let siblings = all.iter().filter(|other| noun(other.name) == own).count();
    let (name, about) = match (entry.access, entry.risk) {
        _ if siblings > 1 => return (own.to_owned(), format!("Everything about {own}.")),
        (Access::Owner, _) => ("owner", "What concerns the whole store; for its owner."),
        (Access::View, Risk::Read) => ("read", "Asking what is known."),
        (Access::View, Risk::Write | Risk::Destroy) => ("write", "Changing what is known."),
    };
    (name.to_owned(), about.to_owned())
}

// The name that a reference to a schema ends with.
fn named(reference: &Value) -> Option<&str> {
    reference.get("$ref")?.as_str()?.rsplit('/').next()
}

// The routes that are no operation.
fn others() -> Map<String, Value> {
    let message = json!({"$ref": format!("#{SCHEMAS}/Message")});
    let captured = json!({"$ref": format!("#{SCHEMAS}/CaptureOutput")});
    let said = json!({"session_id": "standup", "role": "user", "content": "We ship on Friday"});
    let any = json!({"type": "object"});
    let text = |about: &str, kind: &str| json!({"200": {"description": about, "content": {kind: {"schema": {"type": "string"}}}}, "default": failure()});
    let mut paths = Map::new();
    paths.insert(
        "/v1/messages".to_owned(),
        json!({"post": {
            "operationId": "messages", "tags": ["messages"], "summary": "Keep messages, as a chat bridge sends them",
            "description": "One message, a list of them, or an object with a list in `messages`.",
            "parameters": [reference("project"), reference("agent"), reference("idempotency")],
            "requestBody": {"required": true, "content": {"application/json": {"schema": {"anyOf": [message, {"type": "array", "minItems": 1, "items": message}]}, "example": said}}},
            "responses": responses("What became of each message.", &captured),
        }}),
    );
    paths.insert(
        "/v1/memory-tool".to_owned(),
        json!({"post": {
            "operationId": "memory-tool", "tags": ["messages"], "summary": "A command of Anthropic's memory tool",
            "description": "Files under /memories, kept as memories of the project. Send the tool's input as it is.",
            "parameters": [reference("project"), reference("agent")],
            "requestBody": {"required": true, "content": {"application/json": {"schema": {"type": "object", "required": ["command"], "properties": {"command": {"type": "string", "enum": ["view", "create", "str_replace", "insert", "delete", "rename"]}}}, "example": {"command": "view", "path": "/memories"}}}},
            "responses": responses("The tool's result.", &json!({"type": "object", "required": ["content", "is_error"], "properties": {"content": {"type": "string"}, "is_error": {"type": "boolean"}}})),
        }}),
    );
    paths.insert(
        "/v1/status".to_owned(),
        json!({"get": {"operationId": "status", "tags": ["daemon"], "summary": "About the daemon itself", "responses": responses("Version, process, agents.", &any)}}),
    );
    paths.insert(
        "/v1/events".to_owned(),
        json!({"get": {"operationId": "events", "tags": ["daemon"], "summary": "What changes, as it changes (server-sent events)", "parameters": [reference("project"), reference("agent")], "responses": text("Events named `changed` (a memory, or a piece of a file) and `session_completed` (facts were drawn from a session to its end).", "text/event-stream")}}),
    );
    paths.insert(
        "/healthz".to_owned(),
        json!({"get": {"operationId": "health", "tags": ["daemon"], "summary": "Whether the daemon lives", "security": [], "responses": text("It does.", "text/plain")}}),
    );
    paths.insert(
        "/metrics".to_owned(),
        json!({"get": {"operationId": "metrics", "tags": ["daemon"], "summary": "Numbers for Prometheus", "responses": text("The numbers.", "text/plain")}}),
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::http::routes;

    #[test]
    fn every_route_for_programs_is_described() {
        let document = document("http://127.0.0.1:4747");
        // Pages, the way in, and what only our own processes ask for.
        let own = ["/", "/docs", "/docs.js", "/docs.css", "/login", "/logout", "/openapi.json", "/mcp"];
        let own = [&own[..], &["/v1/hook", "/v1/shutdown", "/login/link", "/enter"]].concat();
        for route in routes() {
            let method = route.method.as_str().to_ascii_lowercase();
            let described = document["paths"][&route.path].get(&method).is_some();
            let is_own = own.contains(&route.path.as_str()) || route.path.starts_with("/web/");
            assert_eq!(described, !is_own, "{method} {}", route.path);
        }
        for word in ["$schema", "x-cli", "x-mcp"] {
            assert!(!document.to_string().contains(word), "{word}");
        }
    }

    #[test]
    fn schemas_have_names_and_operations_have_tags_and_examples() {
        let document = document("http://127.0.0.1:4747");
        assert_eq!(document["servers"][0]["url"], "http://127.0.0.1:4747");
        let tags: Vec<&Value> = document["tags"].as_array().unwrap().iter().map(|tag| &tag["name"]).collect();
        for (path, methods) in document["paths"].as_object().unwrap() {
            for operation in methods.as_object().unwrap().values() {
                assert!(tags.contains(&&operation["tags"][0]), "{path}: {}", operation["tags"]);
            }
            let Some(body) = methods.pointer("/post/requestBody/content/application~1json") else { continue };
            assert!(body["example"].is_object(), "{path}: {body}");
        }
        for entry in REGISTRY.iter().filter(|entry| entry.surfaces.http) {
            let post = &document["paths"][format!("/v1/{}", entry.name)]["post"];
            for pointer in
                ["/requestBody/content/application~1json/schema", "/responses/200/content/application~1json/schema"]
            {
                let name = named(post.pointer(pointer).unwrap()).unwrap_or_else(|| panic!("{} {pointer}", entry.name));
                assert!(document["components"]["schemas"][name].is_object(), "{name}");
            }
        }
        // Two types of one name would get a number.
        for name in document["components"]["schemas"].as_object().unwrap().keys() {
            assert!(!name.ends_with(|last: char| last.is_ascii_digit()), "{name} is two types");
        }
    }
}
