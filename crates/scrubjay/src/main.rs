//! The `scrubjay` command: the operations of the engine, for people and scripts.
//!
//! Every command is derived from the engine's list of operations (`derive/`);
//! the few that stream or that are no operation have a file in `command/`.
//! Answers are shown by `output/`. `run.rs` is the way from the arguments to the
//! exit code, and `context.rs` the way from the flags to the engine's context.
//!
//! Nothing here decides what an operation does: this crate parses, asks, streams
//! and shows. The environment is read in `environment.rs` and nowhere else.

mod command;
mod console;
mod context;
mod derive;
mod environment;
mod failure;
mod globals;
mod invocation;
mod output;
mod panic_report;
mod run;
mod scratch_folder;

use console::Console;
use environment::Environment;

fn main() -> std::process::ExitCode {
    panic_report::guarded(|| run::run(std::env::args_os(), &Environment::of_process(), &mut Console::of_process()))
}
