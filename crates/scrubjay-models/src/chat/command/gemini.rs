//! Gemini CLI: `gemini -p`.

use serde::Deserialize;
use serde_json::Value;

use super::super::request::Usage;
use super::entry::{Entry, Options, Printed, words};

pub(super) const ENTRY: Entry = Entry {
    name: "gemini",
    title: "Gemini CLI",
    client: Some("gemini"),
    arguments,
    takes_instructions: false,
    variables: &[("NO_BROWSER", "1")],
    without_variables: &["GEMINI_CLI"],
    read,
};

fn arguments(options: &Options<'_>) -> Vec<String> {
    const WORDS: &[&str] = &[
        "--output-format",
        "json",
        "--skip-trust",
        "--approval-mode",
        "plan",
        // Names that nothing has: no extension, no server.
        "--extensions",
        "none",
        "--allowed-mcp-server-names",
        "none",
        // It is added to what comes by standard input.
        "-p",
        "Answer the request above.",
    ];
    words(WORDS, "--model", options)
}

#[derive(Deserialize)]
struct Outcome {
    response: Option<String>,
    error: Option<Value>,
}

fn read(output: &str) -> Printed {
    // Notices may stand before it.
    let start = output.find("\n{").map_or(0, |at| at + 1);
    match serde_json::from_str::<Outcome>(&output[start..]) {
        Ok(Outcome { response: Some(text), error: None }) => Printed::ChatReply(text, Usage::default()),
        Ok(Outcome { error: Some(error), .. }) => {
            let message = error.get("message").and_then(Value::as_str).unwrap_or_default();
            Printed::Failure(message.to_owned())
        }
        Ok(_) => Printed::Failure(String::new()),
        Err(_) => Printed::Failure(output.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_outcome_is_read() {
        let answer = Printed::ChatReply("{}".to_owned(), Usage::default());
        assert_eq!(read("{\n \"response\": \"{}\", \"stats\": {}}"), answer);
        assert_eq!(read("A notice.\n{\"response\": \"{}\"}"), answer);
        assert_eq!(read(r#"{"error": {"message": "no"}}"#), Printed::Failure("no".to_owned()));
    }
}
