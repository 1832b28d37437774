//! `watch`: keeps files in step until it is interrupted.

use scrubjay_core::count::counted;
use std::time::Duration;

use clap::{Arg, ArgAction, ArgMatches, Command};
use scrubjay_engine::schedule;
use scrubjay_engine::sync::{WatchEvent, Watching, watch};
use serde_json::{Value, json};
use tokio::signal::unix::{SignalKind, signal};

use super::serve::duration;
use crate::failure::Failure;
use crate::globals;
use crate::invocation::{Invocation, block_on};

/// How long background work runs between two looks at the files.
const WORK: Duration = Duration::from_millis(200);

const ABOUT: &str = "\
Watch the indexed folders and transcripts, and keep the index in step until interrupted

Changes are read shortly after they were made (sync.watch_debounce_ms). Where the system cannot tell about changes, \
files are looked at from time to time, and that is said. Vectors are made meanwhile.";

/// The command.
pub(crate) fn command() -> Command {
    let flag = |id: &'static str, help: &'static str| Arg::new(id).long(id).help(help).action(ArgAction::SetTrue);
    Command::new("watch")
        .about(ABOUT.split("\n\n").next().unwrap_or_default())
        .long_about(ABOUT)
        .args(globals::arguments())
        .arg(flag("all", "Watch the folders of all projects, not only of this one"))
        .arg(
            Arg::new("for")
                .long("for")
                .value_name("TIME")
                .help("Stop after so long: 90s, 30m or 2h")
                .value_parser(duration),
        )
}

/// Watches.
pub(crate) fn run(invocation: &mut Invocation<'_>, matches: &ArgMatches) -> Result<u8, Failure> {
    let ctx = invocation.context()?;
    let watching = if matches.get_flag("all") { Watching::Everything } else { Watching::View };
    let limit = matches.get_one::<Duration>("for").copied();
    block_on(async {
        let store = ctx.store().await?;
        let places = match watching {
            Watching::Everything => store.all_sources().await,
            Watching::View => store.sources(ctx.view()).await,
        };
        if places.map_err(scrubjay_engine::EngineError::from)?.is_empty() {
            let message = "nothing is read from files here; index the project you stand in with `scrubjay index`";
            return Err(Failure::from(scrubjay_engine::EngineError::not_found(message)));
        }
        let failed = |error| Failure::io("wait for signals", error);
        let mut interrupt = signal(SignalKind::interrupt()).map_err(failed)?;
        let mut terminate = signal(SignalKind::terminate()).map_err(failed)?;
        let stop = async {
            let limit = async {
                match limit {
                    Some(limit) => tokio::time::sleep(limit).await,
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                () = limit => {}
                _ = interrupt.recv() => {}
                _ = terminate.recv() => {}
            }
        };
        // Vectors are made in between; whoever else has the job goes on with it.
        let working = async {
            loop {
                let drained = schedule::drain(&ctx, WORK).await;
                let pause = if drained.is_ok_and(|drained| drained.done > 0) { 10 } else { 1000 };
                tokio::time::sleep(Duration::from_millis(pause)).await;
            }
        };
        let json = invocation.json();
        let (mut read, mut messages) = (0, 0);
        let watched = watch(&ctx, watching, stop, |event| {
            if let WatchEvent::Synced { report, .. } = &event {
                read += report.indexed + report.removed;
                messages += report.messages;
            }
            // A reader that went away ends the command by its signal, not here.
            let _ = if json {
                invocation.console.json(&record(&event)).and_then(|()| invocation.console.flush())
            } else {
                let written = invocation.console.data(&format!("{}\n", sentence(&event)));
                written.and_then(|()| invocation.console.flush())
            };
        });
        tokio::select! {
            done = watched => done?,
            () = working => {}
        }
        if json {
            invocation.console.json(&json!({"event": "stopped", "files": read, "messages": messages}))?;
        } else {
            let (files, messages) = (counted(read, "file", "files"), counted(messages, "message", "messages"));
            let said = format!("stopped watching; {files} and {messages} were read meanwhile. Goodbye.\n");
            invocation.console.data(&said)?;
        }
        Ok(0)
    })
}

fn sentence(event: &WatchEvent) -> String {
    match event {
        WatchEvent::Watches { path, folders } => format!("watching {path} ({folders} folders)"),
        WatchEvent::Polls { path, reason, every_ms } => {
            format!("looking at {path} every {every_ms} ms, because it cannot be watched: {reason}")
        }
        WatchEvent::Synced { path, report } => {
            let (read, removed, messages) = (report.indexed, report.removed, report.messages);
            format!("in step: {path} ({read} read, {removed} removed, {messages} new messages)")
        }
        WatchEvent::Failed { path, reason } => format!("not read: {path} ({reason})"),
    }
}

fn record(event: &WatchEvent) -> Value {
    match event {
        WatchEvent::Watches { path, folders } => json!({"event": "watches", "path": path, "folders": folders}),
        WatchEvent::Polls { path, reason, every_ms } => {
            json!({"event": "polls", "path": path, "reason": reason, "every_ms": every_ms})
        }
        WatchEvent::Synced { path, report } => json!({
            "event": "synced", "path": path, "indexed": report.indexed, "unchanged": report.unchanged,
            "removed": report.removed, "messages": report.messages, "skipped": report.skipped_count(),
        }),
        WatchEvent::Failed { path, reason } => json!({"event": "failed", "path": path, "reason": reason}),
    }
}
