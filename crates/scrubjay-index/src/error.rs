//! What can go wrong with an index.

use std::path::PathBuf;

/// Why an index could not be read or written. An index is derived: after any of
/// these it is thrown away and made again from the store.
#[derive(Debug, thiserror::Error)]
pub enum IndexError {
    /// A file could not be read, written, mapped or locked.
    #[error("could not {attempted} {}", path.display())]
    Io {
        /// What was tried.
        attempted: &'static str,
        /// On which file.
        path: PathBuf,
        /// Why it failed.
        #[source]
        source: std::io::Error,
    },
    /// Bytes are not what was written: a checksum or a bound does not hold.
    #[error("the index is damaged: {0}")]
    Damaged(String),
    /// Written by another version of the format or of the text analyser.
    #[error("the index has another format: {0}")]
    Foreign(String),
    /// A caller's mistake, such as a vector of the wrong length.
    #[error("{0}")]
    Invalid(String),
}

/// The result of work on an index.
pub type Result<T, E = IndexError> = std::result::Result<T, E>;
