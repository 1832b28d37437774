//! Messages that could not be kept at once: one private file each, taken in
//! later, once.
//!
//! A file is on disk before its hook returns, and goes only after its messages
//! are in the store. Taking one in twice, as when two processes do it or one is
//! killed in between, keeps nothing twice: its messages carry their time, so the
//! store recognises them. What cannot be read is set aside, not thrown away.

use std::fs::{self, File, OpenOptions};
use std::io::{ErrorKind, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use rustix::fs::{FlockOperation, flock};
use scrubjay_core::scope::View;
use serde::{Deserialize, Serialize};

use crate::config::validate_agent_name;
use crate::home::Home;
use crate::ops::{self, Capture, CaptureInput, Message};
use crate::{Ctx, EngineError, Result};

/// How many files are taken in at once.
const AT_ONCE: usize = 200;

/// What a hook leaves behind.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Spooled {
    /// The project it stood in.
    pub project: Option<String>,
    /// What was said, cleaned.
    pub messages: Vec<Message>,
    /// The session that ended, if one did.
    pub ended: Option<String>,
}

/// What was taken in.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Taken {
    /// Messages that are in the store now.
    pub messages: usize,
    /// Files that could not be read and were set aside.
    pub set_aside: usize,
}

/// Leaves something behind for an agent. It is on disk when this returns.
///
/// # Errors
/// When it cannot be written.
pub fn put(ctx: &Ctx, spooled: &Spooled) -> Result<PathBuf> {
    let folder = folder(&ctx.home().path, &ctx.home().agent);
    Home::private_folder(&folder)?;
    let name = format!("{:013}-{}", ctx.now().millis(), ctx.uuid()?.simple());
    let (new, path) = (folder.join(format!("{name}.new")), folder.join(format!("{name}.json")));
    let failed = |error| EngineError::io("write to the spool", &path, error);
    let text = serde_json::to_vec(spooled).map_err(|source| EngineError::Encode { operation: "hook", source })?;
    let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&new).map_err(failed)?;
    file.write_all(&text).and_then(|()| file.sync_all()).map_err(failed)?;
    give_name(&new, &path).map_err(failed)?;
    File::open(&folder).and_then(|folder| folder.sync_all()).map_err(failed)?;
    Ok(path)
}

/// The agents for whom something was left behind.
#[must_use]
pub fn agents(home: &Path) -> Vec<String> {
    let entries = fs::read_dir(home.join("spool")).into_iter().flatten().flatten();
    let names = entries.filter_map(|entry| entry.file_name().into_string().ok());
    names.filter(|name| validate_agent_name(name).is_ok() && !waiting(&folder(home, name)).is_empty()).collect()
}

/// Whether anything waits for this agent.
#[must_use]
pub fn is_empty(ctx: &Ctx) -> bool {
    waiting(&folder(&ctx.home().path, &ctx.home().agent)).is_empty()
}

/// Takes in what was left behind for the context's agent. When another process
/// is at it already, does nothing.
///
/// # Errors
/// When the store fails; what was not taken in stays.
pub async fn drain(ctx: &Ctx) -> Result<Taken> {
    let folder = folder(&ctx.home().path, &ctx.home().agent);
    let mut taken = Taken::default();
    let files = waiting(&folder);
    if files.is_empty() {
        return Ok(taken);
    }
    let lock = folder.join("lock");
    let failed = |error| EngineError::io("lock the spool", &lock, error);
    let held = OpenOptions::new().create(true).truncate(false).write(true).mode(0o600).open(&lock).map_err(failed)?;
    if flock(&held, FlockOperation::NonBlockingLockExclusive).is_err() {
        return Ok(taken);
    }
    let anywhere = ctx.at(View::global())?.acting_as("hook");
    for path in files.into_iter().take(AT_ONCE) {
        let Some(spooled) = read(&path)? else {
            set_aside(&path)?;
            taken.set_aside += 1;
            continue;
        };
        taken.messages += take(&anywhere, spooled).await?;
        match fs::remove_file(&path) {
            Err(error) if error.kind() != ErrorKind::NotFound => {
                return Err(EngineError::io("remove from the spool", &path, error));
            }
            _ => {}
        }
    }
    Ok(taken)
}

async fn take(ctx: &Ctx, spooled: Spooled) -> Result<usize> {
    let count = spooled.messages.len();
    let with_project = |message: Message| Message { project: message.project.or(spooled.project.clone()), ..message };
    let messages: Vec<Message> = spooled.messages.into_iter().map(with_project).collect();
    if !messages.is_empty() {
        ops::run::<Capture>(ctx, CaptureInput { messages }).await?;
    }
    if let Some(session) = spooled.ended {
        let view = match &spooled.project {
            Some(project) => View::project(project.parse().map_err(EngineError::invalid)?),
            None => View::global(),
        };
        let input = serde_json::from_value(serde_json::json!({"session_id": session})).map_err(EngineError::invalid)?;
        match ops::run::<ops::SessionEnd>(&ctx.at(view)?, input).await {
            Ok(_) | Err(EngineError::NotFound { .. }) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(count)
}

fn folder(home: &Path, agent: &str) -> PathBuf {
    home.join("spool").join(agent)
}

// What waits, oldest first.
fn waiting(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let is_whole = |path: &PathBuf| path.extension().is_some_and(|extension| extension == "json");
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.path()).filter(is_whole).collect();
    files.sort();
    files
}

// None if it is not what we wrote.
fn read(path: &Path) -> Result<Option<Spooled>> {
    match fs::read(path) {
        Ok(bytes) => Ok(serde_json::from_slice(&bytes).ok()),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(Some(Spooled::default())),
        Err(error) => Err(EngineError::io("read from the spool", path, error)),
    }
}

fn set_aside(path: &Path) -> Result<()> {
    give_name(path, &path.with_extension("bad")).map_err(|error| EngineError::io("set aside", path, error))
}

#[expect(clippy::disallowed_methods, reason = "a spooled file gets its name when it is whole, and keeps its bytes")]
fn give_name(from: &Path, to: &Path) -> std::io::Result<()> {
    fs::rename(from, to)
}
