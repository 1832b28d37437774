//! Claude Code: `claude -p`.

use serde::Deserialize;

use super::super::request::Usage;
use super::entry::{Entry, Options, Printed, words};

pub(super) const ENTRY: Entry = Entry {
    name: "claude",
    title: "Claude Code",
    client: Some("claude-code"),
    arguments,
    takes_instructions: true,
    variables: &[("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1"), ("CLAUDE_CODE_DISABLE_AUTO_MEMORY", "1")],
    // A daemon that a hook started has them, and the client would refuse to run inside of itself.
    without_variables: &["CLAUDECODE", "CLAUDE_CODE_ENTRYPOINT", "CLAUDE_CODE_SSE_PORT", "CLAUDE_PROJECT_DIR"],
    read,
};

fn arguments(options: &Options<'_>) -> Vec<String> {
    const WORDS: &[&str] = &[
        "-p",
        "--output-format",
        "json",
        "--settings",
        r#"{"disableAllHooks":true}"#,
        "--strict-mcp-config",
        "--no-session-persistence",
        "--disable-slash-commands",
        "--tools",
        "",
    ];
    let mut arguments = words(WORDS, "--model", options);
    if !options.instructions.is_empty() {
        arguments.extend(["--system-prompt".to_owned(), options.instructions.to_owned()]);
    }
    arguments
}

#[derive(Deserialize)]
struct Outcome {
    #[serde(default)]
    is_error: bool,
    #[serde(default)]
    result: String,
    #[serde(default)]
    usage: Tokens,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Tokens {
    input_tokens: u64,
    cache_creation_input_tokens: u64,
    cache_read_input_tokens: u64,
    output_tokens: u64,
}

fn read(output: &str) -> Printed {
    // Warnings may stand before the outcome, which is one line.
    let line = output.lines().rev().find(|line| line.trim_start().starts_with('{')).unwrap_or(output);
    match serde_json::from_str::<Outcome>(line) {
        Ok(outcome) if outcome.is_error => Printed::Failure(outcome.result),
        Ok(Outcome { result, usage, .. }) => {
            let read = usage.input_tokens + usage.cache_creation_input_tokens + usage.cache_read_input_tokens;
            Printed::ChatReply(result, Usage { input_tokens: read, output_tokens: usage.output_tokens })
        }
        Err(_) => Printed::Failure(output.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_outcome_is_read() {
        let output = r#"{"type":"result","is_error":false,"result":"{\"facts\": []}","usage":{"input_tokens":3,"cache_read_input_tokens":4,"output_tokens":5}}"#;
        let usage = Usage { input_tokens: 7, output_tokens: 5 };
        assert_eq!(read(output), Printed::ChatReply(r#"{"facts": []}"#.to_owned(), usage));
        assert_eq!(
            read(r#"{"is_error":true,"result":"Not logged in · Please run /login"}"#),
            Printed::Failure("Not logged in · Please run /login".to_owned())
        );
        assert_eq!(read("Killed"), Printed::Failure("Killed".to_owned()));
    }
}
