//! Finding out about a git repository by reading the few files that matter.

use std::fs;
use std::io::{self, Read as _};
use std::path::{Component, Path, PathBuf};

use super::git_config::{self, GitConfig};
use crate::config::shown;

/// The largest file of a repository that is read.
const LIMIT_BYTES: u64 = 1024 * 1024;

/// A repository as far as it identifies a project.
#[derive(Debug)]
pub(super) struct Repository {
    /// The address of its remote, as configured: it may hold a password.
    pub(super) remote: Option<String>,
    /// The folder that stands for all its worktrees: the main worktree, or the repository itself if that is bare.
    pub(super) main_folder: PathBuf,
    /// The folder with the repository's own files, which its worktrees share.
    pub(super) common: PathBuf,
    /// What could not be read, for people.
    pub(super) warnings: Vec<String>,
}

/// Looks at `worktree/.git`, which must exist: a folder, or a file that points to one (linked worktrees and
/// submodules). The error says in a sentence's end why this is no repository.
pub(super) fn open(worktree: &Path) -> Result<Repository, String> {
    let git_folder = git_folder(&worktree.join(".git"))?;
    let common = common_folder(&git_folder)?;
    if !git_folder.join("HEAD").exists() && !common.join("config").exists() {
        return Err("it has neither HEAD nor config".to_owned());
    }
    let mut warnings = Vec::new();
    let config = match read(&common.join("config")) {
        Ok(text) => git_config::parse(&text),
        Err(error) if error.kind() == io::ErrorKind::NotFound => GitConfig::default(),
        Err(error) => {
            warnings.push(format!("{}: the git configuration cannot be read: {error}", shown(&common.join("config"))));
            GitConfig::default()
        }
    };
    if let Some(line) = config.broken_line {
        warnings.push(format!("{}:{line}: this line is not git configuration", shown(&common.join("config"))));
    }
    let main_folder = main_folder(&common, &config);
    let remote = config.remote().map(str::to_owned);
    Ok(Repository { remote, main_folder, common, warnings })
}

/// The path without `.` and `..`, taken by the letter, for addresses of repositories that may not exist.
pub(super) fn without_dots(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for component in path.components() {
        match component {
            Component::ParentDir => {
                plain.pop();
            }
            Component::CurDir => {}
            other => plain.push(other),
        }
    }
    plain
}

/// The folder behind `.git`.
fn git_folder(dot_git: &Path) -> Result<PathBuf, String> {
    let folder = match fs::metadata(dot_git) {
        Ok(found) if found.is_dir() => dot_git.to_owned(),
        Ok(found) if found.is_file() => {
            let text = read(dot_git).map_err(|error| format!("it cannot be read: {error}"))?;
            let target = text.strip_prefix("gitdir:").ok_or("it is a file that does not start with `gitdir:`")?.trim();
            if target.is_empty() {
                return Err("its `gitdir:` is empty".to_owned());
            }
            dot_git.with_file_name(target)
        }
        Ok(_) => return Err("it is neither a folder nor a file".to_owned()),
        Err(error) => return Err(format!("it cannot be looked at: {error}")),
    };
    match fs::canonicalize(&folder) {
        Ok(folder) if folder.is_dir() => Ok(folder),
        Ok(_) => Err("it points to something that is no folder".to_owned()),
        Err(error) => Err(format!("the folder it points to cannot be opened: {error}")),
    }
}

/// The folder that all worktrees of the repository share.
fn common_folder(git_folder: &Path) -> Result<PathBuf, String> {
    match read(&git_folder.join("commondir")) {
        Ok(text) => fs::canonicalize(git_folder.join(text.trim()))
            .map_err(|error| format!("the repository it belongs to cannot be opened: {error}")),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(git_folder.to_owned()),
        Err(error) => Err(format!("its `commondir` cannot be read: {error}")),
    }
}

fn main_folder(common: &Path, config: &GitConfig) -> PathBuf {
    match common.parent() {
        Some(parent) if common.file_name().is_some_and(|name| name == ".git") => parent.to_owned(),
        // A submodule's repository is inside its parent's `.git` and says where its worktree is. If that is gone, or
        // the repository is bare or was put elsewhere, the repository itself stands for its worktrees.
        _ => config
            .value("core", "worktree")
            .and_then(|worktree| fs::canonicalize(common.join(worktree)).ok())
            .unwrap_or_else(|| common.to_owned()),
    }
}

/// A small text file. Bytes that are no UTF-8 become replacement characters, which no address contains.
fn read(path: &Path) -> io::Result<String> {
    // Opening a pipe would wait for a writer for ever, so the kind is known before the file is opened.
    if !fs::metadata(path)?.is_file() {
        return Err(io::Error::other("it is no plain file"));
    }
    let mut bytes = Vec::new();
    fs::File::open(path)?.take(LIMIT_BYTES + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > LIMIT_BYTES {
        return Err(io::Error::other(format!("it is larger than {LIMIT_BYTES} bytes")));
    }
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}
