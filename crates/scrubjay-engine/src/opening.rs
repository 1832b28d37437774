//! Opening the store that the settings name: what is left of one that is gone,
//! and reading one that cannot be written.

use scrubjay_core::count::counted;
use std::fs;
use std::io::ErrorKind;
use std::path::Path;

use scrubjay_core::error::ErrorCode;
use scrubjay_store::StoreError;
use scrubjay_store::sqlite::{Options, SqliteStore};

use crate::home::Home;
use crate::{EngineError, Result, backups};

/// What a home knows about a store that is not where it should be.
#[derive(Debug, Default)]
pub(crate) struct LostStore {
    /// What is left of it.
    pub(crate) traces: Vec<String>,
    /// How to get it back.
    pub(crate) advice: Option<String>,
}

impl LostStore {
    /// Looks around if there is no store at this place. A store that is there
    /// costs one look at its file.
    ///
    /// # Errors
    /// When the backup folder cannot be read.
    pub(crate) fn look(home: &Home, store: &Path) -> Result<Self> {
        if fs::metadata(store).is_ok_and(|facts| facts.len() > 0) {
            return Ok(Self::default());
        }
        let mut lost = Self::default();
        let index = home.index().join("manifest");
        if index.exists() {
            lost.traces.push(format!("its search index {}", home.index().display()));
        }
        if let Some((path, facts)) = backups::best(home, store)? {
            lost.traces.push(format!("a backup of {}", counted(facts.memories, "memory", "memories")));
            lost.advice = Some(format!("run `scrubjay restore-backup {}`", path.display()));
        }
        Ok(lost)
    }
}

/// Why an open store refuses every write.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoreTrouble {
    /// Of which kind it is.
    pub kind: TroubleKind,
    /// What happened, and what to do.
    pub detail: String,
}

/// What it takes to write again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TroubleKind {
    /// Another folder or disk, or other rights to it.
    ReadOnly,
    /// A repair or a restore.
    Damaged,
    /// A process that opens the store anew.
    NeedsReopening,
}

impl From<StoreError> for StoreTrouble {
    fn from(error: StoreError) -> Self {
        let kind = match error {
            StoreError::ReadOnly { .. } => TroubleKind::ReadOnly,
            StoreError::Replaced { .. } | StoreError::Stopped { .. } => TroubleKind::NeedsReopening,
            _ => TroubleKind::Damaged,
        };
        Self { kind, detail: error.to_string() }
    }
}

/// Opens the store, for reading only if it cannot be written.
pub(crate) fn open_store(options: Options) -> std::result::Result<SqliteStore, StoreError> {
    match SqliteStore::open(options.clone()) {
        Err(error) if cannot_write(&error) => SqliteStore::open_read_only(options).map_err(|_| error),
        other => other,
    }
}

/// Opens the store for reading only, although it could be written.
pub(crate) fn open_to_read(options: Options) -> Result<SqliteStore> {
    let path = options.path.clone();
    if !path.exists() {
        return Err(EngineError::not_found(format!("there is no store at {} yet", path.display())));
    }
    SqliteStore::open_read_only(options).map_err(|error| match error {
        StoreError::ReadOnly { .. } => EngineError::told(
            ErrorCode::Unavailable,
            format!(
                "the store at {} cannot be read as it is: an older Scrubjay made it, or it belongs to someone else; `scrubjay stats` updates it or says more",
                path.display()
            ),
        ),
        other => other.into(),
    })
}

fn cannot_write(error: &StoreError) -> bool {
    match error {
        StoreError::ReadOnly { .. } => true,
        StoreError::Io { source, .. } => {
            matches!(source.kind(), ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem)
        }
        _ => false,
    }
}
