//! The kinds of memories.

use std::fmt;

use serde::{Deserialize, Serialize};

/// What sort of memory a record is; the id carries it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// What was said or done.
    Episode,
    /// What is held true.
    Fact,
    /// What it adds up to.
    Reflection,
    /// A task's notes, gone when the task ends.
    Scratch,
}

impl Kind {
    /// All kinds.
    pub const ALL: [Self; 4] = [Self::Episode, Self::Fact, Self::Reflection, Self::Scratch];

    /// The prefix of its ids.
    #[must_use]
    pub fn id_prefix(self) -> &'static str {
        match self {
            Self::Episode => "ep",
            Self::Fact => "fact",
            Self::Reflection => "ref",
            Self::Scratch => "tmp",
        }
    }

    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Episode => "episode",
            Self::Fact => "fact",
            Self::Reflection => "reflection",
            Self::Scratch => "scratch",
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
