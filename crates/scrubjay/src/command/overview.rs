//! The overview of all commands, grouped by what people want to do.

use scrubjay_engine::ops::{Group, REGISTRY};

use super::others;
use crate::globals;
use crate::output::layout::{width, wrap};
use crate::output::style::{Palette, Style};

/// The groups of commands that are no operation. A command that is in none, because it is new, comes last under a
/// heading of its own.
const OTHERS: &[(Group, &[&str])] = &[
    (Group::Files, &["watch"]),
    (Group::Store, &["eval"]),
    (
        Group::Daemon,
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
    (Group::Setup, &["completions", "man", "call", "demo", "help", "version"]),
];

const EXAMPLES: &str = r#"  scrubjay remember --tag billing "Ada owns billing"
  scrubjay recall "who owns billing"
  scrubjay capture < conversation.jsonl"#;

/// The overview as text.
pub(super) fn overview(palette: Palette, columns: usize) -> String {
    let commands = commands();
    let name_width = commands.iter().map(|command| width(&command.name)).max().unwrap_or(0);
    let mut text = format!(
        "Long-term memory for AI agents, in one binary.\n\n{} scrubjay [OPTIONS] COMMAND\n",
        palette.paint(Style::Heading, "Usage:")
    );
    let sections = Group::ALL.into_iter().map(|group| (group.title(), Some(group))).chain([("More", None)]);
    for (title, group) in sections {
        let mut members: Vec<&Listed> = commands.iter().filter(|command| command.group == group).collect();
        if members.is_empty() {
            continue;
        }
        members.sort_by_key(|command| command.place);
        text.push_str(&format!("\n{}\n", palette.paint(Style::Heading, title)));
        for command in members {
            row(&mut text, palette, &command.name, &command.about, name_width, columns);
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

/// A command, as the overview shows it.
struct Listed {
    name: String,
    about: String,
    group: Option<Group>,
    /// Its place within the group: operations in their order, then the others in theirs.
    place: usize,
}

// Every command with its words and one line about it.
fn commands() -> Vec<Listed> {
    let operations = REGISTRY.iter().enumerate().filter(|(_, entry)| !entry.surfaces.command.is_empty());
    let mut commands: Vec<Listed> = operations
        .map(|(place, entry)| Listed {
            name: entry.surfaces.command.join(" "),
            about: entry.about().0,
            group: Some(entry.group),
            place,
        })
        .collect();
    for other in others().into_iter().filter(|other| !other.is_hide_set()) {
        let about = other.get_about().map(ToString::to_string).unwrap_or_default();
        let place_in = |words: &[&str]| words.iter().position(|word| *word == other.get_name());
        let found = OTHERS.iter().find_map(|(group, words)| Some((*group, place_in(words)?)));
        commands.push(Listed {
            name: other.get_name().to_owned(),
            about,
            group: found.map(|(group, _)| group),
            place: REGISTRY.len() + found.map_or(0, |(_, place)| place),
        });
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
        for Listed { name, about, .. } in commands() {
            assert!(text.contains(&format!("  {name} ")), "{name}");
            assert!(!about.is_empty(), "{name} says nothing about itself");
        }
        assert!(!text.contains("\nMore\n"), "a new command wants a place in OTHERS:\n{text}");
        for line in text.lines() {
            assert!(width(line) <= 80, "{line}");
        }
    }
}
