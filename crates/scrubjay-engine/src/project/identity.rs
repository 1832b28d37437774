//! What tells a folder, or a repository, from another one at the same place.

use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::time::UNIX_EPOCH;

/// How many digits of a digest are kept.
const DIGEST_DIGITS: usize = 32;

/// The longest line that is read.
const LINE_BYTES: u64 = 64 * 1024;

/// What stays the same when a folder is moved or renamed on its disk, and differs from a new one that takes its place:
/// its number there and the time it was made. None where the system does not tell.
pub(super) fn folder_identity(folder: &Path) -> Option<String> {
    let found = fs::metadata(folder).ok().filter(fs::Metadata::is_dir)?;
    let made = found.created().ok()?.duration_since(UNIX_EPOCH).ok()?;
    Some(format!("{:x}:{:x}:{:x}", found.dev(), found.ino(), made.as_nanos()))
}

/// How the log of a repository begins: who made its first commit or cloned it, from where and when. It goes along when
/// the repository is moved or copied, and a clone has one of its own. A digest, because the line may name a person or
/// hold a password.
pub(super) fn log_beginning(repository: &Path) -> Option<String> {
    let line = first_line(repository)?;
    Some(blake3::hash(line.trim_end().as_bytes()).to_hex()[..DIGEST_DIGITS].to_owned())
}

/// The first commit of a repository, as its own log tells; none for a clone, whose log begins with the clone.
pub(super) fn first_commit(repository: &Path) -> Option<String> {
    let line = first_line(repository)?;
    let (changed, message) = line.split_once('\t')?;
    let mut hashes = changed.split(' ');
    let (before, after) = (hashes.next()?, hashes.next()?);
    let is_first = before.bytes().all(|digit| digit == b'0') && message.starts_with("commit (initial)");
    let is_hash = after.len() >= 40 && after.bytes().all(|digit| digit.is_ascii_hexdigit());
    (is_first && is_hash).then(|| after.to_owned())
}

// The first line of a repository's log.
fn first_line(repository: &Path) -> Option<String> {
    let path = repository.join("logs").join("HEAD");
    // Opening a pipe would wait for a writer.
    fs::metadata(&path).ok().filter(fs::Metadata::is_file)?;
    let mut line = String::new();
    BufReader::new(fs::File::open(path).ok()?.take(LINE_BYTES)).read_line(&mut line).ok()?;
    (!line.trim().is_empty()).then_some(line)
}
