//! A part of somebody's bytes: the owner is shared, the part is a range.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use crate::error::{IndexError, Result};

/// Shared bytes, cheap to clone and to cut: a memory map or a vector behind an
/// `Arc`, and the range that is meant.
#[derive(Clone)]
pub struct Bytes {
    owner: Arc<dyn AsRef<[u8]> + Send + Sync>,
    range: Range<usize>,
}

impl Bytes {
    /// All bytes of `owner`.
    pub fn new(owner: Arc<dyn AsRef<[u8]> + Send + Sync>) -> Self {
        let range = 0..(*owner).as_ref().len();
        Self { owner, range }
    }

    /// The bytes of `range`, counted from the start of these bytes.
    ///
    /// # Errors
    /// [`IndexError::Damaged`] if they reach past the end: ranges come from files.
    pub fn slice(&self, range: Range<usize>) -> Result<Self> {
        let length = self.range.len();
        if range.start > range.end || range.end > length {
            return Err(IndexError::Damaged(format!(
                "bytes {}..{} were asked for, but there are {length}",
                range.start, range.end
            )));
        }
        let start = self.range.start + range.start;
        Ok(Self { owner: Arc::clone(&self.owner), range: start..start + range.len() })
    }

    /// The bytes themselves. They are empty if the owner has become shorter since.
    pub fn as_slice(&self) -> &[u8] {
        (*self.owner).as_ref().get(self.range.clone()).unwrap_or_default()
    }

    /// How many bytes there are.
    pub fn len(&self) -> usize {
        self.range.len()
    }

    /// Whether there are no bytes.
    pub fn is_empty(&self) -> bool {
        self.range.is_empty()
    }
}

impl From<Vec<u8>> for Bytes {
    fn from(bytes: Vec<u8>) -> Self {
        Self::new(Arc::new(bytes))
    }
}

impl fmt::Debug for Bytes {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Bytes").field("range", &self.range).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slice_of_a_slice_counts_from_its_own_start() {
        let bytes = Bytes::from(b"0123456789".to_vec());
        let middle = bytes.slice(2..8).unwrap();
        assert_eq!(middle.slice(1..3).unwrap().as_slice(), b"34");
        assert_eq!(middle.len(), 6);
        assert!(middle.slice(6..6).unwrap().is_empty());
    }

    #[test]
    fn a_slice_past_the_end_is_refused() {
        let bytes = Bytes::from(vec![0; 4]);
        let reversed = Range { start: 3, end: 1 };
        for range in [0..5, 5..5, reversed] {
            assert!(matches!(bytes.slice(range), Err(IndexError::Damaged(_))));
        }
    }
}
