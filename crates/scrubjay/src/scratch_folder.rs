//! A folder that goes away again.

use std::fs::{self, DirBuilder};
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Path, PathBuf};

use rustix::process::{Pid, getuid, test_kill_process};

use crate::failure::Failure;

/// The names of folders that go away begin with this; a process id follows.
const PASSING: &str = "scrubjay-demo-";
/// The names of folders that stay.
const STAYING: &str = "scrubjay-kept-demo-";

/// A new folder, private to the user, removed when this goes out of scope.
pub(crate) struct ScratchFolder {
    /// The folder.
    pub(crate) path: PathBuf,
    keep: bool,
}

impl ScratchFolder {
    /// Makes a folder; with `keep` it stays. What an interrupted demo left
    /// behind is removed on the occasion.
    pub(crate) fn new(inside: &Path, keep: bool) -> Result<Self, Failure> {
        remove_leftovers(inside);
        let prefix = if keep { STAYING } else { PASSING };
        let mut number = 0;
        loop {
            let path = inside.join(format!("{prefix}{}-{number}", std::process::id()));
            // It must be new: a folder that someone else put there is not ours.
            match DirBuilder::new().mode(0o700).create(&path) {
                Ok(()) => return Ok(Self { path, keep }),
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists && number < 100 => number += 1,
                Err(error) => return Err(Failure::io(&format!("create a folder in {}", inside.display()), error)),
            }
        }
    }
}

impl Drop for ScratchFolder {
    fn drop(&mut self) {
        if !self.keep {
            remove(&self.path);
        }
    }
}

// Only folders that belong to us, under our name, whose process is gone.
fn remove_leftovers(inside: &Path) {
    let Ok(entries) = fs::read_dir(inside) else { return };
    for entry in entries.filter_map(Result::ok) {
        let name = entry.file_name();
        let pid = name.to_str().and_then(|name| name.strip_prefix(PASSING)).and_then(|rest| rest.split('-').next());
        let Some(pid) = pid.and_then(|pid| Pid::from_raw(pid.parse().ok()?)) else { continue };
        let is_gone = test_kill_process(pid) == Err(rustix::io::Errno::SRCH);
        let is_ours = fs::symlink_metadata(entry.path())
            .is_ok_and(|metadata| metadata.is_dir() && metadata.uid() == getuid().as_raw());
        if is_gone && is_ours {
            remove(&entry.path());
        }
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "the folder was made by a demo, under a name that only demos use, and holds bundled data"
)]
fn remove(path: &Path) {
    // What cannot be removed is left to the system, which empties this place.
    let _ = fs::remove_dir_all(path);
}
