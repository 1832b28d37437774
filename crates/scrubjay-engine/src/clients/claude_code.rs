//! Claude Code.

use std::path::Path;

use serde_json::json;

use super::client::{Client, Event, Folder, Moment, Notes, Records};
use super::jsonc::Document;
use super::payload;
use super::plan::{Edit, Hooks, Server, Surroundings, Wiring, has_hook};
use super::target::read_regular;

const FOLDER: Folder = Folder { variable: Some("CLAUDE_CONFIG_DIR"), below_home: ".claude" };

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
    folder: FOLDER,
    records: Some(Records {
        transcripts: &["projects"],
        notes: Notes::ByProject { inside: "projects", name: "memory", project: project_folder },
        each_reply: false,
    }),
    // Cursor runs the hooks in Claude Code's settings, too, and sends its own fields.
    borrowed_by: |sent| sent.get("cursor_version").map(|_| "cursor"),
    plugin_variable: Some("CLAUDE_PLUGIN_ROOT"),
    warning: plugin,
    trouble: both,
    advice: None,
};

// A project's folder is called by the path of the project, with a hyphen for all that is no letter or digit.
fn project_folder(project: &Path) -> Option<String> {
    Some(project.to_str()?.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect())
}

// The plugin and `install` do the same; the plugin's hooks step back, but its tools are offered twice.
fn plugin(around: &Surroundings) -> Option<String> {
    let folder = around.folder(&FOLDER);
    let settings = read_regular(&folder.join("settings.json")).ok().flatten()?;
    let value = Document::parse(&settings).ok()?.value()?;
    let plugins = value.get("enabledPlugins")?.as_object()?;
    let (name, _) = plugins.iter().find(|(name, is_on)| name.starts_with("scrubjay@") && **is_on == json!(true))?;
    Some(format!(
        "Claude Code has the plugin {name}, too. Its hooks leave the work to these, but its tools are offered twice; \
         keep one of them: `claude plugin uninstall {name}` or `scrubjay uninstall claude-code`"
    ))
}

fn both(around: &Surroundings) -> Option<String> {
    plugin(around).filter(|_| has_hook(&CLIENT, around, &CLIENT.events[0]))
}

fn wiring(around: &Surroundings) -> Wiring {
    let folder = around.folder(&FOLDER);
    let state = around.named_folder(&FOLDER).unwrap_or_else(|| around.user.clone()).join(".claude.json");
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_of_notes_is_named_after_its_project() {
        for (folder, expected) in [
            ("/srv/ada/my_app", "-srv-ada-my-app"),
            ("/srv/ada/my.app", "-srv-ada-my-app"),
            ("/srv/ada/my", "-srv-ada-my"),
        ] {
            assert_eq!(project_folder(Path::new(folder)).as_deref(), Some(expected));
        }
    }
}
