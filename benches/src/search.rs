//! What recall and list cost as the store grows.

use std::fmt::Write as _;

use scrubjay_engine::ops::{self, Capture, List, Recall};
use serde_json::json;

use crate::capture::{messages, open};
use crate::measure::{median, micros};

/// The table.
pub(crate) fn run() -> anyhow::Result<String> {
    let mut out = String::from(
        "## Recall and list\n\n| memories | recall wall µs | recall CPU µs | list wall µs | list CPU µs |\n|---|---|---|---|---|\n",
    );
    let folder = tempfile::tempdir_in(".")?;
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_time().build()?;
    let ctx = open(folder.path())?;
    let mut number = 0usize;
    for size in [1_000, 10_000, 50_000] {
        while number < size {
            let count = 256.min(size - number);
            runtime.block_on(ops::run::<Capture>(&ctx, messages(&mut number, count)))?;
        }
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
