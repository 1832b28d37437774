//! The record itself: a memory, its kinds and its parts.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::id::MemoryId;
pub use crate::kind::Kind;
use crate::scope::Scope;
use crate::time::Timestamp;

impl Kind {
    /// The type a memory of this kind has when none is given.
    #[must_use]
    pub fn default_type(self) -> MemoryType {
        MemoryType(
            match self {
                Self::Episode => "message",
                Self::Fact => "general",
                Self::Reflection => "insight",
                Self::Scratch => "reasoning",
            }
            .to_owned(),
        )
    }
}

/// A value was outside of what a memory can hold.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum InvalidMemory {
    /// An importance outside 1 to 5.
    #[error("importance {0} is not between 1 and 5")]
    Importance(f64),
    /// A fraction outside 0 to 1.
    #[error("{field} {value} is not between 0 and 1")]
    Fraction {
        /// Which field.
        field: &'static str,
        /// The value given.
        value: f64,
    },
    /// A label that is empty, too long or has control characters.
    #[error("`{text}` is not a usable {field}: 1 to {max} characters without control characters")]
    Label {
        /// Which field.
        field: &'static str,
        /// The value given, shortened.
        text: String,
        /// The greatest length.
        max: usize,
    },
    /// A name outside a closed set.
    #[error("`{text}` is not {field}; use one of: {allowed}")]
    Unknown {
        /// Which field.
        field: &'static str,
        /// The value given, shortened.
        text: String,
        /// The set.
        allowed: String,
    },
}

impl FromStr for Kind {
    type Err = InvalidMemory;

    fn from_str(text: &str) -> Result<Self, InvalidMemory> {
        named("a kind", text, Self::ALL, Self::name)
    }
}

/// The type of a memory, an open set: an unknown one is kept.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(transparent)]
pub struct MemoryType(String);

impl MemoryType {
    /// The type as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for MemoryType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl FromStr for MemoryType {
    type Err = InvalidMemory;

    fn from_str(text: &str) -> Result<Self, InvalidMemory> {
        label("type", text, 64).map(Self)
    }
}

impl<'de> Deserialize<'de> for MemoryType {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

/// How much a memory matters, 1 (trivial) to 5 (critical).
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd, Serialize)]
#[serde(transparent)]
pub struct Importance(f64);

impl Importance {
    /// Checks the range.
    ///
    /// # Errors
    /// When the value is not between 1 and 5.
    pub fn new(value: f64) -> Result<Self, InvalidMemory> {
        if (1.0..=5.0).contains(&value) { Ok(Self(value)) } else { Err(InvalidMemory::Importance(value)) }
    }

    /// The value.
    #[must_use]
    pub fn value(self) -> f64 {
        self.0
    }

    /// A little more, for a memory that was stated again; at most 5.
    #[must_use]
    pub fn raised(self) -> Self {
        Self((self.0 + 0.25).min(5.0))
    }
}

impl Default for Importance {
    fn default() -> Self {
        Self(3.0)
    }
}

/// How sure a memory is, 0 to 1, before time fades it.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd, Serialize)]
#[serde(transparent)]
pub struct Confidence(f64);

impl Confidence {
    /// What a superseded fact falls to.
    pub const SUPERSEDED: Self = Self(0.3);
    /// Certain.
    pub const FULL: Self = Self(1.0);

    /// Checks the range.
    ///
    /// # Errors
    /// When the value is not between 0 and 1.
    pub fn new(value: f64) -> Result<Self, InvalidMemory> {
        if (0.0..=1.0).contains(&value) {
            Ok(Self(value))
        } else {
            Err(InvalidMemory::Fraction { field: "confidence", value })
        }
    }

    /// The value.
    #[must_use]
    pub fn value(self) -> f64 {
        self.0
    }
}

/// How fast confidence fades per day; 0 protects.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd, Serialize)]
#[serde(transparent)]
pub struct DecayRate(f64);

impl DecayRate {
    /// Never fades.
    pub const PROTECTED: Self = Self(0.0);

    /// Checks the range.
    ///
    /// # Errors
    /// When the value is not between 0 and 1.
    pub fn new(value: f64) -> Result<Self, InvalidMemory> {
        if (0.0..=1.0).contains(&value) {
            Ok(Self(value))
        } else {
            Err(InvalidMemory::Fraction { field: "decay rate", value })
        }
    }

    /// The value.
    #[must_use]
    pub fn value(self) -> f64 {
        self.0
    }
}

/// Where a memory came from. What is made from others inherits a foreign origin;
/// apart from that it never changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OriginKind {
    /// A person said it.
    User,
    /// An assistant said it.
    Assistant,
    /// A tool printed it.
    Tool,
    /// It was read from a file.
    File,
    /// It was read from the web.
    Web,
    /// It was imported from another system.
    Import,
    /// Scrubjay derived it.
    System,
}

impl OriginKind {
    /// All of them.
    pub const ALL: [Self; 7] =
        [Self::User, Self::Assistant, Self::Tool, Self::File, Self::Web, Self::Import, Self::System];

    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Assistant => "assistant",
            Self::Tool => "tool",
            Self::File => "file",
            Self::Web => "web",
            Self::Import => "import",
            Self::System => "system",
        }
    }

    /// Whether the text may be anyone's: a tool printed it, or it was read on
    /// the web. Such text is shown with its origin, never handed on as known,
    /// and never becomes a preference without a person's consent.
    #[must_use]
    pub fn is_foreign(self) -> bool {
        self.caution().is_some()
    }

    /// What a reader is told beside a foreign text; none beside any other.
    #[must_use]
    pub fn caution(self) -> Option<&'static str> {
        match self {
            Self::Tool => Some("printed by a tool"),
            Self::Web => Some("read on the web"),
            Self::User | Self::Assistant | Self::File | Self::Import | Self::System => None,
        }
    }

    /// The origin of a memory made from memories of these origins: foreign as
    /// soon as one of them is, and the web's before a tool's.
    #[must_use]
    pub fn made_from(self, sources: impl IntoIterator<Item = Self>) -> Self {
        let reach = |origin: Self| match origin {
            Self::Web => 2,
            Self::Tool => 1,
            Self::User | Self::Assistant | Self::File | Self::Import | Self::System => 0,
        };
        sources.into_iter().fold(self, |made, source| if reach(source) > reach(made) { source } else { made })
    }

    /// The origin a message of this role has when none is given.
    #[must_use]
    pub fn of_role(role: &str) -> Self {
        match role {
            "user" => Self::User,
            "tool" => Self::Tool,
            "system" => Self::System,
            _ => Self::Assistant,
        }
    }
}

impl FromStr for OriginKind {
    type Err = InvalidMemory;

    fn from_str(text: &str) -> Result<Self, InvalidMemory> {
        named("an origin", text, Self::ALL, Self::name)
    }
}

/// Where a memory came from, with the place in a file when there is one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Origin {
    /// What sort of source.
    pub kind: OriginKind,
    /// The file, if it came from one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// The first line, counted from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub start_line: Option<u32>,
    /// The last line, included.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub end_line: Option<u32>,
}

impl From<OriginKind> for Origin {
    fn from(kind: OriginKind) -> Self {
        Self { kind, path: None, start_line: None, end_line: None }
    }
}

/// Why a memory is no longer active.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EndedBy {
    /// Someone asked to forget it.
    Forgotten,
    /// A newer fact took its place.
    Superseded,
    /// A person corrected it.
    Corrected,
    /// It faded below the threshold.
    Decayed,
    /// Its tier was full.
    Evicted,
}

impl EndedBy {
    /// All of them.
    pub const ALL: [Self; 5] = [Self::Forgotten, Self::Superseded, Self::Corrected, Self::Decayed, Self::Evicted];

    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Forgotten => "forgotten",
            Self::Superseded => "superseded",
            Self::Corrected => "corrected",
            Self::Decayed => "decayed",
            Self::Evicted => "evicted",
        }
    }
}

impl FromStr for EndedBy {
    type Err = InvalidMemory;

    fn from_str(text: &str) -> Result<Self, InvalidMemory> {
        named("a reason to end", text, Self::ALL, Self::name)
    }
}

/// That a memory ended: when, and why. Absent while it is active.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ended {
    /// From when on it no longer holds.
    pub at: Timestamp,
    /// Why.
    pub by: EndedBy,
}

/// How two memories relate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Relation {
    /// They belong together.
    Related,
    /// The first takes the place of the second.
    Supersedes,
    /// They cannot both be true.
    Contradicts,
    /// The first says more about the second.
    Elaborates,
    /// The first was made from the second.
    DerivedFrom,
}

impl Relation {
    /// All of them.
    pub const ALL: [Self; 5] =
        [Self::Related, Self::Supersedes, Self::Contradicts, Self::Elaborates, Self::DerivedFrom];

    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Related => "related",
            Self::Supersedes => "supersedes",
            Self::Contradicts => "contradicts",
            Self::Elaborates => "elaborates",
            Self::DerivedFrom => "derived_from",
        }
    }
}

impl FromStr for Relation {
    type Err = InvalidMemory;

    fn from_str(text: &str) -> Result<Self, InvalidMemory> {
        named("a relation", text, Self::ALL, Self::name)
    }
}

/// A directed link between two memories.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Link {
    /// The memory that says something about the other.
    pub from: MemoryId,
    /// What it says.
    pub relation: Relation,
    /// The other.
    pub to: MemoryId,
}

/// Free metadata: names to any JSON value.
pub type Attributes = BTreeMap<String, serde_json::Value>;

/// How deep attributes may nest. JSON readers give up at 128 levels, and history wraps what it keeps in a few of its own.
pub const ATTRIBUTE_DEPTH: usize = 64;

/// Whether attributes nest deeper than [`ATTRIBUTE_DEPTH`]: they could be written and not read back.
#[must_use]
pub fn nest_too_deep(attributes: &Attributes) -> bool {
    attributes.values().any(|value| is_deeper_than(value, ATTRIBUTE_DEPTH))
}

fn is_deeper_than(value: &serde_json::Value, levels: usize) -> bool {
    let inner = |inner: &serde_json::Value| levels == 0 || is_deeper_than(inner, levels - 1);
    match value {
        serde_json::Value::Array(values) => values.iter().any(inner),
        serde_json::Value::Object(values) => values.values().any(inner),
        _ => false,
    }
}

/// A durable record.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Memory {
    /// Its id; carries the kind.
    pub id: MemoryId,
    /// Its type.
    pub memory_type: MemoryType,
    /// Where it lives.
    pub scope: Scope,
    /// The conversation it belongs to.
    pub session_id: Option<String>,
    /// Who said it.
    pub role: Option<String>,
    /// What it says.
    pub content: String,
    /// How much it matters.
    pub importance: Importance,
    /// How sure it is, before time fades it.
    pub confidence: Confidence,
    /// How fast that fades.
    pub decay_rate: DecayRate,
    /// When it happened.
    pub event_time: Timestamp,
    /// When we learned it.
    pub created_at: Timestamp,
    /// Set once it is no longer active.
    pub ended: Option<Ended>,
    /// How often it was recalled, shown or injected.
    pub access_count: u64,
    /// When that happened last.
    pub last_accessed: Option<Timestamp>,
    /// The memories it was made from.
    pub source_ids: Vec<MemoryId>,
    /// Where it came from.
    pub origin: Origin,
    /// Labels.
    pub tags: Vec<String>,
    /// Free metadata.
    pub attributes: Attributes,
    /// Counts its changes; the first version is 1.
    pub version: u64,
}

impl Memory {
    /// Its kind.
    #[must_use]
    pub fn kind(&self) -> Kind {
        self.id.kind()
    }

    /// Whether it is active now.
    #[must_use]
    pub fn is_active(&self) -> bool {
        self.ended.is_none()
    }

    /// Whether it was known and not ended at `time`.
    #[must_use]
    pub fn is_active_at(&self, time: Timestamp) -> bool {
        self.created_at <= time && self.ended.is_none_or(|ended| ended.at > time)
    }
}

/// Checks a tag, role, session id or other short label.
///
/// # Errors
/// When it is empty, longer than `max` characters or has control characters.
pub fn label(field: &'static str, text: &str, max: usize) -> Result<String, InvalidMemory> {
    let trimmed = text.trim();
    if trimmed.is_empty() || trimmed.chars().count() > max || trimmed.chars().any(char::is_control) {
        return Err(InvalidMemory::Label { field, text: text.chars().take(60).collect(), max });
    }
    Ok(trimmed.to_owned())
}

fn named<T: Copy, const N: usize>(
    field: &'static str,
    text: &str,
    all: [T; N],
    name: impl Fn(T) -> &'static str,
) -> Result<T, InvalidMemory> {
    all.into_iter().find(|&value| name(value) == text).ok_or_else(|| InvalidMemory::Unknown {
        field,
        text: text.chars().take(60).collect(),
        allowed: all.map(name).join(", "),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_checked() {
        assert!(Importance::new(0.99).is_err() && Importance::new(5.01).is_err() && Importance::new(f64::NAN).is_err());
        assert!(Confidence::new(-0.1).is_err() && Confidence::new(1.0).is_ok());
        assert_eq!(Importance::new(4.9).unwrap().raised().value(), 5.0);
    }

    #[test]
    fn types_are_an_open_set() {
        assert_eq!("incident-report".parse::<MemoryType>().unwrap().as_str(), "incident-report");
        assert!("".parse::<MemoryType>().is_err());
        assert!("a\u{0}b".parse::<MemoryType>().is_err());
        assert!("x".repeat(65).parse::<MemoryType>().is_err());
    }

    #[test]
    fn what_is_made_from_foreign_text_is_foreign() {
        use OriginKind::{Assistant, File, Tool, User, Web};
        for (own, sources, expected) in [
            (Assistant, &[User, File][..], Assistant),
            (Assistant, &[User, Tool], Tool),
            (User, &[Tool, Web, Tool], Web),
            (Web, &[Tool], Web),
            (User, &[], User),
        ] {
            assert_eq!(own.made_from(sources.iter().copied()), expected, "{own:?} from {sources:?}");
        }
        let foreign: Vec<_> = OriginKind::ALL.into_iter().filter(|origin| origin.is_foreign()).collect();
        assert_eq!(foreign, [Tool, Web]);
    }

    #[test]
    fn names_read_back() {
        for kind in Kind::ALL {
            assert_eq!(kind.name().parse::<Kind>().unwrap(), kind);
        }
        for relation in Relation::ALL {
            assert_eq!(relation.name().parse::<Relation>().unwrap(), relation);
        }
        let message = "unknown".parse::<Kind>().unwrap_err().to_string();
        assert!(message.contains("episode, fact"), "{message}");
    }
}
