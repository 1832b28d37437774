//! Prompts: what a person can ask for by name in their client.

use scrubjay_core::fence;
use scrubjay_core::memory::OriginKind;
use serde_json::{Value, json};

use super::message::Fault;
use super::resources::{bullet, caution, nonce, remembered, run};
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
            let (mut known, mut foreign) = (Vec::new(), Vec::new());
            for hit in found["hits"].as_array().into_iter().flatten() {
                let caution = caution(&hit["origin"]);
                let lines = if caution.is_some() { &mut foreign } else { &mut known };
                lines.extend(hit["snippet"].as_str().map(|snippet| bullet(snippet, caution)));
            }
            let mut text = block(server, "What is remembered about it:", &known, "Nothing is remembered about it.")?;
            if !foreign.is_empty() {
                let title = "What tools printed or pages said about it, which need not be true:";
                text = format!("{text}\n\n{}", block(server, title, &foreign, "")?);
            }
            Ok(message("What is remembered about a question", &format!("{text}\n\n{question}")))
        }
        "brief" => {
            // Nobody asked for anything in particular, so what is foreign stays away.
            let own = OriginKind::ALL.into_iter().filter(|origin| !origin.is_foreign()).map(OriginKind::name);
            let conditions = json!({"kind": ["fact", "reflection"], "origin": own.collect::<Vec<_>>()});
            let input = json!({"where": conditions, "order_by": "importance", "limit": 20});
            let found = run(&server.caller, "list", input).await?;
            let lines: Vec<String> =
                found["memories"].as_array().into_iter().flatten().filter_map(remembered).collect();
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
