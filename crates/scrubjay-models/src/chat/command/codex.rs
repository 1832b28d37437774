//! Codex: `codex exec`.

use super::entry::{Entry, Options, plain, words};

pub(super) const ENTRY: Entry = Entry {
    name: "codex",
    title: "Codex",
    client: Some("codex"),
    arguments,
    takes_instructions: false,
    variables: &[],
    without_variables: &["CODEX_SANDBOX", "CODEX_THREAD_ID"],
    // The last message alone goes to standard output.
    read: plain,
};

/// What it is to do without. A feature that a version does not know is passed over by it.
const WITHOUT: &[&str] = &[
    "features.hooks=false",
    "features.plugins=false",
    "features.apps=false",
    "features.shell_tool=false",
    "features.unified_exec=false",
    "features.multi_agent=false",
    "features.goals=false",
    "features.image_generation=false",
    "web_search=\"disabled\"",
    // It hands no environment on to MCP servers, so that ours would not know of the guard. The command is named for
    // those who have no such server, because a server without one is a mistake.
    "mcp_servers.scrubjay.command=\"scrubjay\"",
    "mcp_servers.scrubjay.enabled=false",
];

fn arguments(options: &Options<'_>) -> Vec<String> {
    const WORDS: &[&str] =
        &["exec", "--skip-git-repo-check", "--ephemeral", "--sandbox", "read-only", "--color", "never"];
    let mut arguments = words(WORDS, "--model", options);
    arguments.extend(WITHOUT.iter().flat_map(|setting| ["-c", setting]).map(str::to_owned));
    arguments.push("-".to_owned());
    arguments
}
