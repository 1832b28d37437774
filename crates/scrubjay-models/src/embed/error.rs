//! What can go wrong in an embedder.

use std::error::Error;
use std::path::PathBuf;

use thiserror::Error;

use crate::builtin::WeightError;
use crate::http::{Blame, CallError};

/// Why there are no vectors.
#[derive(Debug, Error)]
pub enum EmbedError {
    /// The provider could not be asked, or did not answer.
    #[error(transparent)]
    Call(#[from] CallError),
    /// The folder or file of a local model cannot be used.
    #[error("the model in {} cannot be used: {why}", path.display())]
    Folder {
        /// Where it is.
        path: PathBuf,
        /// What is wrong.
        why: String,
    },
    /// The day's money is spent.
    #[error("{why}")]
    Paused {
        /// Which limit was reached, and until when.
        why: String,
    },
    /// The built-in model could not be loaded.
    #[error("the model {model} could not be loaded")]
    Load {
        /// The model.
        model: String,
        /// What is wrong with its weights.
        #[source]
        source: WeightError,
    },
    /// The computation ended without a result.
    #[error("computing the vectors with {model} was broken off")]
    Stopped {
        /// The model.
        model: String,
        /// What ended it.
        #[source]
        source: Box<dyn Error + Send + Sync>,
    },
    /// There are more or fewer vectors than texts.
    #[error("{model} gave {found} vectors for {expected} texts")]
    Count {
        /// The model.
        model: String,
        /// How many texts there were.
        expected: usize,
        /// How many vectors there are.
        found: usize,
    },
    /// A vector has another size than the model is said to have.
    #[error(
        "{model} gave a vector of {found} values and should give {expected}; if its server has another model by now, `scrubjay reembed --force` learns its size and makes all vectors anew"
    )]
    Dimensions {
        /// The model.
        model: String,
        /// What the card says.
        expected: usize,
        /// What came.
        found: usize,
    },
    /// A vector has no direction: a value is not finite, or all are zero.
    #[error("{model} gave a vector for text {place} that has no direction")]
    NotAVector {
        /// The model.
        model: String,
        /// Which of the texts it was, from 0.
        place: usize,
    },
    /// The recorded answers cannot be read.
    #[error("reading the recorded vectors in {path}", path = path.display())]
    ReadRecording {
        /// The file.
        path: PathBuf,
        /// What the system said.
        #[source]
        source: std::io::Error,
    },
    /// A line of the recorded answers is not understood.
    #[error("line {line} of the recorded vectors is not understood")]
    Recording {
        /// Which line it is, from 1.
        line: usize,
        /// What is wrong with it.
        #[source]
        source: serde_json::Error,
    },
    /// Nothing was recorded for a text. The text is not repeated here, because errors are logged.
    #[error("nothing was recorded for a {role} of {length_bytes} bytes")]
    NotRecorded {
        /// `document` or `query`.
        role: &'static str,
        /// How long the text is.
        length_bytes: usize,
    },
}

impl EmbedError {
    /// Whether a later call may succeed with nothing changed.
    #[must_use]
    pub fn is_passing(&self) -> bool {
        match self {
            Self::Call(error) => error.blame() == Blame::Provider,
            Self::Paused { .. } => true,
            _ => false,
        }
    }

    /// Whether it is the texts that the provider does not take, so that others may do.
    #[must_use]
    pub fn is_about_the_texts(&self) -> bool {
        matches!(self, Self::Call(error) if error.blame() == Blame::Request)
    }
}
