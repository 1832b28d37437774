//! `eval`: how well recall finds what it should.
//!
//! `stdio.rs` serves a test harness line by line; `run.rs` reads a folder with
//! documents and questions and prints a table. Both work in scratch folders, with
//! the same capture and recall as everything else, and leave the user's store
//! alone.

mod arguments;
mod run;
mod stdio;

pub(crate) use arguments::{command, run};
