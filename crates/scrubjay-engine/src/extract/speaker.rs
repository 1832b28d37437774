//! Who may be learned from.

use scrubjay_core::memory::{Memory, OriginKind};

/// Who said something.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Speaker {
    /// A person, whose word counts.
    Person,
    /// An assistant, whose word counts once a person agreed.
    Assistant,
}

/// Types of episodes that are conversation; others are reports, reasoning or output.
const TALK: [&str; 2] = ["message", "conversation"];

/// Who speaks in an episode; none if nothing may be learned from it: ended, a system prompt, tool output, or text that
/// was read somewhere.
#[must_use]
pub fn speaker(episode: &Memory) -> Option<Speaker> {
    if !episode.is_active() || !TALK.contains(&episode.memory_type.as_str()) {
        return None;
    }
    let role = episode.role.as_deref().unwrap_or_default().to_lowercase();
    match (role.as_str(), episode.origin.kind) {
        (_, OriginKind::Tool | OriginKind::File | OriginKind::Web | OriginKind::System) => None,
        ("system" | "developer" | "tool" | "function" | "", _) => None,
        ("user" | "human", _) | (_, OriginKind::User) => Some(Speaker::Person),
        // An agent may have any name.
        (_, OriginKind::Assistant | OriginKind::Import) => Some(Speaker::Assistant),
    }
}
