//! Changing the index: one writer at a time, one manifest per change.
//!
//! A change writes new segments, then a manifest that names them, and only then removes files that no manifest names
//! any more. A reader, or a process that starts after a crash, sees the state before or after, nothing between. A
//! segment is never changed: what was deleted is noted in the manifest and leaves when its segment is merged
//! (`plan.rs`) or purged.
//!
//! A writer never reads the store, never waits for another writer, and never decides when to index what.
//!
//! Start reading in `change.rs`; `rebuild.rs` makes everything anew.

mod change;
mod plan;
mod rebuild;
mod segments;

pub use change::{Batch, Writer};
pub use rebuild::Rebuild;
