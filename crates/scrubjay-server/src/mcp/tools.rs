//! Tools: the operations that have a tool's name.
//!
//! Every client sends the list with every request, so it is short: a tool has
//! the few fields that a model should fill in, and its output schema names the
//! answer's fields and their types, without what is inside of them.

use scrubjay_core::visible::escaped_json;
use scrubjay_engine::ops::{Entry, REGISTRY, Risk};
use serde_json::{Map, Value, json};

use super::message::Fault;
use super::server::Server;
use super::wording;
use crate::auth::Grant;
use crate::schema::plain;

/// The tools that a model should know without looking for them.
const ALWAYS: [&str; 2] = ["search_memory", "remember_fact"];

/// Every tool within what a token is worth, in the order of the list of
/// operations.
#[must_use]
pub fn tools(grant: &Grant) -> Vec<Value> {
    let offered = REGISTRY.iter().filter(|entry| grant.allows(entry).is_ok());
    offered.filter_map(|entry| Some(tool(entry.surfaces.mcp?, entry))).collect()
}

/// What is told of a tool that brings files in step before it answers.
const FILES_FIRST: &str = " Files that changed are read first.";

fn tool(name: &str, entry: &Entry) -> Value {
    let mut tool = json!({
        "name": name,
        "description": format!("{}{}", entry.tool.about, if entry.syncs_files { FILES_FIRST } else { "" }),
        "inputSchema": input_schema(entry),
        "outputSchema": outline(&plain(entry.output_schema())),
        "annotations": {
            "readOnlyHint": entry.risk == Risk::Read,
            "destructiveHint": entry.risk == Risk::Destroy,
            "openWorldHint": false,
        },
    });
    if ALWAYS.contains(&name) {
        tool["_meta"] = json!({"anthropic/alwaysLoad": true});
    }
    tool
}

// The fields that a model should fill in. What it may leave out it leaves out, so no field is null.
fn input_schema(entry: &Entry) -> Value {
    let schema = entry.input_schema();
    let mut fields = Map::new();
    for name in entry.tool.fields() {
        let property = &schema["properties"][name];
        let words = property.get("x-mcp").or_else(|| property.get("description")).cloned().unwrap_or_default();
        let mut field = without_null(plain(property.clone()));
        field["description"] = words;
        fields.insert(name.to_owned(), field);
    }
    let mut input = json!({"type": "object", "properties": fields, "additionalProperties": false});
    if !entry.tool.required.is_empty() {
        input["required"] = json!(entry.tool.required);
    }
    input
}

fn without_null(mut field: Value) -> Value {
    if let Some(fields) = field.as_object_mut() {
        for name in ["default", "minimum", "format"] {
            fields.remove(name);
        }
    }
    if let Some(values) = field.get_mut("enum").and_then(Value::as_array_mut) {
        values.retain(|value| !value.is_null());
    }
    if let Some(types) = field.get_mut("type").filter(|types| types.is_array()) {
        let rest: Vec<Value> = types.as_array().into_iter().flatten().filter(|name| *name != "null").cloned().collect();
        *types = if rest.len() == 1 { rest[0].clone() } else { rest.into() };
    }
    field
}

// The names and types of an answer's fields.
fn outline(schema: &Value) -> Value {
    let fields = schema["properties"].as_object().into_iter().flatten().map(|(name, property)| {
        let field = property.get("type").map_or_else(|| json!({}), |kind| json!({"type": kind}));
        (name.clone(), field)
    });
    json!({"type": "object", "properties": fields.collect::<Map<_, _>>()})
}

/// Runs a tool. What the operation objects to is the tool's answer.
pub(super) async fn call(server: &Server, params: &Value) -> Result<Value, Fault> {
    let name = params.get("name").and_then(Value::as_str).unwrap_or_default();
    let entry = REGISTRY.iter().find(|entry| entry.surfaces.mcp == Some(name));
    let entry = entry.ok_or_else(|| Fault::wrong_params(format!("there is no tool `{name}`; tools/list names all")))?;
    let input = match params.get("arguments") {
        None | Some(Value::Null) => Map::new(),
        Some(Value::Object(arguments)) => arguments.clone(),
        Some(_) => {
            let message = format!("The arguments are no object: {}.", wording::takes(entry));
            return Ok(objection(&message));
        }
    };
    if let Err(error) = server.grant.allows(entry) {
        return Ok(objection(&wording::failure(entry, &error)));
    }
    if let Some(message) = misfit(name, entry, &input) {
        return Ok(objection(&message));
    }
    Ok(match server.caller.call(entry, Value::Object(input)).await {
        Ok((mut answer, _)) => {
            wording::warnings(entry, &mut answer);
            if let Some(id) = answer.get("pending").and_then(Value::as_str) {
                answer["note"] = wording::pending(id).into();
            }
            json!({
                "content": [{"type": "text", "text": escaped_json(&answer.to_string())}],
                "structuredContent": answer,
                "isError": false,
            })
        }
        Err(error) => objection(&wording::failure(entry, &error)),
    })
}

// A field that is missing, or not one of the tool's.
fn misfit(name: &str, entry: &Entry, input: &Map<String, Value>) -> Option<String> {
    let unknown = input.keys().find(|field| !entry.tool.fields().any(|known| known == field.as_str()));
    let is_missing = |value: &Value| value.is_null() || value.as_array().is_some_and(Vec::is_empty);
    let missing = entry.tool.required.iter().find(|field| input.get(**field).is_none_or(is_missing));
    let problem = match (unknown, missing) {
        (Some(field), _) => format!("{name} has no field `{field}`"),
        (None, Some(field)) => format!("{name} needs `{field}`"),
        (None, None) => return None,
    };
    Some(format!("{problem}. {}.", wording::takes(entry)))
}

fn objection(message: &str) -> Value {
    json!({"content": [{"type": "text", "text": message}], "isError": true})
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every client sends the whole list with every request.
    const TOKENS: usize = 2000;

    #[test]
    fn the_whole_list_costs_a_model_little() {
        let listed = json!({ "tools": tools(&Grant::Owner) }).to_string();
        let tokens = bpe_openai::cl100k_base().count(&listed);
        assert!(tokens <= TOKENS, "{tokens} tokens: {listed}");
    }

    #[test]
    fn tools_say_when_to_call_them_and_what_they_need() {
        let tools = tools(&Grant::Owner);
        let mut names: Vec<&str> = tools.iter().map(|tool| tool["name"].as_str().unwrap()).collect();
        names.sort_unstable();
        let expected = [
            "confirm_fact",
            "correct_fact",
            "forget_memory",
            "get_context",
            "get_entity_info",
            "memory_stats",
            "remember_fact",
            "search_memory",
        ];
        assert_eq!(names, expected);
        let says_files_first =
            |tool: &&Value| tool["description"].as_str().is_some_and(|about| about.ends_with(FILES_FIRST));
        let files_first: Vec<&Value> = tools.iter().filter(says_files_first).map(|tool| &tool["name"]).collect();
        assert_eq!(files_first, ["search_memory", "get_context"]);
        for tool in &tools {
            let (name, input) = (&tool["name"], &tool["inputSchema"]);
            assert!(tool["description"].as_str().is_some_and(|about| about.len() > 30), "{name}");
            for schema in ["inputSchema", "outputSchema"] {
                assert_eq!(tool[schema]["type"], "object", "{name} {schema}");
            }
            assert_eq!(input["required"].is_array(), name != "memory_stats", "{name}: {input}");
            for (field, property) in input["properties"].as_object().unwrap() {
                assert!(property["type"].is_string(), "{name} {field}: {property}");
                assert!(property["description"].as_str().is_some_and(|words| !words.is_empty()), "{name} {field}");
            }
            for word in ["x-cli", "x-mcp", "\"format\":\"uint", "may be given several times", "scrubjay "] {
                assert!(!tool.to_string().contains(word), "{word} in {tool}");
            }
        }
    }

    #[test]
    fn every_field_of_a_tool_is_one_of_its_operation() {
        for entry in REGISTRY.iter().filter(|entry| entry.surfaces.mcp.is_some()) {
            let schema = entry.input_schema();
            for field in entry.tool.fields() {
                assert!(schema["properties"][field].is_object(), "{} has no {field}", entry.name);
            }
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
