//! What can go wrong in a reranker.

use std::error::Error;

use thiserror::Error;

use crate::builtin::WeightError;

/// Why there are no scores.
#[derive(Debug, Error)]
pub enum RerankError {
    /// The model could not be loaded.
    #[error("the model {model} could not be loaded")]
    Load {
        /// The model.
        model: String,
        /// What is wrong with its weights.
        #[source]
        source: WeightError,
    },
    /// The computation ended without a result.
    #[error("scoring with {model} was broken off")]
    Stopped {
        /// The model.
        model: String,
        /// What ended it.
        #[source]
        source: Box<dyn Error + Send + Sync>,
    },
    /// There are more or fewer scores than passages.
    #[error("{model} gave {found} scores for {expected} passages")]
    Count {
        /// The model.
        model: String,
        /// How many passages there were.
        expected: usize,
        /// How many scores there are.
        found: usize,
    },
    /// A score is not a number.
    #[error("{model} gave no finite score for passage {place}")]
    NotFinite {
        /// The model.
        model: String,
        /// Which of the passages it was, from 0.
        place: usize,
    },
}
