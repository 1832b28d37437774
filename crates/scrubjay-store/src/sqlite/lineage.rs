//! The note beside a store that says which store belongs there.
//!
//! A file that is gone cannot say that it was ever there. The note can: while it
//! lies beside the store's place, no empty store is begun there without being
//! asked for.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use rusqlite::{Connection, OptionalExtension};

use super::backup::with_suffix;
use super::connection::Options;
use crate::{Result, StoreError};

/// The mark that tells one store's history from another's.
pub(super) const LINEAGE: &str = "lineage";
/// The mark with the lineage that the store began with, once a restore has
/// replaced it.
const ROOT_LINEAGE: &str = "root_lineage";

/// Which store something belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Lineage {
    /// Tells this store's history from every other's. A restore begins a new one.
    pub current: u64,
    /// The lineage that the store began with. A restore keeps it.
    pub root: u64,
}

/// The lineage of an open store; none before schema 2.
pub(super) fn of(connection: &Connection) -> rusqlite::Result<Option<Lineage>> {
    let has_marks = "SELECT 1 FROM sqlite_schema WHERE name = 'marks'";
    if connection.query_row(has_marks, [], |_| Ok(())).optional()?.is_none() {
        return Ok(None);
    }
    let mut statement = connection.prepare("SELECT value FROM marks WHERE name = ?1")?;
    let mut value = |name: &str| -> rusqlite::Result<Option<u64>> {
        statement.query_row([name], |row| Ok(row.get::<_, i64>(0)?.unsigned_abs())).optional()
    };
    let Some(current) = value(LINEAGE)? else { return Ok(None) };
    Ok(Some(Lineage { current, root: value(ROOT_LINEAGE)?.unwrap_or(current) }))
}

/// Makes this a store of its own, so that no index takes it for the one it was
/// copied from. It stays a descendant of the same root.
pub(super) fn begin_new(connection: &Connection) -> rusqlite::Result<()> {
    connection.execute(
        "INSERT OR IGNORE INTO marks (name, value) SELECT ?1, value FROM marks WHERE name = ?2",
        (ROOT_LINEAGE, LINEAGE),
    )?;
    connection.execute("UPDATE marks SET value = abs(random() / 2) WHERE name = ?1", [LINEAGE])?;
    Ok(())
}

/// What the note beside a store says; none if there is none, or nothing that can
/// be understood.
pub(super) fn noted(store: &Path) -> Option<Lineage> {
    let text = fs::read_to_string(note_path(store)).ok()?;
    let value = |name: &str| text.lines().find_map(|line| line.strip_prefix(name)?.trim().parse().ok());
    Some(Lineage { current: value("lineage ")?, root: value("root ")? })
}

/// Whether there is a note, whatever it says.
pub(super) fn is_noted(store: &Path) -> bool {
    note_path(store).exists()
}

/// Writes the note, unless it says the same already. A note that cannot be
/// written is tried again when the store is next opened.
pub(super) fn note(store: &Path, lineage: Lineage) {
    if noted(store) != Some(lineage) {
        let _ = write(store, lineage);
    }
}

/// Refuses to begin an empty store where there was one: where a note, a log or
/// something that the caller knows of is left of it. Nothing is changed then.
pub(super) fn refuse_lost(options: &Options) -> Result<()> {
    let path = &options.path;
    let log = with_suffix(path, "-wal");
    // Looked at before the main file. Another process may be creating the store,
    // and what it leaves beside the main file comes after it.
    let is_noted = is_noted(path);
    let log_bytes = size_bytes(&log);
    let main = fs::metadata(path).map(|facts| facts.len());
    if main.as_ref().is_ok_and(|length| *length > 0) || (!is_noted && log_bytes == 0 && options.traces.is_empty()) {
        return Ok(());
    }
    if options.begin_anew {
        return if log_bytes > 0 { keep_log(path) } else { Ok(()) };
    }
    let mut found = Vec::new();
    if log_bytes > 0 {
        found.push(format!("its log {} with {log_bytes} bytes that are nowhere else", log.display()));
    }
    if is_noted {
        found.push(format!("its note {}", note_path(path).display()));
    }
    found.extend(options.traces.iter().cloned());
    let state = if main.is_ok() { "is empty" } else { "is gone" };
    let advice = options.advice.clone().unwrap_or_else(|| "restore a backup with `scrubjay restore-backup`".to_owned());
    Err(StoreError::Lost { path: path.clone(), state, found: found.join(", "), advice })
}

fn note_path(store: &Path) -> PathBuf {
    with_suffix(store, ".lineage")
}

fn size_bytes(path: &Path) -> u64 {
    fs::metadata(path).map_or(0, |facts| facts.len())
}

// SQLite throws the log of an empty file away.
fn keep_log(store: &Path) -> Result<()> {
    let log = with_suffix(store, "-wal");
    for number in 1u32.. {
        let kept = with_suffix(store, &format!("-wal.kept.{number}"));
        let failed = |error| StoreError::io("keep a copy of the log as", &kept, error);
        let mut target = match OpenOptions::new().write(true).create_new(true).mode(0o600).open(&kept) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => continue,
            opened => opened.map_err(failed)?,
        };
        let mut source = File::open(&log).map_err(failed)?;
        io::copy(&mut source, &mut target).and_then(|_| target.sync_all()).map_err(failed)?;
        return Ok(());
    }
    Ok(())
}

#[expect(clippy::disallowed_methods, reason = "the renamed file was made here and holds the whole new note")]
fn write(store: &Path, lineage: Lineage) -> io::Result<()> {
    let (path, fresh) = (note_path(store), with_suffix(store, ".lineage.new"));
    let mut file = OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(&fresh)?;
    file.write_all(format!("lineage {}\nroot {}\n", lineage.current, lineage.root).as_bytes())?;
    file.sync_all()?;
    fs::rename(&fresh, &path)?;
    match path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        Some(folder) => File::open(folder)?.sync_all(),
        None => Ok(()),
    }
}
