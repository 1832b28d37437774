//! A fact that may be worth keeping.

use scrubjay_core::entity::EntityType;
use scrubjay_core::id::MemoryId;

/// How facts found by rules are labelled, in `attributes.extractor`.
pub const RULES: &str = "rules";

/// How facts found by the classifier are labelled.
pub const CLASSIFIER: &str = "classifier";

/// A fact that may be worth keeping, before anything is known about what is kept already.
#[derive(Debug, Clone, PartialEq)]
pub struct Candidate {
    /// What it says, in the conversation's language.
    pub content: String,
    /// Its type.
    pub memory_type: String,
    /// How much it matters; what is usual for its type, if not given.
    pub importance: Option<f64>,
    /// How sure it is.
    pub confidence: f64,
    /// Labels.
    pub tags: Vec<String>,
    /// Names in it, beyond those that have a shape of their own.
    pub entities: Vec<(String, EntityType)>,
    /// The turns it came from, all of the window.
    pub evidence: Vec<MemoryId>,
    /// What it is the only value of, such as `home`: another value of the same takes its place.
    pub slot: Option<String>,
    /// What it says is no longer so, in the speaker's words.
    pub replaces: Option<String>,
    /// The day it is about, as `2026-05-01`.
    pub date: Option<String>,
    /// Whether it is of a kind that people say in passing, and that is often of no use later.
    pub is_in_passing: bool,
    /// Who found it: [`RULES`], [`CLASSIFIER`], or a model's id.
    pub extractor: String,
    /// Which rule or prompt found it.
    pub found_by: String,
}
