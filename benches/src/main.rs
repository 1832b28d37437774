//! Measurements of Scrubjay, each beside something to compare it with.
//!
//! `cargo run --release -p scrubjay-bench` runs all of them and prints Markdown
//! tables; a name runs one. Timings on a busy machine wander, so each figure is
//! a median, CPU time stands beside wall time, and what counts is the ratio to
//! the other figures of the same run. Start with `measure.rs`; the largest is
//! `search/`.

#![expect(clippy::print_stdout, reason = "the tables go to standard output")]

mod capture;
mod embed;
mod measure;
mod options;
mod random;
mod search;

use options::Options;

type Bench = fn(&Options) -> anyhow::Result<String>;

const BENCHES: [(&str, Bench); 3] =
    [("capture", |_| capture::run()), ("embed", |_| embed::run()), ("search", search::run)];

fn main() -> anyhow::Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let [first, rest @ ..] = &arguments[..]
        && first == search::FRESH_PROCESS
    {
        return search::answer_as_fresh_process(rest);
    }
    let options = Options::parse(&arguments, &BENCHES.map(|(name, _)| name))?;
    for (name, bench) in BENCHES {
        if options.benches.is_empty() || options.benches.iter().any(|wanted| wanted == name) {
            println!("{}", bench(&options)?);
        }
    }
    Ok(())
}
