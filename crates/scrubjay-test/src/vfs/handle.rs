//! The safe face of the VFS: registering one, asking for images, arming faults.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::error::VfsError;
use super::fault::{CallKind, FaultBoard, FaultPlan};
use super::image::{self, CutImage, CutPolicy};
use super::record::{LogPosition, Operation};
use super::shim::{Registration, Shared};

/// The way in: a VFS that records what SQLite does to the disk and makes chosen calls fail.
#[derive(Debug)]
pub struct RecordingVfs;

impl RecordingVfs {
    /// Registers a VFS under exactly this name, for `Connection::open_with_flags_and_vfs`. The name is free again
    /// once the handle is dropped.
    pub fn register(name: &str) -> Result<Handle, VfsError> {
        let shared = Arc::new(Shared::default());
        let registration = Registration::new(name, Arc::clone(&shared))?;
        Ok(Handle { name: name.to_owned(), shared, _registration: registration })
    }

    /// Registers a VFS under `prefix` and a number no other call in this process gets, for tests that run side by side.
    pub fn register_numbered(prefix: &str) -> Result<Handle, VfsError> {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        Self::register(&format!("{prefix}-{}", NEXT.fetch_add(1, Ordering::Relaxed)))
    }
}

/// One registered VFS. It may be shared between threads, and any number of connections may use its name.
///
/// While it lives, its files must be changed through connections of this VFS only, in this process only. A change
/// behind its back is noticed at the next open (by inode and size) and makes every image an error.
/// Connections that outlive the handle keep working, unrecorded.
pub struct Handle {
    name: String,
    shared: Arc<Shared>,
    _registration: Registration,
}

impl Handle {
    /// The name to open connections with.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// How much has been recorded. A test that reads this after an acknowledgement knows that a cut here or later
    /// must keep what was acknowledged.
    pub fn log_position(&self) -> LogPosition {
        self.shared.log().position()
    }

    /// A copy of the log; the written bytes are shared, not copied.
    pub fn operations(&self) -> Vec<Operation> {
        self.shared.log().operations().to_vec()
    }

    /// Writes into `directory` the disk as it may look after a power cut at `position`: the files by their names,
    /// without `-shm`. The same arguments always give the same image. The directory is created if it is missing and
    /// must be empty: a `-wal` left from another image would be replayed into this one.
    pub fn image_at(
        &self,
        position: LogPosition,
        seed: u64,
        policy: CutPolicy,
        directory: &Path,
    ) -> Result<CutImage, VfsError> {
        let built = {
            let log = self.shared.log();
            if let Some(reason) = log.flaw() {
                let reason = reason.to_owned();
                return Err(VfsError::LogIncomplete { reason });
            }
            let length = log.position().operations();
            if position.operations() > length {
                return Err(VfsError::PositionBeyondLog { position: position.operations(), length });
            }
            image::build(&log, position.operations(), seed, policy)
        };
        create_empty(directory)?;
        let mut names = BTreeSet::new();
        let mut files = Vec::new();
        for (path, contents) in &built.files {
            let name = path.file_name().unwrap_or(path.as_os_str());
            if !names.insert(name) {
                return Err(VfsError::FileNameClash { name: name.into() });
            }
            let target = directory.join(name);
            match std::fs::write(&target, contents) {
                Ok(()) => files.push(target),
                Err(source) => {
                    return Err(VfsError::WriteImage { path: target, source });
                }
            }
        }
        Ok(CutImage { files, kept: built.kept, lost: built.lost, torn: built.torn })
    }

    /// Arms a plan; it counts calls from now on. Several plans may be armed at once.
    pub fn fail(&self, plan: FaultPlan) -> Result<(), VfsError> {
        self.shared.faults().arm(plan)
    }

    /// Disarms every plan; the disk works again. The counters stay.
    pub fn clear_faults(&self) {
        self.shared.faults().clear();
    }

    /// All calls of this kind so far, failed ones included, on files whose path ends with `suffix`; `""` means any.
    pub fn calls(&self, call: CallKind, suffix: &str) -> u64 {
        self.shared.faults().calls(call, suffix)
    }

    /// How many calls armed plans have matched so far: after a run with [`FaultPlan::never`], the range of N.
    pub fn matched_calls(&self) -> u64 {
        self.shared.faults().matched()
    }

    /// How many calls were made to fail so far. A test compares it before and after to see whether a plan fired.
    pub fn injected_faults(&self) -> u64 {
        self.shared.faults().injected()
    }

    /// How many files connections hold open through this VFS now.
    pub fn open_files(&self) -> usize {
        *self.shared.open_files()
    }
}

impl Drop for Handle {
    fn drop(&mut self) {
        self.shared.log().retire();
        *self.shared.faults() = FaultBoard::default();
    }
}

fn create_empty(directory: &Path) -> Result<(), VfsError> {
    let occupied = std::fs::create_dir_all(directory)
        .and_then(|()| std::fs::read_dir(directory))
        .map(|mut entries| entries.next().is_some())
        .map_err(|source| VfsError::WriteImage { path: directory.to_owned(), source })?;
    if occupied {
        return Err(VfsError::DirectoryNotEmpty { path: directory.to_owned() });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dropped_handle_frees_its_log_while_a_connection_goes_on() -> Result<(), Box<dyn std::error::Error>> {
        let directory = tempfile::tempdir()?;
        let handle = RecordingVfs::register_numbered("dropped")?;
        let connection = rusqlite::Connection::open_with_flags_and_vfs(
            directory.path().join("store.sqlite"),
            rusqlite::OpenFlags::default(),
            handle.name(),
        )?;
        connection.execute_batch("PRAGMA journal_mode = wal; CREATE TABLE entry (number);")?;
        let shared = Arc::clone(&handle.shared);
        assert!(shared.log().position() > LogPosition::START);
        drop(handle);
        connection.execute_batch("INSERT INTO entry VALUES (1);")?;
        drop(connection);
        assert_eq!(shared.log().position(), LogPosition::START);
        assert!(shared.log().files().is_empty());
        assert_eq!(*shared.open_files(), 0);
        Ok(())
    }
}
