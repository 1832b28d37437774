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
    // Held for its lock alone.
    _file: File,
}

impl Lock {
    /// Takes the lock.
    ///
    /// # Errors
    /// When someone else has it, or the file cannot be made.
    pub fn take(path: &Path) -> Result<Self> {
        let file = OpenOptions::new().create(true).truncate(false).write(true).mode(0o600).open(path);
        let file = file.map_err(|error| ServerError::io("open the lock", path, error))?;
        match flock(&file, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => Ok(Self { _file: file }),
            Err(rustix::io::Errno::WOULDBLOCK) => Err(ServerError::AlreadyRunning),
            Err(error) => Err(ServerError::io("lock", path, error.into())),
        }
    }

    /// Whether someone holds it.
    #[must_use]
    pub fn is_held(path: &Path) -> bool {
        path.exists() && matches!(Self::take(path), Err(ServerError::AlreadyRunning))
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
}
