//! What a model says about itself.

use serde::{Deserialize, Serialize};

use super::calibration::Calibration;
use crate::prefix::PrefixScheme;

/// A model and what its vectors mean.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ModelCard {
    /// Names the model and the version of its vectors: `builtin/granite-embedding-30m-english@1`. It changes whenever
    /// the same text would give another vector.
    pub id: String,
    /// Who computes: `builtin`, `fake`, …
    pub provider: String,
    /// Values per vector.
    pub dimensions: usize,
    /// What is put before documents and queries.
    pub prefix_scheme: PrefixScheme,
    /// The longest text in tokens, all told.
    pub max_tokens: usize,
    /// What the cosine of two vectors means.
    pub calibration: Calibration,
}
