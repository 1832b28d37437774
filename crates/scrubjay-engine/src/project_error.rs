//! Why a folder's project could not be told.

use std::io;
use std::path::PathBuf;

use crate::config::{printable, shown};

/// A failure to tell which project a folder belongs to.
#[derive(Debug, thiserror::Error)]
pub enum ProjectError {
    /// The folder to start from cannot be looked at.
    #[error(
        "cannot find the project of `{}`; start from a folder that exists, or name the project with --project ID",
        shown(start)
    )]
    Start {
        /// The folder as it was given.
        start: PathBuf,
        /// What the system said.
        source: io::Error,
    },

    /// A name is not a slug.
    #[error(
        "`{}` is not a project id; use 1 to 80 of a-z, 0-9, `.`, `_` and `-`, starting with a letter or digit, for example `{proposal}`",
        printable(slug)
    )]
    Slug {
        /// The name as it was given.
        slug: String,
        /// The nearest name that is allowed.
        proposal: String,
    },
}
