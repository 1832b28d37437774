//! Writing to the spool, and what waits in it.

use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind, Read, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use rustix::fs::{FlockOperation, OFlags, flock};
use scrubjay_core::time::Timestamp;
use uuid::Uuid;

use crate::config::validate_agent_name;
use crate::home::Home;
use crate::{EngineError, Result};

/// The largest file that is read. A hook takes 32 MiB from its client, and JSON makes six characters of one at worst.
const MAX_BYTES: u64 = 256 << 20;

/// A hook that has been writing for longer than this, in milliseconds, is dead.
const WRITING_MS: i64 = 60_000;

/// An agent's part of the spool. Making one touches nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Spool {
    pub(super) folder: PathBuf,
}

/// What a file in the spool turned out to be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Content {
    /// A file with these bytes.
    Bytes(Vec<u8>),
    /// Nothing: another process was faster.
    Gone,
    /// Nothing that can be used, and why.
    Unusable(String),
}

impl Spool {
    /// The spool of an agent.
    #[must_use]
    pub fn of(home: &Path, agent: &str) -> Self {
        Self { folder: home.join("spool").join(agent) }
    }

    /// The agents for whom something waits.
    #[must_use]
    pub fn agents(home: &Path) -> Vec<String> {
        let entries = fs::read_dir(home.join("spool")).into_iter().flatten().flatten();
        let names = entries.filter_map(|entry| entry.file_name().into_string().ok());
        names.filter(|name| validate_agent_name(name).is_ok() && !Self::of(home, name).is_empty()).collect()
    }

    /// Writes a file. It is on disk when this returns.
    ///
    /// # Errors
    /// When it cannot be written; then nothing is left behind.
    pub fn put(&self, at: Timestamp, id: Uuid, bytes: &[u8]) -> Result<PathBuf> {
        write(&self.folder, &file_name(at, id), bytes)
    }

    /// Whether nothing waits.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.named(&["json", "bad", "new"]).is_empty()
    }

    /// What waits, oldest first. `bad` is what earlier versions called a file that they could not read.
    #[must_use]
    pub fn waiting(&self) -> Vec<PathBuf> {
        self.named(&["json", "bad"])
    }

    /// Files that a hook began to write and did not finish, because it was killed.
    #[must_use]
    pub fn unfinished(&self, now: Timestamp) -> Vec<PathBuf> {
        self.named(&["new"]).into_iter().filter(|path| is_abandoned(path, now)).collect()
    }

    /// Keeps other processes from taking the same files in, for as long as the result lives; none if another does so
    /// already.
    ///
    /// # Errors
    /// When the folder cannot be opened.
    pub fn lock(&self) -> Result<Option<File>> {
        // The folder itself is locked: a lock file could be anything by now.
        let held = File::open(&self.folder).map_err(|error| EngineError::io("open the spool", &self.folder, error))?;
        Ok(flock(&held, FlockOperation::NonBlockingLockExclusive).is_ok().then_some(held))
    }

    /// Reads a file.
    ///
    /// # Errors
    /// When this process has no room for it; that is not the file's fault.
    pub fn read(path: &Path) -> Result<Content> {
        match read(path) {
            Ok(content) => Ok(content),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(Content::Gone),
            Err(error) if is_exhausted(&error) => Err(EngineError::io("read from the spool", path, error)),
            Err(error) => Ok(Content::Unusable(format!("it cannot be read: {error}"))),
        }
    }

    /// Removes a file that is done with.
    ///
    /// # Errors
    /// When it cannot be removed.
    pub fn remove(path: &Path) -> Result<()> {
        match fs::remove_file(path) {
            Err(error) if error.kind() != ErrorKind::NotFound => {
                Err(EngineError::io("remove from the spool", path, error))
            }
            _ => Ok(()),
        }
    }

    // Names begin with the time, so their order is that of time.
    fn named(&self, extensions: &[&str]) -> Vec<PathBuf> {
        let entries = fs::read_dir(&self.folder).into_iter().flatten().flatten();
        let wanted = |path: &PathBuf| path.extension().is_some_and(|found| extensions.iter().any(|one| found == *one));
        let mut files: Vec<PathBuf> = entries.map(|entry| entry.path()).filter(wanted).collect();
        files.sort();
        files
    }
}

/// The name of a file from its time and an id.
pub(super) fn file_name(at: Timestamp, id: Uuid) -> String {
    format!("{:013}-{}", at.millis(), id.simple())
}

/// Writes a file into a folder that is private to the user: under another name first, so that nobody reads half of it.
pub(super) fn write(folder: &Path, name: &str, bytes: &[u8]) -> Result<PathBuf> {
    Home::private_folder(folder)?;
    let (new, path) = (folder.join(format!("{name}.new")), folder.join(format!("{name}.json")));
    let failed = |error| EngineError::io("write to the spool", &path, error);
    let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&new).map_err(failed)?;
    // Tells whoever looks for the files of dead hooks that this one lives.
    let _ = flock(&file, FlockOperation::NonBlockingLockExclusive);
    let written = file.write_all(bytes).and_then(|()| file.sync_all()).and_then(|()| give_name(&new, &path));
    if let Err(error) = written {
        drop(fs::remove_file(&new));
        return Err(failed(error));
    }
    File::open(folder).and_then(|folder| folder.sync_all()).map_err(failed)?;
    Ok(path)
}

#[expect(clippy::disallowed_methods, reason = "a spooled file keeps its bytes and only gets another name")]
pub(super) fn give_name(from: &Path, to: &Path) -> io::Result<()> {
    fs::rename(from, to)
}

fn read(path: &Path) -> io::Result<Content> {
    let kind = fs::symlink_metadata(path)?.file_type();
    if !kind.is_file() {
        let what = if kind.is_dir() {
            "a folder"
        } else if kind.is_symlink() {
            "a symbolic link"
        } else {
            "a device, pipe or socket"
        };
        return Ok(Content::Unusable(format!("it is {what}, not a file")));
    }
    let file = OpenOptions::new().read(true).custom_flags(without_waiting()).open(path)?;
    let mut bytes = Vec::new();
    file.take(MAX_BYTES + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > MAX_BYTES {
        return Ok(Content::Unusable(format!("it is larger than {} MiB", MAX_BYTES >> 20)));
    }
    Ok(Content::Bytes(bytes))
}

fn is_exhausted(error: &io::Error) -> bool {
    use rustix::io::Errno;
    let exhausted = [Errno::MFILE, Errno::NFILE, Errno::NOMEM];
    error.kind() == ErrorKind::OutOfMemory
        || exhausted.iter().any(|one| error.raw_os_error() == Some(one.raw_os_error()))
}

// Old, and nobody holds it. A time that is ahead comes from a clock that was wrong and says nothing about age.
fn is_abandoned(path: &Path, now: Timestamp) -> bool {
    let Ok(facts) = fs::symlink_metadata(path) else { return false };
    if !facts.is_file() {
        return true;
    }
    let written_ms = facts.mtime().saturating_mul(1000);
    if (0..WRITING_MS).contains(&now.millis().saturating_sub(written_ms)) {
        return false;
    }
    let file = OpenOptions::new().read(true).custom_flags(without_waiting()).open(path);
    file.is_ok_and(|file| flock(&file, FlockOperation::NonBlockingLockExclusive).is_ok())
}

// Should a pipe or a link take the file's place, opening it neither waits nor follows.
pub(super) fn without_waiting() -> i32 {
    (OFlags::NONBLOCK | OFlags::NOFOLLOW).bits().cast_signed()
}
