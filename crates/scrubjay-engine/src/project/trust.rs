//! What people said about the names that repositories give themselves.
//!
//! A small file in the home folder, read only when a `.scrubjay.toml` names a project that its own remote does not lead
//! to. It stands beside the store, because which project a folder belongs to is asked before any store is opened.

use std::path::Path;

use serde::{Deserialize, Serialize};

use super::detect::Claim;
use crate::list_file::ListFile;
use crate::{Ctx, Result};

/// The names that people trust, in one home.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TrustedNames {
    file: ListFile<Vec<Trusted>>,
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
        Self { file: ListFile::at(home.join("trusted-projects.json")) }
    }

    /// Whether a person has said that this claimant may use this name. A file that cannot be read backs nothing, and a
    /// warning says so.
    #[must_use]
    pub(super) fn has(&self, claimant: &str, project: &str, warnings: &mut Vec<String>) -> bool {
        match self.file.read() {
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

    fn change(&self, ctx: &Ctx, change: impl FnOnce(&mut Vec<Trusted>) -> bool) -> Result<bool> {
        let changed = self.file.change("projects.trust", ctx.uuid()?, |all| change(all).then_some(()))?;
        Ok(changed.is_some())
    }
}
