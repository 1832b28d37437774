//! The programs that use Scrubjay: how each writes its hooks, what it sends to
//! them, what it takes from them, and which of its files name us.
//!
//! `client.rs` says what a client is; each has a file of its own, and a line in
//! the list below. `plan.rs` works out how a client's files change when we are
//! wired in or taken out, `json.rs` and `toml.rs` change a file without touching
//! what is not ours, `apply.rs` writes with a backup and remembers what it wrote,
//! `diff.rs` shows it first.
//!
//! Nothing here runs a client, reads its secrets, or changes a file unasked.

mod apply;
mod claude_code;
mod client;
mod codex;
mod cursor;
mod diff;
mod gemini;
mod json;
mod opencode;
mod payload;
mod plan;
mod toml;

pub use apply::{Applied, apply};
pub use client::{Client, Event, Moment, Occasion};
pub use diff::diff;
pub use plan::{Direction, FileChange, Surroundings, is_present, is_wired, plan};

use crate::{EngineError, Result};

/// Every client there is.
pub static CLIENTS: &[Client] = &[claude_code::CLIENT, codex::CLIENT, gemini::CLIENT, cursor::CLIENT, opencode::CLIENT];

/// The client with this name.
///
/// # Errors
/// When there is none.
pub fn find(name: &str) -> Result<&'static Client> {
    CLIENTS.iter().find(|client| client.name == name).ok_or_else(|| {
        let names: Vec<&str> = CLIENTS.iter().map(|client| client.name).collect();
        EngineError::invalid(format!("there is no client `{name}`; there are {}", names.join(", ")))
    })
}

/// A client and one of its events.
///
/// # Errors
/// When there is no such client, or it has no such event.
pub fn event(client: &str, event: &str) -> Result<(&'static Client, &'static Event)> {
    let client = find(client)?;
    let found = client.events.iter().find(|known| known.name.eq_ignore_ascii_case(event));
    let found = found.ok_or_else(|| {
        let names: Vec<&str> = client.events.iter().map(|event| event.name).collect();
        EngineError::invalid(format!("{} has no event `{event}`; it has {}", client.title, names.join(", ")))
    })?;
    Ok((client, found))
}
