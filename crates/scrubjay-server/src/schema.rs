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
            // A field that must be given has an empty default, which is none of its words.
            let words = fields.get("enum").and_then(Value::as_array);
            let is_a_word = |default: &Value| words.is_none_or(|words| words.contains(default));
            if fields.get("default").is_some_and(|default| !is_a_word(default)) {
                fields.remove("default");
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

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_default_is_one_of_the_words() {
        let schema =
            json!({"a": {"enum": ["x", "y"], "default": "", "x-cli": {}}, "b": {"enum": ["x"], "default": "x"}});
        assert_eq!(plain(schema), json!({"a": {"enum": ["x", "y"]}, "b": {"enum": ["x"], "default": "x"}}));
    }
}
