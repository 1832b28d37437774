//! Chat models that are programs: a client that the user already has, or any program that reads a prompt and prints text.
//!
//! [`CommandChat`] does what all of them need; an [`Entry`] says how one client wants to be called: `claude.rs`,
//! `codex.rs`, `gemini.rs`, `opencode.rs`, `copilot.rs`, one line each in `list.rs`. `run.rs` starts the program without
//! a shell, reads what it prints up to a limit and ends its whole process group when it takes too long. `complaint.rs`
//! tells a client that wants a login, or whose plan is used up, from one that fails.
//!
//! The clients are agents, and a conversation may hold anything: each is called without tools as far as it lets us, in
//! an empty folder, with [`GUARD_VARIABLE`] in its environment, by which our own hooks know that nobody is talking.
//!
//! Nothing here decides which program is run; whoever makes a [`Program`] does, from the user's settings alone.
//!
//! Start with `model.rs`.

mod claude;
mod codex;
mod complaint;
mod copilot;
mod entry;
mod error;
mod gemini;
mod list;
mod model;
mod opencode;
mod prompt;
mod run;

pub use entry::Entry;
pub use error::CommandError;
pub use list::{ENTRIES, find};
pub use model::{CommandChat, PROMPT, Patience, Program};

/// Set in the environment of every program that is asked, and so of everything that it starts: what is said there is
/// our own question, and no conversation.
pub const GUARD_VARIABLE: &str = "SCRUBJAY_MODEL_CALL";
