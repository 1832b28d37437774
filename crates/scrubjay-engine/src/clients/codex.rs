//! Codex CLI.

use serde_json::json;

use super::client::{Client, Event, Folder, Moment, Notes, Records, nobody, nothing};
use super::plan::{Edit, Hooks, Server, Surroundings, Wiring};
use super::{codex_trust, payload};

pub(super) const FOLDER: Folder = Folder { variable: Some("CODEX_HOME"), below_home: ".codex" };

pub(super) const CLIENT: Client = Client {
    name: "codex",
    title: "Codex CLI",
    events: &[
        Event { name: "SessionStart", moment: Moment::SessionStart },
        Event { name: "UserPromptSubmit", moment: Moment::Prompt },
        Event { name: "PostToolUse", moment: Moment::Tool },
        Event { name: "Stop", moment: Moment::Reply },
        Event { name: "SubagentStop", moment: Moment::SubagentReply },
        Event { name: "PreCompact", moment: Moment::Compact },
        Event { name: "SessionEnd", moment: Moment::SessionEnd },
    ],
    read: payload::usual,
    say: payload::usual_answer,
    wiring,
    folder: FOLDER,
    records: Some(Records {
        transcripts: &["sessions", "archived_sessions"],
        notes: Notes::Shared("memories"),
        each_reply: false,
    }),
    borrowed_by: nobody,
    plugin_variable: None,
    warning: nothing,
    trouble: codex_trust::trouble,
    advice: Some("Codex runs new hooks only after you have trusted them: start it and answer its question once."),
};

fn wiring(around: &Surroundings) -> Wiring {
    let folder = around.folder(&FOLDER);
    let handler = |event: &Event| {
        // More is cut to three seconds at the end of a session, with a warning each time.
        let timeout_s = if event.moment == Moment::SessionEnd { 3 } else { 10 };
        json!({"type": "command", "command": around.line(&["hook", "codex", event.name]), "timeout": timeout_s})
    };
    Wiring {
        folder: folder.clone(),
        edits: vec![
            Edit::Hooks { path: folder.join("hooks.json"), hooks: Hooks::nested(around.hooks(CLIENT.events, handler)) },
            Edit::Server {
                path: folder.join("config.toml"),
                server: Server::Toml { command: around.program(), arguments: around.words(&["mcp"]) },
            },
        ],
    }
}
