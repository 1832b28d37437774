//! What can go wrong in a store.

use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use scrubjay_core::error::ErrorCode;

/// A failure of the store. Cheap to clone, because all writes that share a
/// commit share its failure.
#[derive(Debug, Clone, thiserror::Error)]
pub enum StoreError {
    /// Nothing visible has this id; whether it exists elsewhere is not said.
    #[error("there is no {what} here")]
    NotFound {
        /// What was looked for, with its id.
        what: String,
    },
    /// A record changed since the caller read it.
    #[error("{what} changed meanwhile; read it again and repeat the change")]
    Changed {
        /// Which record.
        what: String,
    },
    /// The change makes no sense in the record's present state.
    #[error("{why}")]
    Conflict {
        /// What stands against it, and what to do.
        why: String,
    },
    /// The caller may read it, and only the owner of the store may change it.
    #[error("only the owner of the store may change {what}; ask the owner to do it")]
    OwnerOnly {
        /// What was to be changed.
        what: String,
    },
    /// Other processes kept the store locked for longer than the time-out.
    #[error("the store is locked by another process (waited {waited_ms} ms); try again")]
    Busy {
        /// How long we waited.
        waited_ms: u64,
    },
    /// No space is left. What was acknowledged is safe; reading goes on.
    #[error("the disk is full, so nothing was written; free some space and repeat (writing resumes by itself)")]
    Full,
    /// The folder or file cannot be written.
    #[error("cannot write to the store at {}: it is read-only or belongs to someone else", path.display())]
    ReadOnly {
        /// The store file.
        path: PathBuf,
    },
    /// The file is not a Scrubjay store.
    #[error("{} is not a Scrubjay store; choose another path (store.path) or move that file away", path.display())]
    Foreign {
        /// The file.
        path: PathBuf,
    },
    /// A database of another program cannot be read.
    #[error("{} is no SQLite database that can be read: {reason}", path.display())]
    OtherDatabase {
        /// The file.
        path: PathBuf,
        /// What SQLite said.
        reason: String,
    },
    /// A newer version wrote the store.
    #[error("the store at {} was written by a newer Scrubjay (schema {found}, this one knows {known}); nothing was changed, please update", path.display())]
    Newer {
        /// The file.
        path: PathBuf,
        /// Its schema version.
        found: i64,
        /// Ours.
        known: i64,
    },
    /// The store's file is damaged.
    #[error("the store at {} is damaged ({detail}); nothing more is written to it. Run `scrubjay doctor`, then `scrubjay restore-backup`", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What SQLite said.
        detail: String,
    },
    /// There was a store here, and it is gone.
    #[error("the store at {} {state}, but there is {found}. Nothing was created. To get it back, {advice}; to begin an empty one instead, repeat the command with --new", path.display())]
    Lost {
        /// The file.
        path: PathBuf,
        /// Whether it is gone or empty.
        state: &'static str,
        /// What is left of it.
        found: String,
        /// What to do.
        advice: String,
    },
    /// The store's files are not the ones that were opened.
    #[error("the store at {} changed under this process: {what}. Nothing more is written to it, and the last write may be missing. Restart with `scrubjay stop`, then run `scrubjay doctor`", path.display())]
    Replaced {
        /// The file.
        path: PathBuf,
        /// What happened to it.
        what: String,
    },
    /// The linked SQLite is too old to be trusted.
    #[error("SQLite {found} can lose data when several processes write; 3.51.3 or later is needed")]
    OldSqlite {
        /// Its version.
        found: String,
    },
    /// Writing has stopped because a checkpoint failed.
    #[error("writing has stopped: {why}. Restart, so that the log is replayed, and check the disk")]
    Stopped {
        /// What failed.
        why: String,
    },
    /// This backend cannot do that.
    #[error("{what} is not possible with this store")]
    Unsupported {
        /// What was asked.
        what: &'static str,
    },
    /// The database failed in a way that has no name of its own.
    #[error("could not {action}")]
    Database {
        /// What was attempted.
        action: &'static str,
        /// The cause.
        #[source]
        source: Arc<dyn std::error::Error + Send + Sync>,
    },
    /// The server cannot be reached, or does not let us in.
    #[error(
        "the database at {place} cannot be used now: {why}. If a write was under way, it may or may not have been made"
    )]
    Unreachable {
        /// Where it is, without user and password.
        place: String,
        /// What the server or the connection said.
        why: String,
    },
    /// A file could not be read or written.
    #[error("could not {action} {}", path.display())]
    Io {
        /// What was attempted.
        action: &'static str,
        /// On which file.
        path: PathBuf,
        /// The cause.
        #[source]
        source: Arc<io::Error>,
    },
    /// A task of ours ended before its time; a defect.
    #[error("{what}")]
    Defect {
        /// What was being done.
        what: String,
    },
    /// A stored value cannot be understood.
    #[error("a stored {what} cannot be read: {detail}")]
    Unreadable {
        /// Which value.
        what: &'static str,
        /// Why not.
        detail: String,
    },
}

impl StoreError {
    /// What the failure means to the outside.
    #[must_use]
    pub fn code(&self) -> ErrorCode {
        match self {
            Self::NotFound { .. } => ErrorCode::NotFound,
            Self::OtherDatabase { .. } => ErrorCode::InvalidInput,
            Self::Changed { .. } | Self::Conflict { .. } => ErrorCode::Conflict,
            Self::Busy { .. } => ErrorCode::Busy,
            Self::Full
            | Self::ReadOnly { .. }
            | Self::Stopped { .. }
            | Self::Replaced { .. }
            | Self::Unreachable { .. } => ErrorCode::Unavailable,
            Self::Newer { .. } => ErrorCode::StoreNewer,
            Self::Damaged { .. } | Self::Unreadable { .. } | Self::Lost { .. } => ErrorCode::StoreDamaged,
            Self::Foreign { .. } | Self::OwnerOnly { .. } => ErrorCode::Refused,
            Self::Unsupported { .. } => ErrorCode::Unsupported,
            Self::Io { source, .. } => match source.kind() {
                io::ErrorKind::PermissionDenied
                | io::ErrorKind::ReadOnlyFilesystem
                | io::ErrorKind::StorageFull
                | io::ErrorKind::NotFound
                | io::ErrorKind::NotADirectory => ErrorCode::Unavailable,
                _ => ErrorCode::Internal,
            },
            Self::OldSqlite { .. } | Self::Database { .. } | Self::Defect { .. } => ErrorCode::Internal,
        }
    }

    /// Nothing visible has this id.
    #[expect(
        clippy::needless_pass_by_value,
        reason = "callers hand over ids, which are small, and texts they just made"
    )]
    pub fn not_found(what: impl ToString) -> Self {
        Self::NotFound { what: what.to_string() }
    }

    /// A file operation failed.
    pub fn io(action: &'static str, path: impl Into<PathBuf>, source: io::Error) -> Self {
        Self::Io { action, path: path.into(), source: Arc::new(source) }
    }
}
