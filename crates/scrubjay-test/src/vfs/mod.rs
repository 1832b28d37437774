//! A SQLite VFS for tests: it records every change to the disk and makes chosen calls fail.
//!
//! With the record a test builds the disk as it may look after a power cut at any moment, including writes that are
//! missing, out of order or torn, and checks that what was acknowledged is there. With fault plans it checks that a
//! failing or full disk never gets a false acknowledgement.
//!
//! It never decides what is right: opening an image and judging it belongs to the test. It never sees writes by other
//! processes or other VFSes, it does not model a disk that lies about a completed sync, and it does not flush the
//! real disk, so files it wrote are not safe from a real power cut.
//!
//! Start with `handle.rs` (what a test calls) and `cut.rs` and `sweep.rs` (the two drivers). `record.rs` is the log,
//! `image.rs` turns it into a disk, `fault.rs` decides which call fails; `shim.rs` and `shim_file.rs` are the unsafe
//! layer between SQLite and these.

mod cut;
mod error;
mod fault;
mod handle;
mod image;
mod record;
mod rng;
mod shim;
mod shim_file;
mod sweep;
#[cfg(test)]
mod tests;

pub use cut::{Acknowledged, CutPoint, CutReport, Verdict, check_cuts};
pub use error::VfsError;
pub use fault::{CallKind, Fault, FaultPlan};
pub use handle::{Handle, RecordingVfs};
pub use image::{CutImage, CutPolicy};
pub use record::{Action, FileId, LogPosition, Operation};
pub use rng::Rng;
pub use sweep::{FaultSweep, SweepReport, sweep_faults};
