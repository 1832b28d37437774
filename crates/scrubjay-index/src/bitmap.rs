//! A set of ordinals of one segment.

use crate::error::{IndexError, Result};
use crate::numbers::{Reader, put_varint};

/// A set of small numbers, one bit each.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Bitmap {
    words: Vec<u64>,
    count: u32,
}

impl Bitmap {
    #[inline]
    pub(crate) fn contains(&self, number: u32) -> bool {
        self.words.get(number as usize / 64).is_some_and(|word| word & (1 << (number % 64)) != 0)
    }

    /// Adds a number and tells whether it was new.
    pub(crate) fn insert(&mut self, number: u32) -> bool {
        let at = number as usize / 64;
        if at >= self.words.len() {
            self.words.resize(at + 1, 0);
        }
        let bit = 1 << (number % 64);
        let new = self.words[at] & bit == 0;
        self.words[at] |= bit;
        self.count += u32::from(new);
        new
    }

    pub(crate) fn len(&self) -> u32 {
        self.count
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.count == 0
    }

    pub(crate) fn words(&self) -> &[u64] {
        &self.words
    }

    /// The numbers in ascending order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = u32> + '_ {
        self.words.iter().enumerate().flat_map(|(at, word)| {
            let mut bits = *word;
            std::iter::from_fn(move || {
                let bit = (bits != 0).then(|| bits.trailing_zeros())?;
                bits &= bits - 1;
                Some(at as u32 * 64 + bit)
            })
        })
    }

    pub(crate) fn encode(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.count.to_le_bytes());
        let mut next = 0;
        for number in self.iter() {
            put_varint(out, u64::from(number - next));
            next = number + 1;
        }
    }

    /// Reads a set of numbers that are all below `limit`.
    pub(crate) fn decode(reader: &mut Reader<'_>, limit: u32) -> Result<Bitmap> {
        let damaged = || IndexError::Damaged("a set of deleted documents does not fit its segment".to_owned());
        let count = reader.u32()?;
        if count > limit {
            return Err(damaged());
        }
        let mut bitmap = Bitmap::default();
        let mut next = 0u64;
        for _ in 0..count {
            let number = next.checked_add(reader.varint()?).filter(|number| *number < u64::from(limit));
            let number = number.ok_or_else(damaged)?;
            bitmap.insert(number as u32);
            next = number + 1;
        }
        Ok(bitmap)
    }
}

impl FromIterator<u32> for Bitmap {
    fn from_iter<T: IntoIterator<Item = u32>>(numbers: T) -> Bitmap {
        let mut bitmap = Bitmap::default();
        for number in numbers {
            bitmap.insert(number);
        }
        bitmap
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    proptest! {
        #[test]
        fn a_bitmap_is_a_set(numbers in proptest::collection::vec(0u32..5000, 0..200)) {
            let bitmap: Bitmap = numbers.iter().copied().collect();
            let set: BTreeSet<u32> = numbers.into_iter().collect();
            prop_assert_eq!(bitmap.len() as usize, set.len());
            prop_assert!(bitmap.iter().eq(set.iter().copied()));
            prop_assert!((0..5000).all(|number| bitmap.contains(number) == set.contains(&number)));
            let mut bytes = Vec::new();
            bitmap.encode(&mut bytes);
            let mut reader = Reader::new(&bytes, "a test");
            let decoded = Bitmap::decode(&mut reader, 5000).unwrap();
            prop_assert!(decoded.iter().eq(bitmap.iter()) && reader.is_empty());
            if let Some(last) = set.last() {
                prop_assert!(Bitmap::decode(&mut Reader::new(&bytes, "a test"), *last).is_err());
            }
        }
    }
}
