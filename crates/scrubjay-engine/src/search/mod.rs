//! Finding memories again.
//!
//! `recall.rs` turns a question into hits: candidates by words, `relevance` on
//! a scale that means the same for every question, and a `score` that weighs it
//! with importance, recency and confidence. Nothing relevant gives no hits, and
//! whatever part of the search was not available is named in the answer.

mod recall;

pub use recall::{Found, Question, Recalled, Weights, recall};
