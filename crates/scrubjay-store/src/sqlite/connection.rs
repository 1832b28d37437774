//! Opening a store file: which ones, and how.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use rusqlite::config::DbConfig;
use rusqlite::{Connection, ErrorCode as SqliteCode, MAIN_DB, OpenFlags};

use super::backup::with_suffix;
use super::migrate::SCHEMA_VERSION;
use crate::{Result, StoreError};

/// Marks a file as a Scrubjay store: the bytes `SJay`.
pub(super) const APPLICATION_ID: i64 = 0x534a_6179;

/// What every database begins with.
const HEADER_BYTES: u64 = 100;

/// The oldest SQLite that does not corrupt a log when two connections write and
/// checkpoint at once.
const OLDEST_SQLITE: i32 = 3_051_003;

/// How hard a commit is pressed onto the disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Synchronous {
    /// Every commit is on disk before it is acknowledged. The only setting for
    /// primary data.
    #[default]
    Full,
    /// Commits may be lost when the power fails. It exists so that tests can
    /// prove that they would notice.
    Normal,
}

/// How to open a store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Options {
    /// The file.
    pub path: PathBuf,
    /// How long to wait for other processes.
    pub busy_timeout_ms: u64,
    /// The log is moved into the main file when it is larger than this.
    pub checkpoint_bytes: u64,
    /// The SQLite file layer to use; the system's own if none is named.
    pub vfs: Option<String>,
    /// How hard a commit is pressed onto the disk.
    pub synchronous: Synchronous,
    /// Begin an empty store even where there was one.
    pub begin_anew: bool,
    /// What the caller knows to be left of a store that was here, for a refusal
    /// to name.
    pub traces: Vec<String>,
    /// What to do about a store that is lost.
    pub advice: Option<String>,
}

impl Options {
    /// The usual options for a file.
    #[must_use]
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self {
            path: path.into(),
            busy_timeout_ms: 30_000,
            checkpoint_bytes: 4 << 20,
            vfs: None,
            synchronous: Synchronous::Full,
            begin_anew: false,
            traces: Vec::new(),
            advice: None,
        }
    }
}

/// A failure inside a transaction: SQLite's own, or one with a meaning.
#[derive(Debug)]
pub(super) enum Fault {
    /// SQLite said no.
    Sqlite(rusqlite::Error),
    /// We did.
    Store(StoreError),
}

impl From<rusqlite::Error> for Fault {
    fn from(error: rusqlite::Error) -> Self {
        Self::Sqlite(error)
    }
}

impl From<StoreError> for Fault {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

impl Fault {
    /// What the failure means, with the file it happened on.
    pub(super) fn explain(self, action: &'static str, options: &Options) -> StoreError {
        match self {
            Self::Store(error) => error,
            Self::Sqlite(error) => explain(error, action, options),
        }
    }
}

/// What a SQLite error means. Busy, full and out of memory are never taken for
/// damage.
pub(super) fn explain(error: rusqlite::Error, action: &'static str, options: &Options) -> StoreError {
    let path = || options.path.clone();
    match error.sqlite_error_code() {
        // The last is told when many processes come and go at once.
        Some(SqliteCode::DatabaseBusy | SqliteCode::DatabaseLocked | SqliteCode::FileLockingProtocolFailed) => {
            StoreError::Busy { waited_ms: options.busy_timeout_ms }
        }
        Some(SqliteCode::DiskFull) => StoreError::Full,
        Some(SqliteCode::ReadOnly | SqliteCode::PermissionDenied | SqliteCode::CannotOpen) => {
            StoreError::ReadOnly { path: path() }
        }
        Some(SqliteCode::DatabaseCorrupt | SqliteCode::NotADatabase) => {
            StoreError::Damaged { path: path(), detail: error.to_string() }
        }
        // The row is there, but no longer says what we once wrote.
        _ if is_about_the_schema(&error) => StoreError::Damaged { path: path(), detail: error.to_string() },
        _ if is_about_a_value(&error) => StoreError::Unreadable { what: "row", detail: error.to_string() },
        _ => StoreError::Database { action, source: Arc::new(error) },
    }
}

// Our statements fit our tables, so a table, column or function that SQLite does
// not know was made up by a damaged schema.
fn is_about_the_schema(error: &rusqlite::Error) -> bool {
    let message = match error {
        rusqlite::Error::SqlInputError { msg, .. } => msg,
        rusqlite::Error::SqliteFailure(_, Some(message)) => message,
        _ => return false,
    };
    ["no such table", "no such column", "no such function", "no such module", "unknown function"]
        .iter()
        .any(|complaint| message.starts_with(complaint))
        || message.contains(" has no column named ")
}

fn is_about_a_value(error: &rusqlite::Error) -> bool {
    use rusqlite::Error;
    // SQLite has no code of its own for JSON that it cannot read.
    if let Error::SqliteFailure(_, Some(message)) = error {
        return message == "malformed JSON";
    }
    matches!(
        error,
        Error::FromSqlConversionFailure(..)
            | Error::InvalidColumnType(..)
            | Error::IntegralValueOutOfRange(..)
            | Error::Utf8Error(..)
    )
}

/// Creates the file and its folder, private to the user, if they are not there.
pub(super) fn prepare_file(path: &Path) -> Result<()> {
    if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        fs::DirBuilder::new()
            .recursive(true)
            .mode(0o700)
            .create(folder)
            .map_err(|error| StoreError::io("create the folder", folder, error))?;
    }
    match OpenOptions::new().write(true).create_new(true).mode(0o600).open(path) {
        // Without its name in the folder, a file full of commits is lost.
        Ok(_) => path.ancestors().skip(1).take(2).try_for_each(sync_folder),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        Err(error) => Err(StoreError::io("create the store", path, error)),
    }
}

fn sync_folder(folder: &Path) -> Result<()> {
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    match File::open(folder) {
        Ok(opened) => opened.sync_all().map_err(|error| StoreError::io("write the folder", folder, error)),
        // A folder above ours that we may not read was there before us.
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => Ok(()),
        Err(error) => Err(StoreError::io("write the folder", folder, error)),
    }
}

/// Opens the connection that writes. Refuses files it must not touch before
/// changing anything in them.
pub(super) fn open_writer(options: &Options) -> Result<Connection> {
    if rusqlite::version_number() < OLDEST_SQLITE {
        return Err(StoreError::OldSqlite { found: rusqlite::version().to_owned() });
    }
    refuse_stump(options)?;
    let connection = open(options, OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE)?;
    refuse_unknown(&connection, options)?;
    // SQLite opens what it may not write for reading, and says so only later.
    if connection.is_readonly(MAIN_DB).map_err(|error| explain(error, "open the store", options))? {
        return Err(StoreError::ReadOnly { path: options.path.clone() });
    }
    set_up_writer(&connection, options).map_err(|error| explain(error, "open the store", options))?;
    Ok(connection)
}

/// Opens a store that cannot be written, for reading. Refuses what `open_writer`
/// refuses, and a schema that would have to be updated first.
pub(super) fn open_read_only(options: &Options) -> Result<ReadOnly> {
    refuse_stump(options)?;
    let shared = open(options, OpenFlags::SQLITE_OPEN_READ_ONLY)?;
    let how = match refuse_unknown(&shared, options) {
        Ok(()) => ReadOnly::Shared,
        // Without a log there is nothing to share, and nobody writes.
        Err(StoreError::ReadOnly { .. } | StoreError::Database { .. }) if has_no_log(options) => ReadOnly::Still,
        Err(error) => return Err(error),
    };
    let connection = how.open(options)?;
    refuse_unknown(&connection, options)?;
    let found: i64 = connection
        .query_row("PRAGMA user_version", [], |row| row.get(0))
        .map_err(|error| explain(error, "read the store's version", options))?;
    if found == SCHEMA_VERSION { Ok(how) } else { Err(StoreError::ReadOnly { path: options.path.clone() }) }
}

/// How a store that cannot be written is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ReadOnly {
    /// Beside others, who may write.
    Shared,
    /// As a file that does not change. SQLite makes files of its own otherwise.
    Still,
}

impl ReadOnly {
    /// Opens a connection.
    pub(super) fn open(self, options: &Options) -> Result<Connection> {
        let connection = match self {
            Self::Shared => open(options, OpenFlags::SQLITE_OPEN_READ_ONLY)?,
            Self::Still => {
                let name = format!("file:{}?immutable=1", escaped(&options.path));
                let options = Options { path: PathBuf::from(name), ..options.clone() };
                open(&options, OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI)?
            }
        };
        connection
            .execute_batch("PRAGMA cell_size_check = ON;")
            .map_err(|error| explain(error, "open the store for reading", options))?;
        Ok(connection)
    }
}

fn has_no_log(options: &Options) -> bool {
    fs::metadata(with_suffix(&options.path, "-wal")).map_or(0, |facts| facts.len()) == 0
}

// A path inside a URI.
fn escaped(path: &Path) -> String {
    let mut text = String::new();
    for byte in path.as_os_str().as_encoded_bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'-' | b'_' | b'.' => text.push(char::from(*byte)),
            other => text.push_str(&format!("%{other:02x}")),
        }
    }
    text
}

/// Opens a connection that only reads.
pub(super) fn open_reader(options: &Options) -> Result<Connection> {
    let connection = open(options, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
    connection
        .execute_batch("PRAGMA query_only = ON; PRAGMA cell_size_check = ON;")
        .map_err(|error| explain(error, "open the store for reading", options))?;
    Ok(connection)
}

fn open(options: &Options, flags: OpenFlags) -> Result<Connection> {
    let flags = flags | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let opened = match &options.vfs {
        Some(vfs) => Connection::open_with_flags_and_vfs(&options.path, flags, vfs.as_str()),
        None => Connection::open_with_flags(&options.path, flags),
    };
    let connection = opened.map_err(|error| explain(error, "open the store", options))?;
    let configure = || -> rusqlite::Result<()> {
        connection.busy_timeout(Duration::from_millis(options.busy_timeout_ms))?;
        // SQLite would checkpoint when the last connection closes, and keep the
        // errors of that to itself.
        connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)?;
        connection.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true)?;
        // Otherwise a partial index makes SQLite plan a statement anew whenever
        // it is given other values.
        connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
        connection.set_prepared_statement_cache_capacity(64);
        Ok(())
    };
    configure().map_err(|error| explain(error, "open the store", options))?;
    Ok(connection)
}

// SQLite takes the first few bytes of a file for an empty one and writes over
// them.
fn refuse_stump(options: &Options) -> Result<()> {
    match fs::metadata(&options.path).map_or(0, |metadata| metadata.len()) {
        0 | HEADER_BYTES.. => Ok(()),
        left => {
            let detail = format!("it is only {left} bytes long, too short for a database");
            Err(StoreError::Damaged { path: options.path.clone(), detail })
        }
    }
}

fn refuse_unknown(connection: &Connection, options: &Options) -> Result<()> {
    let read = || -> rusqlite::Result<(i64, i64, i64)> {
        // One state for all three: another process may be creating the store.
        let transaction = connection.unchecked_transaction()?;
        let number = |sql: &str| transaction.query_row(sql, [], |row| row.get::<_, i64>(0));
        Ok((
            number("PRAGMA application_id")?,
            number("PRAGMA user_version")?,
            number("SELECT count(*) FROM sqlite_schema")?,
        ))
    };
    let (application, found, tables) = read().map_err(|error| explain(error, "read the store's header", options))?;
    if application == APPLICATION_ID && found > SCHEMA_VERSION {
        return Err(StoreError::Newer { path: options.path.clone(), found, known: SCHEMA_VERSION });
    }
    if application != APPLICATION_ID && (application != 0 || found != 0 || tables != 0) {
        return Err(StoreError::Foreign { path: options.path.clone() });
    }
    Ok(())
}

fn set_up_writer(connection: &Connection, options: &Options) -> rusqlite::Result<()> {
    // Turning a new file to a log is not covered by the busy time-out, and two
    // processes may try it at once.
    let mut tries = options.busy_timeout_ms / 10;
    loop {
        match connection.query_row("PRAGMA journal_mode = WAL", [], |row| row.get::<_, String>(0)) {
            Err(error) if error.sqlite_error_code() == Some(SqliteCode::DatabaseBusy) && tries > 0 => {
                tries -= 1;
                pause();
            }
            other => break other.map(drop)?,
        }
    }
    let synchronous = match options.synchronous {
        Synchronous::Full => "FULL",
        Synchronous::Normal => "NORMAL",
    };
    connection.execute_batch(&format!(
        "PRAGMA synchronous = {synchronous};
         PRAGMA wal_autocheckpoint = 0;
         PRAGMA foreign_keys = ON;
         PRAGMA secure_delete = ON;
         PRAGMA cell_size_check = ON;
         PRAGMA temp_store = MEMORY;"
    ))
}

#[expect(clippy::disallowed_methods, reason = "waiting for another process is a real wait; no test measures it")]
fn pause() {
    std::thread::sleep(Duration::from_millis(10));
}
