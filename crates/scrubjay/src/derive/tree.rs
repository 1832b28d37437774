//! The commands, arranged as the operations' paths say.

use std::sync::OnceLock;

use clap::{Arg, ArgAction, Command};
use scrubjay_engine::ops::{Entry, REGISTRY};

use super::{argument, fields};
use crate::command::aliases;
use crate::{command, globals};

/// The whole command line. What a command takes is worked out when that command
/// is used: a hook that recalls something should not pay for the rest.
pub(crate) fn root(columns: usize) -> Command {
    let flag = |id: &'static str, long: &'static str, short: char, help: &'static str| {
        Arg::new(id).long(long).short(short).help(help).action(ArgAction::SetTrue)
    };
    let mut root = Command::new("scrubjay")
        .bin_name("scrubjay")
        .about("Long-term memory for AI agents, in one binary")
        .disable_help_flag(true)
        .disable_help_subcommand(true)
        .subcommand_negates_reqs(true)
        .term_width(columns)
        .args(globals::flags())
        .arg(flag("help", "help", 'h', "Show what there is"))
        .arg(flag("version", "version", 'V', "Show the version; with --verbose also that of the store"));
    for word in first_words() {
        root = root.subcommand(Command::new(word).visible_aliases(aliases::of(word)).defer(fill));
    }
    root.subcommands(command::others())
}

// The first words of all commands, each once, in the order of the list.
fn first_words() -> &'static [&'static str] {
    static WORDS: OnceLock<Vec<&'static str>> = OnceLock::new();
    WORDS.get_or_init(|| {
        let mut words = Vec::new();
        for word in REGISTRY.iter().filter_map(|entry| entry.surfaces.command.first()) {
            if !words.contains(word) {
                words.push(*word);
            }
        }
        words
    })
}

// Completes a command that has only its name yet.
fn fill(command: Command) -> Command {
    let word = command.get_name().to_owned();
    let own: Vec<&Entry> =
        REGISTRY.iter().filter(|entry| entry.surfaces.command.first() == Some(&word.as_str())).collect();
    let mut command = match own.iter().find(|entry| entry.surfaces.command.len() == 1) {
        Some(entry) => describe(command, entry),
        None => group(command, &own),
    };
    for entry in own.iter().filter(|entry| entry.surfaces.command.len() > 1) {
        let name = entry.surfaces.command[1];
        let other_names = aliases::of(&format!("{word} {name}"));
        command = command.subcommand(describe(Command::new(name).visible_aliases(other_names), entry));
    }
    // What a command needs by itself is not needed by the words below it.
    command::examples::add(command, &word).disable_help_subcommand(true).subcommand_negates_reqs(true)
}

// A word that is no operation by itself, such as `config`.
fn group(command: Command, entries: &[&Entry]) -> Command {
    let names: Vec<&str> = entries.iter().filter_map(|entry| entry.surfaces.command.get(1)).copied().collect();
    let about = command::group_about(command.get_name());
    let about = about.map_or_else(|| format!("One of: {}", names.join(", ")), str::to_owned);
    command.about(about).args(globals::arguments()).subcommand_required(true).arg_required_else_help(true)
}

fn describe(command: Command, entry: &Entry) -> Command {
    let schema = entry.input_schema();
    let (first, whole) = entry.about();
    let command = command.about(first).long_about(whole).args(globals::arguments());
    match command::own_arguments(entry.name) {
        Some(add) => add(command, schema),
        None => command.args(fields(schema).iter().filter_map(argument)),
    }
}
