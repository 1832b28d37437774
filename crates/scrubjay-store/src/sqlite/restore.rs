//! Going back to a copy.

use std::fs::{self, File};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::backup::Backup;
use rusqlite::{Connection, OpenFlags};

use super::backup::{backup, with_suffix};
use super::connection::{Options, explain, open_writer, prepare_file};
use super::migrate::migrate;
use super::{damage, lineage};
use crate::{Result, StoreError};

/// What a restore left behind.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Restored {
    /// Where the former contents are kept: a backup if the store was sound, else
    /// a folder with the damaged files. None if there was no store.
    pub former: Option<PathBuf>,
}

/// Replaces the store's contents by those of `copy`, which must have been
/// verified. The former contents are kept at `aside`.
///
/// A sound store is overwritten in one SQLite transaction, so that others who
/// have it open see the old contents or the new. A damaged one, which nobody can
/// write to, is replaced as a file after its bytes were copied away.
pub(super) fn restore(options: &Options, copy: &Path, aside: &Path) -> Result<Restored> {
    let size_bytes = |path: &Path| fs::metadata(path).map_or(0, |metadata| metadata.len());
    let existed = size_bytes(&options.path) > 0;
    if !existed && size_bytes(&with_suffix(&options.path, "-wal")) > 0 {
        // SQLite would throw the log of an empty file away.
        return replace_files(options, copy, aside);
    }
    prepare_file(&options.path)?;
    let opened = open_writer(options).and_then(|mut connection| {
        migrate(&mut connection, options)?;
        if existed {
            backup(options, aside)?;
        }
        Ok(connection)
    });
    match opened {
        Ok(mut connection) => {
            overwrite(&mut connection, copy).map_err(|error| explain(error, "restore the backup", options))?;
            settle(&mut connection, options)?;
            Ok(Restored { former: existed.then(|| aside.to_owned()) })
        }
        Err(StoreError::Damaged { .. }) => replace_files(options, copy, aside),
        Err(error) => Err(error),
    }
}

fn replace_files(options: &Options, copy: &Path, aside: &Path) -> Result<Restored> {
    keep_damaged(options, aside)?;
    replace(options, copy)?;
    settle(&mut open_writer(options)?, options)?;
    Ok(Restored { former: Some(aside.to_owned()) })
}

// What was restored is a store of this version and of its own, and a sound one.
fn settle(connection: &mut Connection, options: &Options) -> Result<()> {
    let explained = |error| explain(error, "restore the backup", options);
    migrate(connection, options)?;
    lineage::begin_new(connection).map_err(explained)?;
    if let Some(lineage) = lineage::of(connection).map_err(explained)? {
        lineage::note(&options.path, lineage);
    }
    damage::clear(&options.path)
}

fn overwrite(connection: &mut Connection, copy: &Path) -> rusqlite::Result<()> {
    let source = Connection::open_with_flags(copy, OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX)?;
    // All pages in one step: one transaction.
    Backup::new(&source, connection)?.run_to_completion(i32::MAX, Duration::from_millis(10), None)
}

fn keep_damaged(options: &Options, aside: &Path) -> Result<()> {
    fs::DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(aside)
        .map_err(|error| StoreError::io("create the folder", aside, error))?;
    for suffix in ["", "-wal", "-shm"] {
        let from = with_suffix(&options.path, suffix);
        if !from.exists() {
            continue;
        }
        let to = aside.join(from.file_name().unwrap_or_default());
        fs::copy(&from, &to).map_err(|error| StoreError::io("keep a copy of", &from, error))?;
        sync(&to)?;
    }
    sync(aside)
}

#[expect(clippy::disallowed_methods, reason = "the damaged file's bytes were copied away just before")]
fn replace(options: &Options, copy: &Path) -> Result<()> {
    let fresh = with_suffix(&options.path, ".restoring");
    let failed = |error| StoreError::io("restore the backup to", &options.path, error);
    let mut target =
        fs::OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(&fresh).map_err(failed)?;
    std::io::copy(&mut File::open(copy).map_err(failed)?, &mut target).map_err(failed)?;
    target.sync_all().map_err(failed)?;
    for suffix in ["-wal", "-shm"] {
        match fs::remove_file(with_suffix(&options.path, suffix)) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(failed(error)),
            _ => {}
        }
    }
    fs::rename(&fresh, &options.path).map_err(failed)?;
    options.path.parent().map_or(Ok(()), sync)
}

fn sync(path: &Path) -> Result<()> {
    let failed = |error| StoreError::io("write", path, error);
    File::open(path).map_err(failed)?.sync_all().map_err(failed)
}
