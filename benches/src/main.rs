//! Measurements of Scrubjay, each beside something to compare it with.
//!
//! `cargo run --release -p scrubjay-bench` runs all of them and prints Markdown
//! tables; a name runs one. Timings on a busy machine wander, so each figure is
//! a median, CPU time stands beside wall time, and what counts is the ratio to
//! the other figures of the same run. Start with `measure.rs`.

#![expect(clippy::print_stdout, reason = "the tables go to standard output")]

mod capture;
mod measure;
mod search;

type Bench = fn() -> anyhow::Result<String>;

fn main() -> anyhow::Result<()> {
    let wanted: Vec<String> = std::env::args().skip(1).collect();
    let benches: [(&str, Bench); 2] = [("capture", capture::run), ("search", search::run)];
    if let Some(unknown) = wanted.iter().find(|name| benches.iter().all(|(known, _)| known != name)) {
        anyhow::bail!("there is no bench `{unknown}`; there are capture and search");
    }
    for (name, bench) in benches {
        if wanted.is_empty() || wanted.iter().any(|want| want == name) {
            println!("{}", bench()?);
        }
    }
    Ok(())
}
