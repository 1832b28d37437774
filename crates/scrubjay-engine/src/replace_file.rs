//! Replacing a file whole.

use std::fs::{self, OpenOptions};
use std::io::Write;
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

use crate::{Ctx, EngineError, Result};

/// Writes a file so that whoever reads it sees the old text or the new one.
pub(crate) fn put(ctx: &Ctx, path: &Path, text: &str) -> Result<()> {
    let failed = |error| EngineError::io("write", path, error);
    let mode = fs::metadata(path).map_or(0o600, |facts| facts.permissions().mode() & 0o777);
    let mut name = path.as_os_str().to_owned();
    name.push(format!(".{}.new", ctx.uuid()?.simple()));
    let new = PathBuf::from(name);
    let mut file = OpenOptions::new().write(true).create_new(true).mode(mode).open(&new).map_err(failed)?;
    file.write_all(text.as_bytes()).map_err(failed)?;
    replace(&new, path).map_err(failed)
}

#[expect(clippy::disallowed_methods, reason = "whoever reads the file must never see half of it")]
fn replace(new: &Path, path: &Path) -> std::io::Result<()> {
    fs::rename(new, path)
}
