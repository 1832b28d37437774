//! Notices that the store's files were replaced, cut short or deleted under us.
//!
//! SQLite goes on writing to files that have no name any more, and past the end
//! of a log that someone cut: every commit succeeds, and nothing is left. So the
//! writer looks before it begins and before it answers.
//!
//! The main file and the shared memory file are looked at by name only, never
//! opened: closing them would give up the locks that SQLite holds on them for
//! this process. The log has no locks.
//!
//! What cannot be seen: an older copy of the same store written over the main
//! file in place that is not shorter, and a log that is cut and grows again
//! between two looks with its beginning intact.

use std::fs::{self, File, Metadata};
use std::os::unix::fs::{FileExt, MetadataExt};
use std::path::PathBuf;

use rusqlite::Connection;

use super::backup::with_suffix;
use super::connection::{Options, explain, open_reader};
use super::lineage::{self, Lineage};
use crate::{Result, StoreError};

/// How often a look is repeated while other processes change what is looked at.
const ATTEMPTS: usize = 20;

const LOG_HEADER_BYTES: u64 = 32;
const FRAME_HEADER_BYTES: u64 = 24;
/// What a log begins with, whichever way its checksums are written.
const LOG_MAGIC: [[u8; 4]; 2] = [[0x37, 0x7f, 0x06, 0x82], [0x37, 0x7f, 0x06, 0x83]];

/// The files of an open store as they were when it was last looked at.
pub(super) struct FileWatch {
    options: Options,
    log_path: PathBuf,
    page_bytes: u64,
    lineage: Option<Lineage>,
    main: MainFile,
    log: Option<Log>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
struct MainFile {
    identity: (u64, u64),
    bytes: u64,
    written_at: (i64, i64),
}

// Somebody is in the way; the next look will tell.
#[derive(PartialEq, Eq)]
struct Unknown;

struct Log {
    identity: (u64, u64),
    file: File,
}

impl FileWatch {
    /// Begins to watch the files of a store that was just opened.
    pub(super) fn begin(connection: &Connection, options: &Options, lineage: Option<Lineage>) -> Result<Self> {
        let facts = fs::metadata(&options.path).map_err(|error| StoreError::io("look at", &options.path, error))?;
        let page_bytes = connection.query_row("PRAGMA page_size", [], |row| row.get::<_, i64>(0));
        let log_path = with_suffix(&options.path, "-wal");
        // The log is there as soon as the store was read.
        let log = File::open(&log_path).and_then(|file| Ok(Log { identity: identity(&file.metadata()?), file })).ok();
        Ok(Self {
            options: options.clone(),
            log_path,
            page_bytes: page_bytes.map_or(4096, i64::unsigned_abs),
            lineage,
            main: MainFile::of(&facts),
            log,
        })
    }

    /// Whether the files are still the ones that were opened. The log can be
    /// looked at only through a connection without an open transaction.
    pub(super) fn look(&mut self, connection: Option<&Connection>) -> Result<()> {
        let what = match (self.main_file(), connection) {
            (None, Some(connection)) => self.log_file(connection),
            (found, _) => found,
        };
        match what {
            None => Ok(()),
            Some(what) => Err(StoreError::Replaced { path: self.options.path.clone(), what }),
        }
    }

    /// Takes note of what this process itself did to the main file.
    pub(super) fn wrote_main(&mut self) {
        if let Ok(facts) = fs::metadata(&self.options.path)
            && identity(&facts) == self.main.identity
            && facts.len() >= self.main.bytes
        {
            self.main = MainFile::of(&facts);
        }
    }

    fn main_file(&mut self) -> Option<String> {
        let Ok(facts) = fs::metadata(&self.options.path) else { return Some("its main file was deleted".to_owned()) };
        let now = MainFile::of(&facts);
        if now == self.main {
            return None;
        }
        if now.identity != self.main.identity {
            return Some("its main file was replaced by another one".to_owned());
        }
        // Other processes move the log into the file, and a restore makes it
        // shorter; a restore changes the lineage, and the note beside the store.
        let found = self.lineage_on_disk();
        let restored = matches!(found, Ok(Some(found)) if Some(found) == lineage::noted(&self.options.path));
        if now.bytes < self.main.bytes && !(restored && found != Ok(self.lineage)) {
            return Some(format!("its main file was cut from {} to {} bytes", self.main.bytes, now.bytes));
        }
        match found {
            Ok(found) if found == self.lineage || restored => (self.main, self.lineage) = (now, found),
            Ok(_) => return Some("its main file was overwritten by another store".to_owned()),
            Err(Unknown) => {}
        }
        None
    }

    // As a process that opens the store now would read it.
    fn lineage_on_disk(&self) -> std::result::Result<Option<Lineage>, Unknown> {
        let reader = match open_reader(&self.options) {
            Ok(reader) => reader,
            Err(StoreError::Damaged { .. }) => return Ok(None),
            Err(_) => return Err(Unknown),
        };
        match lineage::of(&reader).map_err(|error| explain(error, "read the store", &self.options)) {
            Ok(found) => Ok(found),
            Err(StoreError::Damaged { .. }) => Ok(None),
            Err(_) => Err(Unknown),
        }
    }

    fn log_file(&self, connection: &Connection) -> Option<String> {
        let log = self.log.as_ref()?;
        for _ in 0..ATTEMPTS {
            let frames = frames(connection)?;
            let Ok(facts) = fs::metadata(&self.log_path) else { return Some("its log was deleted".to_owned()) };
            if identity(&facts) != log.identity {
                return Some("its log was replaced by another one".to_owned());
            }
            if frames == 0 {
                return None;
            }
            let needed = LOG_HEADER_BYTES + frames * (FRAME_HEADER_BYTES + self.page_bytes);
            let mut magic = [0; 4];
            let has_beginning = log.file.read_exact_at(&mut magic, 0).is_ok() && LOG_MAGIC.contains(&magic);
            if facts.len() >= needed && has_beginning {
                return None;
            }
            // Another process that moves the log into the main file says so
            // before it cuts the log.
            if self::frames(connection) == Some(frames) {
                return Some(format!("its log was cut to {} bytes, {needed} are needed", facts.len()));
            }
        }
        None
    }
}

impl MainFile {
    fn of(facts: &Metadata) -> Self {
        Self { identity: identity(facts), bytes: facts.len(), written_at: (facts.mtime(), facts.mtime_nsec()) }
    }
}

fn identity(facts: &Metadata) -> (u64, u64) {
    (facts.dev(), facts.ino())
}

// How many pages are in the log, as all processes that use it know. None if that
// cannot be told just now.
fn frames(connection: &Connection) -> Option<u64> {
    let mut statement = connection.prepare_cached("PRAGMA wal_checkpoint(NOOP)").ok()?;
    let frames = statement.query_row([], |row| row.get::<_, i64>(1)).ok()?;
    u64::try_from(frames).ok()
}
