//! What recall and list cost as the store grows: the whole way through the engine, by words, vectors, names and times.
//!
//! The vectors come from an embedder that costs next to nothing, so that the figures are those of the search; `embed`
//! has those of the model.

use std::fmt::Write as _;
use std::sync::Arc;
use std::time::Duration;

use scrubjay_engine::ops::{self, Capture, List, Recall};
use scrubjay_engine::schedule::drain;
use scrubjay_models::embed::Fake;
use serde_json::json;

use crate::capture::{messages, open_with};
use crate::measure::{median, micros};

const DIMENSIONS: usize = 384;

/// The table.
pub(crate) fn run() -> anyhow::Result<String> {
    let mut out = String::from(
        "## Recall and list\n\n| memories | recall wall µs | recall CPU µs | list wall µs | list CPU µs |\n|---|---|---|---|---|\n",
    );
    let folder = tempfile::tempdir_in(".")?;
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_time().build()?;
    let ctx = open_with(folder.path(), Some(Arc::new(Fake::new(DIMENSIONS))))?;
    let mut number = 0usize;
    for size in [1_000, 10_000, 50_000] {
        while number < size {
            let count = 256.min(size - number);
            runtime.block_on(ops::run::<Capture>(&ctx, messages(&mut number, count)))?;
        }
        let drained = runtime.block_on(drain(&ctx, Duration::MAX))?;
        anyhow::ensure!(drained.left == 0 && drained.failed == 0, "jobs are left: {drained:?}");
        let mut question = 0;
        let recall = median(15, || {
            question += 1;
            let input =
                json!({"query": format!("what did we say about ticket {} and module{}", question * 37, question % 97)});
            runtime.block_on(ops::run::<Recall>(&ctx, serde_json::from_value(input)?))?;
            Ok(())
        })?;
        let list = median(15, || {
            runtime.block_on(ops::run::<List>(&ctx, serde_json::from_value(json!({"limit": 20}))?))?;
            Ok(())
        })?;
        writeln!(
            out,
            "| {size} | {} | {} | {} | {} |",
            micros(recall.wall),
            micros(recall.cpu),
            micros(list.wall),
            micros(list.cpu)
        )?;
    }
    Ok(out)
}
