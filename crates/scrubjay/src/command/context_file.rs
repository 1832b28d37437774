//! `context-file`: a file kept fresh for tools that only read files.

use std::path::PathBuf;

use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};
use scrubjay_core::error::ErrorCode;
use scrubjay_engine::context_file;
use serde_json::json;

use crate::failure::Failure;
use crate::globals;
use crate::invocation::{Invocation, block_on};

const EXAMPLES: &str = "The daemon writes the file again when what it should say has changed. Only the part between two
marks is ours; the rest of the file stays as it is.

Examples:
  scrubjay context-file AGENTS.md
  scrubjay context-file --remove AGENTS.md";

/// Its arguments.
pub(crate) fn command() -> Command {
    Command::new("context-file")
        .about("Keep a file fresh for tools that only read files")
        .arg(Arg::new("path").value_name("PATH").help("The file").required(true).value_parser(value_parser!(PathBuf)))
        .arg(Arg::new("remove").long("remove").action(ArgAction::SetTrue).help("Stop keeping it fresh"))
        .args(globals::arguments())
        .after_help(EXAMPLES)
}

/// Registers the file and writes it, or takes it off the list.
pub(crate) fn run(invocation: &mut Invocation<'_>, matches: &ArgMatches) -> Result<u8, Failure> {
    let given = matches.get_one::<PathBuf>("path").cloned().unwrap_or_default();
    let path = std::path::absolute(&given).map_err(|error| Failure::io("make the path absolute", error))?;
    let ctx = invocation.context()?;
    let remove = matches.get_flag("remove");
    if remove {
        if !context_file::unregister(&ctx, &path)? {
            let message = format!("{} is not kept fresh", path.display());
            return Err(Failure::plain(ErrorCode::NotFound, message));
        }
    } else {
        block_on(async { Ok(context_file::register(&ctx, &path).await?) })?;
    }
    if invocation.json() {
        invocation.console.json(&json!({"path": path, "fresh": !remove}))?;
    } else if remove {
        invocation.console.data(&format!("{} is no longer kept fresh.\n", path.display()))?;
    } else {
        invocation.console.data(&format!("{} is written, and kept fresh while the daemon runs.\n", path.display()))?;
    }
    Ok(0)
}
