//! What a person said about a memory being handed to agents.

use scrubjay_core::memory::Memory;
use scrubjay_store::item::Item;

/// The attribute in which it is kept.
pub const INJECTION: &str = "injection";

/// What a person said about a memory being handed to agents.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Injection {
    /// It is never handed over unasked.
    Never,
    /// It is handed over before others whenever a search finds it, however little it fits.
    Always,
}

impl Injection {
    /// What was said about this memory; none if nothing was.
    #[must_use]
    pub fn of(memory: &Memory) -> Option<Self> {
        Self::from_name(memory.attributes.get(INJECTION)?.as_str()?)
    }

    /// The same of anything; of a piece of a file nothing can be said.
    #[must_use]
    pub fn of_item(item: &Item) -> Option<Self> {
        match item {
            Item::Memory(memory) => Self::of(memory),
            Item::Chunk(_) => None,
        }
    }

    /// The one with this name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        [Self::Never, Self::Always].into_iter().find(|one| one.name() == name)
    }

    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Never => "never",
            Self::Always => "always",
        }
    }
}
