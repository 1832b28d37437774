//! Copies that were proven to restore.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::backup::Backup;
use rusqlite::{Connection, OpenFlags};

use super::connection::{Fault, Options, explain, open_reader};
use super::lineage::{self, Lineage};
use super::{check, migrate};
use crate::query::CheckStatus;
use crate::traits::BackupCopy;
use crate::{Result, StoreError};

/// Copies one state of the store to `to`, which must not exist, and proves the
/// copy by restoring it. Until then the copy has another name.
pub(super) fn backup(options: &Options, to: &Path) -> Result<BackupCopy> {
    if to.exists() {
        return Err(StoreError::Conflict { why: format!("{} exists already", to.display()) });
    }
    let draft = Draft::new(with_suffix(to, ".unverified"));
    let restored = Draft::new(with_suffix(to, ".restored"));
    let source = open_reader(options)?;
    let explained = |error: rusqlite::Error| explain(error, "copy the store", options);
    // One read transaction around the copy and the fingerprint: both see the
    // same state, whatever is written meanwhile.
    source.execute_batch("BEGIN").map_err(explained)?;
    let original = fingerprint(&source).map_err(|fault| fault.explain("read the store", options))?;
    super::connection::prepare_file(&draft.0)?;
    copy(&source, &draft.0).map_err(explained)?;
    source.execute_batch("COMMIT").map_err(explained)?;
    sync(&draft.0)?;
    prove(&draft.0, &restored.0, &original)?;
    let size_bytes = fs::metadata(&draft.0).map_err(|error| StoreError::io("measure", &draft.0, error))?.len();
    publish(&draft.0, to)?;
    Ok(BackupCopy { path: to.to_owned(), size_bytes, memories: original.memories })
}

/// Whether a copy restores and is sound; how many memories it holds.
pub(super) fn verify(copy: &Path, scratch: &Path) -> Result<u64> {
    let restored = Draft::new(scratch.to_owned());
    let options = Options::new(copy);
    let connection = open_copy(copy, &options)?;
    let expected = fingerprint(&connection).map_err(|fault| fault.explain("read the backup", &options))?;
    prove(copy, &restored.0, &expected)?;
    Ok(expected.memories)
}

/// What a copy holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BackupFacts {
    /// Of which store it is a copy; not known for one of schema 1.
    pub lineage: Option<Lineage>,
    /// How many memories it holds.
    pub memories: u64,
}

/// What a copy holds, without checking all of it.
pub(super) fn inspect(copy: &Path) -> Result<BackupFacts> {
    let options = Options::new(copy);
    let connection = open_copy(copy, &options)?;
    let read = || -> rusqlite::Result<BackupFacts> {
        let memories: i64 = connection.query_row("SELECT count(*) FROM memories", [], |row| row.get(0))?;
        Ok(BackupFacts { lineage: lineage::of(&connection)?, memories: memories.unsigned_abs() })
    };
    read().map_err(|error| explain(error, "read the backup", &options))
}

#[derive(Debug, PartialEq, Eq)]
struct Fingerprint {
    memories: u64,
    rows: Vec<(i64, i64)>,
}

// A count and an order-independent sum over each table's contents.
fn fingerprint(connection: &Connection) -> std::result::Result<Fingerprint, Fault> {
    // As the store itself lists them, so that a new table cannot be forgotten.
    let mut tables = connection.prepare(
        "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite~_%' ESCAPE '~' ORDER BY name",
    )?;
    let tables: Vec<String> = tables.query_map([], |row| row.get(0))?.collect::<rusqlite::Result<_>>()?;
    let (mut rows, mut memories) = (Vec::with_capacity(tables.len()), 0);
    for table in tables {
        let mut statement = connection.prepare(&format!("SELECT * FROM {table}"))?;
        let columns = statement.column_count();
        let (mut count, mut sum) = (0i64, 0i64);
        let mut cursor = statement.query([])?;
        while let Some(row) = cursor.next()? {
            let mut hash: u64 = 0xcbf2_9ce4_8422_2325;
            for column in 0..columns {
                mix(&mut hash, row.get_ref(column)?);
            }
            count += 1;
            sum = sum.wrapping_add(i64::from_ne_bytes(hash.to_ne_bytes()));
        }
        if table == "memories" {
            memories = count.unsigned_abs();
        }
        rows.push((count, sum));
    }
    Ok(Fingerprint { memories, rows })
}

// FNV-1a over the value with its type: enough to notice that a copy differs.
fn mix(hash: &mut u64, value: rusqlite::types::ValueRef<'_>) {
    use rusqlite::types::ValueRef;
    let mut feed = |tag: u8, bytes: &[u8]| {
        for byte in std::iter::once(&tag).chain(bytes) {
            *hash = (*hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
        }
    };
    match value {
        ValueRef::Null => feed(0, &[]),
        ValueRef::Integer(number) => feed(1, &number.to_le_bytes()),
        ValueRef::Real(number) => feed(2, &number.to_le_bytes()),
        ValueRef::Text(bytes) => feed(3, bytes),
        ValueRef::Blob(bytes) => feed(4, bytes),
    }
}

fn copy(source: &Connection, to: &Path) -> rusqlite::Result<()> {
    let mut target = Connection::open(to)?;
    let backup = Backup::new(source, &mut target)?;
    backup.run_to_completion(1024, Duration::ZERO, None)?;
    drop(backup);
    // The copy stands alone: no log beside it.
    target.query_row("PRAGMA journal_mode = DELETE", [], |_| Ok(()))?;
    target.close().map_err(|(_, error)| error)
}

// A real restore: the copy's bytes under another name, opened, checked in full
// and compared with the original.
fn prove(copy: &Path, scratch: &Path, original: &Fingerprint) -> Result<()> {
    fs::copy(copy, scratch).map_err(|error| StoreError::io("restore the backup to", scratch, error))?;
    let options = Options::new(scratch);
    let explained = |fault: Fault| fault.explain("check the backup", &options);
    let restored = fingerprint(&open_copy(scratch, &options)?).map_err(explained)?;
    // A copy of an earlier version is brought up to date, as a restore would.
    let mut connection = Connection::open(scratch).map_err(|error| explain(error, "open the backup", &options))?;
    migrate::migrate(&mut connection, &options)?;
    let findings = check::check(&connection, true).map_err(explained)?;
    let damage = findings.iter().find(|finding| finding.status == CheckStatus::Damaged);
    let detail = match damage {
        Some(finding) => format!("{}: {}", finding.check, finding.detail),
        None if restored != *original => "its contents differ from the store's".to_owned(),
        None => return Ok(()),
    };
    Err(StoreError::Damaged { path: copy.to_owned(), detail })
}

fn open_copy(path: &Path, options: &Options) -> Result<Connection> {
    Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX)
        .map_err(|error| explain(error, "open the backup", options))
}

fn sync(path: &Path) -> Result<()> {
    let failed = |error| StoreError::io("write", path, error);
    File::open(path).map_err(failed)?.sync_all().map_err(failed)
}

#[expect(clippy::disallowed_methods, reason = "a finished copy gets its final name; no primary data is moved")]
fn publish(draft: &Path, to: &Path) -> Result<()> {
    fs::rename(draft, to).map_err(|error| StoreError::io("name the backup", to, error))?;
    match to.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => sync(folder),
        _ => Ok(()),
    }
}

/// A path with something added to its file name.
pub(super) fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.file_name().unwrap_or_default().to_os_string();
    name.push(suffix);
    path.with_file_name(name)
}

/// A file that goes when the work on it ends, however it ends.
struct Draft(PathBuf);

impl Draft {
    /// Begins anew, whatever work that was cut short has left under this name. A
    /// journal left behind would be played back into the new file.
    fn new(path: PathBuf) -> Self {
        let draft = Self(path);
        draft.remove();
        draft
    }

    fn remove(&self) {
        for suffix in ["", "-journal", "-wal", "-shm"] {
            // It may be gone already, by its own success.
            let _ = fs::remove_file(with_suffix(&self.0, suffix));
        }
    }
}

impl Drop for Draft {
    fn drop(&mut self) {
        self.remove();
    }
}
