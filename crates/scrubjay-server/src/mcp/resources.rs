//! Resources: memories by address, `memory://<id>`, and what is known about a
//! name, `memory://entity/<name>`.

use scrubjay_core::fence;
use scrubjay_core::memory::OriginKind;
use scrubjay_core::visible::visible;
use scrubjay_engine::ops;
use serde_json::{Value, json};

use super::message::Fault;
use super::server::Server;
use crate::client::Caller;

/// How many memories a page of the list has.
const PAGE: usize = 50;

const MARKDOWN: &str = "text/markdown";

/// The addresses that can be made up from a pattern.
pub(super) fn templates() -> Value {
    json!([
        {
            "uriTemplate": "memory://{id}",
            "name": "memory",
            "title": "A memory",
            "description": "A memory by its id, as search_memory shows it.",
            "mimeType": MARKDOWN,
        },
        {
            "uriTemplate": "memory://entity/{name}",
            "name": "entity",
            "title": "A named thing",
            "description": "What is known about a person, project, address or other named thing.",
            "mimeType": MARKDOWN,
        },
    ])
}

/// A page of memories: facts and reflections, newest first. A client shows their
/// names, so what a tool printed or a page said goes by its id.
pub(super) async fn list(server: &Server, params: &Value) -> Result<Value, Fault> {
    let mut input = json!({"limit": PAGE, "where": {"kind": ["fact", "reflection"]}});
    if let Some(cursor) = params.get("cursor").filter(|cursor| !cursor.is_null()) {
        input["cursor"] = cursor.clone();
    }
    let page = run(&server.caller, "list", input).await?;
    let resource = |memory: &Value| {
        let text = |field: &str| memory[field].as_str().unwrap_or_default();
        let about = format!("{} ({})", text("kind"), text("type"));
        let (name, description) = match caution(&memory["origin"]["kind"]) {
            Some(caution) => (text("id").to_owned(), format!("{about}, {caution}")),
            None => (title(text("content")), about),
        };
        json!({
            "uri": format!("memory://{}", text("id")),
            "name": name,
            "description": visible(&description),
            "mimeType": MARKDOWN,
        })
    };
    let resources: Vec<Value> = page["memories"].as_array().into_iter().flatten().map(resource).collect();
    let mut result = json!({"resources": resources});
    if page["next"].is_string() {
        result["nextCursor"] = page["next"].clone();
    }
    Ok(result)
}

/// One resource.
pub(super) async fn read(server: &Server, params: &Value) -> Result<Value, Fault> {
    let uri = params.get("uri").and_then(Value::as_str).unwrap_or_default();
    let missing = || Fault::wrong_params(format!("there is no resource `{}` here", title(uri)));
    let rest = uri.strip_prefix("memory://").filter(|rest| !rest.is_empty()).ok_or_else(missing)?;
    let body = match rest.strip_prefix("entity/") {
        Some(name) => {
            let name = unescape(name);
            let found = run(&server.caller, "entity", json!({"name": name})).await.map_err(|_| missing())?;
            let memories = found["memories"].as_array().into_iter().flatten();
            let lines: Vec<String> = memories.filter_map(remembered).collect();
            format!("# {}\n\n{}", visible(&name), lines.join("\n"))
        }
        None => {
            let found = run(&server.caller, "show", json!({"id": rest})).await.map_err(|_| missing())?;
            let memory = found.get("memory").unwrap_or(&found);
            let text = |field: &str| memory[field].as_str().unwrap_or_default().to_owned();
            let mut about = format!("{} ({}), {}", text("kind"), text("type"), text("event_time"));
            if let Some(caution) = caution(&memory["origin"]["kind"]) {
                about.push_str(&format!(", {caution}: data, not known to be true"));
            }
            visible(&format!("{about}\n\n{}", text("content"))).into_owned()
        }
    };
    let text = fence::wrap(&body, &nonce(server)?);
    Ok(json!({"contents": [{"uri": uri, "mimeType": MARKDOWN, "text": text}]}))
}

/// Runs an operation for a resource or a prompt.
pub(super) async fn run(caller: &Caller, operation: &str, input: Value) -> Result<Value, Fault> {
    let entry = ops::find(operation).ok_or_else(|| Fault::internal(format!("there is no `{operation}` here")))?;
    let outcome = caller.call(entry, input).await;
    outcome.map(|(value, _)| value).map_err(|error| Fault::wrong_params(error.to_string()))
}

/// A mark that recalled text cannot know.
pub(super) fn nonce(server: &Server) -> Result<String, Fault> {
    server.caller.ctx().nonce().map_err(|error| Fault::internal(error.to_string()))
}

/// A memory as a line of a list, with its origin if it is foreign.
pub(super) fn remembered(memory: &Value) -> Option<String> {
    Some(bullet(memory["content"].as_str()?, caution(&memory["origin"]["kind"])))
}

/// A line of a list, and what a reader is told beside it.
pub(super) fn bullet(text: &str, caution: Option<&str>) -> String {
    let caution = caution.map_or_else(String::new, |caution| format!("({caution}) "));
    format!("- {caution}{}", visible(text).replace('\n', "\n  "))
}

/// What a reader is told beside a text of this origin.
pub(super) fn caution(origin: &Value) -> Option<&'static str> {
    origin.as_str()?.parse::<OriginKind>().ok()?.caution()
}

fn title(content: &str) -> String {
    let content = visible(content);
    let line = content.lines().next().unwrap_or_default();
    let short: String = line.chars().take(60).collect();
    if short.len() < line.len() { format!("{short}…") } else { short }
}

// Undoes percent-escapes, as far as they make sense.
fn unescape(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut plain = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        let escaped = bytes.get(at + 1..at + 3).filter(|_| bytes[at] == b'%');
        let code = escaped.and_then(|hex| u8::from_str_radix(std::str::from_utf8(hex).ok()?, 16).ok());
        plain.push(code.unwrap_or(bytes[at]));
        at += if code.is_some() { 3 } else { 1 };
    }
    String::from_utf8_lossy(&plain).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_are_undone() {
        for (text, plain) in
            [("Ada%20Lovelace", "Ada Lovelace"), ("100%", "100%"), ("%zz", "%zz"), ("J%C3%BCrgen", "Jürgen")]
        {
            assert_eq!(unescape(text), plain);
        }
    }
}
