//! What cannot be used: kept in a folder of its own, each with the reason, until a person decides.

use std::fs::{self, OpenOptions};
use std::io::{ErrorKind, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use scrubjay_core::redact::redact;
use scrubjay_core::time::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use uuid::Uuid;

use super::folder::{Content, Spool, file_name, give_name, without_waiting, write};
use crate::home::Home;
use crate::{EngineError, Result};

/// The folder below an agent's spool.
const FOLDER: &str = "set-aside";

/// The ending of the file that holds the reason.
const LABEL: &str = "reason";

/// Why something was set aside.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Label {
    /// What is wrong with it.
    pub reason: String,
    /// When it was set aside.
    pub at: String,
    /// The project it belongs to, as far as is known.
    #[serde(default)]
    pub project: Option<String>,
}

impl Label {
    /// A reason, and the project if it is known.
    #[must_use]
    pub fn new(reason: &str, at: Timestamp, project: Option<String>) -> Self {
        Self { reason: redact(reason).text, at: at.to_string(), project }
    }
}

/// Something that was set aside.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SetAside {
    /// The name of its file, by which it is called.
    pub id: String,
    /// Where it is.
    pub path: PathBuf,
    /// How large it is.
    pub size_bytes: u64,
    /// Why it was set aside; empty if that was lost.
    pub label: Label,
}

impl Spool {
    /// Sets a file aside, whatever it is. Its bytes stay as they are.
    ///
    /// # Errors
    /// When it cannot be moved; then it stays where it is.
    pub fn set_aside(&self, path: &Path, label: &Label) -> Result<()> {
        let folder = self.folder.join(FOLDER);
        let failed = |error| EngineError::io("set aside", path, error);
        Home::private_folder(&folder)?;
        let name = path.file_name().ok_or_else(|| failed(ErrorKind::InvalidInput.into()))?;
        let target = free(&folder.join(name)).ok_or_else(|| failed(ErrorKind::AlreadyExists.into()))?;
        // The reason comes first: what is there without one says nothing.
        stick(&target, label).map_err(failed)?;
        give_name(path, &target).map_err(failed)
    }

    /// Writes something straight to where things are set aside. It is on disk when this returns.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn put_aside(&self, at: Timestamp, id: Uuid, bytes: &[u8], label: &Label) -> Result<PathBuf> {
        let folder = self.folder.join(FOLDER);
        let name = file_name(at, id);
        Home::private_folder(&folder)?;
        let target = folder.join(format!("{name}.json"));
        stick(&target, label).map_err(|error| EngineError::io("set aside", &target, error))?;
        write(&folder, &name, bytes)
    }

    /// What was set aside, oldest first.
    #[must_use]
    pub fn aside(&self) -> Vec<SetAside> {
        let entries = fs::read_dir(self.folder.join(FOLDER)).into_iter().flatten().flatten();
        let mut found: Vec<SetAside> = entries.filter_map(|entry| set_aside(&entry.path())).collect();
        found.sort_by(|a, b| a.id.cmp(&b.id));
        found
    }

    /// How much was set aside.
    #[must_use]
    pub fn count_aside(&self) -> usize {
        let entries = fs::read_dir(self.folder.join(FOLDER)).into_iter().flatten().flatten();
        entries.filter(|entry| is_thing(&entry.path())).count()
    }

    /// Puts something back among what waits. With a project, it belongs there if it belonged nowhere that is known.
    ///
    /// # Errors
    /// When there is nothing of this name, it is no file, or it cannot be moved.
    pub fn retry(&self, id: &str, project: Option<&str>) -> Result<()> {
        let found = self.find(id)?;
        let failed = |error| EngineError::io("put back", &found.path, error);
        let bytes = match Self::read(&found.path)? {
            Content::Bytes(bytes) => bytes,
            Content::Gone => return Err(missing(id)),
            Content::Unusable(why) => {
                let place = found.path.display();
                return Err(EngineError::invalid(format!("`{id}` cannot be tried again: {why}; look at {place}")));
            }
        };
        let target = self.folder.join(id).with_extension("json");
        if fs::symlink_metadata(&target).is_ok() {
            return Err(failed(ErrorKind::AlreadyExists.into()));
        }
        match settled(&bytes, project) {
            Some(bytes) => {
                let name = target.file_stem().unwrap_or_default().to_string_lossy().into_owned();
                write(&self.folder, &name, &bytes)?;
                Self::remove(&found.path)?;
            }
            None => give_name(&found.path, &target).map_err(failed)?,
        }
        unstick(&found.path)
    }

    /// Deletes something for good.
    ///
    /// # Errors
    /// When there is nothing of this name, or it cannot be deleted.
    pub fn discard(&self, id: &str) -> Result<()> {
        let found = self.find(id)?;
        let failed = |error| EngineError::io("delete (a folder has to be empty)", &found.path, error);
        let is_folder = fs::symlink_metadata(&found.path).is_ok_and(|facts| facts.is_dir());
        if is_folder { fs::remove_dir(&found.path) } else { fs::remove_file(&found.path) }.map_err(failed)?;
        unstick(&found.path)
    }

    // By comparing, never by joining: a name comes from outside.
    fn find(&self, id: &str) -> Result<SetAside> {
        self.aside().into_iter().find(|found| found.id == id).ok_or_else(|| missing(id))
    }
}

// A name that nothing has here yet, so that nothing is replaced.
fn free(wanted: &Path) -> Option<PathBuf> {
    let stem = wanted.file_stem()?.to_string_lossy().into_owned();
    // An unfinished file is as whole as it will ever be.
    let extension = wanted.extension().filter(|found| *found != "new").unwrap_or("json".as_ref());
    let named = |stem: &str| wanted.with_file_name(format!("{stem}.{}", extension.to_string_lossy()));
    let numbered = (2..1000).map(|number| named(&format!("{stem}-{number}")));
    std::iter::once(named(&stem)).chain(numbered).find(|path| fs::symlink_metadata(path).is_err())
}

fn missing(id: &str) -> EngineError {
    EngineError::not_found(format!("nothing called `{id}` was set aside; `scrubjay spool` lists what was"))
}

// The bytes with a project, if they lack one that can be used.
fn settled(bytes: &[u8], project: Option<&str>) -> Option<Vec<u8>> {
    let mut value: Value = serde_json::from_slice(bytes).ok()?;
    let fields = value.as_object_mut()?;
    let named = fields.get("project").and_then(Value::as_str);
    let is_unusable = named.is_some_and(|name| name.parse::<scrubjay_core::scope::ProjectId>().is_err());
    let is_unknown = fields.remove("project_unknown").is_some_and(|unknown| unknown == true);
    if !is_unusable && !is_unknown {
        return None;
    }
    fields.insert("project".to_owned(), project.map_or(Value::Null, Value::from));
    serde_json::to_vec(&value).ok()
}

fn set_aside(path: &Path) -> Option<SetAside> {
    if !is_thing(path) {
        return None;
    }
    let label = match Spool::read(&label_of(path)) {
        Ok(Content::Bytes(bytes)) => serde_json::from_slice(&bytes).unwrap_or_default(),
        _ => Label::default(),
    };
    Some(SetAside {
        id: path.file_name()?.to_string_lossy().into_owned(),
        path: path.to_owned(),
        size_bytes: fs::symlink_metadata(path).map_or(0, |facts| facts.len()),
        label,
    })
}

fn is_thing(path: &Path) -> bool {
    path.extension().is_none_or(|extension| extension != LABEL && extension != "new")
}

fn label_of(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".");
    name.push(LABEL);
    PathBuf::from(name)
}

fn stick(path: &Path, label: &Label) -> std::io::Result<()> {
    let text = serde_json::to_vec(label).map_err(std::io::Error::other)?;
    let mut options = OpenOptions::new();
    options.create(true).truncate(true).write(true).mode(0o600).custom_flags(without_waiting());
    options.open(label_of(path))?.write_all(&text)
}

fn unstick(path: &Path) -> Result<()> {
    Spool::remove(&label_of(path))
}
