//! The overview of all commands, grouped by what people want to do.

use scrubjay_engine::ops::REGISTRY;

use super::others;
use crate::globals;
use crate::output::layout::{width, wrap};
use crate::output::style::{Palette, Style};

/// The groups and the first words of the commands in them. A command that is
/// in none, because it is new, comes last under a heading of its own.
const GROUPS: &[(&str, &[&str])] = &[
    ("Remember and recall", &["remember", "recall", "why-not", "capture"]),
    ("Hand to an agent", &["inject", "context", "receipts", "feedback", "tune"]),
    ("Tasks and tiers", &["task", "promote", "confirmations"]),
    ("Look", &["list", "show", "history", "sessions", "stats", "growth"]),
    ("Change", &["correct", "confirm", "edit", "link", "forget", "restore", "undo", "purge"]),
    ("People and things", &["entity", "entities"]),
    ("Facts and upkeep", &["digest", "review", "consolidate", "summarize", "reflect", "decay", "enrich", "maintain"]),
    ("Projects", &["projects", "pause", "resume"]),
    ("Files and transcripts", &["index", "sync", "sources", "watch"]),
    ("Store", &["backup", "restore-backup", "export", "import", "doctor", "jobs", "spool", "eval"]),
    (
        "Daemon and clients",
        &[
            "open",
            "serve",
            "status",
            "stop",
            "logs",
            "service",
            "install",
            "uninstall",
            "token",
            "mcp",
            "hook",
            "context-file",
        ],
    ),
    ("Models", &["models", "spend", "reembed"]),
    ("Setup", &["config", "completions", "man", "call", "demo", "help", "version"]),
];

const EXAMPLES: &str = r#"  scrubjay remember --tag billing "Ada owns billing"
  scrubjay recall "who owns billing"
  scrubjay capture < conversation.jsonl"#;

/// The overview as text.
pub(super) fn overview(palette: Palette, columns: usize) -> String {
    let commands = commands();
    let name_width = commands.iter().map(|(name, _)| width(name)).max().unwrap_or(0);
    let mut text = format!(
        "Long-term memory for AI agents, in one binary.\n\n{} scrubjay [OPTIONS] COMMAND\n",
        palette.paint(Style::Heading, "Usage:")
    );
    let group_of = |name: &str| {
        let word = name.split(' ').next().unwrap_or_default();
        GROUPS.iter().position(|(_, words)| words.contains(&word)).unwrap_or(GROUPS.len())
    };
    let titles = GROUPS.iter().map(|(title, _)| *title).chain(["More"]);
    for (number, title) in titles.enumerate() {
        let mut members: Vec<&(String, String)> =
            commands.iter().filter(|(name, _)| group_of(name) == number).collect();
        let place = |name: &str| {
            let word = name.split(' ').next().unwrap_or_default();
            GROUPS.get(number).and_then(|(_, words)| words.iter().position(|known| *known == word))
        };
        members.sort_by_key(|(name, _)| place(name));
        if members.is_empty() {
            continue;
        }
        text.push_str(&format!("\n{}\n", palette.paint(Style::Heading, title)));
        for (name, about) in members {
            row(&mut text, palette, name, about, name_width, columns);
        }
    }
    text.push_str(&format!("\n{}\n", palette.paint(Style::Heading, "Global options")));
    let options = options();
    let option_width = options.iter().map(|(name, _)| width(name)).max().unwrap_or(0);
    for (name, help) in &options {
        row(&mut text, palette, name, help, option_width, columns);
    }
    text.push_str(&format!("\n{}\n{EXAMPLES}\n", palette.paint(Style::Heading, "Examples")));
    text.push_str("\n`scrubjay help COMMAND` explains a command, `scrubjay demo` shows them at work.\n");
    text
}

fn row(text: &mut String, palette: Palette, name: &str, help: &str, name_width: usize, columns: usize) {
    let room = columns.saturating_sub(name_width + 5).max(20);
    let padding = " ".repeat(name_width - width(name));
    for (number, line) in wrap(help, room).iter().enumerate() {
        let left = if number == 0 {
            format!("{}{padding}", palette.paint(Style::Strong, name))
        } else {
            " ".repeat(name_width)
        };
        text.push_str(&format!("  {left}  {line}\n"));
    }
}

// Every command with its words and one line about it.
fn commands() -> Vec<(String, String)> {
    let operations = REGISTRY.iter().filter(|entry| !entry.surfaces.command.is_empty());
    let mut commands: Vec<(String, String)> =
        operations.map(|entry| (entry.surfaces.command.join(" "), entry.about().0)).collect();
    for other in others().into_iter().filter(|other| !other.is_hide_set()) {
        let about = other.get_about().map(ToString::to_string).unwrap_or_default();
        commands.push((other.get_name().to_owned(), about));
    }
    commands
}

fn options() -> Vec<(String, String)> {
    let option = |argument: clap::Arg| {
        let short = argument.get_short().map_or_else(String::new, |short| format!("-{short}, "));
        let long = argument.get_long().unwrap_or_default();
        let value = match argument.get_value_names() {
            Some([name]) => format!(" {name}"),
            _ => String::new(),
        };
        (format!("{short}--{long}{value}"), argument.get_help().map(ToString::to_string).unwrap_or_default())
    };
    let mut options: Vec<_> = globals::flags().into_iter().map(option).collect();
    options.push(("-h, --help".to_owned(), "Show this overview, or the help of a command".to_owned()));
    options.push(("-V, --version".to_owned(), "Show the version".to_owned()));
    options
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_command_is_in_the_overview_and_in_a_group() {
        let text = overview(Palette { colour: false }, 80);
        for (name, about) in commands() {
            assert!(text.contains(&format!("  {name} ")), "{name}");
            assert!(!about.is_empty(), "{name} says nothing about itself");
        }
        assert!(!text.contains("\nMore\n"), "a new command wants a place in GROUPS:\n{text}");
        for line in text.lines() {
            assert!(width(line) <= 80, "{line}");
        }
    }
}
