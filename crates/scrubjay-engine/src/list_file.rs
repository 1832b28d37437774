//! A small file of JSON in the home folder that several processes read and change.
//!
//! One process at a time changes it, and nobody ever sees half of it. What is kept like this is needed before any store is
//! opened: which project a folder belongs to, and whether anything may be kept there at all.

use std::fs::{self, OpenOptions};
use std::io::{ErrorKind, Write};
use std::marker::PhantomData;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use rustix::fs::{FlockOperation, flock};
use serde::Serialize;
use serde::de::DeserializeOwned;
use uuid::Uuid;

use crate::config::shown;
use crate::home::Home;
use crate::{EngineError, Result};

/// A file that holds one value.
#[derive(Debug)]
pub(crate) struct ListFile<T> {
    path: PathBuf,
    holds: PhantomData<fn() -> T>,
}

// Derived ones would ask the same of the value.
impl<T> Clone for ListFile<T> {
    fn clone(&self) -> Self {
        Self::at(self.path.clone())
    }
}

impl<T> PartialEq for ListFile<T> {
    fn eq(&self, other: &Self) -> bool {
        self.path == other.path
    }
}

impl<T> Eq for ListFile<T> {}

impl<T> ListFile<T> {
    /// The file at this path. Nothing is read yet.
    pub(crate) fn at(path: PathBuf) -> Self {
        Self { path, holds: PhantomData }
    }
}

impl<T: Serialize + DeserializeOwned + Default> ListFile<T> {
    /// What it holds; nothing if there is no such file.
    pub(crate) fn read(&self) -> Result<T> {
        let text = match fs::read_to_string(&self.path) {
            Ok(text) => text,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(T::default()),
            Err(error) => return Err(EngineError::io("read", &self.path, error)),
        };
        serde_json::from_str(&text).map_err(|error| {
            EngineError::invalid(format!("{} is damaged ({error}); mend it or remove it", shown(&self.path)))
        })
    }

    /// Changes it, if the change says that it changed anything. `unique` tells the new file from those of others.
    pub(crate) fn change<R>(
        &self,
        operation: &'static str,
        unique: Uuid,
        change: impl FnOnce(&mut T) -> Option<R>,
    ) -> Result<Option<R>> {
        let failed = |error| EngineError::io("write", &self.path, error);
        if let Some(folder) = self.path.parent() {
            Home::private_folder(folder)?;
        }
        let lock = self.path.with_extension("lock");
        let lock = OpenOptions::new().create(true).truncate(false).write(true).mode(0o600).open(&lock);
        let lock = lock.map_err(failed)?;
        flock(&lock, FlockOperation::LockExclusive).map_err(|error| failed(error.into()))?;
        let mut value = self.read()?;
        let Some(changed) = change(&mut value) else { return Ok(None) };
        let text = serde_json::to_string_pretty(&value).map_err(|source| EngineError::Encode { operation, source })?;
        let new = self.path.with_extension(format!("{}.new", unique.simple()));
        let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&new).map_err(failed)?;
        file.write_all(text.as_bytes()).and_then(|()| file.sync_all()).map_err(failed)?;
        put_in_place(&new, &self.path).map_err(failed)?;
        Ok(Some(changed))
    }
}

#[expect(clippy::disallowed_methods, reason = "the file is replaced whole, so that nobody reads half of it")]
fn put_in_place(new: &Path, path: &Path) -> std::io::Result<()> {
    fs::rename(new, path)
}
