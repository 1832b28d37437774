//! `help`: the overview, or the help of one command.

use std::ffi::OsString;

use clap::{Arg, ArgAction, ArgMatches, Command};

use super::overview;
use crate::derive;
use crate::failure::Failure;
use crate::globals;
use crate::invocation::Invocation;
use crate::run::unknown_command;

/// Its arguments.
pub(crate) fn command() -> Command {
    Command::new("help")
        .about("Show all commands, or the help of one")
        .arg(Arg::new("command").value_name("COMMAND").help("The command").num_args(0..).action(ArgAction::Append))
        .args(globals::arguments())
}

/// Shows the help.
pub(crate) fn run(invocation: &mut Invocation<'_>, matches: &ArgMatches) -> Result<u8, Failure> {
    let words: Vec<&String> = matches.get_many("command").into_iter().flatten().collect();
    let columns = invocation.console.facts.columns;
    if words.is_empty() {
        let text = overview::overview(invocation.palette(), columns);
        invocation.console.data(&text)?;
        return Ok(0);
    }
    // The same as `scrubjay COMMAND --help`, so that there is one help.
    let arguments = ["scrubjay"].into_iter().map(OsString::from);
    let arguments = arguments.chain(words.into_iter().map(OsString::from)).chain([OsString::from("--help")]);
    let arguments: Vec<OsString> = arguments.collect();
    match derive::root(columns).try_get_matches_from(&arguments) {
        Err(error) => Err(unknown_command(error, &arguments)),
        Ok(_) => Ok(0),
    }
}
