//! What agents are handed, what waits for a person, and tasks.

use std::fmt;
use std::str::FromStr;

use scrubjay_core::id::{ConfirmationId, DocumentId, InvalidId, MemoryId, ReceiptId};
use scrubjay_core::scope::Scope;
use scrubjay_core::scope::{ProjectId, TaskId};
use scrubjay_core::text::TextHash;
use scrubjay_core::time::Timestamp;
use serde_json::Value;

/// Something that an agent was shown, by name.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Shown {
    /// A memory.
    Memory(MemoryId),
    /// A piece of a file: the document and its lines.
    Chunk(DocumentId, u32, u32),
}

impl fmt::Display for Shown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Memory(id) => id.fmt(f),
            Self::Chunk(id, from, to) => write!(f, "{id}:{from}-{to}"),
        }
    }
}

impl FromStr for Shown {
    type Err = InvalidId;

    fn from_str(text: &str) -> Result<Self, InvalidId> {
        let lines = |lines: &str| {
            let (from, to) = lines.split_once('-')?;
            Some((from.parse().ok()?, to.parse().ok()?))
        };
        match text.split_once(':') {
            None => Ok(Self::Memory(text.parse()?)),
            Some((document, rest)) => {
                let wanted = "a document id with lines such as doc_0197a3c2-1b7e-7c44-9d3a-2f6d1c0b8e55:1-20";
                let (from, to) =
                    lines(rest).ok_or_else(|| InvalidId { text: text.chars().take(60).collect(), wanted })?;
                Ok(Self::Chunk(document.parse()?, from, to))
            }
        }
    }
}

/// Something that a conversation was shown, and with which text.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ShownText {
    /// Which memory or piece of a file.
    pub item: Shown,
    /// The hash of the text that it had; none if that was not noted.
    pub text: Option<TextHash>,
}

/// What an agent was handed at one time.
#[derive(Debug, Clone, PartialEq)]
pub struct Receipt {
    /// Its id.
    pub id: ReceiptId,
    /// From where it was asked for.
    pub scope: Scope,
    /// In which conversation.
    pub session_id: Option<String>,
    /// What it was put together for: `inject`, `session-start`, `loop` or `tiers`.
    pub profile: String,
    /// When.
    pub at: Timestamp,
    /// How many tokens there was room for; 0 if the room was counted in characters.
    pub budget_tokens: u64,
    /// How many it took.
    pub tokens: u64,
    /// When a reply was compared with it.
    pub judged_at: Option<Timestamp>,
    /// What was in it, in order.
    pub items: Vec<ReceiptItem>,
}

/// One thing that an agent was handed.
#[derive(Debug, Clone, PartialEq)]
pub struct ReceiptItem {
    /// Which memory or piece of a file.
    pub item: Shown,
    /// The hash of the text that it had then.
    pub text: Option<TextHash>,
    /// The part of the block that it stood in.
    pub section: String,
    /// How many tokens it took.
    pub tokens: u64,
    /// How well it fitted.
    pub relevance: f64,
    /// What the order followed.
    pub score: f64,
    /// What a reply made of it.
    pub verdict: Option<Verdict>,
}

/// What a reply made of something it was handed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Verdict {
    /// The share of its own words that the reply had.
    pub overlap: f64,
    /// Whether that counts as use.
    pub used: bool,
}

/// Which receipts.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ReceiptQuery {
    /// Only this one.
    pub id: Option<ReceiptId>,
    /// Only of this conversation.
    pub session_id: Option<String>,
    /// Only those made before this one.
    pub before: Option<ReceiptId>,
    /// How many at most.
    pub limit: usize,
}

/// Where a write that waits for a person stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ConfirmationState {
    /// Nobody answered yet.
    Waiting,
    /// Yes.
    Accepted,
    /// No.
    Refused,
    /// Nobody answered in time.
    Expired,
}

impl ConfirmationState {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Waiting, Self::Accepted, Self::Refused, Self::Expired];

    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Waiting => "waiting",
            Self::Accepted => "accepted",
            Self::Refused => "refused",
            Self::Expired => "expired",
        }
    }

    /// The state with this name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|state| state.name() == name)
    }
}

/// A write that waits for a person.
#[derive(Debug, Clone, PartialEq)]
pub struct Confirmation {
    /// Its id.
    pub id: ConfirmationId,
    /// From where it was asked, and so who may see and answer it.
    pub scope: Scope,
    /// The operation that waits.
    pub operation: String,
    /// What it will be given; null once the matter is settled.
    pub input: Value,
    /// What the person is asked; empty once the matter is settled.
    pub question: String,
    /// Who wanted it.
    pub actor: String,
    /// When it was asked.
    pub created_at: Timestamp,
    /// Until when it can be answered.
    pub expires_at: Timestamp,
    /// Where it stands.
    pub state: ConfirmationState,
    /// When it was answered.
    pub answered_at: Option<Timestamp>,
    /// Who answered.
    pub answered_by: Option<String>,
    /// What the operation answered; none until it was done.
    pub result: Option<Value>,
}

/// An answer to a confirmation, or its being put off.
#[derive(Debug, Clone, PartialEq)]
pub struct Settlement {
    /// It must stand here.
    pub from: ConfirmationState,
    /// It stands here then.
    pub to: ConfirmationState,
    /// When.
    pub at: Timestamp,
    /// Who answered.
    pub by: String,
    /// What the operation answered. An accepted write keeps its input until this
    /// is there, so that it can be done again after a crash.
    pub result: Option<Value>,
}

impl Settlement {
    /// Whether the texts have served their purpose.
    #[must_use]
    pub(crate) fn is_final(&self) -> bool {
        match self.to {
            ConfirmationState::Waiting => false,
            ConfirmationState::Accepted => self.result.is_some(),
            ConfirmationState::Refused | ConfirmationState::Expired => true,
        }
    }
}

/// A piece of work with notes of its own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Task {
    /// Its name within the project.
    pub id: TaskId,
    /// Its project.
    pub project: ProjectId,
    /// What is to be done.
    pub title: String,
    /// The conversation it is done in.
    pub session_id: Option<String>,
    /// When it began.
    pub started_at: Timestamp,
    /// When it ended.
    pub ended_at: Option<Timestamp>,
}

/// When a tier has too much: what counts, and how much of it may stay.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Capacity {
    /// The types that count.
    pub types: Vec<String>,
    /// How many of them may stay.
    pub max_items: u64,
}

/// A memory that no longer holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outdated {
    /// Which one.
    pub id: MemoryId,
    /// Since when.
    pub since: Timestamp,
    /// The fact that took its place, if there is one.
    pub by: Option<MemoryId>,
}
