//! Mapping a segment file into memory: the one place outside `vector/` that needs `unsafe`.

#![expect(unsafe_code, reason = "a memory map can only be made by an unsafe call; why it is sound is said below")]

use std::fs::File;
use std::io;

use memmap2::Mmap;

/// A file mapped for reading, and kept open to see whether it is still whole.
#[derive(Debug)]
pub(crate) struct Mapping {
    bytes: Mmap,
    file: File,
}

impl Mapping {
    /// Maps the whole file.
    pub(crate) fn of(file: File) -> io::Result<Mapping> {
        // SAFETY: A mapping is sound as long as nobody changes the bytes or shortens the file under it. Segment files
        // are written once, before any manifest names them, and are never opened for writing again; they leave by
        // being unlinked, which keeps the mapped pages alive. They lie in a folder only their owner can write to. The
        // bytes are treated as untrusted: every page is checked against its checksum, every offset against the length.
        // Should somebody shorten a file all the same, `is_whole` tells before each search; only a search that is under
        // way at that very moment is ended by the system, with the process.
        let bytes = unsafe { Mmap::map(&file) }?;
        Ok(Mapping { bytes, file })
    }

    /// Whether the file still has all the bytes that are mapped. Reading past its end would end the process.
    pub(crate) fn is_whole(&self) -> bool {
        self.file.metadata().is_ok_and(|facts| facts.len() >= self.bytes.len() as u64)
    }
}

impl AsRef<[u8]> for Mapping {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}
