//! Tests of the configuration as a whole, on real files in a temporary folder.

mod edit;
mod files;
mod layers;

use std::fs;
use std::path::{Path, PathBuf};

use super::{ConfigError, Layers, Loaded, load};

/// A home folder with files in it, and the layers that read them.
struct Home {
    folder: tempfile::TempDir,
}

impl Home {
    fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap() }
    }

    fn with_user_file(text: impl AsRef<[u8]>) -> Self {
        let home = Self::new();
        fs::write(home.user_file(), text).unwrap();
        home
    }

    fn path(&self) -> &Path {
        self.folder.path()
    }

    fn user_file(&self) -> PathBuf {
        self.path().join("config.toml")
    }

    fn project_file(&self) -> PathBuf {
        self.path().join(".scrubjay.toml")
    }

    fn layers(&self) -> Layers {
        let project_file = self.project_file();
        Layers {
            home: self.path().to_owned(),
            agent: "default".to_owned(),
            project_file: fs::symlink_metadata(&project_file).is_ok().then_some(project_file),
            ..Layers::default()
        }
    }

    fn load(&self) -> Result<Loaded, ConfigError> {
        load(&self.layers())
    }

    /// A message with the folder's changing name taken out.
    fn plain(&self, message: impl std::fmt::Display) -> String {
        let folder = format!("{}/", self.path().display());
        message.to_string().replace(&folder, "")
    }
}

fn pairs(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
    let owned = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
    pairs.iter().map(owned).collect()
}
