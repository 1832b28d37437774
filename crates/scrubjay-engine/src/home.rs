//! Where everything lives: one folder per user, private to the user.

use std::fs;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

use crate::config::Settings;
use crate::{EngineError, Result};

/// The folder and the agent whose store is meant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Home {
    /// The folder.
    pub path: PathBuf,
    /// The user's settings.
    pub config_file: PathBuf,
    /// The owner of the store.
    pub agent: String,
}

impl Home {
    /// The agent's store, as the settings place it.
    #[must_use]
    pub fn store(&self, settings: &Settings) -> PathBuf {
        settings.store.file(&self.path, &self.agent)
    }

    /// Where the agent's search index lies.
    #[must_use]
    pub fn index(&self) -> PathBuf {
        self.path.join("index").join(&self.agent)
    }

    /// Where backups go.
    #[must_use]
    pub fn backups(&self) -> PathBuf {
        self.path.join("backups")
    }

    /// Refuses a home that someone else could have written to, as `ssh` does with
    /// its own files: it must belong to the user or to root, and nobody else may
    /// write to it, its group included. A link to it must belong to one of the two
    /// as well. What does not exist yet is made private.
    ///
    /// # Errors
    /// When it is someone else's, or open to others.
    pub fn check_ownership(path: &Path) -> Result<()> {
        let user = rustix::process::geteuid().as_raw();
        let foreign = |what: &str, owner: u32| {
            EngineError::refused(format!(
                "{what} {} belongs to user {owner}, not to you (user {user}), so what is in it cannot be trusted; run \
                 scrubjay as that user, choose another folder with --home, or make it yours with \
                 `sudo chown -hR {user} {}`",
                path.display(),
                path.display()
            ))
        };
        let is_ours = |owner: u32| owner == user || owner == 0;
        // What cannot be looked at is explained by whoever opens it.
        let Ok(entry) = fs::symlink_metadata(path) else { return Ok(()) };
        if entry.is_symlink() && !is_ours(entry.uid()) {
            return Err(foreign("the link", entry.uid()));
        }
        let Ok(folder) = fs::metadata(path) else { return Ok(()) };
        if !is_ours(folder.uid()) {
            return Err(foreign("the home folder", folder.uid()));
        }
        if folder.is_dir() && folder.mode() & 0o022 != 0 {
            return Err(EngineError::refused(format!(
                "others can write to the home folder {} (mode {:03o}), so what is in it cannot be trusted; run \
                 `chmod go-w {}`, or choose another folder with --home",
                path.display(),
                folder.mode() & 0o777,
                path.display()
            )));
        }
        Ok(())
    }

    /// Makes a folder, private to the user.
    ///
    /// # Errors
    /// When it cannot be made.
    pub fn private_folder(path: &Path) -> Result<()> {
        fs::DirBuilder::new()
            .recursive(true)
            .mode(0o700)
            .create(path)
            .map_err(|error| EngineError::io("create the folder", path, error))
    }

    /// Files and folders that others could read, of those that hold anything
    /// private.
    #[must_use]
    pub fn exposed(&self, settings: &Settings) -> Vec<PathBuf> {
        let store = self.store(settings);
        let beside = |suffix: &str| PathBuf::from(format!("{}{suffix}", store.display()));
        let mut candidates = vec![
            self.path.clone(),
            self.backups(),
            self.path.join("token"),
            self.path.join("index"),
            self.path.join("spool"),
            self.path.join("logs"),
        ];
        candidates.extend([store.clone(), beside("-wal"), beside("-shm"), beside(".lineage"), beside(".damaged")]);
        if let Ok(entries) = fs::read_dir(self.backups()) {
            candidates.extend(entries.filter_map(|entry| Some(entry.ok()?.path())));
        }
        candidates.retain(|path| fs::metadata(path).is_ok_and(|metadata| metadata.permissions().mode() & 0o077 != 0));
        candidates
    }

    /// Takes others' rights to a file or folder away.
    ///
    /// # Errors
    /// When it belongs to someone else.
    pub fn make_private(path: &Path) -> Result<()> {
        let failed = |error| EngineError::io("protect", path, error);
        let metadata = fs::metadata(path).map_err(failed)?;
        let mode = if metadata.is_dir() { 0o700 } else { 0o600 };
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).map_err(failed)
    }
}
