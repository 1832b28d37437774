//! Documents of a segment that are no longer there, and how they are taken out of its statistics.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use crate::bitmap::Bitmap;
use crate::error::Result;
use crate::segment::Segment;

/// How many terms are remembered with how many deleted documents contain them.
const REMEMBERED_TERMS: usize = 65_536;

/// The deleted documents of one segment.
#[derive(Debug, Default)]
pub(crate) struct Tombstones {
    documents: Bitmap,
    /// The sum of their lengths.
    length: u64,
    frequencies: Mutex<HashMap<u64, u32>>,
}

impl Tombstones {
    pub(crate) fn new(documents: Bitmap, length: u64) -> Tombstones {
        Tombstones { documents, length, frequencies: Mutex::default() }
    }

    /// The tombstones of these documents of a segment.
    pub(crate) fn of(segment: &Segment, documents: Bitmap) -> Result<Tombstones> {
        let mut length = 0;
        for ordinal in documents.iter() {
            length += u64::from(segment.length(ordinal)?);
        }
        Ok(Tombstones::new(documents, length))
    }

    #[inline]
    pub(crate) fn contains(&self, ordinal: u32) -> bool {
        self.documents.contains(ordinal)
    }

    pub(crate) fn documents(&self) -> &Bitmap {
        &self.documents
    }

    pub(crate) fn length(&self) -> u64 {
        self.length
    }

    /// How many of the deleted documents contain the term. Looked up once and remembered: the lists of a segment
    /// never change, and neither do these documents.
    pub(crate) fn documents_with(&self, segment: &Segment, hash: u64) -> Result<u32> {
        if self.documents.is_empty() {
            return Ok(0);
        }
        // A thread that panicked cannot have left half a number behind.
        let remembered =
            |known: &Mutex<HashMap<u64, u32>>| known.lock().unwrap_or_else(PoisonError::into_inner).get(&hash).copied();
        if let Some(count) = remembered(&self.frequencies) {
            return Ok(count);
        }
        let count = segment.documents_with(hash, &self.documents)?;
        let mut known = self.frequencies.lock().unwrap_or_else(PoisonError::into_inner);
        if known.len() >= REMEMBERED_TERMS {
            known.clear();
        }
        known.insert(hash, count);
        Ok(count)
    }
}
