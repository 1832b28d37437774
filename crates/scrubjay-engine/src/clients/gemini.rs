//! Gemini CLI. Its standard output must be JSON whatever happens.

use serde_json::{Value, json};

use super::client::{Client, Event, Moment, Occasion};
use super::payload;
use super::plan::{Edit, Hooks, Server, Surroundings, Wiring};

pub(super) const CLIENT: Client = Client {
    name: "gemini",
    title: "Gemini CLI",
    events: &[
        Event { name: "SessionStart", moment: Moment::SessionStart },
        Event { name: "BeforeAgent", moment: Moment::Prompt },
        Event { name: "AfterTool", moment: Moment::Tool },
        Event { name: "AfterAgent", moment: Moment::Reply },
        Event { name: "PreCompress", moment: Moment::Compact },
        Event { name: "SessionEnd", moment: Moment::SessionEnd },
    ],
    read,
    say,
    wiring,
    transcripts: false,
    advice: None,
};

fn read(event: &Event, sent: &Value) -> Occasion {
    let mut occasion = payload::usual(event, sent);
    if event.moment == Moment::Reply {
        occasion.text = payload::text(sent, "prompt_response");
    }
    occasion
}

fn say(event: &Event, context: Option<&str>) -> String {
    let answer = payload::usual_answer(event, context);
    if answer.is_empty() { "{}".to_owned() } else { answer }
}

fn wiring(around: &Surroundings) -> Wiring {
    let folder = around.user.join(".gemini");
    let settings = folder.join("settings.json");
    let handler = |event: &Event| {
        let line = around.line(&["hook", "gemini", event.name]);
        json!({"name": "scrubjay", "type": "command", "command": line, "timeout": 10_000})
    };
    let server = json!({"command": around.program(), "args": around.words(&["mcp"])});
    Wiring {
        folder,
        edits: vec![
            Edit::Hooks { path: settings.clone(), hooks: Hooks::nested(around.hooks(CLIENT.events, handler)) },
            Edit::Server { path: settings, server: Server::Json { section: "mcpServers", value: server } },
        ],
    }
}
