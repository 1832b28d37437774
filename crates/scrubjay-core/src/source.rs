//! What a search result comes from.

use std::fmt;
use std::str::FromStr;

use crate::memory::Kind;

/// What a hit comes from, as a searcher thinks of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Source {
    /// Facts, reflections and a task's notes.
    Facts,
    /// What was said and done in conversations.
    Sessions,
    /// Note files, such as `MEMORY.md`.
    Memory,
    /// Code.
    Code,
    /// Other documents.
    Docs,
}

/// The text names no source.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("there is no source `{0}`; there are facts, sessions, memory, code and docs")]
pub struct UnknownSource(String);

impl Source {
    /// All of them.
    pub const ALL: [Self; 5] = [Self::Facts, Self::Sessions, Self::Memory, Self::Code, Self::Docs];

    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Facts => "facts",
            Self::Sessions => "sessions",
            Self::Memory => "memory",
            Self::Code => "code",
            Self::Docs => "docs",
        }
    }

    /// Where memories of this kind count.
    #[must_use]
    pub fn of_kind(kind: Kind) -> Self {
        match kind {
            Kind::Episode => Self::Sessions,
            Kind::Fact | Kind::Reflection | Kind::Scratch => Self::Facts,
        }
    }
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Source {
    type Err = UnknownSource;

    fn from_str(text: &str) -> Result<Self, UnknownSource> {
        Self::ALL.into_iter().find(|source| source.name() == text).ok_or_else(|| UnknownSource(text.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_lead_back() {
        for source in Source::ALL {
            assert_eq!(source.name().parse(), Ok(source));
        }
        assert!("episodes".parse::<Source>().is_err());
    }
}
