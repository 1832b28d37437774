//! Which project a folder belongs to, found without running git and without a network.
//!
//! The id is a slug `name-xxxxxxxx`. It comes from the git remote, so that clones and worktrees of one repository
//! agree; without a remote from the folder. A `.scrubjay.toml` may name it outright where that remote leads to the same
//! name or a person has said that it may.
//!
//! A project keeps every key that it was ever known by (`registry`), so that it stays the same project when its remote is
//! added or changed, or its folder moves.
//!
//! - `detect` walks up from a folder and names what it finds. Start there.
//! - `locate` says which known project that is; `identity` tells folders and repositories from one another, and
//!   `history` tells what they began with.
//! - `trust` keeps what people said about the names that repositories give.
//! - `git` finds a repository's common folder; `git_config` reads its configuration.
//! - `remote` brings all spellings of a remote's address to one form; `slug` makes and checks ids.
//!
//! Looking never writes, never runs a program (learning a clone's first commit does, once, when nobody waits), never follows `include` or `insteadOf` of a git configuration, and
//! never lets a user name or password of a remote into an id, a message or a log.

mod detect;
mod git;
mod git_config;
mod history;
mod identity;
mod locate;
mod of_ctx;
mod registry;
mod remote;
mod slug;
mod trust;

pub use crate::project_error::ProjectError;
pub use detect::{Claim, Detected, How, LostProject, ProjectKeys, claim_of, detect, id_of_path};
pub use locate::locate;
pub use registry::{KnownFolder, KnownProject, KnownProjects};
pub use remote::normalise_remote;
pub use slug::validate_slug;
pub use trust::TrustedNames;
