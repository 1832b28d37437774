//! An index in the memory of this process.

use std::collections::BTreeMap;
use std::io;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::contract::{Place, Written};
use crate::error::{IndexError, Result};
use crate::segment::{Parts, Segment};

/// An index that ends with the process.
#[derive(Debug, Default)]
pub(crate) struct Memory {
    content: Mutex<Content>,
    locked: Arc<AtomicBool>,
}

#[derive(Debug, Default)]
struct Content {
    manifest: Option<Vec<u8>>,
    segments: BTreeMap<u64, Arc<Segment>>,
}

impl Memory {
    /// Each change below is one assignment, so that a panic elsewhere cannot have left half of one behind.
    fn content(&self) -> MutexGuard<'_, Content> {
        self.content.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Place for Memory {
    fn manifest_head(&self, count: usize) -> Result<Option<Vec<u8>>> {
        Ok(self.content().manifest.as_ref().map(|bytes| bytes[..count.min(bytes.len())].to_vec()))
    }

    fn manifest(&self) -> Result<Option<Vec<u8>>> {
        Ok(self.content().manifest.clone())
    }

    fn replace_manifest(&self, bytes: &[u8]) -> Result<()> {
        self.content().manifest = Some(bytes.to_vec());
        Ok(())
    }

    fn remove_manifest(&self) -> Result<()> {
        self.content().manifest = None;
        Ok(())
    }

    fn segment(&self, file: u64) -> Result<Arc<Segment>> {
        self.content().segments.get(&file).cloned().ok_or_else(|| IndexError::Io {
            attempted: "find",
            path: PathBuf::from(format!("memory/{file:x}")),
            source: io::ErrorKind::NotFound.into(),
        })
    }

    fn write_segment(&self, file: u64, parts: &Parts) -> Result<Written> {
        let segment = Segment::in_memory(parts)?;
        let written = Written { checksum: segment.checksum(), length_bytes: segment.size_bytes() as u64 };
        self.content().segments.insert(file, Arc::new(segment));
        Ok(written)
    }

    fn remove_segment(&self, file: u64) -> Result<()> {
        self.content().segments.remove(&file);
        Ok(())
    }

    fn segments(&self) -> Result<Vec<u64>> {
        Ok(self.content().segments.keys().copied().collect())
    }

    fn lock(&self) -> Result<Option<Box<dyn Send + Sync>>> {
        if self.locked.swap(true, Ordering::AcqRel) {
            return Ok(None);
        }
        Ok(Some(Box::new(Lock(Arc::clone(&self.locked)))))
    }

    fn size_bytes(&self) -> Result<u64> {
        let content = self.content();
        let segments: usize = content.segments.values().map(|segment| segment.size_bytes()).sum();
        Ok((segments + content.manifest.as_ref().map_or(0, Vec::len)) as u64)
    }
}

struct Lock(Arc<AtomicBool>);

impl Drop for Lock {
    fn drop(&mut self) {
        self.0.store(false, Ordering::Release);
    }
}
