//! `completions`: scripts that teach a shell our commands.

use clap::{Arg, ArgMatches, Command, value_parser};
use clap_complete::Shell;

use crate::derive;
use crate::failure::Failure;
use crate::globals;
use crate::invocation::Invocation;

const WHERE: &str = "Examples:
  bash   scrubjay completions bash > ~/.local/share/bash-completion/completions/scrubjay
  zsh    scrubjay completions zsh > ~/.zfunc/_scrubjay
  fish   scrubjay completions fish > ~/.config/fish/completions/scrubjay.fish";

/// Its arguments.
pub(crate) fn command() -> Command {
    Command::new("completions")
        .about("Write a completion script for a shell")
        .arg(Arg::new("shell").value_name("SHELL").help("The shell").required(true).value_parser(value_parser!(Shell)))
        .args(globals::arguments())
        .after_help(WHERE)
}

/// Writes the script.
pub(crate) fn run(invocation: &mut Invocation<'_>, matches: &ArgMatches) -> Result<u8, Failure> {
    let Some(shell) = matches.get_one::<Shell>("shell") else {
        return Err(Failure::invalid("say for which shell"));
    };
    let mut script = Vec::new();
    clap_complete::generate(*shell, &mut derive::root(80), "scrubjay", &mut script);
    invocation.console.data(&String::from_utf8_lossy(&script))?;
    Ok(0)
}
