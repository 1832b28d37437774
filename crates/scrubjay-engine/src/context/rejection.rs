//! Why something that was found is not handed over.

use scrubjay_core::id::MemoryId;
use scrubjay_core::time::Timestamp;
use scrubjay_store::item::Item;

use crate::search::Found;

/// Something that was found and is not handed over.
#[derive(Debug, Clone)]
pub struct Rejected {
    /// The memory or piece of a file.
    pub item: Item,
    /// How well it fits; none for a reflection, which is not searched for.
    pub relevance: Option<f64>,
    /// Where in the text the first term of the question stands, in bytes.
    pub place: usize,
    /// Why it is not handed over.
    pub why: Rejection,
}

impl Rejected {
    /// A hit that is not handed over.
    #[must_use]
    pub fn hit(found: Found, why: Rejection) -> Self {
        Self { item: found.item, relevance: Some(found.relevance), place: found.place, why }
    }
}

/// Why something that was found is not handed over.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Rejection {
    /// No hit is relevant enough for anything to be handed over, or this one is not.
    BelowThreshold {
        /// The relevance that it would have needed.
        threshold: f64,
    },
    /// This conversation was shown it before.
    Shown,
    /// It no longer holds.
    Superseded {
        /// Since when.
        since: Timestamp,
        /// What took its place, if anything did.
        by: Option<MemoryId>,
    },
    /// A newer hit speaks of the same matter.
    Newer {
        /// Which.
        by: MemoryId,
        /// When that was said.
        since: Timestamp,
    },
    /// It asks the same, repeats the prompt, or says that nobody knows.
    StatesNothing,
    /// A tool printed it or a page said it.
    Foreign,
    /// It is a note of a task.
    TaskNote,
    /// A person said that it should not be handed over.
    Unwanted,
    /// Its file is not there any more.
    FileGone,
    /// It mentions what its project no longer has.
    MentionsGone {
        /// Since when.
        since: Timestamp,
    },
    /// Better hits are as many as may be handed over.
    TooMany {
        /// How many may.
        limit: usize,
    },
    /// It did not fit the budget.
    NoRoom {
        /// The tokens of the whole block.
        budget: usize,
    },
    /// A reflection came along within the last day.
    OnceADay {
        /// When.
        last: Timestamp,
    },
}

impl Rejection {
    /// Its name, for programs.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::BelowThreshold { .. } => "below_threshold",
            Self::Shown => "shown",
            Self::Superseded { .. } => "superseded",
            Self::Newer { .. } => "newer",
            Self::StatesNothing => "states_nothing",
            Self::Foreign => "foreign",
            Self::TaskNote => "task_note",
            Self::Unwanted => "unwanted",
            Self::FileGone => "file_gone",
            Self::MentionsGone { .. } => "mentions_gone",
            Self::TooMany { .. } => "too_many",
            Self::NoRoom { .. } => "no_room",
            Self::OnceADay { .. } => "once_a_day",
        }
    }

    /// The same for people.
    #[must_use]
    pub fn sentence(&self) -> String {
        match self {
            Self::BelowThreshold { threshold } => format!("below the threshold of {threshold:.2}"),
            Self::Shown => "this session was shown it before".to_owned(),
            Self::Superseded { since, by: Some(by) } => format!("superseded on {} by {by}", since.date()),
            Self::Superseded { since, by: None } => format!("no longer holds since {}", since.date()),
            Self::Newer { by, since } => format!("newer on the same matter: {by} of {}", since.date()),
            Self::StatesNothing => "states nothing: it asks the same, repeats the prompt or does not know".to_owned(),
            Self::Foreign => "from a tool or the web, which is never handed over unasked".to_owned(),
            Self::TaskNote => "a note of a task".to_owned(),
            Self::Unwanted => "somebody said that it should never be shown".to_owned(),
            Self::FileGone => "its file is not there any more".to_owned(),
            Self::MentionsGone { since } => format!("mentions what is gone since {}", since.date()),
            Self::TooMany { limit: 1 } => "there is room for 1 item, and another was better".to_owned(),
            Self::TooMany { limit } => format!("there is room for {limit} items, and others were better"),
            Self::NoRoom { budget } => format!("did not fit the budget of {budget} tokens"),
            Self::OnceADay { last } => format!("a reflection comes along once a day, last at {last}"),
        }
    }
}
