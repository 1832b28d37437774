//! OpenCode. It has no hooks that run programs, so a small plugin of ours does.

use serde_json::{Value, json};

use super::client::{Client, Event, Folder, Moment, Occasion, nobody, nothing};
use super::payload;
use super::plan::{Edit, Server, Surroundings, Wiring};

/// The plugin, with a place for the words that start us.
const PLUGIN: &str = include_str!("opencode_plugin.js");

const FOLDER: Folder = Folder { variable: Some("XDG_CONFIG_HOME"), below_home: ".config" };

pub(super) const CLIENT: Client = Client {
    name: "opencode",
    title: "OpenCode",
    events: &[
        Event { name: "session.created", moment: Moment::SessionStart },
        Event { name: "chat.message", moment: Moment::Prompt },
        Event { name: "session.idle", moment: Moment::Reply },
        Event { name: "session.compacted", moment: Moment::Compact },
        Event { name: "session.deleted", moment: Moment::SessionEnd },
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
    advice: Some("Restart OpenCode; it loads the plugin when it starts."),
};

fn read(event: &Event, sent: &Value) -> Occasion {
    Occasion { text: payload::text(sent, "text"), ..payload::usual(event, sent) }
}

fn say(_: &Event, context: Option<&str>) -> String {
    context.map_or_else(|| "{}".to_owned(), |context| json!({"context": context}).to_string())
}

fn wiring(around: &Surroundings) -> Wiring {
    let folder = around.folder(&FOLDER).join("opencode");
    let mut start = vec![around.program()];
    start.extend(around.words(&["hook", "opencode"]));
    let plugin = PLUGIN.replace("[/* command */]", &json!(start).to_string());
    let mut command = vec![around.program()];
    command.extend(around.words(&["mcp"]));
    let server = json!({"type": "local", "command": command, "enabled": true});
    Wiring {
        folder: folder.clone(),
        edits: vec![
            Edit::Whole { path: folder.join("plugins").join("scrubjay.js"), text: plugin },
            Edit::Server { path: folder.join("opencode.json"), server: Server::Json { section: "mcp", value: server } },
        ],
    }
}
