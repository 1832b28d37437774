//! Writing what was planned: a backup first, then the file, then a note of what
//! was written, so that taking us out again brings back the very bytes.

use std::fs::{self, OpenOptions};
use std::io::Write;
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::client::Client;
use super::plan::{Direction, FileChange};
use super::target::read_regular;
use crate::home::Home;
use crate::{Ctx, EngineError, Result};

/// What became of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Applied {
    /// The file.
    pub path: PathBuf,
    /// Where it was copied to before it changed; none if it is new.
    pub backup: Option<PathBuf>,
}

// What we wrote, by file.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
struct Written {
    files: Vec<WrittenFile>,
    // Folders that were not there before us, the outer ones first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    folders: Vec<PathBuf>,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
struct WrittenFile {
    path: PathBuf,
    // None if there was no file.
    backup: Option<PathBuf>,
    hash: String,
}

/// Writes the changes that a plan found. Returns those files that changed.
///
/// # Errors
/// When a file changed meanwhile or cannot be written.
pub fn apply(ctx: &Ctx, client: &Client, changes: &[FileChange], direction: Direction) -> Result<Vec<Applied>> {
    let note = note_of(ctx, client);
    let mut written = Written::read(&note);
    let mut applied = Vec::new();
    for change in changes {
        let after = match direction {
            Direction::Install => change.after.clone(),
            // What nobody touched since goes back to what it was before us.
            Direction::Uninstall => former(&written, change)?.unwrap_or_else(|| change.after.clone()),
        };
        if change.before == after {
            continue;
        }
        let backup = change.before.as_ref().map(|text| keep(ctx, client, &change.path, text)).transpose()?;
        let made = missing_folders(&change.path);
        write(ctx, &change.path, change.before.as_deref(), after.as_deref())?;
        if direction == Direction::Install {
            written.folders.extend(made);
            let known = written.files.iter().position(|file| file.path == change.path);
            let first = known.map(|at| written.files.remove(at));
            // The oldest backup is the one without us in it.
            let backup = first.map_or_else(|| backup.clone(), |file| file.backup);
            let hash = hash(after.as_deref().unwrap_or_default());
            written.files.push(WrittenFile { path: change.path.clone(), backup, hash });
        }
        applied.push(Applied { path: change.path.clone(), backup });
    }
    match direction {
        Direction::Install if !applied.is_empty() => {
            let text = serde_json::to_string_pretty(&written)
                .map_err(|source| EngineError::Encode { operation: "install", source })?;
            put(ctx, &note, &text, 0o600)?;
        }
        Direction::Uninstall if note.exists() => {
            // Those that somebody put something into stay.
            written.folders.sort();
            for folder in written.folders.iter().rev() {
                let _ = fs::remove_dir(folder);
            }
            fs::remove_file(&note).map_err(|error| EngineError::io("remove", &note, error))?;
        }
        _ => {}
    }
    Ok(applied)
}

/// What taking us out again will really write: files that nobody touched since go back to the very bytes that they had.
///
/// # Errors
/// When a backup cannot be told from its file.
pub fn as_before(ctx: &Ctx, client: &Client, mut changes: Vec<FileChange>) -> Result<Vec<FileChange>> {
    let written = Written::read(&note_of(ctx, client));
    for change in &mut changes {
        if let Some(after) = former(&written, change)? {
            change.after = after;
        }
    }
    Ok(changes)
}

fn note_of(ctx: &Ctx, client: &Client) -> PathBuf {
    ctx.home().path.join("installs").join(format!("{}.json", client.name))
}

impl Written {
    fn read(note: &Path) -> Self {
        fs::read(note).ok().and_then(|bytes| serde_json::from_slice(&bytes).ok()).unwrap_or_default()
    }
}

// The file as it was before us, if it is exactly as we left it.
fn former(written: &Written, change: &FileChange) -> Result<Option<Option<String>>> {
    let Some(known) = written.files.iter().find(|file| file.path == change.path) else { return Ok(None) };
    if change.before.as_deref().map(hash).as_ref() != Some(&known.hash) {
        return Ok(None);
    }
    match &known.backup {
        None => Ok(Some(None)),
        Some(backup) => match fs::read_to_string(backup) {
            Ok(text) => Ok(Some(Some(text))),
            // A backup that was tidied away is made up for by the plan.
            Err(_) => Ok(None),
        },
    }
}

// The folders that have to be made for a file.
fn missing_folders(path: &Path) -> Vec<PathBuf> {
    path.ancestors().skip(1).take_while(|folder| !folder.exists()).map(Path::to_owned).collect()
}

fn hash(text: &str) -> String {
    blake3::hash(text.as_bytes()).to_hex().to_string()
}

fn keep(ctx: &Ctx, client: &Client, path: &Path, text: &str) -> Result<PathBuf> {
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let folder = ctx.home().backups().join("clients");
    let backup = folder.join(format!("{}-{}-{}", client.name, ctx.uuid()?.simple(), name.trim_start_matches('.')));
    put(ctx, &backup, text, 0o600)?;
    Ok(backup)
}

fn write(ctx: &Ctx, path: &Path, before: Option<&str>, after: Option<&str>) -> Result<()> {
    // Clients write their files, too; what changed since it was read is not ours
    // to overwrite.
    let now = read_regular(path)?;
    if now.as_deref() != before {
        let message = format!("{} changed meanwhile; nothing was written to it, try again", path.display());
        return Err(EngineError::told(scrubjay_core::error::ErrorCode::Conflict, message));
    }
    match after {
        None => fs::remove_file(path).map_err(|error| EngineError::io("remove", path, error)),
        Some(text) => {
            let mode = fs::metadata(path).map_or(0o600, |facts| facts.permissions().mode() & 0o777);
            put(ctx, path, text, mode)
        }
    }
}

fn put(ctx: &Ctx, path: &Path, text: &str, mode: u32) -> Result<()> {
    let failed = |error| EngineError::io("write", path, error);
    if let Some(folder) = path.parent() {
        Home::private_folder(folder)?;
    }
    let mut name = path.as_os_str().to_owned();
    name.push(format!(".{}.new", ctx.uuid()?.simple()));
    let new = PathBuf::from(name);
    let mut file = OpenOptions::new().write(true).create_new(true).mode(mode).open(&new).map_err(failed)?;
    file.write_all(text.as_bytes()).and_then(|()| file.sync_all()).map_err(failed)?;
    replace(&new, path).map_err(failed)
}

#[expect(clippy::disallowed_methods, reason = "a client must never read half of its settings; a backup was made first")]
fn replace(new: &Path, path: &Path) -> std::io::Result<()> {
    fs::rename(new, path)
}
