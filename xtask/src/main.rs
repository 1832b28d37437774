//! Chores of this repository, run as `cargo xtask <command>`.
//!
//! A command is one file in `command/` and one line in `command/mod.rs`. The house rules that `tidy` enforces are one
//! file each in `tidy/`; they read the repository through `tree.rs` and Rust code through `rust_source.rs`. What
//! `planted` plants is in `planted/`.
//! Nothing here is part of the product, and nothing here reaches the network.

mod command;
mod module_graph;
mod planted;
mod rust_source;
mod tidy;
mod tree;

use std::io::Write;
use std::process::ExitCode;

use command::COMMANDS;

fn main() -> ExitCode {
    let arguments: Vec<String> =
        std::env::args_os().skip(1).map(|argument| argument.to_string_lossy().into_owned()).collect();
    match dispatch(&arguments) {
        Ok(code) => code,
        Err(error) => {
            // There is nowhere left to report a closed stderr; the exit code still tells the caller.
            let _ = writeln!(std::io::stderr(), "xtask: {error:#}");
            ExitCode::from(2)
        }
    }
}

fn dispatch(arguments: &[String]) -> anyhow::Result<ExitCode> {
    let Some((name, rest)) = arguments.split_first() else {
        anyhow::bail!("a command is needed\n{}", usage());
    };
    if matches!(name.as_str(), "help" | "-h" | "--help") {
        writeln!(std::io::stdout(), "{}", usage())?;
        return Ok(ExitCode::SUCCESS);
    }
    match COMMANDS.iter().find(|command| command.name == name) {
        Some(command) => (command.run)(rest),
        None => anyhow::bail!("there is no command `{name}`\n{}", usage()),
    }
}

fn usage() -> String {
    let mut text = String::from("usage: cargo xtask <command>");
    for command in COMMANDS {
        text.push_str(&format!("\n  {:<20} {}", command.name, command.summary));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_command_is_an_error_that_lists_the_known_ones() {
        let error = dispatch(&["sweep".to_string()]).unwrap_err().to_string();
        assert!(error.contains("no command `sweep`"), "{error}");
        for command in COMMANDS {
            assert!(error.contains(command.name), "{error}");
        }
        assert!(dispatch(&[]).is_err());
    }
}
