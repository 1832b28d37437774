//! Mapping a segment file into memory: the one place outside `vector/` that needs `unsafe`.

#![expect(unsafe_code, reason = "a memory map can only be made by an unsafe call; why it is sound is said below")]

use std::fs::File;
use std::io;

use memmap2::Mmap;

/// A file mapped for reading.
#[derive(Debug)]
pub(crate) struct Mapping(Mmap);

impl Mapping {
    /// Maps the whole file.
    pub(crate) fn of(file: &File) -> io::Result<Mapping> {
        // SAFETY: A mapping is sound as long as nobody changes the bytes or shortens the file under it. Segment files
        // are written once, before any manifest names them, and are never opened for writing again; they leave by
        // being unlinked, which keeps the mapped pages alive. They lie in a folder only their owner can write to. The
        // bytes are treated as untrusted: every page is checked against its checksum, every offset against the length.
        unsafe { Mmap::map(file) }.map(Mapping)
    }
}

impl AsRef<[u8]> for Mapping {
    fn as_ref(&self) -> &[u8] {
        &self.0
    }
}
