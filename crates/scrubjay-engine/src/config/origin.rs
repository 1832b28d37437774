//! Where a value came from.

use std::fmt;
use std::path::PathBuf;

use super::error::shown;

/// The layer that decided a setting.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Origin {
    /// Nobody set it.
    Default,
    /// A configuration file.
    File {
        /// The file.
        path: PathBuf,
        /// The line of the key, from 1.
        line: usize,
    },
    /// An environment variable.
    Environment {
        /// Its name.
        variable: String,
    },
    /// The command line.
    Flag,
}

impl fmt::Display for Origin {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Default => formatter.write_str("default"),
            Self::File { path, line } => write!(formatter, "{}:{line}", shown(path)),
            Self::Environment { variable } => write!(formatter, "environment {variable}"),
            Self::Flag => formatter.write_str("command line"),
        }
    }
}
