//! What an acknowledgement costs, and how many a second there can be.

use std::fmt::Write as _;
use std::fs::OpenOptions;
use std::io::Write as _;
use std::path::Path;
use std::sync::Arc;

use scrubjay_core::scope::View;
use scrubjay_engine::config::{self, Layers};
use scrubjay_engine::ctx::{Ctx, Parts};
use scrubjay_engine::home::Home;
use scrubjay_engine::ops::{self, Capture, CaptureInput};
use scrubjay_models::embed::Embedder;
use serde_json::json;

use crate::measure::{median, micros, ratio};

const SINGLE: usize = 400;
const GROUPED: usize = 20_000;

/// The table.
pub(crate) fn run() -> anyhow::Result<String> {
    let folder = tempfile::tempdir_in(".")?;
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_time().build()?;
    let ctx = open(folder.path())?;
    let mut number = 0usize;
    let raw_path = folder.path().join("raw");
    let mut raw = OpenOptions::new().create(true).append(true).open(&raw_path)?;
    // Once before measuring: the store is made, the patterns are compiled.
    runtime.block_on(ops::run::<Capture>(&ctx, messages(&mut number, 1)))?;
    let bare = median(SINGLE, || {
        let text = serde_json::to_string(&messages(&mut number, 1).messages[0])?;
        raw.write_all(text.as_bytes())?;
        raw.sync_data()?;
        Ok(())
    })?;
    let one = median(SINGLE, || {
        runtime.block_on(ops::run::<Capture>(&ctx, messages(&mut number, 1)))?;
        Ok(())
    })?;
    let mut out =
        String::from("## Capture\n\n| one acknowledgement | wall µs | CPU µs | × raw wall |\n|---|---|---|---|\n");
    writeln!(out, "| raw append + fdatasync | {} | {} | 1.00 |", micros(bare.wall), micros(bare.cpu))?;
    writeln!(
        out,
        "| capture, committed | {} | {} | {} |",
        micros(one.wall),
        micros(one.cpu),
        ratio(one.wall, bare.wall)
    )?;
    out.push_str("\n| grouped | rows/s wall | rows/s CPU |\n|---|---|---|\n");
    for group in [32, 256] {
        let taken = median(3, || {
            let mut left = GROUPED;
            while left > 0 {
                let size = group.min(left);
                runtime.block_on(ops::run::<Capture>(&ctx, messages(&mut number, size)))?;
                left -= size;
            }
            Ok(())
        })?;
        let rate = |time: std::time::Duration| GROUPED as f64 / time.as_secs_f64();
        writeln!(out, "| {group} in one call | {:.0} | {:.0} |", rate(taken.wall), rate(taken.cpu))?;
    }
    let shared = Arc::new(ctx);
    let taken = median(3, || {
        let base = number;
        number += 4000;
        runtime.block_on(async {
            let mut tasks = tokio::task::JoinSet::new();
            for worker in 0..64 {
                let ctx = Arc::clone(&shared);
                tasks.spawn(async move {
                    let mut number = base + worker * 100_000;
                    for _ in 0..62 {
                        ops::run::<Capture>(&ctx, messages(&mut number, 1)).await?;
                    }
                    Ok::<_, scrubjay_engine::EngineError>(())
                });
            }
            while let Some(done) = tasks.join_next().await {
                done??;
            }
            Ok::<_, anyhow::Error>(())
        })
    })?;
    let rows = 64.0 * 62.0;
    writeln!(
        out,
        "| 64 callers, one row each, sharing commits | {:.0} | {:.0} |",
        rows / taken.wall.as_secs_f64(),
        rows / taken.cpu.as_secs_f64()
    )?;
    Ok(out)
}

/// A context on an empty store, with the embedder of the settings.
pub(crate) fn open(folder: &Path) -> anyhow::Result<Ctx> {
    open_with(folder, None, View::project("bench".parse()?), &[])
}

/// The same with another embedder, seen from a project, with some settings.
pub(crate) fn open_with(
    folder: &Path,
    embedder: Option<Arc<dyn Embedder>>,
    view: View,
    settings: &[(&str, &str)],
) -> anyhow::Result<Ctx> {
    let home = Home { path: folder.to_owned(), config_file: folder.join("config.toml"), agent: "default".to_owned() };
    let flags = settings.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect();
    let layers = Layers { home: folder.to_owned(), agent: "default".to_owned(), flags, ..Layers::default() };
    Ok(Ctx::new(Parts { embedder, ..Parts::new(home, config::load(&layers)?, view) }))
}

/// Messages of ordinary length, each different.
pub(crate) fn messages(number: &mut usize, count: usize) -> CaptureInput {
    const SUBJECTS: [&str; 8] = [
        "the billing service",
        "a failing test",
        "the release plan",
        "our style guide",
        "the search index",
        "a slow query",
        "the login page",
        "the backup job",
    ];
    const VERBS: [&str; 6] =
        ["depends on", "was moved to", "needs a fix in", "is documented in", "broke because of", "should wait for"];
    let messages = (0..count)
        .map(|_| {
            *number += 1;
            let (subject, verb) = (SUBJECTS[*number % 8], VERBS[*number / 8 % 6]);
            json!({
                "session_id": format!("session-{}", *number / 50),
                "role": if number.is_multiple_of(2) { "user" } else { "assistant" },
                "id": format!("m{number}"),
                "content": format!("I looked at {subject} again: it {verb} module{} (src/part{}.rs), so let us talk to @dev{} about ticket {number} before Friday. The numbers from the last run were fine, nothing else to report.", *number % 97, *number % 31, *number % 7),
            })
        })
        .collect::<Vec<_>>();
    serde_json::from_value(json!({"messages": messages})).unwrap_or_default()
}
