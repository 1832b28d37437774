//! What a chat model is asked to do.

/// A kind of work that a chat model does. Each has its own model, so that a small one can decide what a large one
/// needs to see.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Role {
    /// Decides whether anything in a window of a conversation is worth keeping.
    Gate,
    /// Takes facts out of a conversation.
    Extract,
    /// Settles what contradicts what, and merges.
    Consolidate,
    /// Says what a week adds up to.
    Reflect,
    /// Shortens.
    Summarize,
}

impl Role {
    /// All of them.
    pub const ALL: [Self; 5] = [Self::Gate, Self::Extract, Self::Consolidate, Self::Reflect, Self::Summarize];

    /// Its name in settings and in the ledger.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Gate => "gate",
            Self::Extract => "extract",
            Self::Consolidate => "consolidate",
            Self::Reflect => "reflect",
            Self::Summarize => "summarize",
        }
    }

    /// The role with this name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|role| role.name() == name)
    }
}
