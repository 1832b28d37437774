//! Takes out of a message what programs put into it.

use std::borrow::Cow;

use scrubjay_core::fence;

/// Blocks that clients put into messages of the user: reminders, and what commands of the client printed.
const BLOCKS: [(&str, &str); 9] = [
    ("<system-reminder>", "</system-reminder>"),
    ("<local-command-stdout>", "</local-command-stdout>"),
    ("<local-command-stderr>", "</local-command-stderr>"),
    ("<local-command-caveat>", "</local-command-caveat>"),
    ("<command-name>", "</command-name>"),
    ("<command-message>", "</command-message>"),
    ("<bash-stdout>", "</bash-stdout>"),
    ("<bash-stderr>", "</bash-stderr>"),
    ("<task-notification>", "</task-notification>"),
];

/// Marks around what the user did write: what was given to a command of the client, or to the shell.
const WRAPPERS: [(&str, &str); 2] = [("<command-args>", "</command-args>"), ("<bash-input>", "</bash-input>")];

/// Whole messages that a client writes in the user's name.
const NOTICES: [&str; 3] =
    ["[Request interrupted by user]", "[Request interrupted by user for tool use]", "No response requested."];

/// How summaries begin that a client has a model make when it shortens a conversation, and then hands on as if the user
/// or the assistant had said them.
const SUMMARIES: [&str; 3] = [
    "This session is being continued from a previous conversation that ran out of context",
    "Another language model started to solve this problem and produced a summary of its thinking process",
    "<state_snapshot>",
];

/// Whether a text is a summary that a client made of the conversation. It is nobody's words.
#[must_use]
pub fn is_summary(text: &str) -> bool {
    let text = text.trim_start();
    let is_drafted = text.starts_with("<analysis>") && text.contains("</analysis>") && text.contains("<summary>");
    is_drafted || SUMMARIES.iter().any(|begin| text.starts_with(begin))
}

/// What the speaker said, or nothing.
pub(super) fn spoken(text: &str) -> Option<String> {
    // Our own words first: they may hold marks of the other kinds.
    let mut text = fence::strip(text);
    for (open, close) in BLOCKS {
        if text.contains(open) {
            text = Cow::Owned(without(&text, open, close));
        }
    }
    for (open, close) in WRAPPERS {
        if text.contains(open) && text.contains(close) {
            text = Cow::Owned(text.replace(open, "").replace(close, ""));
        }
    }
    let said = text.trim();
    (!said.is_empty() && !NOTICES.contains(&said) && !is_summary(said)).then(|| said.to_owned())
}

/// The text without closed blocks. A mark that is never closed was written by someone who speaks about it.
fn without(text: &str, open: &str, close: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once(open) {
        let Some((_, behind)) = after.split_once(close) else { break };
        kept.push_str(before);
        rest = behind;
    }
    kept.push_str(rest);
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn injected_text_is_taken_out() {
        for (text, expected) in [
            ("hello", Some("hello")),
            ("<system-reminder>be nice</system-reminder>\nhello", Some("hello")),
            ("a<system-reminder>x</system-reminder>b<system-reminder>y</system-reminder>c", Some("abc")),
            ("<system-reminder>only this</system-reminder>\n", None),
            ("what does <system-reminder> mean?", Some("what does <system-reminder> mean?")),
            ("<command-name>/model</command-name>\n<command-message>model</command-message>", None),
            ("<command-name>/fix</command-name>\n<command-args>the parser</command-args>", Some("the parser")),
            ("[Request interrupted by user]", None),
            ("  \n", None),
            ("This session is being continued from a previous conversation that ran out of context. The …", None),
            (
                "Another language model started to solve this problem and produced a summary of its thinking process. …",
                None,
            ),
            ("<analysis>\nFirst, …\n</analysis>\n<summary>\n1. …</summary>", None),
            ("Is this session being continued?", Some("Is this session being continued?")),
        ] {
            assert_eq!(spoken(text).as_deref(), expected, "{text}");
        }
        let ours = fence::wrap("a recalled <system-reminder> fact", "0123456789abcdef");
        assert_eq!(spoken(&format!("{ours}\nhello")).as_deref(), Some("hello"));
    }
}
