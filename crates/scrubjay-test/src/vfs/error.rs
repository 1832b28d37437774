//! What can go wrong in the recording VFS itself, as opposed to the faults it injects on purpose.

use std::path::PathBuf;

use super::fault::{CallKind, Fault};

/// A failure of the test instrument. A test that meets one has learned nothing about its subject and must fail.
#[derive(Debug, thiserror::Error)]
pub enum VfsError {
    /// SQLite names are C strings.
    #[error("the VFS name {name:?} holds a NUL byte")]
    NameHoldsNul {
        /// What was asked for.
        name: String,
    },
    /// SQLite would silently prefer one of two VFSes with the same name.
    #[error("a VFS named {name:?} is registered already")]
    NameTaken {
        /// What was asked for.
        name: String,
    },
    /// The shim is a layer over SQLite's own `unix` VFS.
    #[error("SQLite offers no VFS named \"unix\" to record over")]
    NoUnixVfs,
    /// SQLite refused the registration.
    #[error("registering the VFS {name:?} gave SQLite result code {code}")]
    Register {
        /// What was asked for.
        name: String,
        /// SQLite's answer.
        code: i32,
    },
    /// The position was taken from another handle or invented.
    #[error("log position {position} lies beyond the {length} recorded operations")]
    PositionBeyondLog {
        /// What was asked for.
        position: usize,
        /// How many operations the log holds.
        length: usize,
    },
    /// Images are flat, so two recorded files of the same name would overwrite one another.
    #[error("two recorded files are called {name:?}, so one image directory cannot hold both")]
    FileNameClash {
        /// The name both have.
        name: PathBuf,
    },
    /// SQLite would take files of another image for parts of this one.
    #[error("the image directory {path:?} is not empty")]
    DirectoryNotEmpty {
        /// The directory meant for the image.
        path: PathBuf,
    },
    /// Something changed a file without passing through the VFS, so no image can be trusted.
    #[error("the log does not describe the disk: {reason}")]
    LogIncomplete {
        /// What happened outside the log, and to which file.
        reason: String,
    },
    /// The call can never fail in this way on a real disk.
    #[error("{fault:?} is not a failure that a {call:?} call can have")]
    UnsupportedFault {
        /// The call the plan names.
        call: CallKind,
        /// The failure the plan names.
        fault: Fault,
    },
    /// The image directory or one of its files could not be written or removed.
    #[error("preparing the disk image {path:?}")]
    WriteImage {
        /// The directory or file.
        path: PathBuf,
        /// What the file system said.
        #[source]
        source: std::io::Error,
    },
}
