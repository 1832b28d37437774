//! Prompts: what a person can ask for by name in their client.

use scrubjay_core::fence;
use serde_json::{Value, json};

use super::message::Fault;
use super::resources::{bullet, nonce, run};
use super::server::Server;

/// The prompts there are.
pub(super) fn prompts() -> Value {
    json!([
        {
            "name": "recall",
            "title": "Recall",
            "description": "Put what is remembered about a question before it.",
            "arguments": [{"name": "question", "description": "What you want to know.", "required": true}],
        },
        {
            "name": "brief",
            "title": "Brief",
            "description": "Put the most important facts of this project at the beginning.",
            "arguments": [],
        },
    ])
}

/// One prompt, filled in.
pub(super) async fn get(server: &Server, params: &Value) -> Result<Value, Fault> {
    match params.get("name").and_then(Value::as_str).unwrap_or_default() {
        "recall" => {
            let question = params.pointer("/arguments/question").and_then(Value::as_str).unwrap_or_default();
            if question.trim().is_empty() {
                return Err(Fault::wrong_params("`recall` needs the argument `question`"));
            }
            let found = run(&server.caller, "recall", json!({"query": question})).await?;
            let hits = found["hits"].as_array().into_iter().flatten();
            let lines: Vec<String> = hits.filter_map(|hit| hit["snippet"].as_str()).map(bullet).collect();
            let known = block(server, "What is remembered about it:", &lines, "Nothing is remembered about it.")?;
            Ok(message("What is remembered about a question", &format!("{known}\n\n{question}")))
        }
        "brief" => {
            let input = json!({"where": {"kind": ["fact", "reflection"]}, "order_by": "importance", "limit": 20});
            let found = run(&server.caller, "list", input).await?;
            let memories = found["memories"].as_array().into_iter().flatten();
            let lines: Vec<String> = memories.filter_map(|memory| memory["content"].as_str()).map(bullet).collect();
            let known = block(server, "What is known about this project:", &lines, "Nothing is known here yet.")?;
            Ok(message("What is known here", &known))
        }
        other => Err(Fault::wrong_params(format!("there is no prompt `{other}`; prompts/list names all"))),
    }
}

fn block(server: &Server, title: &str, lines: &[String], otherwise: &str) -> Result<String, Fault> {
    if lines.is_empty() {
        return Ok(otherwise.to_owned());
    }
    Ok(format!("{title}\n{}", fence::wrap(&lines.join("\n"), &nonce(server)?)))
}

fn message(description: &str, text: &str) -> Value {
    json!({
        "description": description,
        "messages": [{"role": "user", "content": {"type": "text", "text": text}}],
    })
}
