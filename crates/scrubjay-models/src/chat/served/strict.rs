//! A schema as vendors want it who hold a model to it letter by letter: every property required, no others allowed.

use serde_json::{Value, json};

/// Words of JSON Schema that say nothing about the form of an answer, or that vendors refuse.
const LEFT_OUT: [&str; 6] = ["$schema", "title", "default", "format", "examples", "x-cli"];

/// The schema with all properties required and no others allowed, all the way down.
pub(super) fn strict(schema: &Value) -> Value {
    match schema {
        Value::Object(fields) => {
            let mut strict_fields: serde_json::Map<String, Value> = fields
                .iter()
                .filter(|(name, value)| !LEFT_OUT.contains(&name.as_str()) || value.is_object())
                .map(|(name, value)| (name.clone(), strict(value)))
                .collect();
            if let Some(properties) = strict_fields.get("properties").and_then(Value::as_object) {
                let names: Vec<Value> = properties.keys().map(|name| json!(name)).collect();
                strict_fields.insert("required".to_owned(), Value::Array(names));
                strict_fields.insert("additionalProperties".to_owned(), json!(false));
            }
            Value::Object(strict_fields)
        }
        Value::Array(items) => Value::Array(items.iter().map(strict).collect()),
        other => other.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_is_required_and_nothing_else_allowed() {
        let schema = json!({
            "$schema": "x", "title": "Facts", "type": "object",
            "properties": {"title": {"type": "string", "default": ""},
                "list": {"type": "array", "items": {"type": "object", "properties": {"a": {"type": "integer"}}}}},
            "required": ["list"],
        });
        let expected = json!({
            "type": "object",
            "properties": {"title": {"type": "string"}, "list": {"type": "array", "items": {"type": "object",
                "properties": {"a": {"type": "integer"}}, "required": ["a"], "additionalProperties": false}}},
            "required": ["title", "list"], "additionalProperties": false,
        });
        assert_eq!(strict(&schema), expected);
    }
}
