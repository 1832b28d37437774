//! How numbers are read from bytes and written to them.

use crate::error::{IndexError, Result};

/// Numbers of four bytes each.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Words<'a>(&'a [[u8; 4]]);

impl<'a> Words<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Words<'a> {
        Words(bytes.as_chunks().0)
    }

    #[inline]
    pub(crate) fn get(self, index: usize) -> Option<u32> {
        self.0.get(index).map(|bytes| u32::from_le_bytes(*bytes))
    }
}

/// Numbers of eight bytes each.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Longs<'a>(&'a [[u8; 8]]);

impl<'a> Longs<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Longs<'a> {
        Longs(bytes.as_chunks().0)
    }

    #[inline]
    pub(crate) fn get(self, index: usize) -> Option<u64> {
        self.0.get(index).map(|bytes| u64::from_le_bytes(*bytes))
    }
}

/// Appends a number in as few groups of seven bits as it needs.
pub(crate) fn put_varint(out: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

/// Reads one value after the other and knows where it stands.
#[derive(Debug)]
pub(crate) struct Reader<'a> {
    bytes: &'a [u8],
    what: &'static str,
}

impl<'a> Reader<'a> {
    /// `what` names the thing that is damaged when a value is missing.
    pub(crate) fn new(bytes: &'a [u8], what: &'static str) -> Reader<'a> {
        Reader { bytes, what }
    }

    pub(crate) fn take(&mut self, count: usize) -> Result<&'a [u8]> {
        let (head, rest) = self.bytes.split_at_checked(count).ok_or_else(|| self.ends_early())?;
        self.bytes = rest;
        Ok(head)
    }

    pub(crate) fn u32(&mut self) -> Result<u32> {
        let (head, rest) = self.bytes.split_first_chunk().ok_or_else(|| self.ends_early())?;
        self.bytes = rest;
        Ok(u32::from_le_bytes(*head))
    }

    pub(crate) fn u64(&mut self) -> Result<u64> {
        let (head, rest) = self.bytes.split_first_chunk().ok_or_else(|| self.ends_early())?;
        self.bytes = rest;
        Ok(u64::from_le_bytes(*head))
    }

    pub(crate) fn varint(&mut self) -> Result<u64> {
        let mut value = 0u64;
        for (index, byte) in self.bytes.iter().take(10).enumerate() {
            value |= u64::from(byte & 0x7f).checked_shl(7 * index as u32).unwrap_or(0);
            if byte & 0x80 == 0 {
                self.bytes = &self.bytes[index + 1..];
                return Ok(value);
            }
        }
        Err(self.ends_early())
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    fn ends_early(&self) -> IndexError {
        IndexError::Damaged(format!("{} ends early", self.what))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn varints_survive_their_encoding() {
        for value in [0, 1, 127, 128, 300, u64::from(u32::MAX), u64::MAX] {
            let mut bytes = Vec::new();
            put_varint(&mut bytes, value);
            let mut reader = Reader::new(&bytes, "a test");
            assert_eq!(reader.varint().unwrap(), value);
            assert!(reader.is_empty());
            assert!(Reader::new(&bytes[..bytes.len() - 1], "a test").varint().is_err());
        }
        assert!(Reader::new(&[0x80; 20], "a test").varint().is_err());
    }

    #[test]
    fn reading_past_the_end_is_damage() {
        let mut reader = Reader::new(&[1, 0, 0, 0, 2], "a test");
        assert_eq!(reader.u32().unwrap(), 1);
        assert!(matches!(reader.u64(), Err(IndexError::Damaged(_))));
        assert_eq!(reader.take(1).unwrap(), [2]);
        assert!(reader.take(1).is_err());
    }
}
