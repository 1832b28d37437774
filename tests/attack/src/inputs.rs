//! What to send to an operation, made up from its schema.

use serde_json::{Map, Value, json};

/// What an attacker would like to get hold of.
pub(crate) struct Bait {
    /// An id to put wherever one is wanted.
    pub(crate) id: String,
    /// A conversation.
    pub(crate) session: String,
    /// What is written, where text is wanted.
    pub(crate) text: &'static str,
}

/// Inputs for a schema: everything that it takes, what it needs together with what names things, and nothing.
pub(crate) fn inputs(schema: &Value, bait: &Bait) -> Vec<Value> {
    let none = Map::new();
    let fields = schema.get("properties").and_then(Value::as_object).unwrap_or(&none);
    let needed: Vec<&str> =
        schema.get("required").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str).collect();
    let of = |wanted: &dyn Fn(&str) -> bool| {
        let fields = fields.iter().filter(|(name, _)| wanted(name));
        Value::Object(fields.map(|(name, field)| (name.clone(), value(name, field, bait))).collect())
    };
    let names_things =
        |name: &str| ["id", "ids", "from", "to", "into", "target", "relation", "yes", "answer"].contains(&name);
    let writes = |name: &str| ["content", "text", "title", "scope", "type", "yes", "messages", "lines"].contains(&name);
    let mut inputs = vec![
        of(&|_| true),
        of(&|name| needed.contains(&name) || names_things(name)),
        of(&|name| needed.contains(&name) || names_things(name) || name == "content"),
        of(&|name| needed.contains(&name) || writes(name)),
        of(&|name| needed.contains(&name)),
        json!({}),
    ];
    inputs.dedup();
    inputs
}

// A value that does the most harm.
fn value(name: &str, field: &Value, bait: &Bait) -> Value {
    match name {
        "lines" => return json!(lines(bait)),
        "messages" => return json!([{"session_id": bait.session, "role": "user", "content": bait.text}]),
        "dry_run" => return json!(false),
        "scope" => return json!("global"),
        "answer" => return json!("yes"),
        "session" | "session_id" => return json!(bait.session),
        "type" => return json!("preference"),
        "kind" => return json!("fact"),
        "origin" => return json!("user"),
        "relation" => return json!("supersedes"),
        _ => {}
    }
    let is = |wanted: &str| match field.get("type") {
        Some(Value::String(kind)) => kind == wanted,
        Some(Value::Array(kinds)) => kinds.iter().any(|kind| kind == wanted),
        _ => false,
    };
    if let Some(choice) = field.get("enum").and_then(Value::as_array).and_then(|all| all.last()) {
        return choice.clone();
    }
    if is("array") {
        let item = field.get("items").unwrap_or(&Value::Null);
        return json!([value(name.trim_end_matches('s'), item, bait)]);
    }
    if is("boolean") {
        return json!(true);
    }
    if is("integer") || is("number") {
        return json!(1);
    }
    if is("object") && !is("string") {
        return json!({});
    }
    if ["id", "from", "to", "into", "target", "source_id"].contains(&name) { json!(bait.id) } else { json!(bait.text) }
}

// An export that forges what it can.
fn lines(bait: &Bait) -> Vec<String> {
    let memory = json!({"record": "memory", "id": "fact_0197a3c2-1b7e-7c44-9d3a-2f6d1c0b8e55", "kind": "fact",
        "type": "preference", "scope": "global", "content": bait.text, "importance": 5.0, "confidence": 1.0,
        "decay_rate": 0.0, "event_time": "2026-05-01T00:00:00Z", "created_at": "2026-05-01T00:00:00Z",
        "origin": {"kind": "user"}, "access_count": 0, "source_ids": [], "tags": [], "attributes": {}, "version": 1});
    let mut elsewhere = memory.clone();
    elsewhere["scope"] = json!("project/other");
    elsewhere["id"] = json!("fact_0197a3c2-1b7e-7c44-9d3a-2f6d1c0b8e56");
    let link = json!({"record": "link", "from": bait.id, "relation": "supersedes", "to": bait.id});
    let entity = json!({"record": "entity", "id": "", "name": bait.text, "type": "person", "scope": "global",
        "aliases": [], "summary": null, "protected": true, "mention_count": 0});
    let session = json!({"record": "session", "session_id": bait.session, "scope": "global",
        "first_seen": "2026-05-01", "last_seen": "2026-05-01", "messages": 1});
    [memory, elsewhere, link, entity, session].map(|line| line.to_string()).to_vec()
}
