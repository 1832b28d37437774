//! The mark beside a damaged store.
//!
//! Damage that was found once stays known: as long as the mark lies there, no
//! process writes to the store. A restore takes it away, and so does a repair
//! after which a thorough check finds nothing wrong.

use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use super::backup::with_suffix;
use crate::{Result, StoreError};

/// Marks the store. The first finding stands. A mark that cannot be written
/// changes nothing: the damage is found again.
pub(super) fn mark(store: &Path, detail: &str) {
    let file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(mark_path(store));
    if let Ok(mut file) = file {
        let _ = file.write_all(format!("{detail}\n").as_bytes()).and_then(|()| file.sync_all());
    }
}

/// What the mark says, if there is one.
pub(super) fn marked(store: &Path) -> Option<String> {
    let path = mark_path(store);
    match fs::read_to_string(&path) {
        Ok(text) => Some(text.trim().to_owned()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        Err(error) => Some(format!("{} cannot be read: {error}", path.display())),
    }
}

/// The refusal of a write, if the store is marked. One look at a folder.
pub(super) fn refusal(store: &Path) -> Option<StoreError> {
    if !mark_path(store).exists() {
        return None;
    }
    Some(StoreError::Damaged { path: store.to_owned(), detail: marked(store)? })
}

/// Takes the mark away.
pub(super) fn clear(store: &Path) -> Result<()> {
    let path = mark_path(store);
    match fs::remove_file(&path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(StoreError::io("remove", path, error)),
        _ => Ok(()),
    }
}

/// Where the mark lies.
pub(super) fn mark_path(store: &Path) -> PathBuf {
    with_suffix(store, ".damaged")
}
