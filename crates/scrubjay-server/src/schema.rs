//! Schemas as the outside gets them.

use serde_json::Value;

/// A schema without what concerns our own surfaces alone, without a header of
/// its own, and without the names of number formats that JSON Schema does not
/// know: clients complain about each.
pub(crate) fn plain(mut schema: Value) -> Value {
    match &mut schema {
        Value::Object(fields) => {
            fields.retain(|name, _| name != "x-cli" && name != "x-mcp" && name != "$schema");
            if fields.get("format").and_then(Value::as_str).is_some_and(|format| format.starts_with("uint")) {
                fields.remove("format");
            }
            for value in fields.values_mut() {
                *value = plain(value.take());
            }
        }
        Value::Array(values) => {
            for value in values {
                *value = plain(value.take());
            }
        }
        _ => {}
    }
    schema
}
