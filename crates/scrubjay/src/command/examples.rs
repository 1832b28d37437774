//! Examples at the end of a command's help. Every command has some, and a test
//! runs them all. An operation brings its own; the list below is for the rest.

use clap::Command;
use scrubjay_engine::ops::REGISTRY;

use super::aliases;

/// The examples of a command, by its words.
fn of(words: &str) -> Option<&'static str> {
    let operation = REGISTRY.iter().find(|entry| entry.surfaces.command.iter().copied().eq(words.split(' ')));
    let of_operation = operation.map(|entry| entry.examples).filter(|examples| !examples.is_empty());
    of_operation.or_else(|| EXAMPLES.iter().find(|(command, _)| *command == words).map(|(_, text)| *text))
}

/// Adds the examples to a command that has none, and to the commands below it.
pub(crate) fn add(command: Command, words: &str) -> Command {
    let below: Vec<String> = command.get_subcommands().map(|inner| inner.get_name().to_owned()).collect();
    let mut command = match of(words) {
        Some(text) if command.get_after_help().is_none() => command.after_help(also(words) + &help(text)),
        _ => command,
    };
    for name in below {
        command = command.mut_subcommand(&name, |inner| add(inner, &format!("{words} {name}")));
    }
    command
}

// Other names are easily missed, so each is told with the help of its command.
fn also(words: &str) -> String {
    match aliases::of(words) {
        [] => String::new(),
        names => format!("Also called: {}\n\n", names.join(", ")),
    }
}

// Lines with a command are examples; anything before them explains.
fn help(text: &str) -> String {
    match text.split_once("\n\n") {
        Some((preface, lines)) => format!("{preface}\n\nExamples:\n{lines}"),
        None => format!("Examples:\n{text}"),
    }
}

/// A message as `capture` takes it.
pub(crate) const MESSAGE: &str = r#"{"session_id":"standup","role":"user","content":"We ship on Friday"}"#;

/// The examples of commands that are no operation, by the words of the command.
const EXAMPLES: &[(&str, &str)] = &[
    ("status", "  scrubjay status"),
    ("stop", "  scrubjay stop"),
    (
        "logs",
        r#"  scrubjay logs -n 20
  scrubjay logs --follow"#,
    ),
    ("eval run", "  scrubjay eval run --data questions/ --ablation"),
    ("service", "  scrubjay service install --dry-run\n  scrubjay service uninstall --dry-run"),
    ("service install", "  scrubjay service install --dry-run"),
    ("service uninstall", "  scrubjay service uninstall --dry-run"),
    (
        "uninstall",
        r#"  scrubjay uninstall claude-code --dry-run
  scrubjay uninstall --all"#,
    ),
    ("token create", r#"  scrubjay token create --read "chat bridge""#),
    ("token list", "  scrubjay token list"),
    ("token revoke", r#"  scrubjay token revoke "chat bridge""#),
    ("token show", "  scrubjay token show"),
    ("hook", "  echo '{\"session_id\":\"s1\",\"source\":\"startup\"}' | scrubjay hook claude-code SessionStart"),
    (
        "watch",
        r#"  scrubjay watch
  scrubjay watch --all --for 2h"#,
    ),
    (
        "demo",
        r#"  scrubjay demo
  scrubjay demo --keep"#,
    ),
    (
        "help",
        r#"  scrubjay help recall
  scrubjay help task begin"#,
    ),
    (
        "version",
        r#"  scrubjay version
  scrubjay version --verbose"#,
    ),
    (
        "man",
        r#"  scrubjay man ~/.local/share/man/man1
  man scrubjay-recall"#,
    ),
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::derive;

    #[test]
    fn the_example_message_is_the_one_in_the_help() {
        assert!(of("capture").unwrap().contains(MESSAGE));
    }

    #[test]
    fn every_command_has_examples_and_every_example_a_command() {
        let mut root = derive::root(80);
        root.build();
        let mut known = Vec::new();
        let mut without = Vec::new();
        let mut open: Vec<(String, &Command)> =
            root.get_subcommands().map(|command| (command.get_name().to_owned(), command)).collect();
        while let Some((words, command)) = open.pop() {
            let is_group = command.is_subcommand_required_set();
            if command.get_after_help().is_none() && !is_group && !command.is_hide_set() {
                without.push(words.clone());
            }
            open.extend(command.get_subcommands().map(|inner| (format!("{words} {}", inner.get_name()), inner)));
            known.push(words);
        }
        assert!(without.is_empty(), "no examples: {without:?}");
        let lost: Vec<&str> =
            EXAMPLES.iter().map(|(words, _)| *words).filter(|words| !known.iter().any(|name| name == words)).collect();
        assert!(lost.is_empty(), "no commands: {lost:?}");
    }
}
