//! The words of a segment as text, for finding those that are spelt alike.
//!
//! ```text
//! how many words there are of each length in bytes | the words, by length, then in order, without separators
//! ```
//! Words of one length stand side by side, so that whoever looks for similar ones reads them like an array. A word is
//! there as long as a document of the segment has it: its hash is that of one of the segment's terms.

use std::collections::BTreeSet;
use std::ops::{Range, RangeInclusive};

use xxhash_rust::xxh3::xxh3_64;

use super::list::damaged;
use crate::error::Result;
use crate::numbers::Words;

/// The lengths of words that are kept, in bytes.
pub(crate) const LENGTHS: RangeInclusive<usize> = 4..=40;

const HEAD_BYTES: usize = (*LENGTHS.end() - *LENGTHS.start() + 1) * 4;

/// Words that are to be written.
#[derive(Debug, Default)]
pub(crate) struct Spelling(BTreeSet<(usize, Box<str>)>);

impl Spelling {
    pub(super) fn add(&mut self, word: &str) {
        if LENGTHS.contains(&word.len()) {
            let entry = (word.len(), Box::from(word));
            self.0.insert(entry);
        }
    }

    /// The words whose hash is among these, which ascend, as bytes.
    pub(super) fn write(&self, hashes: &[u64]) -> Vec<u8> {
        let is_held = |word: &str| hashes.binary_search(&xxh3_64(word.as_bytes())).is_ok();
        let mut counts = [0_u32; HEAD_BYTES / 4];
        let mut words = Vec::new();
        for (length, word) in self.0.iter().filter(|(_, word)| is_held(word)) {
            if let Some(count) = counts.get_mut(length - LENGTHS.start()) {
                *count += 1;
            }
            words.extend_from_slice(word.as_bytes());
        }
        let mut bytes: Vec<u8> = counts.iter().flat_map(|count| count.to_le_bytes()).collect();
        bytes.append(&mut words);
        bytes
    }
}

/// Where the words of each length are, relative to the section.
#[derive(Debug)]
pub(super) struct SpellingTable(Vec<(usize, Range<usize>)>);

impl SpellingTable {
    /// Reads the table at the start of a section of `section_bytes`.
    pub(super) fn read(head: &[u8], section_bytes: usize) -> Result<SpellingTable> {
        let counts = Words::new(head);
        let mut start = HEAD_BYTES;
        let mut table = Vec::new();
        for (place, length) in LENGTHS.enumerate() {
            let count = counts.get(place).ok_or_else(damaged)? as usize;
            let end = count.checked_mul(length).and_then(|bytes| start.checked_add(bytes)).ok_or_else(damaged)?;
            table.push((length, start..end));
            start = end;
        }
        if start == section_bytes { Ok(SpellingTable(table)) } else { Err(damaged()) }
    }

    /// The size of the table.
    pub(super) const fn head_bytes() -> usize {
        HEAD_BYTES
    }

    /// The lengths in a range, with where their words are.
    pub(super) fn of(&self, lengths: &RangeInclusive<usize>) -> impl Iterator<Item = (usize, Range<usize>)> + '_ {
        let lengths = lengths.clone();
        self.0.iter().filter(move |(length, _)| lengths.contains(length)).cloned()
    }
}
