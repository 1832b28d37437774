//! What can go wrong in an operation.

use std::io;
use std::path::PathBuf;

use scrubjay_core::error::ErrorCode;
use scrubjay_ingest::export::ExportError;
use scrubjay_models::chat::ChatError;
use scrubjay_models::embed::EmbedError;
use scrubjay_models::http::{Blame, CallError, REST};
use scrubjay_store::StoreError;

use crate::config::ConfigError;
use crate::project_error::ProjectError;

/// A failure of an operation.
#[derive(Debug, thiserror::Error)]
pub enum EngineError {
    /// The input makes no sense.
    #[error("{message}")]
    Invalid {
        /// What is wrong, and what would be right.
        message: String,
    },
    /// Nothing visible matches.
    #[error("{message}")]
    NotFound {
        /// What was looked for, and where else to look.
        message: String,
    },
    /// It was not confirmed, or is not allowed.
    #[error("{message}")]
    Refused {
        /// Why, and what to do.
        message: String,
    },
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The configuration is wrong.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// The project cannot be determined.
    #[error(transparent)]
    Project(#[from] ProjectError),
    /// A file could not be read or written.
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
    /// A model failed or gave something that cannot be used.
    #[error("{message}")]
    Model {
        /// What happened.
        message: String,
    },
    /// A model cannot be used for the moment; what needs it is done later.
    #[error("{message}")]
    Away {
        /// Who is away, and why.
        message: String,
        /// When it is worth another try.
        retry_in: std::time::Duration,
    },
    /// The search index could not be read or written.
    #[error("the search index failed; `scrubjay doctor --repair` makes it again")]
    Index(#[from] scrubjay_index::IndexError),
    /// What another tool exported cannot be read.
    #[error(transparent)]
    Export(#[from] ExportError),
    /// A task of ours ended before its time, or what cannot be came about; a defect.
    #[error("{what}")]
    Defect {
        /// What was being done.
        what: String,
    },
    /// The system gave no random numbers.
    #[error("the system's random number source failed")]
    Entropy,
    /// The daemon answered with a failure.
    #[error("{message}")]
    Elsewhere {
        /// What it means to the outside.
        code: ErrorCode,
        /// What happened there.
        message: String,
    },
    /// A value could not be turned into JSON; a defect.
    #[error("could not encode the answer of `{operation}`")]
    Encode {
        /// The operation.
        operation: &'static str,
        /// The cause.
        #[source]
        source: serde_json::Error,
    },
}

impl EngineError {
    /// What the failure means to the outside.
    #[must_use]
    pub fn code(&self) -> ErrorCode {
        match self {
            Self::Invalid { .. } | Self::Config(_) | Self::Project(_) => ErrorCode::InvalidInput,
            Self::NotFound { .. } => ErrorCode::NotFound,
            Self::Refused { .. } => ErrorCode::Refused,
            Self::Store(error) => error.code(),
            Self::Io { source, .. } => match source.kind() {
                io::ErrorKind::NotFound => ErrorCode::NotFound,
                io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem | io::ErrorKind::StorageFull => {
                    ErrorCode::Unavailable
                }
                _ => ErrorCode::Internal,
            },
            Self::Model { .. } | Self::Away { .. } => ErrorCode::Unavailable,
            Self::Elsewhere { code, .. } => *code,
            Self::Export(ExportError::Io { source, .. }) if source.kind() == io::ErrorKind::NotFound => {
                ErrorCode::NotFound
            }
            Self::Export(_) => ErrorCode::InvalidInput,
            Self::Index(_) | Self::Entropy | Self::Encode { .. } | Self::Defect { .. } => ErrorCode::Internal,
        }
    }

    /// The input makes no sense.
    #[expect(clippy::needless_pass_by_value, reason = "so that it can stand in a map_err")]
    pub fn invalid(message: impl ToString) -> Self {
        Self::Invalid { message: message.to_string() }
    }

    /// Nothing visible matches.
    #[expect(clippy::needless_pass_by_value, reason = "so that it can stand in a map_err")]
    pub fn not_found(message: impl ToString) -> Self {
        Self::NotFound { message: message.to_string() }
    }

    /// It was not confirmed, or is not allowed.
    #[expect(clippy::needless_pass_by_value, reason = "so that it can stand in a map_err")]
    pub fn refused(message: impl ToString) -> Self {
        Self::Refused { message: message.to_string() }
    }

    /// A model failed.
    #[expect(clippy::needless_pass_by_value, reason = "so that it can stand in a map_err")]
    pub fn model(message: impl ToString) -> Self {
        Self::Model { message: message.to_string() }
    }

    /// Something of ours that cannot be failed; nothing that the caller could mend.
    #[expect(clippy::needless_pass_by_value, reason = "so that it can stand in a map_err")]
    pub fn defect(what: impl ToString) -> Self {
        Self::Defect { what: what.to_string() }
    }

    /// A failure that was told by another process.
    pub fn told(code: ErrorCode, message: impl Into<String>) -> Self {
        let message = message.into();
        match code {
            ErrorCode::InvalidInput => Self::Invalid { message },
            ErrorCode::NotFound => Self::NotFound { message },
            ErrorCode::Refused => Self::Refused { message },
            code => Self::Elsewhere { code, message },
        }
    }

    /// A model cannot be used for the moment.
    #[expect(clippy::needless_pass_by_value, reason = "so that it can stand in a map_err")]
    pub fn away(message: impl ToString) -> Self {
        Self::Away { message: message.to_string(), retry_in: scrubjay_models::http::REST }
    }

    /// A file operation failed.
    pub fn io(action: &'static str, path: impl Into<PathBuf>, source: io::Error) -> Self {
        Self::Io { action, path: path.into(), source }
    }
}

// The causes are told too: that a name was not found says more than that a provider was not reached.
fn told(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(inner) = cause {
        text.push_str(&format!(": {inner}"));
        cause = inner.source();
    }
    text
}

impl From<CallError> for EngineError {
    fn from(error: CallError) -> Self {
        match error.blame() {
            Blame::Provider => {
                Self::Away { message: told(&error), retry_in: error.retry_after().unwrap_or(REST).max(REST) }
            }
            Blame::Settings | Blame::Request => Self::Model { message: told(&error) },
        }
    }
}

impl From<EmbedError> for EngineError {
    fn from(error: EmbedError) -> Self {
        match error {
            EmbedError::Call(error) => error.into(),
            // A model that panicked, unlike a server that ended.
            EmbedError::Stopped { ref source, .. } if source.is::<tokio::task::JoinError>() => {
                Self::defect(told(&error))
            }
            error if error.is_passing() => Self::away(told(&error)),
            error => Self::Model { message: told(&error) },
        }
    }
}

impl From<ChatError> for EngineError {
    fn from(error: ChatError) -> Self {
        match error {
            ChatError::Call(error) => error.into(),
            error if error.is_passing() => Self::away(told(&error)),
            error => Self::Model { message: told(&error) },
        }
    }
}
