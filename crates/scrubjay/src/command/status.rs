//! `status` and `stop`: about the daemon, from outside.

use std::time::Duration;

use clap::Command;
use scrubjay_core::error::ErrorCode;
use scrubjay_engine::hooks;
use scrubjay_engine::pause::{self, Quiet};
use scrubjay_server::client::{Away, Connection, Request};
use scrubjay_server::daemon_files::{DaemonFiles, Lock};
use serde_json::{Value, json};

use crate::failure::Failure;
use crate::globals;
use crate::invocation::{Invocation, block_on};
use crate::output::layout::Table;
use crate::output::style::Style;

/// How long a daemon may take to finish what it is doing.
const PATIENCE: Duration = Duration::from_secs(25);

/// The arguments of `status`.
pub(crate) fn command() -> Command {
    Command::new("status").about("Tell whether the daemon runs, and what it does").args(globals::arguments())
}

/// The arguments of `stop`.
pub(crate) fn stop_command() -> Command {
    Command::new("stop").about("End the daemon; what it is doing is finished first").args(globals::arguments())
}

/// Shows the daemon's state; exit code 3 if there is none, 6 if a store is in trouble.
pub(crate) fn run(invocation: &mut Invocation<'_>) -> Result<u8, Failure> {
    let ctx = invocation.context()?;
    let home = ctx.home().path.clone();
    let answer_ms = ctx.config().settings.daemon.answer_ms;
    let request = Request { method: "GET", path: "/v1/status", headers: &[], body: b"" };
    let asked = Connection::to(&home)
        .ok_or(Away::Absent)
        .and_then(|connection| connection.ask(request, Duration::from_millis(answer_ms)));
    let held = Lock::is_held(&DaemonFiles::of(&home).lock);
    let spool = hooks::spool(&ctx);
    let (waiting, aside) = (spool.waiting().len(), spool.count_aside());
    let status: Option<Value> = asked.as_ref().ok().and_then(|answer| serde_json::from_slice(&answer.body).ok());
    let quiet = Quiet::of(&ctx)?.reason(&ctx.view().home(), None, None);
    let pauses = ctx.pauses().list()?;
    let paused: Vec<String> = pauses.holding(ctx.now()).map(pause::told).collect();
    let problem = match (&status, &asked) {
        (Some(_), _) => None,
        (None, _) if !held => Some("no daemon runs; `scrubjay serve` starts one".to_owned()),
        (None, Err(Away::Hung)) => Some("a daemon runs and does not answer".to_owned()),
        (None, Err(Away::Broken(what))) => Some(format!("a daemon runs and cannot be asked: {what}")),
        (None, _) => Some("a daemon runs and cannot be asked; it may be starting".to_owned()),
    };
    if invocation.json() {
        let mut line = status.clone().unwrap_or_else(|| json!({}));
        line["running"] = json!(held);
        line["answering"] = json!(status.is_some());
        line["paused"] = json!({"here": quiet, "all": paused});
        line["spool"] = json!({"waiting": waiting, "set_aside": aside});
        invocation.console.json(&line)?;
    } else if let Some(status) = &status {
        let mut table = Table::new(&[Style::Dim, Style::Plain]);
        let text = |field: &str| status[field].as_str().map_or_else(|| status[field].to_string(), str::to_owned);
        table.row(["daemon", &format!("version {}, process {}", text("version"), text("pid"))]);
        table.row(["address", &format!("http://127.0.0.1:{}", text("port"))]);
        table.row(["running for", &format!("{} s", text("uptime_s"))]);
        for agent in status["agents"].as_array().into_iter().flatten() {
            let jobs = agent["jobs_due"].as_u64().map_or_else(|| "?".to_owned(), |jobs| jobs.to_string());
            table.row(["agent", &format!("{}, {jobs} jobs due", agent["agent"].as_str().unwrap_or_default())]);
        }
        for trouble in status["troubles"].as_array().into_iter().flatten() {
            let text = |field: &str| trouble[field].as_str().unwrap_or_default();
            table.row(["trouble", &format!("agent {}: {}", text("agent"), text("error"))]);
        }
        let page = table.render(invocation.palette(), invocation.console.facts.columns);
        invocation.console.data(&page)?;
    } else if let Some(problem) = &problem {
        invocation.console.data(&format!("{problem}\n"))?;
    }
    if !invocation.json() {
        for what in quiet.iter().filter(|why| !paused.contains(why)).chain(&paused) {
            invocation.console.data(&format!("nothing is kept or handed out: {what}\n"))?;
        }
    }
    if aside > 0 && !invocation.json() {
        let what = if aside == 1 { "message from a hook was" } else { "messages from hooks were" };
        invocation.console.data(&format!("{aside} {what} set aside; `scrubjay spool` says why\n"))?;
    }
    let is_well = status.as_ref().is_none_or(|status| status["troubles"].as_array().is_none_or(Vec::is_empty));
    Ok(match problem {
        None if !is_well => ErrorCode::StoreDamaged.exit(),
        None => 0,
        Some(_) if held => ErrorCode::Unavailable.exit(),
        Some(_) => ErrorCode::NotFound.exit(),
    })
}

/// Ends the daemon and waits until it is gone.
pub(crate) fn stop(invocation: &mut Invocation<'_>) -> Result<u8, Failure> {
    let ctx = invocation.context()?;
    let place = DaemonFiles::of(&ctx.home().path);
    if !Lock::is_held(&place.lock) {
        return said(invocation, false, "No daemon runs.");
    }
    let request = Request { method: "POST", path: "/v1/shutdown", headers: &[], body: b"" };
    let asked =
        Connection::to(&place.home).ok_or(Away::Absent).and_then(|way| way.ask(request, Duration::from_secs(5)));
    if asked.is_err() {
        let message = format!("the daemon does not answer; {} has its process id", place.note.display());
        return Err(Failure::plain(ErrorCode::Unavailable, message));
    }
    let gone = block_on(async {
        let until = ctx.elapsed() + PATIENCE;
        while Lock::is_held(&place.lock) && ctx.elapsed() < until {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        Ok(!Lock::is_held(&place.lock))
    })?;
    if !gone {
        return Err(Failure::plain(ErrorCode::Unavailable, "the daemon is still finishing something; try again"));
    }
    said(invocation, true, "The daemon has ended.")
}

fn said(invocation: &mut Invocation<'_>, stopped: bool, text: &str) -> Result<u8, Failure> {
    if invocation.json() {
        invocation.console.json(&json!({"stopped": stopped}))?;
    } else {
        invocation.console.data(&format!("{text}\n"))?;
    }
    Ok(0)
}
