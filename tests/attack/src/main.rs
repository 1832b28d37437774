//! Attacks on a real binary: what a stranger, a token or bad luck might try.
//!
//! Each part is one file. `doors.rs` tries every operation as every token that is
//! not the owner's, from what `/openapi.json` and `tools/list` say, so that a new
//! operation is attacked without being named here; `inputs.rs` makes up what to
//! send from its schema. `strangers.rs` comes without a token. `spool.rs`,
//! `settings.rs`, `store.rs` and `clock.rs` are bad luck. `arena.rs` holds the
//! home, the binary and its daemon, `http.rs` speaks plain HTTP.
//!
//! A part only sends and looks; what it finds is a sentence. `tests/attack/run`
//! starts it.

#![expect(clippy::unwrap_used, reason = "an attack that cannot be set up may as well stop")]
#![expect(clippy::print_stdout, clippy::disallowed_methods, reason = "it is a program of its own, for people")]

mod arena;
mod clock;
mod doors;
mod http;
mod inputs;
mod settings;
mod spool;
mod store;
mod strangers;

use std::path::PathBuf;
use std::process::ExitCode;

use arena::Found;

struct Part {
    name: &'static str,
    attack: fn(&Attack, &mut Found),
}

/// What is attacked, and how long.
struct Attack {
    program: PathBuf,
    long: bool,
}

const PARTS: [Part; 6] = [
    Part { name: "doors", attack: doors::attack },
    Part { name: "strangers", attack: strangers::attack },
    Part { name: "spool", attack: spool::attack },
    Part { name: "settings", attack: settings::attack },
    Part { name: "store", attack: store::attack },
    Part { name: "clock", attack: clock::attack },
];

fn main() -> ExitCode {
    let mut words = std::env::args_os().skip(1);
    let Some(program) = words.next().map(PathBuf::from) else {
        println!("usage: tests/attack/run [--long] [PART...]");
        return ExitCode::from(2);
    };
    let words: Vec<String> = words.map(|word| word.to_string_lossy().into_owned()).collect();
    let long = words.iter().any(|word| word == "--long") || std::env::var_os("SCRUBJAY_LONG").is_some();
    let named: Vec<&String> = words.iter().filter(|word| *word != "--long").collect();
    if let Some(unknown) = named.iter().find(|word| PARTS.iter().all(|part| part.name != word.as_str())) {
        println!("there is no part `{unknown}`");
        return ExitCode::from(2);
    }
    let attack = Attack { program, long };
    let mut broken = false;
    for part in PARTS {
        if !named.is_empty() && !named.iter().any(|word| *word == part.name) {
            continue;
        }
        let (mut found, started) = (Found::default(), std::time::Instant::now());
        (part.attack)(&attack, &mut found);
        let (tries, findings, took_s) = (found.tries, found.findings.len(), started.elapsed().as_secs());
        println!("{}: {tries} tries, {findings} findings, {took_s} s", part.name);
        for finding in &found.findings {
            println!("  {finding}");
        }
        broken |= !found.findings.is_empty() || found.tries == 0;
    }
    if broken { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}
