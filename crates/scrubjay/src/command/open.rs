//! `open`: the dashboard, in a browser, signed in.

use std::fs::{self, OpenOptions};
use std::io::Write;
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command as Process, Stdio};
use std::time::Duration;

use clap::{Arg, ArgAction, ArgMatches, Command};
use scrubjay_core::error::ErrorCode;
use scrubjay_engine::Ctx;
use scrubjay_server::client::{Away, Connection, launch, sign_in_link};
use serde_json::json;

use crate::environment::Environment;
use crate::failure::Failure;
use crate::globals;
use crate::invocation::{Invocation, block_on};

const EXAMPLES: &str = "Examples:
  scrubjay open
  scrubjay open --print";

/// How long a daemon may take to start or to answer.
const PATIENCE: Duration = Duration::from_secs(20);

/// The programs that open a page, in the order in which they are tried.
const OPENERS: [&str; 3] = ["xdg-open", "open", "wslview"];

/// Its arguments.
pub(crate) fn command() -> Command {
    Command::new("open")
        .about("Open the dashboard in a browser, signed in")
        .long_about(
            "Open the dashboard in a browser, signed in.\n\n\
             The browser is signed in by a link that works once, within a minute, and becomes a cookie. A daemon is \
             started if none runs.",
        )
        .arg(Arg::new("print").long("print").action(ArgAction::SetTrue).help("Print the link, and open nothing"))
        .args(globals::arguments())
        .after_help(EXAMPLES)
}

/// Opens the dashboard, or prints the link to it.
pub(crate) fn run(invocation: &mut Invocation<'_>, matches: &ArgMatches) -> Result<u8, Failure> {
    let ctx = invocation.context()?;
    need_daemon(&ctx)?;
    let link = link(&ctx)?;
    let opened = !matches.get_flag("print") && show(invocation.environment, &ctx.home().path, &link)?;
    if invocation.json() {
        invocation.console.json(&json!({"url": link, "opened": opened}))?;
    } else if opened {
        invocation.note("The dashboard opens in your browser. If it does not, use `scrubjay open --print`.");
    } else {
        invocation.console.data(&format!("{link}\n"))?;
        invocation.console.flush()?;
        invocation.note("This link works once, within a minute, in a browser on this machine.");
    }
    Ok(0)
}

/// A link that signs a browser in, and shows the project at hand.
pub(super) fn link(ctx: &Ctx) -> Result<String, Failure> {
    sign_in_link(&ctx.home().path, ctx.view().project_id(), PATIENCE).map_err(|away| {
        let message = match away {
            Away::Absent => "no daemon runs; `scrubjay serve` starts one".to_owned(),
            Away::Hung => "a daemon runs and does not answer".to_owned(),
            Away::Broken(what) => format!("a daemon runs and cannot be asked: {what}"),
        };
        Failure::plain(ErrorCode::Unavailable, message)
    })
}

/// Lets a browser follow the link; false if there is none to ask. Everyone on a
/// machine can read the arguments of its processes, so the browser is given the
/// name of a private file that leads on.
pub(super) fn show(environment: &Environment, home: &Path, link: &str) -> Result<bool, Failure> {
    let Some(opener) = opener(environment) else { return Ok(false) };
    let file = home.join("open.html");
    write_private(&file, link).map_err(|error| Failure::io("write the page that opens the dashboard", error))?;
    let mut process = Process::new(opener);
    process.arg(&file).process_group(0);
    process.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    Ok(process.spawn().is_ok())
}

fn need_daemon(ctx: &Ctx) -> Result<(), Failure> {
    let home = ctx.home().path.clone();
    let lives = || Connection::to(&home).is_some_and(|way| way.lives(Duration::from_secs(1)));
    let settings = &ctx.config().settings.daemon;
    if lives() || !settings.autostart {
        return Ok(());
    }
    launch(&super::install::program()?, &home, settings.idle_exit_s)?;
    block_on(async {
        let until = ctx.elapsed() + PATIENCE;
        while !lives() && ctx.elapsed() < until {
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        Ok(())
    })
}

// Without a display there is nothing to open, and asking would start a browser
// in the terminal.
fn opener(environment: &Environment) -> Option<PathBuf> {
    let folders = environment.path("PATH")?;
    let is_program = |path: &PathBuf| {
        fs::metadata(path).is_ok_and(|facts| facts.is_file() && facts.permissions().mode() & 0o111 != 0)
    };
    let has_display = cfg!(target_os = "macos")
        || ["DISPLAY", "WAYLAND_DISPLAY", "WSL_DISTRO_NAME"].iter().any(|name| environment.path(name).is_some());
    let named = environment.path("BROWSER").filter(|path| path.is_absolute());
    let found = || {
        let folders: Vec<PathBuf> = std::env::split_paths(&folders).collect();
        let names = OPENERS.iter().filter(|name| cfg!(target_os = "macos") || **name != "open");
        names.flat_map(|name| folders.iter().map(move |folder| folder.join(name))).find(is_program)
    };
    named.filter(is_program).or_else(|| if has_display { found() } else { None })
}

fn write_private(file: &Path, link: &str) -> std::io::Result<()> {
    match fs::remove_file(file) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    let mut opened = OpenOptions::new().write(true).create_new(true).mode(0o600).open(file)?;
    // A form leaves the secret out of the browser's history.
    let (address, fields) = link.split_once('?').unwrap_or((link, ""));
    let fields: String = fields
        .split('&')
        .filter_map(|pair| pair.split_once('='))
        .map(|(name, value)| format!("<input type=\"hidden\" name=\"{name}\" value=\"{value}\">"))
        .collect();
    let page = format!(
        "<!doctype html><meta charset=\"utf-8\"><title>Scrubjay</title>\
         <form method=\"post\" action=\"{address}\">{fields}<button>Open the dashboard</button></form>\
         <script>document.forms[0].submit()</script>\n"
    );
    opened.write_all(page.as_bytes())
}
