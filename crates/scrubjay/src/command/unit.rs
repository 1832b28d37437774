//! `service`: the daemon as a systemd service of the user.

use std::path::{Path, PathBuf};
use std::process::Command as Process;

use clap::{Arg, ArgAction, ArgMatches, Command};
use scrubjay_core::error::ErrorCode;
use scrubjay_engine::Ctx;
use scrubjay_engine::clients::{diff, read_regular, target};
use serde_json::json;

use super::install::program;
use crate::failure::Failure;
use crate::globals;
use crate::invocation::Invocation;

const UNIT: &str = "scrubjay.service";

/// Its arguments.
pub(crate) fn command() -> Command {
    let flag = |id: &'static str, help: &'static str| Arg::new(id).long(id).action(ArgAction::SetTrue).help(help);
    let install = Command::new("install")
        .about("Start the daemon with every login")
        .arg(flag("dry-run", "Only show the unit"))
        .arg(flag("no-start", "Write the unit, and leave starting it to you"))
        .args(globals::arguments());
    let uninstall = Command::new("uninstall")
        .about("Do not start it any more; memories stay")
        .arg(flag("dry-run", "Only show what would go"))
        .args(globals::arguments());
    Command::new("service")
        .about("Run the daemon as a systemd service of yours")
        .args(globals::arguments())
        .subcommand_required(true)
        .arg_required_else_help(true)
        .disable_help_subcommand(true)
        .subcommands([install, uninstall])
}

/// Does what the second word says.
pub(crate) fn run(invocation: &mut Invocation<'_>, path: &[&str], matches: &ArgMatches) -> Result<u8, Failure> {
    let ctx = invocation.context()?;
    let (file, own) = unit_file(invocation)?;
    let file = target(&file, &[&own])?.path;
    let before = read_regular(&file)?;
    let installing = path.get(1) == Some(&"install");
    let after = if installing { Some(unit(&program()?, &ctx)?) } else { None };
    let dry_run = matches.get_flag("dry-run");
    let changed = before != after;
    let shown = diff(before.as_deref().unwrap_or_default(), after.as_deref().unwrap_or_default());
    let mut notes = Vec::new();
    let start = installing && !dry_run && !matches.get_flag("no-start");
    // A unit that nobody starts is no service; nothing is written then.
    if start && let Some(why) = systemctl(&["show-environment"]) {
        let message = format!(
            "the service manager of this user cannot be reached, so nothing was installed ({why}); start the daemon with `scrubjay serve`, or write the unit alone with --no-start"
        );
        return Err(Failure::plain(ErrorCode::Unavailable, message));
    }
    if changed && !dry_run {
        match &after {
            Some(text) => {
                let failed = |error| Failure::io(&format!("write {}", file.display()), error);
                std::fs::create_dir_all(file.parent().unwrap_or(Path::new("/"))).map_err(failed)?;
                std::fs::write(&file, text).map_err(failed)?;
            }
            None => {
                notes.extend(systemctl(&["disable", "--now", UNIT]));
                let failed = |error| Failure::io(&format!("remove {}", file.display()), error);
                std::fs::remove_file(&file).map_err(failed)?;
                notes.extend(systemctl(&["daemon-reload"]));
            }
        }
    }
    if start {
        for words in [&["daemon-reload"][..], &["enable", "--now", UNIT]] {
            if let Some(why) = systemctl(words) {
                let path = file.display();
                let message = format!(
                    "the unit is written to {path}, but it was not started ({why}); run that yourself to see why"
                );
                return Err(Failure::plain(ErrorCode::Unavailable, message));
            }
        }
    }
    if invocation.json() {
        let line = json!({"path": file, "changed": changed, "dry_run": dry_run, "diff": shown, "warnings": notes});
        invocation.console.json(&line)?;
        return Ok(0);
    }
    let said = match (changed, dry_run, installing) {
        (false, _, true) => "It is installed already.",
        (false, _, false) => "It is not installed.",
        (true, true, _) => "Nothing was written.",
        (true, false, true) => "It is installed.",
        (true, false, false) => "It is gone.",
    };
    invocation.console.data(&format!("{}\n{shown}{said}\n", file.display()))?;
    for note in notes {
        invocation.warn(&note);
    }
    Ok(0)
}

// Why a command of systemd failed, if it did: it may not be there, or not for this user.
fn systemctl(words: &[&str]) -> Option<String> {
    let asked = format!("systemctl --user {}", words.join(" "));
    match Process::new("systemctl").arg("--user").args(words).output() {
        Ok(output) if output.status.success() => None,
        Ok(output) => {
            let why = String::from_utf8_lossy(&output.stderr);
            Some(format!("`{asked}` failed: {}", why.trim()))
        }
        Err(error) => Some(format!("`{asked}` could not be run: {error}")),
    }
}

// The unit, and the folder that no link may lead out of.
fn unit_file(invocation: &Invocation<'_>) -> Result<(PathBuf, PathBuf), Failure> {
    let environment = invocation.environment;
    let (own, base) = match (environment.path("XDG_CONFIG_HOME"), environment.path("HOME")) {
        (Some(base), home) => (home.unwrap_or_else(|| base.clone()), base),
        (None, Some(home)) => (home.clone(), home.join(".config")),
        (None, None) => return Err(Failure::invalid("HOME is not set; set it to your folder")),
    };
    Ok((base.join("systemd").join("user").join(UNIT), own))
}

fn unit(program: &Path, ctx: &Ctx) -> Result<String, Failure> {
    let (program, home) = (quoted(program)?, quoted(&ctx.home().path)?);
    Ok(format!(
        "[Unit]\n\
         Description=Scrubjay, long-term memory for AI agents\n\
         \n\
         [Service]\n\
         Type=exec\n\
         ExecStart={program} serve --quiet --home {home}\n\
         Restart=on-failure\n\
         RestartSec=2\n\
         TimeoutStopSec=30\n\
         UMask=0077\n\
         NoNewPrivileges=true\n\
         \n\
         [Install]\n\
         WantedBy=default.target\n"
    ))
}

// A path as a unit takes it: quoted, with what units would expand doubled.
fn quoted(path: &Path) -> Result<String, Failure> {
    let text = path.to_str().filter(|text| !text.chars().any(char::is_control));
    let text =
        text.ok_or_else(|| Failure::invalid("systemd units take plain text only; move the program or the home"))?;
    let escaped = text.replace('\\', "\\\\").replace('"', "\\\"").replace('%', "%%").replace('$', "$$");
    Ok(format!("\"{escaped}\""))
}
