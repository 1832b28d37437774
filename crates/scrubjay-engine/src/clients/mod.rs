//! The programs that use Scrubjay: how each writes its hooks, what it sends to
//! them, what it takes from them, and which of its files name us.
//!
//! `client.rs` says what a client is; each has a file of its own, and a line in
//! `list.rs`: its events, what it sends and takes, its folder, transcripts, notes and variables. `plan.rs` works out how a client's files change when we are
//! wired in or taken out, `json.rs` (with `jsonc.rs`) and `toml.rs` change a file without
//! touching what is not ours, comments and spaces included, `apply.rs` writes with a backup and remembers what it wrote,
//! `diff.rs` shows it first. `target.rs` finds out where a file really lies.
//!
//! Nothing here runs a client, reads its secrets, or changes a file unasked.

mod antigravity;
mod apply;
mod claude_code;
mod client;
mod codex;
mod codex_trust;
mod copilot;
mod cursor;
mod diff;
#[cfg(test)]
mod fake;
mod gemini;
mod json;
mod jsonc;
mod list;
mod opencode;
mod payload;
mod plan;
mod target;
mod toml;

pub use apply::{Applied, apply, as_before};
pub use client::{Client, Event, Folder, Moment, Notes, Occasion, Records};
pub use diff::diff;
pub use list::{CLIENTS, event, find, names};
pub use plan::{Direction, FileChange, Surroundings, has_hook, is_present, is_wired, lines_to_add, plan, variables};
pub use target::{Target, read_regular, target};
