//! What a place promises.

use std::sync::Arc;

use crate::error::Result;
use crate::segment::{Parts, Segment};

/// What identifies a segment that was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Written {
    pub(crate) checksum: u64,
    pub(crate) length_bytes: u64,
}

/// Where an index is kept. Reading needs no lock: a manifest is there as a whole or not at all, and a segment stays
/// readable for those who have opened it, even after it was removed.
pub(crate) trait Place: Send + Sync + std::fmt::Debug {
    /// The first `count` bytes of the manifest, or all if there are fewer; none if there is no manifest.
    fn manifest_head(&self, count: usize) -> Result<Option<Vec<u8>>>;

    /// The manifest; none if there is none.
    fn manifest(&self) -> Result<Option<Vec<u8>>>;

    /// Replaces the manifest. Atomic, and durable when it returns, as is every segment written before.
    fn replace_manifest(&self, bytes: &[u8]) -> Result<()>;

    /// Removes the manifest if there is one. Durable when it returns.
    fn remove_manifest(&self) -> Result<()>;

    /// Opens a segment. One that is missing is damage: the manifest names it.
    fn segment(&self, file: u64) -> Result<Arc<Segment>>;

    /// Writes a segment under a number that was not used before. What was written is durable when it returns.
    fn write_segment(&self, file: u64, parts: &Parts) -> Result<Written>;

    /// Removes a segment; one that is not there is no failure.
    fn remove_segment(&self, file: u64) -> Result<()>;

    /// The numbers of all segments, whether a manifest names them or not.
    fn segments(&self) -> Result<Vec<u64>>;

    /// Becomes the writer until the lock is dropped; none if somebody else is.
    fn lock(&self) -> Result<Option<Box<dyn Send + Sync>>>;

    /// The bytes it takes, as far as they are its own.
    fn size_bytes(&self) -> Result<u64>;
}
