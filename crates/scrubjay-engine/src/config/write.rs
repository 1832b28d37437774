//! Replacing a file so that a reader, or a power cut, sees the old text or the new text and nothing between.

use std::fs::{self, DirBuilder, File, OpenOptions, Permissions};
use std::io::{self, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _, OpenOptionsExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

use super::error::ConfigError;

/// Who may read the written file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Access {
    /// Only its owner: it may hold the address of a database.
    Private,
    /// Whoever could read it before, and everyone when it is new: it belongs to a repository.
    Shared,
}

/// Runs a change of the file while no other process changes it, in a folder that is created if need be.
///
/// The system releases the lock when a process dies, and it is held only while one small file is read and written. In a
/// repository it is on the folder itself, which leaves no file behind. A daemon holds the lock of its home folder for as
/// long as it lives, so the user's file has a lock file beside it meanwhile.
pub(super) fn locked<T>(
    path: &Path,
    access: Access,
    change: impl FnOnce() -> Result<T, ConfigError>,
) -> Result<T, ConfigError> {
    let failed = |step| move |source| ConfigError::Write { step, path: path.to_owned(), source };
    let folder = folder_of(path);
    DirBuilder::new().recursive(true).mode(0o700).create(folder).map_err(failed("create the folder"))?;
    if access == Access::Shared {
        let lock = File::open(folder).map_err(failed("open the folder"))?;
        lock.lock().map_err(failed("lock the folder"))?;
        return change();
    }
    let lock_path = path.with_file_name(hidden(path, ".lock"));
    let lock = lock_file(&lock_path).map_err(failed("take the lock"))?;
    let outcome = change();
    // Under the lock it is ours alone; whoever waits for it notices that it is gone.
    let _ = fs::remove_file(&lock_path);
    drop(lock);
    outcome
}

// A locked file that is still the one at its path: whoever held it before may have removed it.
fn lock_file(path: &Path) -> io::Result<File> {
    loop {
        let file = OpenOptions::new().write(true).create(true).truncate(false).mode(0o600).open(path)?;
        file.lock()?;
        let held = file.metadata()?;
        if fs::metadata(path).is_ok_and(|found| (found.dev(), found.ino()) == (held.dev(), held.ino())) {
            return Ok(file);
        }
    }
}

/// The file behind a link, so that changing a linked file does not replace the link. Other paths stay as they are.
pub(super) fn behind_link(path: &Path) -> Result<PathBuf, ConfigError> {
    let followed = match fs::symlink_metadata(path) {
        Ok(found) if found.is_symlink() => fs::canonicalize(path),
        _ => return Ok(path.to_owned()),
    };
    followed.map_err(|source| ConfigError::Write { step: "follow the link", path: path.to_owned(), source })
}

/// Writes the text to a new file beside `path`, to disk, and then in place of `path`.
#[expect(
    clippy::disallowed_methods,
    reason = "the renamed file is the temporary one made here, and it holds the whole new configuration"
)]
pub(super) fn write_atomically(path: &Path, text: &str, access: Access) -> Result<(), ConfigError> {
    let failed = |step| move |source| ConfigError::Write { step, path: path.to_owned(), source };
    let mode = match access {
        Access::Private => 0o600,
        Access::Shared => fs::metadata(path).map_or(0o644, |found| found.permissions().mode() & 0o777),
    };
    let temporary = path.with_file_name(hidden(path, ".new"));
    let written = write_new(&temporary, text, mode).map_err(failed("write a temporary file"));
    let renamed = written.and_then(|()| fs::rename(&temporary, path).map_err(failed("rename the temporary file")));
    if let Err(error) = renamed {
        // The first failure is what matters; a left-over file is removed by the next change.
        drop(fs::remove_file(&temporary));
        return Err(error);
    }
    let folder = File::open(folder_of(path)).map_err(failed("open the folder"))?;
    folder.sync_all().map_err(failed("save the folder to disk"))
}

// The name of a hidden file beside this one.
fn hidden(path: &Path, ending: &str) -> std::ffi::OsString {
    let mut name = std::ffi::OsString::from(".");
    name.push(path.file_name().unwrap_or_default());
    name.push(ending);
    name
}

fn write_new(path: &Path, text: &str, mode: u32) -> io::Result<()> {
    // Under the lock nobody else writes this name, so what is there was left by a process that died.
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(path)?;
    file.write_all(text.as_bytes())?;
    file.set_permissions(Permissions::from_mode(mode))?;
    file.sync_all()
}

fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    }
}
