//! Tools: the operations that have a tool's name.

use scrubjay_core::visible::escaped_json;
use scrubjay_engine::ops::{Entry, REGISTRY, Risk};
use serde_json::{Value, json};

use super::message::Fault;
use super::server::Server;
use crate::auth::Grant;

/// The tools that a model should know without looking for them.
const ALWAYS: [&str; 2] = ["search_memory", "remember_fact"];

/// Every tool within what a token is worth, in the order of the list of
/// operations.
#[must_use]
pub fn tools(grant: &Grant) -> Vec<Value> {
    let offered = REGISTRY.iter().filter(|entry| grant.allows(entry).is_ok());
    offered.filter_map(|entry| Some(tool(entry.surfaces.mcp?, entry))).collect()
}

fn tool(name: &str, entry: &Entry) -> Value {
    let (title, description) = entry.about();
    let mut input = plain(entry.input_schema());
    // An unknown field is refused, so the schema says so.
    input["additionalProperties"] = json!(false);
    input["type"] = json!("object");
    let mut tool = json!({
        "name": name,
        "title": title,
        "description": description,
        "inputSchema": input,
        "outputSchema": plain(entry.output_schema()),
        "annotations": {
            "title": title,
            "readOnlyHint": entry.risk == Risk::Read,
            "destructiveHint": entry.risk == Risk::Destroy,
            "idempotentHint": entry.risk == Risk::Read,
            "openWorldHint": false,
        },
    });
    if ALWAYS.contains(&name) {
        tool["_meta"] = json!({"anthropic/alwaysLoad": true});
    }
    tool
}

/// Runs a tool. What the operation objects to is the tool's answer.
pub(super) async fn call(server: &Server, params: &Value) -> Result<Value, Fault> {
    let name = params.get("name").and_then(Value::as_str).unwrap_or_default();
    let entry = REGISTRY.iter().find(|entry| entry.surfaces.mcp == Some(name));
    let entry = entry.ok_or_else(|| Fault::wrong_params(format!("there is no tool `{name}`; tools/list names all")))?;
    let input = match params.get("arguments") {
        None | Some(Value::Null) => json!({}),
        Some(arguments @ Value::Object(_)) => arguments.clone(),
        Some(_) => return Ok(objection("the arguments are no object; send {\"field\": value}")),
    };
    if let Err(error) = server.grant.allows(entry) {
        return Ok(objection(&error.to_string()));
    }
    Ok(match server.caller.call(entry, input).await {
        Ok((answer, _)) => json!({
            "content": [{"type": "text", "text": escaped_json(&answer.to_string())}],
            "structuredContent": answer,
            "isError": false,
        }),
        Err(error) => objection(&error.to_string()),
    })
}

fn objection(message: &str) -> Value {
    json!({"content": [{"type": "text", "text": message}], "isError": true})
}

// A schema without what concerns the command line alone, and without the names
// of number formats that JSON Schema does not know: clients complain about each.
fn plain(mut schema: Value) -> Value {
    match &mut schema {
        Value::Object(fields) => {
            // What only a person may ask for is not offered to a model.
            let is_offered = |value: &Value| value.get("x-mcp") != Some(&Value::Bool(false));
            fields.retain(|name, value| name != "x-cli" && name != "$schema" && is_offered(value));
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tools_are_few_and_short_and_say_what_they_do() {
        let tools = tools(&Grant::Owner);
        let names: Vec<&str> = tools.iter().map(|tool| tool["name"].as_str().unwrap()).collect();
        for wanted in [
            "search_memory",
            "remember_fact",
            "correct_fact",
            "confirm_fact",
            "forget_memory",
            "memory_stats",
            "get_entity_info",
        ] {
            assert!(names.contains(&wanted), "{wanted}");
        }
        assert!(names.len() <= 8, "{names:?}");
        for tool in &tools {
            assert!(tool["description"].as_str().unwrap().len() < 2048, "{}", tool["name"]);
            for schema in ["inputSchema", "outputSchema"] {
                assert_eq!(tool[schema]["type"], "object", "{} {schema}", tool["name"]);
            }
            assert!(!tool.to_string().contains("x-cli"));
            assert!(!tool.to_string().contains("\"format\":\"uint"), "{tool}");
        }
    }

    #[test]
    fn a_token_that_may_look_only_sees_tools_that_look_only() {
        let looking = Grant::Part { id: "x".to_owned(), agent: "default".to_owned(), project: None, read_only: true };
        let tools = tools(&looking);
        assert!(tools.iter().all(|tool| tool["annotations"]["readOnlyHint"] == true));
        assert!(tools.iter().any(|tool| tool["name"] == "search_memory"));
    }
}
