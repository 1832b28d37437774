//! Where an index is kept: a folder, or the memory of this process.
//!
//! A place keeps one manifest and any number of segments under numbers, and lets one writer in at a time. It knows
//! nothing about what a manifest says or which segments it names; that is `manifest.rs` and `writer/`. It never changes
//! a segment that was written.
//!
//! Start reading in `contract.rs`.

mod contract;
mod folder;
mod memory;

pub(crate) use contract::Place;
pub(crate) use folder::Folder;
pub(crate) use memory::Memory;
