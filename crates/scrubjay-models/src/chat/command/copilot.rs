//! Copilot CLI: `copilot -p`, with the prompt on standard input instead.

use super::entry::{Entry, Options, plain, words};

pub(super) const ENTRY: Entry = Entry {
    name: "copilot",
    title: "Copilot CLI",
    client: None,
    arguments,
    takes_instructions: false,
    variables: &[("COPILOT_ALLOW_ALL", "false")],
    without_variables: &["COPILOT_CLI"],
    read: plain,
};

fn arguments(options: &Options<'_>) -> Vec<String> {
    const WORDS: &[&str] = &[
        "--silent",
        "--no-color",
        "--no-auto-update",
        "--no-ask-user",
        "--no-custom-instructions",
        "--no-remote-export",
        "--disable-builtin-mcps",
        // The name of none, so that there are none.
        "--available-tools=none",
    ];
    words(WORDS, "--model", options)
}
