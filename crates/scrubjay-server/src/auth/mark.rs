//! What tells that a file is another one than before.

use std::os::unix::fs::MetadataExt;
use std::path::Path;

/// What changes whenever a file is replaced or written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Mark {
    inode: u64,
    size_bytes: u64,
    modified: (i64, i64),
    changed: (i64, i64),
}

/// The mark of a file; none if there is none.
pub(super) fn mark(path: &Path) -> Option<Mark> {
    let facts = std::fs::metadata(path).ok()?;
    Some(Mark {
        inode: facts.ino(),
        size_bytes: facts.len(),
        modified: (facts.mtime(), facts.mtime_nsec()),
        changed: (facts.ctime(), facts.ctime_nsec()),
    })
}
