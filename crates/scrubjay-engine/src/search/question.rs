//! What is looked for, and what was found.

use scrubjay_core::filter::Filter;
use scrubjay_core::id::{EntityId, MemoryId};
use scrubjay_core::source::Source;
use scrubjay_core::time::Timestamp;
use scrubjay_store::context::Outdated;
use scrubjay_store::item::Item;
use scrubjay_store::query::Activity;

use super::rival::Evidence;

/// The longest question that is looked into, in bytes. What does not fit in
/// there is no question but a text, and searching for a text takes as long.
pub const QUESTION_BYTES: usize = 64 << 10;

/// The beginning of a text, as long as a question may be: for work that is
/// described at length.
#[must_use]
pub fn beginning(text: &str) -> &str {
    &text[..text.floor_char_boundary(QUESTION_BYTES)]
}

/// What is looked for.
#[derive(Debug, Clone)]
pub struct Question {
    /// The words. May be empty if there is a vector.
    pub text: String,
    /// Its vector, made by the caller with the model that serves; otherwise one is made from the words.
    pub vector: Option<Vec<f32>>,
    /// Conditions.
    pub filter: Filter,
    /// Active, ended or both.
    pub activity: Activity,
    /// Sessions whose episodes do not count.
    pub exclude_sessions: Vec<String>,
    /// Only these sources; all if there are none.
    pub sources: Vec<Source>,
    /// Only what mentions one of these; anything if there are none.
    pub entities: Vec<EntityId>,
    /// How many hits at most.
    pub limit: usize,
    /// The relevance that the best hit must have.
    pub min_relevance: f64,
    /// The share of its relevance that is enough for what comes along with it.
    pub following: f64,
    /// How many near misses to tell of if there is no hit.
    pub near: usize,
    /// Which weights make the score.
    pub weights: Weights,
    /// How the arms are put together.
    pub fusion: Fusion,
    /// Which arms to use.
    pub arms: Arms,
    /// Whether a cross-encoder compares the best few.
    pub rerank: Rerank,
    /// When it is asked: what “yesterday” means.
    pub now: Timestamp,
}

/// The share of the best hit's relevance that is enough for what comes along with it: whether there is an answer at all
/// is what the best one tells.
pub const FOLLOWING: f64 = 0.5;

/// Whether a cross-encoder compares the best few.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Rerank {
    /// The beginnings of a few, in a language that it reads.
    #[default]
    Auto,
    /// Always, and more of them.
    On,
    /// Never.
    Off,
}

impl Rerank {
    /// The one with this name, as settings call it.
    #[must_use]
    pub fn from_name(name: &str) -> Self {
        match name {
            "on" => Self::On,
            "off" => Self::Off,
            _ => Self::Auto,
        }
    }
}

/// How the arms are put together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Fusion {
    /// A model over the features of all arms.
    #[default]
    Learned,
    /// A sum of scores, each arm counted by how sure it is of this question.
    Convex,
    /// A sum of reciprocal ranks over words, meaning, names and times.
    Rrf,
    /// A sum of meaning and words, by the weights of the settings.
    Weighted,
}

impl Fusion {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Learned, Self::Convex, Self::Rrf, Self::Weighted];

    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Learned => "learned",
            Self::Convex => "convex",
            Self::Rrf => "rrf",
            Self::Weighted => "weighted",
        }
    }

    /// The one with this name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|fusion| fusion.name() == name)
    }
}

/// Which parts of the search to use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Arms {
    /// By words.
    pub lexical: bool,
    /// By meaning.
    pub vector: bool,
    /// By names of known things.
    pub entity: bool,
    /// By times that the question names.
    pub time: bool,
    /// Whether what stands beside a turn or a piece of a file counts.
    pub neighbours: bool,
    /// Whether what the best hits are about is looked for in the others.
    pub feedback: bool,
}

impl Default for Arms {
    fn default() -> Self {
        Self { lexical: true, vector: true, entity: true, time: true, neighbours: true, feedback: true }
    }
}

impl Arms {
    /// Their names.
    pub const NAMES: [&str; 6] = ["lexical", "vector", "entity", "time", "neighbours", "feedback"];

    /// Whether one is used.
    #[must_use]
    pub fn has(self, name: &str) -> bool {
        self.without(name).is_ok_and(|others| others != self)
    }

    /// Leaves one out.
    ///
    /// # Errors
    /// Says which there are if there is no such arm.
    pub fn without(mut self, name: &str) -> Result<Self, String> {
        match name {
            "lexical" => self.lexical = false,
            "vector" => self.vector = false,
            "entity" => self.entity = false,
            "time" => self.time = false,
            "neighbours" => self.neighbours = false,
            "feedback" => self.feedback = false,
            other => return Err(format!("`{other}` is not an arm; use one of {}", Self::NAMES.join(", "))),
        }
        Ok(self)
    }
}

/// Which weights make the score.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Weights {
    /// How much a memory matters.
    pub importance: bool,
    /// How old an episode is.
    pub recency: bool,
    /// How sure a fact still is.
    pub confidence: bool,
}

impl Default for Weights {
    fn default() -> Self {
        Self { importance: true, recency: true, confidence: true }
    }
}

impl Weights {
    /// None of them.
    pub const NONE: Self = Self { importance: false, recency: false, confidence: false };
}

/// A hit's place in one arm.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Place {
    /// From 1.
    pub rank: usize,
    /// In the arm's own measure.
    pub score: f64,
}

/// A hit, with everything that explains its place.
#[derive(Debug, Clone)]
pub struct Found {
    /// The memory or piece of a file.
    pub item: Item,
    /// How well it fits, 0 to 1, comparable between questions.
    pub relevance: f64,
    /// What the order follows, 0 to 1.
    pub score: f64,
    /// Its places in the arms that found it.
    pub places: Vec<(&'static str, Place)>,
    /// What the ranking model saw of the question and of the hit.
    pub features: Vec<(&'static str, f32)>,
    /// The factors that led from relevance to score.
    pub factors: Vec<(&'static str, f64)>,
    /// Where in the text the first term of the question stands, in bytes.
    pub place: usize,
    /// How the file that it is from stands to what was read.
    pub file: FileState,
    /// Since when and by what it no longer holds.
    pub outdated: Option<Outdated>,
    /// A newer hit that speaks of the same matter.
    pub newer: Option<Newer>,
    /// Newer hits that may have changed what this one says, and what speaks for it, in the order of
    /// [`PAIR_FEATURES`](super::PAIR_FEATURES).
    pub rivals: Vec<(MemoryId, Evidence)>,
}

/// A newer hit that speaks of the same matter as another.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Newer {
    /// Which.
    pub id: MemoryId,
    /// When it was said.
    pub since: Timestamp,
    /// How much it is the same, 0 to 1.
    pub sameness: f32,
}

/// How a file stands to what was read of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum FileState {
    /// As it was, as far as is known.
    #[default]
    AsRead,
    /// It changed since.
    Changed,
    /// It is not there any more.
    Gone,
}

impl FileState {
    /// Its name, unless there is nothing to tell.
    #[must_use]
    pub fn name(self) -> Option<&'static str> {
        match self {
            Self::AsRead => None,
            Self::Changed => Some("changed"),
            Self::Gone => Some("gone"),
        }
    }
}

/// The hits, and what was missing in the search.
#[derive(Debug, Clone, Default)]
pub struct Recalled {
    /// Best first.
    pub hits: Vec<Found>,
    /// What came nearest, if there is no hit.
    pub near: Vec<Found>,
    /// What the search did without.
    pub missing: Missing,
    /// What the caller should know.
    pub warnings: Vec<String>,
}

/// What a search did without.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Missing {
    /// Words of the question that nothing here holds, nor anything like them.
    pub words: Vec<String>,
    /// Arms that were not used, each with the reason.
    pub arms: Vec<(&'static str, String)>,
}
