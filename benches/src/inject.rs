//! What it costs to hand an agent its lines before a turn: the whole operation, receipt and all, in a process that is
//! warm and in fresh ones.
//!
//! The vectors come from an embedder that costs next to nothing; what the built-in model takes for a question of this
//! length is measured beside it, to be added.

use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::time::Duration;

use scrubjay_engine::Ctx;
use scrubjay_engine::ops::{self, Capture, Inject, InjectInput};
use scrubjay_engine::schedule::drain;
use scrubjay_models::embed::{Builtin, Embedder as _, Fake};

use crate::capture::{messages, open_with};
use crate::measure::{Stopwatch, Taken, on_this_thread, process_cpu_time};
use crate::options::Options;

/// The first argument of a fresh process.
pub(crate) const FRESH_PROCESS: &str = "fresh-inject";

const DIMENSIONS: usize = 384;
const WARM: usize = 200;
const COLD: usize = 40;

/// The table.
pub(crate) fn run(options: &Options) -> anyhow::Result<String> {
    let mut out = String::from(
        "## Inject\n\n| memories | process | wall ms p50 | p99 | CPU ms p50 | p99 |\n|--:|---|--:|--:|--:|--:|\n",
    );
    let folder = tempfile::tempdir_in(".")?;
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_time().build()?;
    let mut number = 0usize;
    for size in &options.sizes {
        let size = usize::try_from(*size)?;
        let ctx = open(folder.path())?;
        while number < size {
            let count = 256.min(size - number);
            runtime.block_on(ops::run::<Capture>(&ctx, messages(&mut number, count)))?;
        }
        let drained = runtime.block_on(drain(&ctx, Duration::MAX))?;
        anyhow::ensure!(drained.left == 0 && drained.failed == 0, "jobs are left: {drained:?}");
        runtime.block_on(ask(&ctx, 0))?;
        let mut taken = Vec::with_capacity(WARM);
        for question in 1..=WARM {
            let mut watch = Stopwatch::default();
            watch.time(|| runtime.block_on(ask(&ctx, question)))?;
            taken.push(watch.taken());
        }
        row(&mut out, size, "warm", &taken)?;
        drop(ctx);
        let fresh = (0..COLD).map(|question| start(folder.path(), question)).collect::<anyhow::Result<Vec<_>>>()?;
        row(&mut out, size, "fresh", &fresh)?;
    }
    let model = Builtin::new(1);
    runtime.block_on(model.embed_query("once, so that it is loaded"))?;
    let mut taken = Vec::new();
    for question in 0..30 {
        let mut watch = Stopwatch::default();
        watch.time(|| Ok(runtime.block_on(model.embed_query(&text(question)))?))?;
        taken.push(watch.taken());
    }
    out.push('\n');
    writeln!(
        out,
        "The built-in model takes {} ms of CPU (p50) for a question of this length, on top.",
        percentile(&taken, 50, |taken| taken.cpu)
    )?;
    Ok(out)
}

/// What a fresh process does: opens the store in a folder and hands over one block.
pub(crate) fn answer_as_fresh_process(arguments: &[String]) -> anyhow::Result<()> {
    let [folder, question] = arguments else { anyhow::bail!("a fresh process takes a folder and a question") };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build()?;
    let ctx = open(Path::new(folder))?;
    runtime.block_on(ask(&ctx, question.parse()?))?;
    println!("{}", process_cpu_time().as_nanos());
    Ok(())
}

fn open(folder: &Path) -> anyhow::Result<Ctx> {
    open_with(folder, Some(Arc::new(Fake::new(DIMENSIONS))))
}

async fn ask(ctx: &Ctx, question: usize) -> anyhow::Result<()> {
    let input = InjectInput {
        text: text(question),
        session: Some(format!("asking-{question}")),
        min_score: Some(0.0),
        ..InjectInput::default()
    };
    let output = ops::run::<Inject>(ctx, input).await?;
    anyhow::ensure!(!output.text.is_empty(), "nothing was injected");
    Ok(())
}

fn text(question: usize) -> String {
    format!("what did we say about the release plan, ticket {} and module{}?", question * 37, question % 97)
}

fn start(folder: &Path, question: usize) -> anyhow::Result<Taken> {
    let program = std::env::current_exe()?;
    let question = (100_000 + question).to_string();
    let (output, taken) =
        on_this_thread(|| Ok(Command::new(program).arg(FRESH_PROCESS).arg(folder).arg(question).output()?))?;
    anyhow::ensure!(output.status.success(), "the fresh process failed: {}", String::from_utf8_lossy(&output.stderr));
    let nanos: u64 = String::from_utf8(output.stdout)?.trim().parse()?;
    Ok(Taken { wall: taken.wall, cpu: Duration::from_nanos(nanos) })
}

fn row(out: &mut String, size: usize, process: &str, taken: &[Taken]) -> anyhow::Result<()> {
    let (wall, cpu) = (|taken: &Taken| taken.wall, |taken: &Taken| taken.cpu);
    writeln!(
        out,
        "| {size} | {process} | {} | {} | {} | {} |",
        percentile(taken, 50, wall),
        percentile(taken, 99, wall),
        percentile(taken, 50, cpu),
        percentile(taken, 99, cpu),
    )?;
    Ok(())
}

fn percentile(taken: &[Taken], percent: usize, time: fn(&Taken) -> Duration) -> String {
    let mut times: Vec<Duration> = taken.iter().map(time).collect();
    times.sort();
    let at = (times.len() * percent / 100).min(times.len().saturating_sub(1));
    format!("{:.1}", times.get(at).copied().unwrap_or_default().as_secs_f64() * 1e3)
}
