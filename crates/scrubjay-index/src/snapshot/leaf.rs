//! A segment with its deleted documents.

use std::sync::Arc;

use crate::bitmap::Bitmap;
use crate::error::Result;
use crate::segment::Segment;
use crate::tombstones::Tombstones;

/// A segment as a snapshot sees it.
#[derive(Debug, Clone)]
pub(crate) struct Leaf {
    pub(crate) segment: Arc<Segment>,
    /// Documents the manifest calls deleted.
    pub(crate) stored: Arc<Tombstones>,
    /// Documents that were replaced or removed after it, none of them in `stored`.
    pub(crate) hidden: Option<Arc<Tombstones>>,
    /// Whether the segment holds documents past the high-water mark.
    pub(crate) in_tail: bool,
}

impl Leaf {
    #[inline]
    pub(crate) fn is_live(&self, ordinal: u32) -> bool {
        !self.stored.contains(ordinal) && !self.hidden.as_ref().is_some_and(|hidden| hidden.contains(ordinal))
    }

    pub(crate) fn live_documents(&self) -> u64 {
        let gone: u64 = self.layers().map(|layer| u64::from(layer.documents().len())).sum();
        (self.segment.documents() as u64).saturating_sub(gone)
    }

    pub(crate) fn live_length(&self) -> u64 {
        self.segment.total_length().saturating_sub(self.layers().map(Tombstones::length).sum())
    }

    /// In how many live documents the term occurs.
    pub(crate) fn document_frequency(&self, hash: u64) -> Result<u64> {
        let Some(entry) = self.segment.entry(hash)? else { return Ok(0) };
        let mut frequency = u64::from(entry.documents());
        for layer in self.layers() {
            frequency = frequency.saturating_sub(u64::from(layer.documents_with(&self.segment, hash)?));
        }
        Ok(frequency)
    }

    /// The ordinal of the live document with this key.
    pub(crate) fn find(&self, key: u64) -> Result<Option<u32>> {
        Ok(self.segment.find(key)?.filter(|ordinal| self.is_live(*ordinal)))
    }

    /// The same leaf without these documents.
    pub(crate) fn hide(&mut self, ordinals: impl IntoIterator<Item = u32>) -> Result<()> {
        let mut hidden = self.hidden.as_ref().map_or_else(Bitmap::default, |hidden| hidden.documents().clone());
        let before = hidden.len();
        for ordinal in ordinals {
            if !self.stored.contains(ordinal) {
                hidden.insert(ordinal);
            }
        }
        if hidden.len() > before {
            self.hidden = Some(Arc::new(Tombstones::of(&self.segment, hidden)?));
        }
        Ok(())
    }

    fn layers(&self) -> impl Iterator<Item = &Tombstones> {
        std::iter::once(&*self.stored).chain(self.hidden.as_deref())
    }
}
