//! What tells a folder, or a repository, from another one at the same place.

use std::fs;
use std::io::{BufRead, BufReader};
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::time::UNIX_EPOCH;

/// What stays the same when a folder is moved or renamed on its disk, and differs from a new one that takes its place:
/// its number there and the time it was made. None where the system does not tell.
pub(super) fn folder_identity(folder: &Path) -> Option<String> {
    let found = fs::metadata(folder).ok().filter(fs::Metadata::is_dir)?;
    let made = found.created().ok()?.duration_since(UNIX_EPOCH).ok()?;
    Some(format!("{:x}:{:x}:{:x}", found.dev(), found.ino(), made.as_nanos()))
}

/// The first commit of a repository, as its own log tells; none for a clone, whose log begins with the clone.
pub(super) fn first_commit(repository: &Path) -> Option<String> {
    let file = fs::File::open(repository.join("logs").join("HEAD")).ok()?;
    let mut line = String::new();
    BufReader::new(file).read_line(&mut line).ok()?;
    let (changed, message) = line.split_once('\t')?;
    let mut hashes = changed.split(' ');
    let (before, after) = (hashes.next()?, hashes.next()?);
    let is_first = before.bytes().all(|digit| digit == b'0') && message.starts_with("commit (initial)");
    let is_hash = after.len() >= 40 && after.bytes().all(|digit| digit.is_ascii_hexdigit());
    (is_first && is_hash).then(|| after.to_owned())
}
