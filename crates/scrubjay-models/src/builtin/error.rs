//! What can be wrong with a weight file.

use std::path::PathBuf;

/// Why a model could not be made from its weight file.
#[derive(Debug, thiserror::Error)]
pub enum WeightError {
    /// The file cannot be read.
    #[error("reading the weights in {path}", path = path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// What the system said.
        #[source]
        source: std::io::Error,
    },
    /// The first bytes are not those of a weight file, or of a version that this build does not know.
    #[error("this is not a weight file of format {expected}")]
    Format {
        /// The version that this build reads.
        expected: u32,
    },
    /// The header is not understood.
    #[error("the header of the weight file is not understood")]
    Header(#[source] serde_json::Error),
    /// The header describes a model that the encoder cannot run.
    #[error("the encoder cannot run this model: {0}")]
    Unsupported(&'static str),
    /// A section is missing, is cut off or has another size than the architecture needs.
    #[error("section {name} of the weight file is missing or has the wrong size")]
    Section {
        /// The section.
        name: String,
    },
    /// A section is not what was written.
    #[error("section {name} of the weight file is damaged")]
    Damaged {
        /// The section.
        name: String,
    },
}
