//! Copilot CLI. Its hooks are files of their own, so ours is one of them. A reply is not sent to its hook; it is in the
//! transcript.

use scrubjay_ingest::transcript::{Role, copilot};
use serde_json::{Value, json};

use super::client::{Client, Event, Folder, Moment, Notes, Occasion, Records, nobody, nothing};
use super::payload;
use super::plan::{Edit, Server, Surroundings, Wiring};

const FOLDER: Folder = Folder { variable: Some("COPILOT_HOME"), below_home: ".copilot" };

pub(super) const CLIENT: Client = Client {
    name: "copilot",
    title: "Copilot CLI",
    events: &[
        Event { name: "sessionStart", moment: Moment::SessionStart },
        Event { name: "userPromptSubmitted", moment: Moment::Prompt },
        Event { name: "postToolUse", moment: Moment::Tool },
        Event { name: "agentStop", moment: Moment::Reply },
        Event { name: "sessionEnd", moment: Moment::SessionEnd },
    ],
    read,
    say,
    wiring,
    folder: FOLDER,
    records: Some(Records { transcripts: &["session-state"], notes: Notes::None, each_reply: true }),
    borrowed_by: nobody,
    plugin_variable: None,
    warning: nothing,
    trouble: nothing,
    advice: Some("Copilot reads its hooks when it starts: begin a new session."),
};

fn read(event: &Event, sent: &Value) -> Occasion {
    let usual = payload::usual(event, sent);
    let transcript = payload::path(sent, "transcriptPath");
    let text = match event.moment {
        Moment::Reply => {
            transcript.as_ref().and_then(|path| payload::last_said(&copilot::FORMAT, path, Role::Assistant))
        }
        Moment::Tool => tool(sent),
        _ => usual.text,
    };
    let session = payload::text(sent, "sessionId").unwrap_or(usual.session);
    Occasion { session, text, transcript, ..usual }
}

fn tool(sent: &Value) -> Option<String> {
    let plain = |value: Option<&Value>| match value {
        Some(Value::String(text)) => text.clone(),
        Some(other) => other.to_string(),
        None => String::new(),
    };
    let result = sent.pointer("/toolResult/textResultForLlm").or_else(|| sent.get("toolResult"));
    Some(format!("{} {}\n{}", payload::text(sent, "toolName")?, plain(sent.get("toolArgs")), plain(result)))
}

fn say(event: &Event, context: Option<&str>) -> String {
    match (event.moment, context) {
        (Moment::SessionStart | Moment::Prompt, Some(context)) => json!({"additionalContext": context}).to_string(),
        _ => "{}".to_owned(),
    }
}

fn wiring(around: &Surroundings) -> Wiring {
    let folder = around.folder(&FOLDER);
    let handler = |event: &Event| {
        let line = around.line(&["hook", "copilot", event.name]);
        json!([{"type": "command", "bash": line, "timeoutSec": 10}])
    };
    let hooks: serde_json::Map<String, Value> = around
        .hooks(CLIENT.events, handler)
        .into_iter()
        .map(|(event, handlers)| (event.to_owned(), handlers))
        .collect();
    let server = json!({"type": "local", "command": around.program(), "args": around.words(&["mcp"]), "tools": ["*"]});
    Wiring {
        folder: folder.clone(),
        edits: vec![
            Edit::Whole {
                path: folder.join("hooks").join("scrubjay.json"),
                text: format!("{:#}\n", json!({"version": 1, "hooks": hooks})),
            },
            Edit::Server {
                path: folder.join("mcp-config.json"),
                server: Server::Json { section: "mcpServers", value: server },
            },
        ],
    }
}
