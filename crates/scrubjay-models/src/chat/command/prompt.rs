//! From a request to the text that a program reads.

use super::super::request::{ChatRequest, Speaker};

/// The prompt: the turns, the schema if JSON is wanted, and the instructions before them unless they go elsewhere.
pub(super) fn prompt(request: &ChatRequest, with_instructions: bool) -> String {
    let mut parts = Vec::new();
    if with_instructions && !request.system.is_empty() {
        parts.push(request.system.clone());
    }
    for turn in &request.turns {
        parts.push(match turn.speaker {
            Speaker::User => turn.text.clone(),
            Speaker::Assistant => format!("Your answer was:\n{}", turn.text),
        });
    }
    if let Some(shape) = &request.shape {
        let schema = &shape.schema;
        parts.push(format!(
            "Answer with one JSON value of this schema, and with nothing else: no prose, no code fence. Use no tools.\n{schema}"
        ));
    }
    parts.join("\n\n")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn everything_is_in_one_text() {
        let request = ChatRequest::new("Decide.", "Keep it?").shaped("verdict", json!({"type": "object"}));
        let whole = prompt(&request, true);
        assert!(
            whole.starts_with("Decide.\n\nKeep it?\n\nAnswer with one JSON") && whole.ends_with(r#"{"type":"object"}"#)
        );
        assert!(prompt(&request, false).starts_with("Keep it?"));
        assert_eq!(prompt(&ChatRequest::new("", "Hi"), true), "Hi");
    }
}
