//! The frame of a segment file: sections, checksums of pages, and a trailer that is written last.
//!
//! ```text
//! magic | section | section | … | footer | trailer
//! ```
//! Sections begin at multiples of 64. Everything before the footer is divided into pages of 16 KiB, whose checksums
//! stand in the footer with the table of sections; the trailer says where the footer is and carries its checksum. So
//! every byte of the file is covered, opening reads only the footer, and a page is checked when it is first used.

use std::io::{self, Write};
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};

use xxhash_rust::xxh3::xxh3_64;

use crate::error::{IndexError, Result};
use crate::numbers::Reader;

const MAGIC: &[u8; 8] = b"SJSEG\r\n\x1a";
/// Raised with every change of the format; a segment of another format is not read.
pub(crate) const FORMAT: u64 = 3;
const PAGE_BYTES: usize = 16 * 1024;
const ALIGNMENT: usize = 64;
const TRAILER_BYTES: usize = 48;

/// What a section holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u32)]
pub(super) enum Kind {
    Rows = 1,
    Lengths = 2,
    SequenceFan = 3,
    SequenceHashes = 4,
    SequenceStarts = 5,
    SequenceOrder = 6,
    SequencePositions = 7,
    TermFan = 8,
    TermHashes = 9,
    TermEntries = 10,
    Postings = 11,
    Vectors = 12,
    Spelling = 13,
}

/// Writes a segment front to back.
pub(super) struct Frame<W: Write> {
    out: W,
    /// How many bytes were written, the ones that wait in `page` included.
    written: usize,
    page: Vec<u8>,
    checksums: Vec<u64>,
    table: Vec<u8>,
    sections: u32,
}

impl<W: Write> Frame<W> {
    pub(super) fn new(out: W) -> io::Result<Frame<W>> {
        let page = Vec::with_capacity(PAGE_BYTES);
        let mut frame = Frame { out, written: 0, page, checksums: Vec::new(), table: Vec::new(), sections: 0 };
        frame.put(MAGIC)?;
        Ok(frame)
    }

    /// Adds a section. `generation` tells vector sections apart and is 0 for all others.
    pub(super) fn section(&mut self, kind: Kind, generation: u64, bytes: &[u8]) -> io::Result<()> {
        let padding = self.written.next_multiple_of(ALIGNMENT) - self.written;
        self.put(&[0; ALIGNMENT][..padding])?;
        self.table.extend_from_slice(&(kind as u64).to_le_bytes());
        self.table.extend_from_slice(&generation.to_le_bytes());
        self.table.extend_from_slice(&(self.written as u64).to_le_bytes());
        self.table.extend_from_slice(&(bytes.len() as u64).to_le_bytes());
        self.sections += 1;
        self.put(bytes)
    }

    /// Writes footer and trailer. Gives the writer back with the checksum and the length of the file.
    pub(super) fn finish(mut self, documents: u32, total_length: u64) -> io::Result<(W, u64, u64)> {
        self.flush_page()?;
        let mut footer = Vec::with_capacity(self.table.len() + self.checksums.len() * 8 + TRAILER_BYTES + 16);
        footer.extend_from_slice(&documents.to_le_bytes());
        footer.extend_from_slice(&self.sections.to_le_bytes());
        footer.extend_from_slice(&total_length.to_le_bytes());
        footer.extend_from_slice(&self.table);
        self.checksums.iter().for_each(|checksum| footer.extend_from_slice(&checksum.to_le_bytes()));
        let (start, length) = (self.written as u64, footer.len() as u64);
        let total = start + length + TRAILER_BYTES as u64;
        for number in [start, length, total, FORMAT] {
            footer.extend_from_slice(&number.to_le_bytes());
        }
        let checksum = xxh3_64(&footer);
        footer.extend_from_slice(&checksum.to_le_bytes());
        footer.extend_from_slice(MAGIC);
        self.out.write_all(&footer)?;
        Ok((self.out, checksum, total))
    }

    fn put(&mut self, mut bytes: &[u8]) -> io::Result<()> {
        self.written += bytes.len();
        while !bytes.is_empty() {
            let (head, rest) = bytes.split_at(bytes.len().min(PAGE_BYTES - self.page.len()));
            self.page.extend_from_slice(head);
            bytes = rest;
            if self.page.len() == PAGE_BYTES {
                self.flush_page()?;
            }
        }
        Ok(())
    }

    fn flush_page(&mut self) -> io::Result<()> {
        if !self.page.is_empty() {
            self.checksums.push(xxh3_64(&self.page));
            self.out.write_all(&self.page)?;
            self.page.clear();
        }
        Ok(())
    }
}

/// What the footer of a segment says.
#[derive(Debug)]
pub(super) struct Footer {
    pub(super) documents: u32,
    pub(super) total_length: u64,
    /// The checksum in the trailer, which identifies the whole content.
    pub(super) checksum: u64,
    pub(super) pages: Pages,
    sections: Vec<(u64, u64, Range<usize>)>,
}

impl Footer {
    /// Reads and checks footer and trailer.
    pub(super) fn read(bytes: &[u8]) -> Result<Footer> {
        let cut = || IndexError::Damaged("a segment is cut short".to_owned());
        let trailer_start = bytes.len().checked_sub(TRAILER_BYTES).ok_or_else(cut)?;
        let mut trailer = Reader::new(&bytes[trailer_start..], "the trailer of a segment");
        let (start, length, total, format) = (trailer.u64()?, trailer.u64()?, trailer.u64()?, trailer.u64()?);
        let checksum = trailer.u64()?;
        let whole = usize::try_from(start).ok().filter(|start| *start <= trailer_start).ok_or_else(cut)?;
        let sound = trailer.take(8)? == MAGIC
            && total == bytes.len() as u64
            && length == (trailer_start - whole) as u64
            && xxh3_64(&bytes[whole..trailer_start + 32]) == checksum;
        if !sound {
            return Err(cut());
        }
        if format != FORMAT {
            return Err(IndexError::Foreign(format!("a segment has format {format} instead of {FORMAT}")));
        }
        let mut reader = Reader::new(&bytes[whole..trailer_start], "the footer of a segment");
        let (documents, count, total_length) = (reader.u32()?, reader.u32()?, reader.u64()?);
        let mut sections = Vec::new();
        for _ in 0..count {
            let (kind, generation) = (reader.u64()?, reader.u64()?);
            let (start, length) = (reader.u64()? as usize, reader.u64()? as usize);
            let end = start.checked_add(length).filter(|end| *end <= whole).ok_or_else(cut)?;
            sections.push((kind, generation, start..end));
        }
        let mut checksums = Vec::with_capacity(whole.div_ceil(PAGE_BYTES));
        for _ in 0..whole.div_ceil(PAGE_BYTES) {
            checksums.push(reader.u64()?);
        }
        if !reader.is_empty() {
            return Err(cut());
        }
        Ok(Footer { documents, total_length, checksum, pages: Pages::new(checksums, whole), sections })
    }

    /// Where the only section of a kind is.
    pub(super) fn section(&self, kind: Kind) -> Result<Range<usize>> {
        let mut found = self.sections.iter().filter(|section| section.0 == kind as u64);
        match (found.next(), found.next()) {
            (Some((_, _, range)), None) => Ok(range.clone()),
            _ => Err(IndexError::Damaged(format!("a segment has not exactly one section {kind:?}"))),
        }
    }

    /// All sections.
    #[cfg(test)]
    pub(super) fn all_sections(&self) -> impl Iterator<Item = Range<usize>> + '_ {
        self.sections.iter().map(|section| section.2.clone())
    }

    /// The vector sections with their generations.
    pub(super) fn vectors(&self) -> impl Iterator<Item = (u64, Range<usize>)> + '_ {
        self.sections
            .iter()
            .filter(|section| section.0 == Kind::Vectors as u64)
            .map(|(_, at, range)| (*at, range.clone()))
    }
}

/// Which pages are known to be what was written.
#[derive(Debug)]
pub(super) struct Pages {
    checksums: Vec<u64>,
    sound: Vec<AtomicU64>,
    /// Where the pages end: the last one may be shorter.
    end: usize,
}

impl Pages {
    fn new(checksums: Vec<u64>, end: usize) -> Pages {
        let sound = (0..checksums.len().div_ceil(64)).map(|_| AtomicU64::new(0)).collect();
        Pages { checksums, sound, end }
    }

    /// Checks the pages that hold the range, unless it was done before.
    #[inline]
    pub(super) fn check(&self, bytes: &[u8], range: &Range<usize>) -> Result<()> {
        if range.is_empty() {
            return Ok(());
        }
        for page in range.start / PAGE_BYTES..=(range.end - 1) / PAGE_BYTES {
            let known = self.sound.get(page / 64).is_some_and(|word| word.load(Ordering::Relaxed) & bit(page) != 0);
            if !known {
                self.check_page(bytes, page)?;
            }
        }
        Ok(())
    }

    /// Checks every page, whether it was checked before or not.
    pub(super) fn check_all(&self, bytes: &[u8]) -> Result<()> {
        (0..self.checksums.len()).try_for_each(|page| self.check_page(bytes, page))
    }

    #[cold]
    fn check_page(&self, bytes: &[u8], page: usize) -> Result<()> {
        let start = page * PAGE_BYTES;
        let content = bytes.get(start..self.end.min(start + PAGE_BYTES));
        match (self.checksums.get(page), self.sound.get(page / 64), content) {
            (Some(expected), Some(word), Some(content)) if xxh3_64(content) == *expected => {
                word.fetch_or(bit(page), Ordering::Relaxed);
                Ok(())
            }
            _ => Err(IndexError::Damaged(format!("page {page} of a segment does not match its checksum"))),
        }
    }
}

fn bit(page: usize) -> u64 {
    1 << (page % 64)
}
