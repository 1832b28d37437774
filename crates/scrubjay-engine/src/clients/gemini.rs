//! Gemini CLI. Its standard output must be JSON whatever happens.

use serde_json::{Value, json};

use super::client::{Client, Event, Folder, Moment, Occasion, nobody, nothing};
use super::payload;
use super::plan::{Edit, Hooks, Server, Surroundings, Wiring};

const FOLDER: Folder = Folder { variable: None, below_home: ".gemini" };

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
    folder: FOLDER,
    records: None,
    borrowed_by: nobody,
    plugin_variable: None,
    warning: nothing,
    trouble: nothing,
    advice: None,
};

fn read(event: &Event, sent: &Value) -> Occasion {
    let mut occasion = payload::usual(event, sent);
    if event.moment == Moment::Reply {
        occasion.text = payload::text(sent, "prompt_response");
    }
    if event.moment == Moment::Prompt {
        occasion.text = occasion.text.map(|text| own_words(&text).to_owned());
    }
    occasion
}

// Without a terminal, what hooks gave at the start of the session comes back to
// us in front of the first prompt.
fn own_words(prompt: &str) -> &str {
    let Some(inside) = prompt.strip_prefix("<hook_context>") else { return prompt };
    inside.split_once("</hook_context>").map_or(prompt, |(_, said)| said.trim_start())
}

fn say(event: &Event, context: Option<&str>) -> String {
    let answer = payload::usual_answer(event, context);
    if answer.is_empty() { "{}".to_owned() } else { answer }
}

fn wiring(around: &Surroundings) -> Wiring {
    let folder = around.folder(&FOLDER);
    let settings = folder.join("settings.json");
    let handler = |event: &Event| {
        let line = around.line(&["hook", "gemini", event.name]);
        json!({"name": "scrubjay", "type": "command", "command": line, "timeout": 10_000})
    };
    // Without a person to ask, as with `-p`, Gemini offers the tools of trusted servers only. Ours change nothing but
    // memories, and every change of those can be undone.
    let server = json!({"command": around.program(), "args": around.words(&["mcp"]), "trust": true});
    Wiring {
        folder,
        edits: vec![
            Edit::Hooks { path: settings.clone(), hooks: Hooks::nested(around.hooks(CLIENT.events, handler)) },
            Edit::Server { path: settings, server: Server::Json { section: "mcpServers", value: server } },
        ],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_hooks_gave_is_not_what_a_person_said() {
        let prompt = &CLIENT.events[1];
        let said = |text: &str| read(prompt, &json!({"session_id": "s", "prompt": text})).text;
        let came = "<hook_context>&lt;scrubjay-memory …&gt;</hook_context>\n\nWho owns billing?";
        assert_eq!(said(came).as_deref(), Some("Who owns billing?"));
        for own in ["Who owns billing?", "<hook_context> is what?", "why </hook_context>?"] {
            assert_eq!(said(own).as_deref(), Some(own));
        }
    }
}
