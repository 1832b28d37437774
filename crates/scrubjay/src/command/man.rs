//! `man`: manual pages, one for each command.

use std::path::{Path, PathBuf};

use clap::{Arg, ArgMatches, Command, value_parser};
use serde_json::json;

use crate::derive;
use crate::failure::Failure;
use crate::globals;
use crate::invocation::Invocation;

/// How wide the pages' texts are made; the pager wraps them again.
const COLUMNS: usize = 100;

/// Its arguments.
pub(crate) fn command() -> Command {
    Command::new("man")
        .about("Write manual pages, one for each command, to a folder")
        .arg(
            Arg::new("folder")
                .value_name("DIR")
                .help("The folder, such as ~/.local/share/man/man1; it is made if it is not there")
                .required(true)
                .value_parser(value_parser!(PathBuf)),
        )
        .args(globals::arguments())
}

/// Writes the pages.
pub(crate) fn run(invocation: &mut Invocation<'_>, matches: &ArgMatches) -> Result<u8, Failure> {
    let Some(folder) = matches.get_one::<PathBuf>("folder") else {
        return Err(Failure::invalid("say which folder"));
    };
    std::fs::create_dir_all(folder).map_err(|error| Failure::io(&format!("make {}", folder.display()), error))?;
    let mut root = derive::root(COLUMNS);
    root.build();
    let mut written = Vec::new();
    write(&root, "scrubjay", folder, &mut written)?;
    if invocation.json() {
        invocation.console.json(&json!({"folder": folder, "pages": written}))?;
    } else {
        let text = format!("{} pages written to {}; try: man scrubjay\n", written.len(), folder.display());
        invocation.console.data(&text)?;
    }
    Ok(0)
}

fn write(command: &Command, name: &str, folder: &Path, written: &mut Vec<String>) -> Result<(), Failure> {
    let page = format!("{name}.1");
    let path = folder.join(&page);
    let failed = |error| Failure::io(&format!("write {}", path.display()), error);
    let mut text = Vec::new();
    let title = name.to_uppercase();
    // The name with hyphens is the page's; the command itself has spaces.
    let shown = command.clone().name(name.to_owned());
    clap_mangen::Man::new(shown)
        .title(title)
        .source(concat!("scrubjay ", env!("CARGO_PKG_VERSION")))
        .render(&mut text)
        .map_err(failed)?;
    std::fs::write(&path, text).map_err(failed)?;
    written.push(page);
    for inner in command.get_subcommands().filter(|inner| !inner.is_hide_set()) {
        write(inner, &format!("{name}-{}", inner.get_name()), folder, written)?;
    }
    Ok(())
}
