//! The scripts.

use clap::{Arg, ArgMatches, Command, value_parser};
use clap_complete::Shell;

use crate::derive;
use crate::failure::Failure;
use crate::globals;
use crate::invocation::Invocation;

const WHERE: &str = "Where it goes:
  bash   ~/.local/share/bash-completion/completions/scrubjay
  zsh    a folder of $fpath, as _scrubjay
  fish   ~/.config/fish/completions/scrubjay.fish

Examples:
  scrubjay completions bash > ~/.local/share/bash-completion/completions/scrubjay
  scrubjay completions zsh > ~/.zfunc/_scrubjay
  scrubjay completions fish > ~/.config/fish/completions/scrubjay.fish";

const BASH: &str = include_str!("scrubjay.bash");
const ZSH: &str = include_str!("_scrubjay.zsh");
const FISH: &str = include_str!("scrubjay.fish");

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
    let script = match shell {
        Shell::Bash => BASH.to_owned(),
        Shell::Zsh => ZSH.to_owned(),
        Shell::Fish => FISH.to_owned(),
        _ => {
            let mut script = Vec::new();
            clap_complete::generate(*shell, &mut derive::root(80), "scrubjay", &mut script);
            String::from_utf8_lossy(&script).into_owned()
        }
    };
    invocation.console.data(&script)?;
    Ok(0)
}
