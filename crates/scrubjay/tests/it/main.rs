//! The binary from outside: arguments and streams in, exit code and streams out.
//!
//! `scratch.rs` runs the real binary in a folder of its own. `operations.rs` has
//! a valid example of every operation's command and its answer by value.
//! `bad_input.rs` and `stores.rs` give every command something bad, by going
//! through the engine's list, so that a new operation cannot be forgotten.
//! `clones.rs` and `projects.rs` are about which memories a folder has, `streams.rs` about capture, export, import and pipes, `people.rs` about
//! what people see, `surroundings.rs` about home, agent, project and settings,
//! `sources.rs` about files and transcripts, `daemon.rs`, `hooks.rs`, `spool.rs`,
//! `install.rs` and `scripted_clients.rs` about the daemon and its clients, `commands.rs` about programs
//! in the place of a model, `crash.rs` about processes that
//! die, crowd each other or fill the disk, `interrupted.rs` about what a question
//! finds meanwhile, `lost.rs` about stores and homes that are gone, swapped,
//! damaged, read-only or not ours. `short_ids.rs` is about ids as people write them, `words.rs` about other words that they type, `first_days.rs` about what
//! a new user meets first, `documented.rs` about what README and docs show.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on may as well stop")]
#![expect(clippy::print_stderr, reason = "a test that cannot run here says so")]

mod bad_input;
mod clones;
mod commands;
mod crash;
mod daemon;
mod documented;
mod first_days;
mod hooks;
mod install;
mod interrupted;
mod lost;
mod meaning;
mod measuring;
mod operations;
mod pause;
mod people;
mod projects;
mod scratch;
mod scripted_clients;
mod short_ids;
mod sources;
mod spool;
mod stores;
mod streams;
mod surroundings;
mod terminal;
mod words;
