//! What the store keeps about models: what they cost, what was learned about
//! them, and batches that a provider is working on.

use scrubjay_core::time::Timestamp;
use serde_json::Value;

use crate::item::GenerationId;

/// What one role spent on one model on one day.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Spend {
    /// The day in UTC, as `2026-05-01`.
    pub day: String,
    /// What the model was used for.
    pub role: String,
    /// The model.
    pub model: String,
    /// Requests.
    pub calls: u64,
    /// Tokens read.
    pub input_tokens: u64,
    /// Tokens written.
    pub output_tokens: u64,
    /// Millionths of a dollar.
    pub cost_micros: u64,
}

/// A batch that was, or is about to be, given to a provider.
#[derive(Debug, Clone, PartialEq)]
pub struct Batch {
    /// Our own name for it, which the provider is told too.
    pub name: String,
    /// Whose batch it is.
    pub provider: String,
    /// The model.
    pub model: String,
    /// Where its vectors go.
    pub generation: GenerationId,
    /// The provider's name for it; none if the submission was not confirmed.
    pub remote_id: Option<String>,
    /// Which items it holds.
    pub items: Value,
    /// How often it was submitted.
    pub tries: u32,
    /// When it was made.
    pub created_at: Timestamp,
    /// When something became of it last.
    pub updated_at: Timestamp,
}
