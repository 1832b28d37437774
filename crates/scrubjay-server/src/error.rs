//! What can go wrong around the operations.

use std::io;
use std::path::PathBuf;

use scrubjay_core::error::ErrorCode;
use scrubjay_engine::EngineError;

/// A failure of the daemon or of its client.
#[derive(Debug, thiserror::Error)]
pub enum ServerError {
    /// Someone else holds the lock.
    #[error("a daemon serves this home already; `scrubjay status` tells about it, `scrubjay stop` ends it")]
    AlreadyRunning,
    /// The port belongs to someone else.
    #[error("{address} is used by another program; choose another port with --port N, or any free one with --port 0")]
    PortTaken {
        /// Where the daemon wanted to listen.
        address: String,
        /// The cause.
        #[source]
        source: io::Error,
    },
    /// The input makes no sense.
    #[error("{message}")]
    Invalid {
        /// What is wrong, and what would be right.
        message: String,
    },
    /// It is not allowed.
    #[error("{message}")]
    Refused {
        /// Why, and what to do.
        message: String,
    },
    /// A file or socket failed.
    #[error("could not {action} {}", path.display())]
    Io {
        /// What was attempted.
        action: &'static str,
        /// On which file.
        path: PathBuf,
        /// The cause.
        #[source]
        source: io::Error,
    },
    /// The engine failed.
    #[error(transparent)]
    Engine(#[from] EngineError),
}

impl ServerError {
    /// What the failure means to the outside.
    #[must_use]
    pub fn code(&self) -> ErrorCode {
        match self {
            Self::AlreadyRunning | Self::PortTaken { .. } => ErrorCode::Busy,
            Self::Invalid { .. } => ErrorCode::InvalidInput,
            Self::Refused { .. } => ErrorCode::Refused,
            Self::Io { source, .. } => match source.kind() {
                io::ErrorKind::NotFound => ErrorCode::NotFound,
                io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem | io::ErrorKind::StorageFull => {
                    ErrorCode::Unavailable
                }
                _ => ErrorCode::Internal,
            },
            Self::Engine(error) => error.code(),
        }
    }

    /// A file operation failed.
    pub fn io(action: &'static str, path: impl Into<PathBuf>, source: io::Error) -> Self {
        Self::Io { action, path: path.into(), source }
    }

    /// The input makes no sense.
    pub fn invalid(message: impl Into<String>) -> Self {
        Self::Invalid { message: message.into() }
    }
}
