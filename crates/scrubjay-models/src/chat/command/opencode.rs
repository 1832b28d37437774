//! OpenCode: `opencode run`.

use super::entry::{Entry, Options, plain, words};

pub(super) const ENTRY: Entry = Entry {
    name: "opencode",
    title: "OpenCode",
    client: Some("opencode"),
    arguments,
    takes_instructions: false,
    variables: &[
        ("OPENCODE_DISABLE_AUTOUPDATE", "1"),
        ("OPENCODE_DISABLE_LSP_DOWNLOAD", "1"),
        ("OPENCODE_CONFIG_CONTENT", r#"{"permission":{"*":"deny"},"tools":{"*":false},"share":"disabled"}"#),
    ],
    without_variables: &["OPENCODE", "OPENCODE_PID"],
    read: plain,
};

fn arguments(options: &Options<'_>) -> Vec<String> {
    // A title of our own, because the client asks a model for one otherwise.
    words(&["run", "--pure", "--title", "scrubjay"], "--model", options)
}
