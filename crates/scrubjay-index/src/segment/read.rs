//! Reading a segment in place.

use std::ops::{Range, RangeInclusive};
use std::path::PathBuf;
use std::sync::Arc;

use super::cursor::count_in;
use super::hashes::{fan_bucket, fan_bytes, position};
use super::layout::{Footer, Kind, Pages};
use super::list::{ENTRY_BYTES, Entry, List, damaged};
use super::spelling::SpellingTable;
use super::write::Parts;
use crate::bitmap::Bitmap;
use crate::error::{IndexError, Result};
use crate::item::{MAX_SEGMENT_DOCUMENTS, ROW_BYTES, Row};
use crate::mapping::Mapping;
use crate::numbers::{Longs, Words};
use crate::vector::{Bytes, VectorSection};

/// An immutable set of documents with everything that is needed to search them. An ordinal is the position of a
/// document in the order of keys.
#[derive(Debug)]
pub(crate) struct Segment {
    bytes: Bytes,
    /// The file that the bytes are mapped from; none for bytes in memory.
    mapping: Option<Arc<Mapping>>,
    documents: usize,
    total_length: u64,
    checksum: u64,
    /// None for bytes that this process made itself.
    pages: Option<Pages>,
    rows: Range<usize>,
    lengths: Range<usize>,
    sequences: Sequences,
    terms: Dictionary,
    postings: Range<usize>,
    spelling: Range<usize>,
    vectors: Vec<(u64, VectorSection)>,
}

#[derive(Debug)]
struct Sequences {
    hashes: Dictionary,
    starts: Range<usize>,
    order: Range<usize>,
    positions: Range<usize>,
}

/// Sorted hashes with a table over their leading bits. Terms have entries beside them.
#[derive(Debug)]
struct Dictionary {
    fan: Range<usize>,
    hashes: Range<usize>,
    entries: Range<usize>,
    count: usize,
}

impl Segment {
    /// Opens a segment in a file: its footer is checked now, every page when it is first used.
    pub(crate) fn mapped(mapping: Mapping) -> Result<Segment> {
        let mapping = Arc::new(mapping);
        let segment = Segment::open(Bytes::new(Arc::clone(&mapping) as _))?;
        Ok(Segment { mapping: Some(mapping), ..segment })
    }

    /// Opens a segment that was read from outside: its footer is checked now, every page when it is first used.
    pub(crate) fn open(bytes: Bytes) -> Result<Segment> {
        Segment::read(bytes, false)
    }

    /// Whether all of it can still be read. A file that was shortened must not be touched.
    pub(crate) fn is_whole(&self) -> bool {
        self.mapping.as_ref().is_none_or(|mapping| mapping.is_whole())
    }

    /// Makes a segment that lives in memory only. Its bytes are this process's own and need no checks.
    pub(crate) fn in_memory(parts: &Parts) -> Result<Segment> {
        let failed = |source| IndexError::Io { attempted: "write to", path: PathBuf::from("memory"), source };
        let (bytes, _, _) = parts.write(Vec::new()).map_err(failed)?;
        Segment::read(Bytes::from(bytes), true)
    }

    /// Opens bytes without ever checking them, to see that nothing else relies on the checks.
    #[cfg(test)]
    pub(super) fn unchecked(bytes: Bytes) -> Result<Segment> {
        Segment::read(bytes, true)
    }

    fn read(bytes: Bytes, own: bool) -> Result<Segment> {
        let footer = Footer::read(bytes.as_slice())?;
        let documents = footer.documents as usize;
        let rows = footer.section(Kind::Rows)?;
        let lengths = footer.section(Kind::Lengths)?;
        let positions = footer.section(Kind::SequencePositions)?;
        let order = footer.section(Kind::SequenceOrder)?;
        let starts = footer.section(Kind::SequenceStarts)?;
        let hashes = Dictionary::new(footer.section(Kind::SequenceFan)?, footer.section(Kind::SequenceHashes)?, 0..0)?;
        let entries = footer.section(Kind::TermEntries)?;
        let terms =
            Dictionary::new(footer.section(Kind::TermFan)?, footer.section(Kind::TermHashes)?, entries.clone())?;
        let sound = documents <= MAX_SEGMENT_DOCUMENTS
            && rows.len() == documents * ROW_BYTES
            && lengths.len() == documents * 4
            && positions.len() == documents * 4
            && order.len() <= documents * 4
            && starts.len() == (hashes.count + 1) * 4
            && entries.len() == terms.count * ENTRY_BYTES;
        if !sound {
            return Err(IndexError::Damaged("the sections of a segment do not fit together".to_owned()));
        }
        let mut vectors = Vec::new();
        for (generation, range) in footer.vectors() {
            vectors.push((generation, VectorSection::open(bytes.slice(range)?)?));
        }
        Ok(Segment {
            documents,
            total_length: footer.total_length,
            checksum: footer.checksum,
            rows,
            lengths,
            sequences: Sequences { hashes, starts, order, positions },
            terms,
            postings: footer.section(Kind::Postings)?,
            spelling: footer.section(Kind::Spelling)?,
            vectors,
            pages: (!own).then_some(footer.pages),
            mapping: None,
            bytes,
        })
    }

    /// How many documents there are, deleted ones included.
    pub(crate) fn documents(&self) -> usize {
        self.documents
    }

    /// The sum of the lengths of all documents, deleted ones included.
    pub(crate) fn total_length(&self) -> u64 {
        self.total_length
    }

    /// What identifies the content of the file.
    pub(crate) fn checksum(&self) -> u64 {
        self.checksum
    }

    pub(crate) fn size_bytes(&self) -> usize {
        self.bytes.len()
    }

    /// Checks every byte.
    pub(crate) fn verify(&self) -> Result<()> {
        match &self.pages {
            Some(pages) => pages.check_all(self.bytes.as_slice()),
            None => Ok(()),
        }
    }

    pub(crate) fn row(&self, ordinal: u32) -> Result<Row> {
        let start = self.rows.start + ordinal as usize * ROW_BYTES;
        let bytes = self.checked(start..start + ROW_BYTES, &self.rows)?;
        bytes.first_chunk().map(Row::decode).ok_or_else(damaged)
    }

    /// The lengths of all documents.
    pub(crate) fn lengths(&self) -> Result<Words<'_>> {
        Ok(Words::new(self.checked(self.lengths.clone(), &self.lengths)?))
    }

    pub(crate) fn length(&self, ordinal: u32) -> Result<u32> {
        self.word(&self.lengths, ordinal as usize)
    }

    /// The ordinal of a key.
    pub(crate) fn find(&self, key: u64) -> Result<Option<u32>> {
        let (mut low, mut high) = (0, self.documents as u32);
        while low < high {
            let middle = low.midpoint(high);
            match self.row(middle)?.key.cmp(&key) {
                std::cmp::Ordering::Less => low = middle + 1,
                std::cmp::Ordering::Greater => high = middle,
                std::cmp::Ordering::Equal => return Ok(Some(middle)),
            }
        }
        Ok(None)
    }

    /// The first ordinal whose key is not below this one; the number of documents if there is none.
    pub(crate) fn first_at_least(&self, key: u64) -> Result<u32> {
        let (mut low, mut high) = (0, self.documents as u32);
        while low < high {
            let middle = low.midpoint(high);
            if self.row(middle)?.key < key { low = middle + 1 } else { high = middle }
        }
        Ok(low)
    }

    /// The ordinals of those of the keys, which ascend, that are there.
    pub(crate) fn find_all(&self, keys: &[u64]) -> Result<Vec<u32>> {
        let mut found = Vec::new();
        let Some(last) = (self.documents as u32).checked_sub(1) else { return Ok(found) };
        let (first, last) = (self.row(0)?.key, self.row(last)?.key);
        for key in keys.iter().filter(|key| (first..=last).contains(*key)) {
            found.extend(self.find(*key)?);
        }
        Ok(found)
    }

    /// The entry of a term.
    pub(crate) fn entry(&self, hash: u64) -> Result<Option<Entry>> {
        match self.lookup(&self.terms, hash)? {
            Some(position) => self.entry_at(position).map(Some),
            None => Ok(None),
        }
    }

    /// The number of terms.
    pub(crate) fn terms(&self) -> usize {
        self.terms.count
    }

    /// The hash and the entry of a term by its position.
    pub(crate) fn term_at(&self, position: usize) -> Result<(u64, Entry)> {
        let start = self.terms.hashes.start + position * 8;
        let bytes = self.checked(start..start + 8, &self.terms.hashes)?;
        Ok((Longs::new(bytes).get(0).ok_or_else(damaged)?, self.entry_at(position)?))
    }

    /// The list of an entry.
    pub(crate) fn list(&self, entry: Entry) -> Result<List<'_>> {
        let extent = entry.extent(|at| self.word(&(self.postings.start + at..self.postings.end), 0))?;
        let end = (self.postings.start + extent.end).min(self.postings.end);
        let bytes = self.checked(self.postings.start + extent.start..end, &self.postings)?;
        List::open(entry, bytes, self.documents)
    }

    /// Calls `visit` with each word whose length in bytes is in the range.
    pub(crate) fn for_each_word(&self, lengths: &RangeInclusive<usize>, visit: &mut dyn FnMut(&[u8])) -> Result<()> {
        let start = self.spelling.start;
        let head = self.checked(start..start + SpellingTable::head_bytes(), &self.spelling)?;
        let table = SpellingTable::read(head, self.spelling.len())?;
        for (length, place) in table.of(lengths) {
            let words = self.checked(start + place.start..start + place.end, &self.spelling)?;
            words.chunks_exact(length).for_each(&mut *visit);
        }
        Ok(())
    }

    /// In how many of the documents of the map the term occurs.
    pub(crate) fn documents_with(&self, hash: u64, map: &Bitmap) -> Result<u32> {
        match self.entry(hash)? {
            Some(entry) if !map.is_empty() => count_in(&self.list(entry)?, map),
            _ => Ok(0),
        }
    }

    /// The positions in the order of sequences that a sequence takes.
    pub(crate) fn sequence(&self, hash: u64) -> Result<Range<u32>> {
        match self.lookup(&self.sequences.hashes, hash)? {
            Some(at) => Ok(self.word(&self.sequences.starts, at)?..self.word(&self.sequences.starts, at + 1)?),
            None => Ok(0..0),
        }
    }

    /// The document at a position in the order of sequences.
    pub(crate) fn sequence_document(&self, position: u32) -> Result<u32> {
        let ordinal = self.word(&self.sequences.order, position as usize)?;
        if (ordinal as usize) < self.documents { Ok(ordinal) } else { Err(damaged()) }
    }

    /// The position of a document in the order of sequences, if it is part of one.
    pub(crate) fn sequence_position(&self, ordinal: u32) -> Result<Option<u32>> {
        let position = self.word(&self.sequences.positions, ordinal as usize)?;
        Ok((position != u32::MAX).then_some(position))
    }

    /// The vectors of a generation.
    pub(crate) fn vectors(&self, generation: u64) -> Option<&VectorSection> {
        self.vectors.iter().find(|section| section.0 == generation).map(|section| &section.1)
    }

    /// The generations with vectors, and how many.
    pub(crate) fn generations(&self) -> impl Iterator<Item = (u64, usize)> + '_ {
        self.vectors.iter().map(|(generation, section)| (*generation, section.len()))
    }

    fn entry_at(&self, position: usize) -> Result<Entry> {
        let start = self.terms.entries.start + position * ENTRY_BYTES;
        let bytes = self.checked(start..start + ENTRY_BYTES, &self.terms.entries)?;
        bytes.first_chunk().map(|bytes| Entry::decode(*bytes)).ok_or_else(damaged)
    }

    fn lookup(&self, dictionary: &Dictionary, hash: u64) -> Result<Option<usize>> {
        let bucket = fan_bucket(hash, dictionary.count);
        let start = dictionary.fan.start + bucket * 4;
        let bounds = Words::new(self.checked(start..start + 8, &dictionary.fan)?);
        let low = dictionary.hashes.start + bounds.get(0).ok_or_else(damaged)? as usize * 8;
        let high = dictionary.hashes.start + bounds.get(1).ok_or_else(damaged)? as usize * 8;
        self.checked(low..high, &dictionary.hashes)?;
        let hashes = Longs::new(self.bytes.as_slice().get(dictionary.hashes.clone()).ok_or_else(damaged)?);
        Ok(position(bounds, 0, hashes, hash))
    }

    fn word(&self, section: &Range<usize>, index: usize) -> Result<u32> {
        let start = section.start + index * 4;
        let bytes = self.checked(start..start + 4, section)?;
        Words::new(bytes).get(0).ok_or_else(damaged)
    }

    /// The bytes of a range inside a section, after their pages were checked.
    #[inline]
    fn checked(&self, range: Range<usize>, section: &Range<usize>) -> Result<&[u8]> {
        if range.start < section.start || range.end > section.end {
            return Err(IndexError::Damaged("something in a segment points outside of it".to_owned()));
        }
        let bytes = self.bytes.as_slice();
        if let Some(pages) = &self.pages {
            pages.check(bytes, &range)?;
        }
        bytes.get(range).ok_or_else(damaged)
    }
}

impl Dictionary {
    fn new(fan: Range<usize>, hashes: Range<usize>, entries: Range<usize>) -> Result<Dictionary> {
        let count = hashes.len() / 8;
        if !hashes.len().is_multiple_of(8) || fan.len() != fan_bytes(count) {
            return Err(IndexError::Damaged("the hashes of a segment do not fit together".to_owned()));
        }
        Ok(Dictionary { fan, hashes, entries, count })
    }
}
