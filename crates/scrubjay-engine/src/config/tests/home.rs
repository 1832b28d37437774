//! A home folder for the tests of settings.

use std::fs;
use std::path::{Path, PathBuf};

use crate::config::{ConfigError, Layers, Loaded, load};

/// A home folder with files in it, and the layers that read them.
pub(super) struct Home {
    folder: tempfile::TempDir,
}

impl Home {
    pub(super) fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap() }
    }

    pub(super) fn with_user_file(text: impl AsRef<[u8]>) -> Self {
        let home = Self::new();
        fs::write(home.user_file(), text).unwrap();
        home
    }

    pub(super) fn path(&self) -> &Path {
        self.folder.path()
    }

    pub(super) fn user_file(&self) -> PathBuf {
        self.path().join("config.toml")
    }

    pub(super) fn project_file(&self) -> PathBuf {
        self.path().join(".scrubjay.toml")
    }

    pub(super) fn layers(&self) -> Layers {
        let project_file = self.project_file();
        Layers {
            home: self.path().to_owned(),
            agent: "default".to_owned(),
            project_file: fs::symlink_metadata(&project_file).is_ok().then_some(project_file),
            ..Layers::default()
        }
    }

    pub(super) fn load(&self) -> Result<Loaded, ConfigError> {
        load(&self.layers())
    }

    /// A message with the folder's changing name taken out.
    pub(super) fn plain(&self, message: impl std::fmt::Display) -> String {
        let folder = format!("{}/", self.path().display());
        message.to_string().replace(&folder, "")
    }
}

/// Owned pairs.
pub(super) fn pairs(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
    let owned = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
    pairs.iter().map(owned).collect()
}
