//! The arguments of a hook, read so that nothing in them can fail.
//!
//! A hook must not fail its client over a wrong flag, and must not lose what was said over one either. So what is known
//! is taken and the rest is noted.

use std::ffi::{OsStr, OsString};

use crate::globals::Globals;

/// The arguments of a hook.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Arguments {
    /// The client.
    pub(super) client: String,
    /// What the client calls the event.
    pub(super) event: String,
    /// The flags.
    pub(super) globals: Globals,
    /// What could not be used.
    pub(super) problems: Vec<String>,
}

impl Arguments {
    /// Reads the words after the program's name.
    pub(super) fn read(words: &[OsString]) -> Self {
        let mut read = Self::default();
        let mut plain: Vec<String> = Vec::new();
        let mut words = words.iter();
        while let Some(word) = words.next() {
            let Some(text) = word.to_str() else {
                read.problems.push("an argument is not valid UTF-8".to_owned());
                continue;
            };
            let (name, inline) = match text.split_once('=') {
                Some((name, value)) if text.starts_with("--") => (name, Some(OsString::from(value))),
                _ => (text, None),
            };
            if takes_value(name) {
                match inline.or_else(|| words.next().cloned()) {
                    Some(value) => read.value(name, &value),
                    None => read.problems.push(format!("{name} lacks its value")),
                }
            } else if !text.starts_with('-') {
                plain.push(text.to_owned());
            } else if !is_flag(text) {
                read.problems.push(format!("the flag {text} is not known"));
            }
        }
        // The first word is `hook` itself, unless a flag before it swallowed it.
        let after = plain.iter().position(|word| word == "hook").map_or(0, |at| at + 1);
        let mut plain = plain.into_iter().skip(after);
        read.client = plain.next().unwrap_or_default();
        read.event = plain.next().unwrap_or_default();
        if let Some(more) = plain.next() {
            read.problems.push(format!("`{more}` is not expected"));
        }
        read
    }

    fn value(&mut self, name: &str, value: &OsStr) {
        let Some(text) = value.to_str().filter(|_| name != "--home") else {
            if name == "--home" {
                self.globals.home = Some(value.into());
            } else {
                self.problems.push(format!("the value of {name} is not valid UTF-8"));
            }
            return;
        };
        match (name, text.split_once('=')) {
            ("--agent", _) => self.globals.agent = Some(text.to_owned()),
            ("--project", _) => self.globals.project = Some(text.to_owned()),
            (_, Some((key, value))) => self.globals.settings.push((key.to_owned(), value.to_owned())),
            // No setting has this name, so that whoever reads the settings finds fault with it.
            (_, None) => self.globals.settings.push((text.to_owned(), String::new())),
        }
    }
}

/// Whether these words, which follow the program's name, call a hook.
pub(super) fn call_hook(words: &[OsString], is_command: impl Fn(&str) -> bool) -> bool {
    let mut position = 0;
    while let Some(word) = words.get(position).map(|word| word.to_string_lossy()) {
        if word == "hook" {
            return true;
        }
        if !word.starts_with('-') {
            // Perhaps the value of a flag that nobody knows; another command it is not.
            return !is_command(&word) && names_a_hook(words);
        }
        position += if takes_value(&word) && !word.contains('=') { 2 } else { 1 };
    }
    names_a_hook(words)
}

fn names_a_hook(words: &[OsString]) -> bool {
    let is_client = |word: &OsString| scrubjay_engine::clients::CLIENTS.iter().any(|client| *word == *client.name);
    words.windows(2).any(|pair| pair[0] == "hook" && is_client(&pair[1]))
}

fn takes_value(name: &str) -> bool {
    matches!(name, "--home" | "--agent" | "--project" | "--set")
}

fn is_flag(word: &str) -> bool {
    let is_short = word.len() > 1 && word[1..].bytes().all(|letter| matches!(letter, b'q' | b'v'));
    is_short || matches!(word, "--json" | "--quiet" | "--verbose" | "--no-color")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<OsString> {
        text.split_whitespace().map(OsString::from).collect()
    }

    #[test]
    fn flags_are_read_before_and_after_and_wrong_ones_are_noted() {
        for text in [
            "hook codex Stop --project app --agent a --set k=1=2 --home /h",
            "--project=app --home=/h hook --agent a codex --set=k=1=2 Stop",
            "--json -q --home /h --agent a --set k=1=2 hook codex Stop --project app",
        ] {
            let read = Arguments::read(&words(text));
            assert_eq!((read.client.as_str(), read.event.as_str()), ("codex", "Stop"), "{text}");
            assert_eq!(read.globals.project.as_deref(), Some("app"), "{text}");
            assert_eq!(read.globals.agent.as_deref(), Some("a"), "{text}");
            assert_eq!(read.globals.home.as_deref(), Some("/h".as_ref()), "{text}");
            assert_eq!(read.globals.settings, [("k".to_owned(), "1=2".to_owned())], "{text}");
            assert_eq!(read.problems, [""; 0], "{text}");
        }
        let read = Arguments::read(&words("--bogus hook codex Stop more --set nonsense --project"));
        assert_eq!((read.client.as_str(), read.event.as_str()), ("codex", "Stop"));
        assert_eq!(read.globals.settings, [("nonsense".to_owned(), String::new())]);
        assert_eq!(read.problems.len(), 3, "{:?}", read.problems);
    }

    #[test]
    fn a_hook_is_told_from_other_commands() {
        let is_command = |word: &str| ["recall", "remember", "hook"].contains(&word);
        for text in [
            "hook",
            "hook codex Stop",
            "--project x hook codex Stop",
            "--set a=b --json hook nobody Stop",
            "--bogus hook codex Stop",
            "--bogus value hook codex Stop",
            "--project hook codex Stop",
        ] {
            assert!(call_hook(&words(text), is_command), "{text}");
        }
        for text in
            ["", "recall hook codex Stop", "--bogus recall hook codex", "--project x recall hook", "hooks", "--bogus"]
        {
            assert!(!call_hook(&words(text), is_command), "{text}");
        }
    }
}
