//! Claude Code.

use serde_json::json;

use super::client::{Client, Event, Moment};
use super::payload;
use super::plan::{Edit, Hooks, Server, Surroundings, Wiring};

pub(super) const CLIENT: Client = Client {
    name: "claude-code",
    title: "Claude Code",
    events: &[
        Event { name: "SessionStart", moment: Moment::SessionStart },
        Event { name: "UserPromptSubmit", moment: Moment::Prompt },
        Event { name: "PostToolUse", moment: Moment::Tool },
        Event { name: "Stop", moment: Moment::Reply },
        Event { name: "SubagentStart", moment: Moment::SubagentStart },
        Event { name: "SubagentStop", moment: Moment::SubagentReply },
        Event { name: "PreCompact", moment: Moment::Compact },
        Event { name: "SessionEnd", moment: Moment::SessionEnd },
    ],
    read: payload::usual,
    say: payload::usual_answer,
    wiring,
    transcripts: true,
    advice: None,
};

fn wiring(around: &Surroundings) -> Wiring {
    let chosen = around.variable("CLAUDE_CONFIG_DIR");
    let folder = chosen.clone().unwrap_or_else(|| around.user.join(".claude"));
    let state = chosen.unwrap_or_else(|| around.user.clone()).join(".claude.json");
    // The form with `args` starts the program directly: no shell, no quoting.
    let handler = |event: &Event| {
        let mut words = vec!["hook".to_owned(), "claude-code".to_owned(), event.name.to_owned()];
        words.extend(around.flags());
        json!({"type": "command", "command": around.program(), "args": words, "timeout": 10})
    };
    let server = json!({"type": "stdio", "command": around.program(), "args": around.words(&["mcp"])});
    Wiring {
        folder: folder.clone(),
        edits: vec![
            Edit::Hooks {
                path: folder.join("settings.json"),
                hooks: Hooks::nested(around.hooks(CLIENT.events, handler)),
            },
            Edit::Server { path: state, server: Server::Json { section: "mcpServers", value: server } },
        ],
    }
}
