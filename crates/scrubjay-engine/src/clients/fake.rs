//! A client that exists in unit tests only: this file and its line in the list are all that it takes to add one.

use serde_json::json;

use super::client::{Client, Event, Folder, Moment, Notes, Records, nobody, nothing};
use super::payload;
use super::plan::{Edit, Hooks, Server, Surroundings, Wiring};

const FOLDER: Folder = Folder { variable: Some("ACME_HOME"), below_home: ".acme" };

pub(super) const CLIENT: Client = Client {
    name: "acme",
    title: "Acme",
    events: &[
        Event { name: "Begin", moment: Moment::SessionStart },
        Event { name: "Asked", moment: Moment::Prompt },
        Event { name: "Over", moment: Moment::SessionEnd },
    ],
    read: payload::usual,
    say: payload::usual_answer,
    wiring,
    folder: FOLDER,
    records: Some(Records { transcripts: &["logs"], notes: Notes::Shared("notes"), each_reply: false }),
    borrowed_by: nobody,
    plugin_variable: None,
    warning: nothing,
    trouble: nothing,
    advice: None,
};

fn wiring(around: &Surroundings) -> Wiring {
    let folder = around.folder(&FOLDER);
    let settings = folder.join("settings.json");
    let handler = |event: &Event| json!({"type": "command", "command": around.line(&["hook", "acme", event.name]), "timeout": 10});
    let server = json!({"command": around.program(), "args": around.words(&["mcp"])});
    Wiring {
        folder,
        edits: vec![
            Edit::Hooks { path: settings.clone(), hooks: Hooks::nested(around.hooks(CLIENT.events, handler)) },
            Edit::Server { path: settings, server: Server::Json { section: "mcpServers", value: server } },
        ],
    }
}
