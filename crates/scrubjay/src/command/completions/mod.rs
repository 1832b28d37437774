//! `completions`: scripts that teach a shell our commands.
//!
//! `script.rs` writes the script. Those of bash, zsh and fish ask the program
//! itself what could stand where the cursor is (`candidates.rs`, the hidden
//! command `complete`), so that they know projects, ids and other values that
//! are only known when they are needed. Those of the other shells hold what was
//! known when they were written.
//!
//! Completing never makes a store, never says that something is wrong and never
//! counts as use.

mod candidates;
mod script;
mod values;

pub(crate) use candidates::{command as complete_command, run as complete};
pub(crate) use script::{command, run};
