//! Cursor. It takes context at the beginning of a session only; what fits a
//! prompt reaches it through MCP.

use std::path::PathBuf;

use serde_json::{Value, json};

use super::client::{Client, Event, Folder, Moment, Occasion, nobody, nothing};
use super::payload;
use super::plan::{Edit, Hooks, Server, Surroundings, Wiring};

const FOLDER: Folder = Folder { variable: None, below_home: ".cursor" };

pub(super) const CLIENT: Client = Client {
    name: "cursor",
    title: "Cursor",
    events: &[
        Event { name: "sessionStart", moment: Moment::SessionStart },
        Event { name: "beforeSubmitPrompt", moment: Moment::Prompt },
        Event { name: "postToolUse", moment: Moment::Tool },
        Event { name: "afterAgentResponse", moment: Moment::Reply },
        Event { name: "preCompact", moment: Moment::Compact },
        Event { name: "sessionEnd", moment: Moment::SessionEnd },
    ],
    read,
    say,
    wiring,
    folder: FOLDER,
    records: None,
    borrowed_by: nobody,
    plugin_variable: None,
    warning: nothing,
    trouble: nothing,
    advice: Some("Restart Cursor; Settings > Hooks shows whether it took them."),
};

fn read(event: &Event, sent: &Value) -> Occasion {
    let usual = payload::usual(event, sent);
    let root = sent.pointer("/workspace_roots/0").and_then(Value::as_str).map(PathBuf::from);
    let said = match event.moment {
        Moment::Reply => payload::text(sent, "text"),
        _ => usual.text.clone(),
    };
    Occasion {
        session: payload::text(sent, "conversation_id").unwrap_or(usual.session),
        folder: root.filter(|root| root.is_absolute()).or(usual.folder),
        text: said,
        ..usual
    }
}

fn say(event: &Event, context: Option<&str>) -> String {
    match (event.moment, context) {
        (Moment::SessionStart, Some(context)) => json!({"additional_context": context}).to_string(),
        (Moment::Prompt, _) => json!({"continue": true}).to_string(),
        _ => "{}".to_owned(),
    }
}

fn wiring(around: &Surroundings) -> Wiring {
    let folder = around.folder(&FOLDER);
    let handler = |event: &Event| json!({"command": around.line(&["hook", "cursor", event.name]), "timeout": 10});
    let server = json!({"command": around.program(), "args": around.words(&["mcp"])});
    Wiring {
        folder: folder.clone(),
        edits: vec![
            Edit::Hooks { path: folder.join("hooks.json"), hooks: Hooks::flat(around.hooks(CLIENT.events, handler)) },
            Edit::Server {
                path: folder.join("mcp.json"),
                server: Server::Json { section: "mcpServers", value: server },
            },
        ],
    }
}
