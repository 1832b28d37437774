//! `scrubjay` by itself: orientation, the overview of commands, the version.

use clap::{ArgMatches, Command};
use scrubjay_engine::ops;
use serde_json::json;

use super::overview;
use crate::context;
use crate::environment::Environment;
use crate::failure::Failure;
use crate::globals::{self, Globals};
use crate::invocation::{Invocation, block_on};
use crate::output::style::Style;
use crate::scratch_folder::ScratchFolder;

/// The arguments of `version`.
pub(crate) fn version_command() -> Command {
    Command::new("version").about("Show the version; with --verbose also that of the store").args(globals::arguments())
}

/// Shows the version.
pub(crate) fn show_version(invocation: &mut Invocation<'_>) -> Result<u8, Failure> {
    let text = version(invocation)?;
    invocation.console.data(&text)?;
    Ok(0)
}

/// Shows what the flags ask for; a short orientation without any.
pub(crate) fn run(invocation: &mut Invocation<'_>, matches: &ArgMatches) -> Result<u8, Failure> {
    let palette = invocation.palette();
    let text = if matches.get_flag("help") {
        overview::overview(palette, invocation.console.facts.columns)
    } else if matches.get_flag("version") {
        version(invocation)?
    } else {
        let command = |text: &str| palette.paint(Style::Strong, text);
        format!(
            "Scrubjay keeps what you and your agents said, learned and decided,\nand finds it again when it matters.\n\n\
             Try it without touching anything:\n  {}\n\n\
             Start for real:\n  {}\n  {}\n\n\
             `scrubjay help` shows all commands.\n",
            command("scrubjay demo"),
            command("scrubjay remember \"Ada owns billing\""),
            command("scrubjay recall \"who owns billing\""),
        )
    };
    invocation.console.data(&text)?;
    Ok(0)
}

fn version(invocation: &Invocation<'_>) -> Result<String, Failure> {
    let mut text = concat!("scrubjay ", env!("CARGO_PKG_VERSION"), "\n").to_owned();
    if !invocation.globals.verbose {
        return Ok(text);
    }
    // What a store made by this build says of itself; the user's own may be
    // older, damaged or not there.
    let scratch = ScratchFolder::new(&invocation.environment.temporary_folder(), false)?;
    let globals = Globals { home: Some(scratch.path.clone()), ..Globals::default() };
    let ctx = context::open(&globals, &Environment::bare(scratch.path.clone()))?.ctx;
    let Some(doctor) = ops::find("doctor") else { return Ok(text) };
    let found = block_on(async { Ok(doctor.call(&ctx, json!({"quick": true})).await?) })?;
    for finding in found["findings"].as_array().into_iter().flatten() {
        let detail = finding["detail"].as_str().unwrap_or_default();
        match finding["check"].as_str().unwrap_or_default() {
            "sqlite" => text.push_str(&format!("{detail}\n")),
            "schema" => text.push_str(&format!("store schema {detail}\n")),
            _ => {}
        }
    }
    Ok(text)
}
