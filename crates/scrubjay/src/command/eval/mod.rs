//! `eval`: how well recall finds what it should.
//!
//! `stdio.rs` serves a test harness line by line; `run.rs` reads a folder with
//! documents and questions and prints a table; `everyday.rs` does so for
//! conversations and later prompts, asked as people and agents ask. These work in
//! scratch folders, with the same capture and recall as everything else, and leave
//! the user's store alone; `replay.rs` reads it, and writes nothing.

mod arguments;
mod everyday;
mod lines;
mod replay;
mod run;
mod scratch;
mod stdio;

pub(crate) use arguments::{command, run};
