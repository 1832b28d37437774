//! Antigravity CLI (`agy`), which took the place of Gemini CLI for most people.
//!
//! It has no event for a session or a prompt: `PreInvocation` comes before every request to the model, with
//! `invocationNum` 0 once for each turn, and the prompt is the last thing in the transcript then. A reply is in the
//! transcript, too.

use std::path::PathBuf;

use scrubjay_ingest::transcript::{Role, antigravity};
use serde_json::{Value, json};

use super::client::{Client, Event, Folder, Moment, Notes, Occasion, Records, nobody, nothing};
use super::payload;
use super::plan::{Edit, Hooks, Server, Surroundings, Wiring};

const FOLDER: Folder = Folder { variable: None, below_home: ".gemini/antigravity-cli" };

pub(super) const CLIENT: Client = Client {
    name: "antigravity",
    title: "Antigravity CLI",
    events: &[
        Event { name: "PreInvocation", moment: Moment::Prompt },
        Event { name: "PreToolUse", moment: Moment::Permission },
        Event { name: "PostToolUse", moment: Moment::Tool },
        Event { name: "Stop", moment: Moment::Reply },
    ],
    read,
    say,
    wiring,
    folder: FOLDER,
    records: Some(Records { transcripts: &[], notes: Notes::None, each_reply: true }),
    borrowed_by: nobody,
    plugin_variable: None,
    warning: nothing,
    trouble: nothing,
    advice: Some("Antigravity reads its hooks when it starts: begin a new conversation."),
};

fn read(event: &Event, sent: &Value) -> Occasion {
    let transcript = payload::path(sent, "transcriptPath").map(full);
    let last = |role| transcript.as_ref().and_then(|path| payload::last_said(&antigravity::FORMAT, path, role));
    let text = match event.moment {
        // Later requests of a turn come after a tool, not after a person.
        Moment::Prompt if sent.get("invocationNum").and_then(Value::as_u64).unwrap_or(0) == 0 => last(Role::User),
        Moment::Reply => last(Role::Assistant),
        Moment::Tool => tool(sent),
        _ => None,
    };
    let folder = sent.pointer("/workspacePaths/0").and_then(Value::as_str).map(PathBuf::from);
    Occasion {
        moment: event.moment,
        session: payload::text(sent, "conversationId").unwrap_or_default(),
        text,
        folder: folder.filter(|folder| folder.is_absolute()),
        transcript,
        agent: None,
    }
}

// The one beside it in which nothing is cut, if there is one.
fn full(path: PathBuf) -> PathBuf {
    let full = path.with_file_name("transcript_full.jsonl");
    if full.exists() { full } else { path }
}

fn tool(sent: &Value) -> Option<String> {
    let call = sent.get("toolCall")?;
    let arguments = call.get("args").map(Value::to_string).unwrap_or_default();
    let error = payload::text(sent, "error").unwrap_or_default();
    Some(format!("{} {arguments}\n{error}", payload::text(call, "name")?))
}

fn say(event: &Event, context: Option<&str>) -> String {
    match (event.moment, context) {
        (Moment::Prompt, Some(context)) => json!({"injectSteps": [{"ephemeralMessage": context}]}).to_string(),
        // Without a decision the tool is denied.
        (Moment::Permission, _) => json!({"decision": "allow"}).to_string(),
        _ => "{}".to_owned(),
    }
}

fn wiring(around: &Surroundings) -> Wiring {
    let gemini = around.user.join(".gemini");
    let handler = |event: &Event| {
        let line = around.line(&["hook", "antigravity", event.name]);
        let handler = json!({"type": "command", "command": line, "timeout": 10});
        if event.moment == Moment::Tool { json!({"matcher": "*", "hooks": [handler]}) } else { handler }
    };
    let server = json!({"command": around.program(), "args": around.words(&["mcp"])});
    Wiring {
        folder: around.folder(&FOLDER),
        edits: vec![
            Edit::Hooks {
                path: gemini.join("config").join("hooks.json"),
                hooks: Hooks::named(around.hooks(CLIENT.events, handler)),
            },
            Edit::Server {
                path: gemini.join("config").join("mcp_config.json"),
                server: Server::Json { section: "mcpServers", value: server },
            },
        ],
    }
}
