//! Which clients there are.

use super::client::{Client, Event};
use super::{claude_code, codex, cursor, gemini, opencode};
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
