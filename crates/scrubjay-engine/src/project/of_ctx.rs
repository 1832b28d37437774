//! What a context knows about projects.

use super::{KnownProjects, TrustedNames};
use crate::Ctx;

impl Ctx {
    /// Which names of projects people let repositories give themselves.
    #[must_use]
    pub fn trusted_names(&self) -> TrustedNames {
        TrustedNames::of(&self.home().path)
    }

    /// What is known about this agent's projects.
    #[must_use]
    pub fn known_projects(&self) -> KnownProjects {
        KnownProjects::of(&self.home().path, &self.home().agent)
    }
}
