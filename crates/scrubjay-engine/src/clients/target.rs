//! Files of other programs that we write: where they really lie, and reading
//! them without being led astray.
//!
//! A link is followed only inside the user's own folders, so that a link which
//! somebody else put there cannot make us replace a file of the system; and
//! nothing is opened that is not a regular file, since a pipe would make us wait
//! and a device would do whatever it does when it is replaced.

use std::fs::{self, File};
use std::io::{ErrorKind, Read};
use std::os::unix::fs::FileTypeExt;
use std::path::{Path, PathBuf};

use rustix::fs::{Mode, OFlags};

use crate::{EngineError, Result};

/// The largest file that is changed, in bytes. Settings are far smaller.
const MOST_BYTES: u64 = 16 << 20;

/// A file that may be written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Target {
    /// Where it really lies; there need not be one yet.
    pub path: PathBuf,
    /// The path that was asked for, if a link on it leads elsewhere.
    pub link: Option<PathBuf>,
}

/// Where a path leads. Links are followed as long as they stay inside one of the
/// `own` folders.
///
/// # Errors
/// When a link leads out of them or to nothing, or the path is not a regular
/// file's.
pub fn target(path: &Path, own: &[&Path]) -> Result<Target> {
    let real = real_path(path)?;
    check_kind(path, &real)?;
    let folders: Vec<(&Path, PathBuf)> =
        own.iter().filter_map(|folder| Some((*folder, fs::canonicalize(folder).ok()?))).collect();
    // The folder itself may lie behind a link, as homes do on some systems: nobody chose that here.
    let is_plain = real == path
        || folders
            .iter()
            .any(|(folder, real_folder)| path.strip_prefix(folder).is_ok_and(|inner| real_folder.join(inner) == real));
    if is_plain {
        return Ok(Target { path: real, link: None });
    }
    if folders.iter().any(|(_, folder)| real.starts_with(folder)) {
        return Ok(Target { path: real, link: Some(path.to_owned()) });
    }
    let inside: Vec<String> = own.iter().map(|folder| folder.display().to_string()).collect();
    let message = format!(
        "{} is a link to {}, which is not inside of {}; nothing was written. Put a file in the link's place, or name \
         the file itself",
        path.display(),
        real.display(),
        inside.join(" or "),
    );
    Err(EngineError::refused(message))
}

/// The text of a regular file; none if there is no file.
///
/// # Errors
/// When it is something else, is too large, is not text or cannot be read.
pub fn read_regular(path: &Path) -> Result<Option<String>> {
    let failed = |error| EngineError::io("read", path, error);
    // Without NONBLOCK, opening a pipe would wait for someone to write to it.
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let file = match rustix::fs::open(path, flags, Mode::empty()) {
        Ok(descriptor) => File::from(descriptor),
        Err(rustix::io::Errno::NOENT) => return Ok(None),
        Err(error) => {
            check_kind(path, path)?;
            return Err(failed(error.into()));
        }
    };
    let facts = file.metadata().map_err(failed)?;
    if !facts.is_file() {
        return Err(not_a_file(path, path, &facts));
    }
    let mut text = String::new();
    file.take(MOST_BYTES + 1).read_to_string(&mut text).map_err(failed)?;
    if text.len() as u64 > MOST_BYTES {
        let message = format!("{} has more than {MOST_BYTES} bytes; settings have not", path.display());
        return Err(EngineError::refused(message));
    }
    Ok(Some(text))
}

// The path without links. What is not there yet lies in a folder that may be.
fn real_path(path: &Path) -> Result<PathBuf> {
    match fs::canonicalize(path) {
        Ok(real) => Ok(real),
        Err(error) if error.kind() == ErrorKind::NotFound => {
            if fs::symlink_metadata(path).is_ok_and(|facts| facts.is_symlink()) {
                let message = format!("{} is a link to nothing; remove it and try again", path.display());
                return Err(EngineError::refused(message));
            }
            match (path.parent(), path.file_name()) {
                (Some(parent), Some(name)) if !parent.as_os_str().is_empty() => Ok(real_path(parent)?.join(name)),
                _ => Ok(path.to_owned()),
            }
        }
        Err(error) => Err(EngineError::io("find", path, error)),
    }
}

fn check_kind(path: &Path, real: &Path) -> Result<()> {
    match fs::symlink_metadata(real) {
        Ok(facts) if !facts.is_file() => Err(not_a_file(path, real, &facts)),
        _ => Ok(()),
    }
}

fn not_a_file(path: &Path, real: &Path, facts: &fs::Metadata) -> EngineError {
    let kind = facts.file_type();
    let what = if kind.is_fifo() {
        "a pipe"
    } else if kind.is_socket() {
        "a socket"
    } else if kind.is_char_device() || kind.is_block_device() {
        "a device"
    } else if kind.is_dir() {
        "a folder"
    } else {
        "a link"
    };
    let is_there = path == real;
    let (path, real) = (path.display(), real.display());
    // Whoever linked to a device should mend the link and leave the device alone.
    let message = if is_there {
        format!("{path} is {what}, not a regular file; nothing was written. Move it away")
    } else {
        format!("{path} leads to {real}, which is {what}; nothing was written. Put a regular file in the link's place")
    };
    EngineError::refused(message)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use scrubjay_core::error::ErrorCode;

    use super::*;

    #[test]
    fn links_are_followed_inside_the_own_folders_only() {
        let folder = tempfile::tempdir().unwrap();
        let root = fs::canonicalize(folder.path()).unwrap();
        let (home, outside) = (root.join("home"), root.join("outside"));
        fs::create_dir_all(home.join("dotfiles")).unwrap();
        fs::create_dir_all(&outside).unwrap();
        fs::write(home.join("dotfiles/a.json"), "{}").unwrap();
        fs::write(outside.join("b.json"), "{}").unwrap();
        symlink(home.join("dotfiles/a.json"), home.join("a.json")).unwrap();
        symlink(outside.join("b.json"), home.join("b.json")).unwrap();
        symlink(&outside, home.join("folder")).unwrap();
        symlink(home.join("nothing"), home.join("dangling")).unwrap();
        symlink("/dev/null", home.join("null")).unwrap();
        let at = |name: &str| target(&home.join(name), &[&home]);

        let plain = at("dotfiles/a.json").unwrap();
        assert_eq!(plain, Target { path: home.join("dotfiles/a.json"), link: None });
        let linked = at("a.json").unwrap();
        assert_eq!(linked, Target { path: home.join("dotfiles/a.json"), link: Some(home.join("a.json")) });
        assert_eq!(at("new/deep/c.json").unwrap().path, home.join("new/deep/c.json"));
        for refused in ["b.json", "folder/new.json", "dangling", "null", "dotfiles"] {
            assert_eq!(at(refused).unwrap_err().code(), ErrorCode::Refused, "{refused}");
        }
        // A home that lies behind a link itself is plain.
        symlink(&home, root.join("behind")).unwrap();
        let behind = root.join("behind");
        assert_eq!(target(&behind.join("dotfiles/a.json"), &[&behind]).unwrap().link, None);
    }

    #[test]
    fn only_regular_files_are_read() {
        let folder = tempfile::tempdir().unwrap();
        let pipe = folder.path().join("pipe");
        rustix::fs::mkfifoat(rustix::fs::CWD, &pipe, Mode::RUSR | Mode::WUSR).unwrap();
        symlink("/etc/hostname", folder.path().join("link")).unwrap();
        for (name, what) in [("pipe", "a pipe"), ("link", "a link"), ("", "a folder")] {
            let error = read_regular(&folder.path().join(name)).unwrap_err();
            assert!(error.to_string().contains(what), "{error}");
        }
        assert_eq!(read_regular(&folder.path().join("none")).unwrap(), None);
    }
}
