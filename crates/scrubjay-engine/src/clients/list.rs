//! Which clients there are.

use super::client::{Client, Event};
#[cfg(test)]
use super::fake;
use super::{antigravity, claude_code, codex, copilot, cursor, gemini, opencode};
use crate::{EngineError, Result};

/// Every client there is.
pub static CLIENTS: &[Client] = &[
    claude_code::CLIENT,
    codex::CLIENT,
    gemini::CLIENT,
    antigravity::CLIENT,
    cursor::CLIENT,
    opencode::CLIENT,
    copilot::CLIENT,
    #[cfg(test)]
    fake::CLIENT,
];

/// The names of all clients.
#[must_use]
pub fn names() -> Vec<&'static str> {
    CLIENTS.iter().map(|client| client.name).collect()
}

/// The client with this name.
///
/// # Errors
/// When there is none.
pub fn find(name: &str) -> Result<&'static Client> {
    CLIENTS
        .iter()
        .find(|client| client.name == name)
        .ok_or_else(|| EngineError::invalid(format!("there is no client `{name}`; there are {}", names().join(", "))))
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
        let meant = meant(client, event).map(|name| format!("; `{name}` was meant")).unwrap_or_default();
        EngineError::invalid(format!("{} has no event `{event}`{meant}; it has {}", client.title, names.join(", ")))
    })?;
    Ok((client, found))
}

// The event that someone means who writes `session-start`, `prompt_submit` or `sessionstart`.
fn meant(client: &'static Client, event: &str) -> Option<&'static str> {
    let letters = |text: &str| -> String {
        text.chars().filter(|letter| letter.is_alphanumeric()).map(|letter| letter.to_ascii_lowercase()).collect()
    };
    let wanted = letters(event);
    let distance = |name: &str| strsim::levenshtein(&letters(name), &wanted);
    let nearest = client.events.iter().map(|event| event.name).min_by_key(|name| distance(name))?;
    let is_part = !wanted.is_empty() && letters(nearest).contains(&wanted);
    (is_part || distance(nearest) * 3 <= wanted.len()).then_some(nearest)
}
