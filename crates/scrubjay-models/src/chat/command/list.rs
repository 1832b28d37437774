//! The clients that can be asked.

use super::entry::Entry;
use super::{claude, codex, copilot, gemini, opencode};

/// All of them, in the order in which they are offered.
pub static ENTRIES: &[Entry] = &[claude::ENTRY, codex::ENTRY, gemini::ENTRY, opencode::ENTRY, copilot::ENTRY];

/// The client with this name.
#[must_use]
pub fn find(name: &str) -> Option<&'static Entry> {
    ENTRIES.iter().find(|entry| entry.name == name)
}
