//! The smallest JSON of a given shape, which is what the chat models of this server answer by default.

use serde_json::{Map, Value, json};

/// A value that fits a schema, as far as its types say.
pub(super) fn instance(schema: &Value) -> Value {
    if let Some(first) = schema.get("enum").and_then(Value::as_array).and_then(|values| values.first()) {
        return first.clone();
    }
    let alternatives = ["anyOf", "oneOf"].iter().find_map(|name| schema.get(name)).and_then(Value::as_array);
    if let Some(first) = alternatives.and_then(|all| all.first()) {
        return instance(first);
    }
    let kind = match schema.get("type") {
        Some(Value::String(kind)) => kind.as_str(),
        Some(Value::Array(kinds)) => kinds.first().and_then(Value::as_str).unwrap_or("null"),
        _ => "object",
    };
    match kind {
        "string" => json!("text"),
        "integer" | "number" => json!(1),
        "boolean" => json!(true),
        "array" => json!([schema.get("items").map_or(Value::Null, instance)]),
        "null" => Value::Null,
        _ => {
            let properties = schema.get("properties").and_then(Value::as_object);
            let filled: Map<String, Value> =
                properties.into_iter().flatten().map(|(name, schema)| (name.clone(), instance(schema))).collect();
            Value::Object(filled)
        }
    }
}
