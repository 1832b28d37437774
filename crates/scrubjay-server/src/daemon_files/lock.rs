//! One daemon per home.

use std::fs::{File, OpenOptions};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use rustix::fs::{FlockOperation, flock};

use crate::{Result, ServerError};

/// The right to be the home's daemon. The system takes it back when the process
/// ends, however it ends.
#[derive(Debug)]
pub struct Lock {
    // Held for their locks alone. A file can be deleted while it is locked, and
    // another one made in its place; the folder around the store cannot.
    _file: File,
    _folder: Option<File>,
}

impl Lock {
    /// Takes the lock: of the file, and of the folder that it lies in.
    ///
    /// # Errors
    /// When someone else has it, or the file cannot be made.
    pub fn take(path: &Path) -> Result<Self> {
        let file = OpenOptions::new().create(true).truncate(false).write(true).mode(0o600).open(path);
        let file = file.map_err(|error| ServerError::io("open the lock", path, error))?;
        lock(&file, path)?;
        let folder = match path.parent() {
            Some(folder) => {
                let opened = File::open(folder).map_err(|error| ServerError::io("open", folder, error))?;
                lock(&opened, folder)?;
                Some(opened)
            }
            None => None,
        };
        Ok(Self { _file: file, _folder: folder })
    }

    /// Whether someone holds it.
    #[must_use]
    pub fn is_held(path: &Path) -> bool {
        let is_held = |path: &Path| {
            File::open(path).is_ok_and(|file| matches!(lock(&file, path), Err(ServerError::AlreadyRunning)))
        };
        is_held(path) || path.parent().is_some_and(is_held)
    }
}

fn lock(file: &File, path: &Path) -> Result<()> {
    match flock(file, FlockOperation::NonBlockingLockExclusive) {
        Ok(()) => Ok(()),
        Err(rustix::io::Errno::WOULDBLOCK) => Err(ServerError::AlreadyRunning),
        Err(error) => Err(ServerError::io("lock", path, error.into())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_at_a_time() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("daemon.lock");
        assert!(!Lock::is_held(&path));
        let first = Lock::take(&path).unwrap();
        assert!(Lock::is_held(&path));
        assert!(matches!(Lock::take(&path), Err(ServerError::AlreadyRunning)));
        drop(first);
        Lock::take(&path).unwrap();
    }

    #[test]
    fn a_deleted_file_is_no_way_round_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("daemon.lock");
        let _first = Lock::take(&path).unwrap();
        std::fs::remove_file(&path).unwrap();
        assert!(Lock::is_held(&path));
        assert!(matches!(Lock::take(&path), Err(ServerError::AlreadyRunning)));
    }
}
