//! `serve`: the daemon, in the foreground.

use std::net::IpAddr;
use std::time::Duration;

use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};
use scrubjay_core::error::ErrorCode;
use scrubjay_engine::clients::{self, CLIENTS};
use scrubjay_server::daemon::{self, Options};
use scrubjay_server::daemon_files::DaemonFiles;
use scrubjay_server::http::{Patience, Stop};
use serde_json::json;

use super::install::surroundings;
use crate::context::Opened;
use crate::failure::Failure;
use crate::globals;
use crate::invocation::Invocation;
use crate::output::layout::Table;
use crate::output::style::Style;

const EXAMPLES: &str = "Examples:
  scrubjay serve
  scrubjay serve --port 0 --json
  scrubjay service install";

/// Its arguments.
pub(crate) fn command() -> Command {
    Command::new("serve")
        .about("Serve every client on this machine: HTTP, MCP, hooks and background work")
        .long_about(
            "Serve every client on this machine: HTTP, MCP, hooks and background work.\n\n\
             One daemon serves one home folder and all its agents. It listens on the loopback address and on a socket \
             in the home folder, and wants a token for everything. Commands and hooks use it while it runs and work \
             alone while it does not.",
        )
        .arg(
            Arg::new("port")
                .long("port")
                .value_name("N")
                .value_parser(value_parser!(u16))
                .help("The port; 0 means any that is free [default: daemon.port, or any other if that is taken]"),
        )
        .arg(
            Arg::new("listen")
                .long("listen")
                .value_name("ADDRESS")
                .value_parser(value_parser!(IpAddr))
                .default_value("127.0.0.1")
                .help("The address; another one than loopback makes your memories reachable from elsewhere"),
        )
        .arg(
            Arg::new("name")
                .long("name")
                .value_name("HOST")
                .action(ArgAction::Append)
                .help("A name beside localhost that it is reached by; may be given several times"),
        )
        .arg(
            Arg::new("idle-exit")
                .long("idle-exit")
                .value_name("TIME")
                .value_parser(duration)
                .help("End when nobody needed it for so long: 90s, 30m or 2h"),
        )
        .arg(Arg::new("on-demand").long("on-demand").action(ArgAction::SetTrue).hide(true))
        .args(globals::arguments())
        .after_help(EXAMPLES)
}

/// Serves until it is told to end.
pub(crate) fn run(invocation: &mut Invocation<'_>, matches: &ArgMatches) -> Result<u8, Failure> {
    let opened = invocation.opened()?;
    let address = *matches.get_one::<IpAddr>("listen").ok_or_else(|| Failure::invalid("say where to listen"))?;
    let options = Options {
        ctx: opened.ctx.clone(),
        origin: opened.origin.clone(),
        address,
        port: matches.get_one::<u16>("port").copied(),
        names: matches.get_many::<String>("name").into_iter().flatten().cloned().collect(),
        idle_exit: matches.get_one::<Duration>("idle-exit").copied(),
        on_demand: matches.get_flag("on-demand"),
        patience: Patience::default(),
    };
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    let runtime = runtime.map_err(|error| Failure::io("start the runtime", error))?;
    runtime.block_on(async {
        if invocation.globals.new {
            opened.ctx.store().await?;
        }
        let running = daemon::start(options).await?;
        tell(invocation, &opened, &running)?;
        if takes_keys(invocation) {
            super::keys::listen(opened.ctx.clone(), invocation.environment.clone());
        }
        if running.serve().await? == Stop::Broken {
            let message = "the daemon has ended, because a store cannot be written any more; `scrubjay logs` says why";
            return Err(Failure::plain(ErrorCode::Unavailable, message));
        }
        invocation.note("The daemon has ended.");
        Ok::<(), Failure>(())
    })?;
    // A job that is in the middle of something would hold us up; it is leased
    // and will be begun again.
    runtime.shutdown_background();
    Ok(0)
}

// Somebody sits at the terminal and is not spoken to as a program.
fn takes_keys(invocation: &Invocation<'_>) -> bool {
    let facts = invocation.console.facts;
    facts.input_is_terminal && facts.output_is_terminal && !invocation.json()
}

fn tell(invocation: &mut Invocation<'_>, opened: &Opened, running: &daemon::Running) -> Result<(), Failure> {
    let place = DaemonFiles::of(&opened.ctx.home().path);
    let url = format!("http://{}", running.address());
    if invocation.json() {
        let line = json!({
            "url": url, "socket": place.socket, "home": place.home, "token_file": place.token, "log": place.log,
            "pid": std::process::id(),
        });
        invocation.console.json(&line)?;
        return invocation.console.flush();
    }
    let palette = invocation.palette();
    let strong = |text: &str| palette.paint(Style::Strong, text);
    let mut text = format!("{}\n\n", strong("Scrubjay is listening."));
    let mut table = Table::new(&[Style::Dim, Style::Plain]);
    table.row(["  address", &format!("{url}  (the API: {url}/docs)")]);
    let how = if takes_keys(invocation) { "press o, then Enter, to open it" } else { "`scrubjay open` opens it" };
    table.row(["  dashboard", how]);
    table.row(["  home", &place.home.display().to_string()]);
    table.row(["  token", &place.token.display().to_string()]);
    table.row(["  log", &place.log.display().to_string()]);
    text.push_str(&table.render(palette, invocation.console.facts.columns.max(100)));
    text.push_str(&format!("\n{}\n", strong("Clients on this machine")));
    text.push_str(&clients_found(invocation, opened)?);
    let us = our_name(invocation);
    text.push_str(&format!(
        "\n{}\n  {us} remember \"Ada owns billing\"\n  {us} recall \"who owns billing\"\n  \
         curl -s -H \"Authorization: Bearer $(cat '{}')\" -H 'Content-Type: application/json' \\\n    \
         -d '{{\"query\": \"billing\"}}' {url}/v1/recall\n\nCtrl-C ends it; nothing is lost.\n",
        strong("Try it from a second terminal"),
        place.token.display(),
    ));
    invocation.console.data(&text)?;
    invocation.console.flush()
}

fn clients_found(invocation: &Invocation<'_>, opened: &Opened) -> Result<String, Failure> {
    let around = surroundings(invocation, &opened.ctx)?;
    let us = our_name(invocation);
    let mut lines = String::new();
    for client in CLIENTS.iter().filter(|client| clients::is_present(client, &around)) {
        let state = if clients::is_wired(client, &around) {
            "wired in".to_owned()
        } else {
            format!("not wired in yet: {us} install {}", client.name)
        };
        lines.push_str(&format!("  {:<12} {state}\n", client.title));
    }
    if lines.is_empty() {
        let names: Vec<&str> = CLIENTS.iter().map(|client| client.name).collect();
        lines = format!("  none found; {us} install NAME wires one in ({})\n", names.join(", "));
    }
    Ok(lines)
}

// How to call us from another terminal: by name if the shell would find us.
fn our_name(invocation: &Invocation<'_>) -> String {
    let own = super::install::program().ok();
    let folders = invocation.environment.path("PATH").unwrap_or_default();
    let on_path = std::env::split_paths(&folders)
        .any(|folder| std::fs::canonicalize(folder.join("scrubjay")).ok() == own && own.is_some());
    match own {
        Some(own) if !on_path => own.display().to_string(),
        _ => "scrubjay".to_owned(),
    }
}

/// Reads a span of time; a number alone means seconds.
pub(super) fn duration(text: &str) -> Result<Duration, String> {
    let split = text.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(text.len());
    let (number, unit) = text.split_at(split);
    let factor = match unit {
        "ms" => Some(1),
        "" | "s" => Some(1000),
        "m" => Some(60_000),
        "h" => Some(3_600_000),
        _ => None,
    };
    let millis = number.parse::<u64>().ok().zip(factor).and_then(|(number, factor)| number.checked_mul(factor));
    match millis {
        Some(0) | None => Err("write a time such as 90s, 30m or 2h".to_owned()),
        Some(millis) => Ok(Duration::from_millis(millis)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_units() {
        for (text, seconds) in [("90", 90), ("90s", 90), ("30m", 1800), ("2h", 7200)] {
            assert_eq!(duration(text), Ok(Duration::from_secs(seconds)), "{text}");
        }
        for bad in ["", "0", "-1", "3d", "m", "1.5h", "99999999999999999999h"] {
            assert!(duration(bad).is_err(), "{bad}");
        }
    }
}
