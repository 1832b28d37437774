//! What people said about the names that repositories give themselves.
//!
//! A small file in the home folder, read only when a `.scrubjay.toml` names a project that its own remote does not lead
//! to. It stands beside the store, because which project a folder belongs to is asked before any store is opened.

use std::fs::{self, OpenOptions};
use std::io::{ErrorKind, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use rustix::fs::{FlockOperation, flock};
use serde::{Deserialize, Serialize};

use super::detect::Claim;
use crate::config::shown;
use crate::home::Home;
use crate::{Ctx, EngineError, Result};

/// The names that people trust, in one home.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TrustedNames {
    path: PathBuf,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Trusted {
    project: String,
    claimant: String,
    trusted_at: String,
}

impl TrustedNames {
    /// Those of this home. Nothing is read yet.
    #[must_use]
    pub fn of(home: &Path) -> Self {
        Self { path: home.join("trusted-projects.json") }
    }

    /// Whether a person has said that this claimant may use this name. A file that cannot be read backs nothing, and a
    /// warning says so.
    #[must_use]
    pub(super) fn has(&self, claimant: &str, project: &str, warnings: &mut Vec<String>) -> bool {
        match self.read() {
            Ok(all) => all.iter().any(|one| one.claimant == claimant && one.project == project),
            Err(error) => {
                warnings.push(error.to_string());
                false
            }
        }
    }

    /// Notes that a person trusts a claim. False if they did already.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn trust(&self, ctx: &Ctx, claim: &Claim) -> Result<bool> {
        let new = Trusted {
            project: claim.project.clone(),
            claimant: claim.claimant.clone(),
            trusted_at: ctx.now().to_string(),
        };
        self.change(ctx, |all| {
            let is_new = !all.iter().any(|one| one.claimant == new.claimant && one.project == new.project);
            if is_new {
                all.push(new);
            }
            is_new
        })
    }

    /// Takes back what was said about a name that a claimant gives. False if nothing was said.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn distrust(&self, ctx: &Ctx, claim: &Claim) -> Result<bool> {
        self.change(ctx, |all| {
            let before = all.len();
            all.retain(|one| one.claimant != claim.claimant || one.project != claim.project);
            all.len() < before
        })
    }

    fn read(&self) -> Result<Vec<Trusted>> {
        let text = match fs::read_to_string(&self.path) {
            Ok(text) => text,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(EngineError::io("read", &self.path, error)),
        };
        serde_json::from_str(&text).map_err(|error| {
            EngineError::invalid(format!("{} is damaged ({error}); remove it and trust again", shown(&self.path)))
        })
    }

    // One process at a time changes the file, and nobody ever sees half of it.
    fn change(&self, ctx: &Ctx, change: impl FnOnce(&mut Vec<Trusted>) -> bool) -> Result<bool> {
        let failed = |error| EngineError::io("write", &self.path, error);
        if let Some(folder) = self.path.parent() {
            Home::private_folder(folder)?;
        }
        let lock = self.path.with_extension("lock");
        let lock = OpenOptions::new().create(true).truncate(false).write(true).mode(0o600).open(&lock);
        let lock = lock.map_err(failed)?;
        flock(&lock, FlockOperation::LockExclusive).map_err(|error| failed(error.into()))?;
        let mut all = self.read()?;
        if !change(&mut all) {
            return Ok(false);
        }
        let text = serde_json::to_string_pretty(&all)
            .map_err(|source| EngineError::Encode { operation: "projects.trust", source })?;
        let new = self.path.with_extension(format!("{}.new", ctx.uuid()?.simple()));
        let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&new).map_err(failed)?;
        file.write_all(text.as_bytes()).and_then(|()| file.sync_all()).map_err(failed)?;
        put_in_place(&new, &self.path).map_err(failed)?;
        Ok(true)
    }
}

#[expect(clippy::disallowed_methods, reason = "the list is replaced whole, so that nobody reads half of it")]
fn put_in_place(new: &Path, path: &Path) -> std::io::Result<()> {
    fs::rename(new, path)
}
