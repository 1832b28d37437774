//! Examples of inputs, made from their schemas.
//!
//! An example has what must be given, and what a person would give first: what
//! stands without a flag on the command line.

use serde_json::{Map, Value, json};

/// An example of an operation's input.
pub(super) fn example(operation: &str, schema: &Value) -> Value {
    let required = schema["required"].as_array();
    let is_required = |name: &str| required.is_some_and(|names| names.iter().any(|given| given == name));
    let fields = schema["properties"].as_object().into_iter().flatten();
    let given = fields.filter(|(name, property)| {
        let cli = &property["x-cli"];
        // A task was done in some conversation.
        let belongs = operation == "summarize" && name.as_str() == "session";
        belongs || is_required(name) || (cli["positional"].is_string() && cli["hide"] != true)
    });
    given.map(|(name, property)| (name.clone(), sample(operation, name, property))).collect::<Map<_, _>>().into()
}

// Something that a field of this name and shape could hold.
fn sample(operation: &str, name: &str, property: &Value) -> Value {
    if let Some(first) = property["enum"].as_array().and_then(|values| values.first()) {
        return first.clone();
    }
    match kind(property) {
        "array" => json!([sample(operation, name.strip_suffix('s').unwrap_or(name), &property["items"])]),
        "object" if property["properties"].is_object() => {
            let required: Vec<&str> =
                property["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
            let fields = required
                .iter()
                .map(|field| ((*field).to_owned(), sample(operation, field, &property["properties"][field])));
            fields.collect::<Map<_, _>>().into()
        }
        "object" => json!({}),
        "boolean" => json!(true),
        "integer" => json!(5),
        "number" => json!(0.5),
        _ => json!(text(operation, name)),
    }
}

fn kind(property: &Value) -> &str {
    match &property["type"] {
        Value::String(kind) => kind,
        Value::Array(kinds) => kinds.iter().filter_map(Value::as_str).find(|kind| *kind != "null").unwrap_or_default(),
        _ => "",
    }
}

fn text(operation: &str, name: &str) -> &'static str {
    match (operation.split('.').next().unwrap_or(operation), name) {
        ("receipts", "id") => "rec_0197a3c2-1b7e-7c44-9d3a-2f6d1c0b8e55",
        ("confirmations", "id") => "conf_0197a3c2-1b7e-7c44-9d3a-2f6d1c0b8e55",
        ("jobs", "id" | "job") => "job_0197a3c2-1b7e-7c44-9d3a-2f6d1c0b8e55",
        ("task", "task") => "flaky-test",
        (_, "query" | "question") => "when are invoices sent",
        (_, "content") => "Invoices are sent on the first working day of a month",
        (_, "text") => "When are invoices sent?",
        (_, "task" | "title") => "Fix the flaky test",
        ("projects", "id") if operation != "projects.move" => "app-1a2b3c4d",
        ("projects", "name" | "to" | "into") => "shop-5e6f7a8b",
        ("config", "key") => "query.max_results",
        ("config", "value") => "5",
        (_, "name" | "into") => "Grace Hopper",
        (_, "path") => "notes",
        (_, "session" | "session_id") => "standup",
        (_, "role") => "user",
        (_, "scope") => "project",
        (_, "relation") => "related",
        (_, "from" | "to" | "id" | "target") => "fact_0197a3c2-1b7e-7c44-9d3a-2f6d1c0b8e55",
        _ => "x",
    }
}
