//! What a failure of the server, or of the way to it, means.

use std::path::PathBuf;
use std::sync::Arc;

use tokio_postgres::error::SqlState;

use super::options::Options;
use crate::StoreError;

/// A failure inside a transaction: the server's own, or one with a meaning.
#[derive(Debug)]
pub(super) enum Fault {
    /// The server said no, or nothing at all.
    Server(tokio_postgres::Error),
    /// The server did not answer in time.
    Silence,
    /// We said no.
    Store(StoreError),
}

impl From<tokio_postgres::Error> for Fault {
    fn from(error: tokio_postgres::Error) -> Self {
        Self::Server(error)
    }
}

impl From<StoreError> for Fault {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

impl Fault {
    /// Whether the server took everything back and the same again may succeed.
    pub(super) fn may_succeed_again(&self) -> bool {
        matches!(self.code(), Some(code) if *code == SqlState::T_R_SERIALIZATION_FAILURE || *code == SqlState::T_R_DEADLOCK_DETECTED)
    }

    /// Whether the connection cannot be used any more.
    pub(super) fn broke_connection(&self) -> bool {
        match self {
            Self::Server(error) => error.as_db_error().is_none() || self.code().is_some_and(is_away),
            Self::Silence => true,
            Self::Store(_) => false,
        }
    }

    /// The failure of an `INSERT` whose key is taken becomes this refusal.
    pub(super) fn if_taken(self, refusal: impl FnOnce() -> StoreError) -> Self {
        if self.code() == Some(&SqlState::UNIQUE_VIOLATION) { refusal().into() } else { self }
    }

    /// What it means to the outside.
    pub(super) fn explain(self, action: &'static str, options: &Options) -> StoreError {
        let error = match self {
            Self::Store(error) => return error,
            Self::Silence => {
                let why = format!("it did not answer within {} ms", options.statement_timeout_ms);
                return StoreError::Unreachable { place: options.place(), why };
            }
            Self::Server(error) => error,
        };
        let Some(answer) = error.as_db_error() else { return explain_silence(error, action, options) };
        let (code, why) = (answer.code(), answer.message().to_owned());
        let (place, path) = (options.place(), PathBuf::from(options.place()));
        match code {
            code if *code == SqlState::LOCK_NOT_AVAILABLE
                || *code == SqlState::T_R_SERIALIZATION_FAILURE
                || *code == SqlState::T_R_DEADLOCK_DETECTED =>
            {
                StoreError::Busy { waited_ms: options.busy_timeout_ms }
            }
            code if *code == SqlState::DISK_FULL => StoreError::Full,
            code if *code == SqlState::READ_ONLY_SQL_TRANSACTION => StoreError::ReadOnly { path },
            code if *code == SqlState::DATA_CORRUPTED || *code == SqlState::INDEX_CORRUPTED => {
                StoreError::Damaged { path, detail: why }
            }
            code if is_away(code) || is_refusal(code) => StoreError::Unreachable { place, why },
            _ => StoreError::Database { action, source: Arc::new(error) },
        }
    }

    fn code(&self) -> Option<&SqlState> {
        match self {
            Self::Server(error) => error.code(),
            Self::Silence | Self::Store(_) => None,
        }
    }
}

// The connection broke, was never made, or what came over it makes no sense.
fn explain_silence(error: tokio_postgres::Error, action: &'static str, options: &Options) -> StoreError {
    let cause = std::error::Error::source(&error).map(ToString::to_string);
    let text = error.to_string();
    if ["deserializing", "serializing"].iter().any(|doing| text.contains(doing)) {
        return StoreError::Unreadable { what: "row", detail: cause.unwrap_or(text) };
    }
    if text.contains("unexpected message") || text.contains("number of parameters") {
        return StoreError::Database { action, source: Arc::new(error) };
    }
    StoreError::Unreachable {
        place: options.place(),
        why: cause.map_or(text.clone(), |cause| format!("{text}: {cause}")),
    }
}

// The server went away, is starting or has no room; or a statement took too long.
fn is_away(code: &SqlState) -> bool {
    let class = code.code().get(..2).unwrap_or_default();
    class == "08" || class == "57" || *code == SqlState::TOO_MANY_CONNECTIONS
}

// Who we are, what we may do, or which database there is.
fn is_refusal(code: &SqlState) -> bool {
    let class = code.code().get(..2).unwrap_or_default();
    class == "28" || class == "3D" || *code == SqlState::INSUFFICIENT_PRIVILEGE
}
