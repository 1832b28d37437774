//! The log: what SQLite did to the disk, in order, for every file that outlives a connection.
//!
//! One log belongs to one VFS. The number of operations recorded so far is a [`LogPosition`]; it is the global
//! sequence number by which a test relates an acknowledgement to what had reached the disk by then.

use std::collections::HashMap;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A place between two recorded operations: everything counted by it had happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LogPosition(pub(super) usize);

impl LogPosition {
    /// Before the first recorded operation.
    pub const START: Self = Self(0);

    /// How many operations lie before this place.
    pub fn operations(self) -> usize {
        self.0
    }
}

impl fmt::Display for LogPosition {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(formatter)
    }
}

/// One file as the file system knows it. A path that is deleted and created again is another file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct FileId(pub(super) usize);

/// One recorded operation.
#[derive(Clone, Debug)]
pub struct Operation {
    /// Which file, even after its path belongs to another.
    pub file: FileId,
    /// Where the file was opened.
    pub path: Arc<Path>,
    /// What was done.
    pub action: Action,
}

/// What an operation did to its file, or to the directory that holds it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Action {
    /// The file appeared at its path, empty.
    Create,
    /// Bytes were written.
    Write {
        /// Where the bytes begin in the file.
        offset_bytes: u64,
        /// What was written.
        bytes: Arc<[u8]>,
    },
    /// The file was cut or filled up with zeros.
    Truncate {
        /// Its new size.
        size_bytes: u64,
    },
    /// The file was flushed, so everything done to its contents so far is durable.
    Sync {
        /// `SQLITE_SYNC_NORMAL` or `_FULL`, perhaps with `_DATAONLY`.
        flags: i32,
    },
    /// A sync that reported an error: nobody can tell which of the writes before it are on the disk.
    SyncFailed,
    /// The path was removed.
    Delete,
    /// The directory of `path` was flushed, so the creations and deletions in it so far are durable.
    SyncDirectory,
}

/// What the file system showed at a path just before SQLite opened it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Seen {
    pub(super) inode: u64,
    pub(super) size_bytes: u64,
}

impl Seen {
    /// Looks with `stat` alone: opening and closing a database file would drop this process's locks on it.
    pub(super) fn look(path: &Path) -> std::io::Result<Option<Self>> {
        use std::os::unix::fs::MetadataExt;
        match std::fs::metadata(path) {
            Ok(metadata) => Ok(Some(Self { inode: metadata.ino(), size_bytes: metadata.len() })),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }
}

#[derive(Debug)]
pub(super) struct FileRecord {
    pub(super) path: Arc<Path>,
    /// The contents from before the first recorded operation, for files that were there already.
    pub(super) initial: Option<Vec<u8>>,
    /// What the size must be by the log, to notice changes made behind it.
    size_bytes: u64,
    inode: u64,
}

/// What an open means for the log.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Opening {
    /// The file was opened before and is the same one.
    Known(FileId),
    /// The file did not exist.
    Created,
    /// The file existed before this VFS touched it; its contents have to be handed to [`Log::adopt`].
    Unseen,
}

/// The recorder. After [`Log::retire`] it keeps nothing and records nothing.
#[derive(Debug, Default)]
pub(super) struct Log {
    retired: bool,
    files: Vec<FileRecord>,
    live: HashMap<PathBuf, FileId>,
    operations: Vec<Operation>,
    flaw: Option<String>,
}

impl Log {
    pub(super) fn position(&self) -> LogPosition {
        LogPosition(self.operations.len())
    }

    pub(super) fn operations(&self) -> &[Operation] {
        &self.operations
    }

    pub(super) fn files(&self) -> &[FileRecord] {
        &self.files
    }

    /// Why images from this log would be wrong, if they would.
    pub(super) fn flaw(&self) -> Option<&str> {
        self.flaw.as_deref()
    }

    pub(super) fn note_flaw(&mut self, reason: String) {
        self.flaw.get_or_insert(reason);
    }

    /// Frees everything. The VFS itself stays valid for connections that outlive their handle.
    pub(super) fn retire(&mut self) {
        *self = Self { retired: true, ..Self::default() };
    }

    pub(super) fn is_retired(&self) -> bool {
        self.retired
    }

    /// Relates what is at `path` before an open to what the log says should be there.
    pub(super) fn classify(&mut self, path: &Path, seen: Option<Seen>) -> Opening {
        match (self.live.get(path).copied(), seen) {
            (Some(file), Some(seen)) => {
                let unchanged = self
                    .files
                    .get(file.0)
                    .is_some_and(|record| record.inode == seen.inode && record.size_bytes == seen.size_bytes);
                if !unchanged {
                    let reason = format!("{} was changed behind the VFS", path.display());
                    self.note_flaw(reason);
                }
                Opening::Known(file)
            }
            (Some(_), None) => {
                self.note_flaw(format!("{} vanished behind the VFS", path.display()));
                Opening::Created
            }
            (None, None) => Opening::Created,
            (None, Some(_)) => {
                if self.files.iter().any(|file| &*file.path == path) {
                    self.note_flaw(format!("{} came back behind the VFS", path.display()));
                }
                Opening::Unseen
            }
        }
    }

    /// Takes over a file that was there before. It counts as durable from the start of the log.
    pub(super) fn adopt(&mut self, path: &Path, seen: Seen, contents: Vec<u8>) -> FileId {
        let size_bytes = contents.len() as u64;
        self.add_file(path, seen.inode, size_bytes, Some(contents))
    }

    pub(super) fn create(&mut self, path: &Path, inode: u64) -> FileId {
        let file = self.add_file(path, inode, 0, None);
        self.push(file, Action::Create);
        file
    }

    pub(super) fn write(&mut self, file: FileId, offset_bytes: u64, bytes: &[u8]) {
        if let Some(record) = self.files.get_mut(file.0) {
            record.size_bytes = record.size_bytes.max(offset_bytes + bytes.len() as u64);
        }
        let bytes = bytes.into();
        self.push(file, Action::Write { offset_bytes, bytes });
    }

    pub(super) fn truncate(&mut self, file: FileId, size_bytes: u64) {
        if let Some(record) = self.files.get_mut(file.0) {
            record.size_bytes = size_bytes;
        }
        self.push(file, Action::Truncate { size_bytes });
    }

    pub(super) fn sync(&mut self, file: FileId, flags: i32, with_directory: bool) {
        self.push(file, Action::Sync { flags });
        if with_directory {
            self.push(file, Action::SyncDirectory);
        }
    }

    pub(super) fn sync_failed(&mut self, file: FileId) {
        self.push(file, Action::SyncFailed);
    }

    pub(super) fn is_live(&self, path: &Path) -> bool {
        self.live.contains_key(path)
    }

    pub(super) fn delete(&mut self, path: &Path, with_directory: bool) {
        if let Some(file) = self.live.remove(path) {
            self.push(file, Action::Delete);
            if with_directory {
                self.push(file, Action::SyncDirectory);
            }
        }
    }

    fn add_file(&mut self, path: &Path, inode: u64, size_bytes: u64, initial: Option<Vec<u8>>) -> FileId {
        let file = FileId(self.files.len());
        self.files.push(FileRecord { path: path.into(), initial, size_bytes, inode });
        self.live.insert(path.to_owned(), file);
        file
    }

    /// A file opened before the log was retired may still write; there is nothing left to record it in.
    fn push(&mut self, file: FileId, action: Action) {
        if let Some(record) = self.files.get(file.0) {
            let path = Arc::clone(&record.path);
            self.operations.push(Operation { file, path, action });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SEEN: Seen = Seen { inode: 7, size_bytes: 3 };

    #[test]
    fn a_path_that_is_deleted_and_created_again_is_another_file() {
        let mut log = Log::default();
        let path = Path::new("/d/a-wal");
        assert_eq!(log.classify(path, None), Opening::Created);
        let first = log.create(path, 1);
        log.delete(path, true);
        let second = log.create(path, 2);
        assert_ne!(first, second);
        let actions: Vec<_> = log.operations().iter().map(|operation| &operation.action).collect();
        assert_eq!(actions, [&Action::Create, &Action::Delete, &Action::SyncDirectory, &Action::Create]);
        assert_eq!(log.flaw(), None);
    }

    #[test]
    fn changes_behind_the_vfs_are_noticed() {
        let path = Path::new("/d/a");
        let adopted = || {
            let mut log = Log::default();
            assert_eq!(log.classify(path, Some(SEEN)), Opening::Unseen);
            log.adopt(path, SEEN, vec![1, 2, 3]);
            log
        };
        let check = |seen: Option<Seen>, flawed: bool| {
            let mut log = adopted();
            log.classify(path, seen);
            assert_eq!(log.flaw().is_some(), flawed, "{seen:?}");
        };
        check(Some(SEEN), false);
        check(Some(Seen { inode: 8, ..SEEN }), true);
        check(Some(Seen { size_bytes: 4, ..SEEN }), true);
        check(None, true);
        let mut log = adopted();
        log.delete(path, false);
        log.classify(path, Some(SEEN));
        assert!(log.flaw().is_some());
    }

    #[test]
    fn a_retired_log_accepts_late_writes_and_keeps_nothing() {
        let mut log = Log::default();
        let file = log.create(Path::new("/d/a"), 1);
        log.retire();
        log.write(file, 0, b"late");
        log.sync(file, 2, true);
        assert_eq!(log.position(), LogPosition::START);
        assert!(log.is_retired());
    }
}
