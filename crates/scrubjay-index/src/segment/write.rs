//! Writing the parts of a segment into its frame.

use std::io::{self, Write};

use super::hashes::write_fan;
use super::layout::{Frame, Kind};
use super::list::write_list;
use super::spelling::Spelling;
use crate::error::Result;
use crate::item::{ROW_BYTES, Row};

/// A segment that is ready to be written. Rows ascend by key; an ordinal is a position in them.
#[derive(Debug, Default)]
pub(crate) struct Parts {
    pub(super) rows: Vec<Row>,
    pub(super) lengths: Vec<u32>,
    pub(super) terms: Terms,
    pub(super) spelling: Spelling,
    /// Vector sections by generation.
    pub(super) vectors: Vec<(u64, Vec<u8>)>,
}

impl Parts {
    pub(crate) fn documents(&self) -> u32 {
        self.rows.len() as u32
    }

    /// Writes the segment. Gives the writer back with the checksum and the length of the file.
    pub(crate) fn write<W: Write>(&self, out: W) -> io::Result<(W, u64, u64)> {
        let mut frame = Frame::new(out)?;
        let mut rows = Vec::with_capacity(self.rows.len() * ROW_BYTES);
        self.rows.iter().for_each(|row| rows.extend_from_slice(&row.encode()));
        frame.section(Kind::Rows, 0, &rows)?;
        drop(rows);
        frame.section(Kind::Lengths, 0, &words(&self.lengths))?;
        self.write_sequences(&mut frame)?;
        frame.section(Kind::TermFan, 0, &write_fan(&self.terms.hashes))?;
        frame.section(Kind::TermHashes, 0, &longs(&self.terms.hashes))?;
        frame.section(Kind::TermEntries, 0, &self.terms.entries)?;
        frame.section(Kind::Postings, 0, &self.terms.postings)?;
        frame.section(Kind::Spelling, 0, &self.spelling.write(&self.terms.hashes))?;
        for (generation, bytes) in &self.vectors {
            frame.section(Kind::Vectors, *generation, bytes)?;
        }
        frame.finish(self.rows.len() as u32, self.lengths.iter().map(|length| u64::from(*length)).sum())
    }

    fn write_sequences<W: Write>(&self, frame: &mut Frame<W>) -> io::Result<()> {
        let key = |ordinal: &u32| self.rows[*ordinal as usize].sequence_order();
        let mut order: Vec<u32> = (0..self.rows.len() as u32).filter(|ordinal| key(ordinal).0 != 0).collect();
        order.sort_unstable_by_key(key);
        let mut positions = vec![u32::MAX; self.rows.len()];
        let mut hashes = Vec::new();
        let mut starts = Vec::new();
        for (position, ordinal) in order.iter().enumerate() {
            positions[*ordinal as usize] = position as u32;
            let sequence = key(ordinal).0;
            if hashes.last() != Some(&sequence) {
                hashes.push(sequence);
                starts.push(position as u32);
            }
        }
        starts.push(order.len() as u32);
        frame.section(Kind::SequenceFan, 0, &write_fan(&hashes))?;
        frame.section(Kind::SequenceHashes, 0, &longs(&hashes))?;
        frame.section(Kind::SequenceStarts, 0, &words(&starts))?;
        frame.section(Kind::SequenceOrder, 0, &words(&order))?;
        frame.section(Kind::SequencePositions, 0, &words(&positions))
    }
}

/// The dictionary and the lists, written term by term.
#[derive(Debug, Default)]
pub(super) struct Terms {
    hashes: Vec<u64>,
    entries: Vec<u8>,
    postings: Vec<u8>,
}

impl Terms {
    /// Adds a term; hashes come in ascending order, and so do documents.
    pub(super) fn add(&mut self, hash: u64, documents: &[u32], frequencies: &[u32], lengths: &[u32]) -> Result<()> {
        let entry = write_list(documents, frequencies, lengths, &mut self.postings)?;
        self.hashes.push(hash);
        self.entries.extend_from_slice(&entry.encode());
        Ok(())
    }
}

fn words(values: &[u32]) -> Vec<u8> {
    values.iter().flat_map(|value| value.to_le_bytes()).collect()
}

fn longs(values: &[u64]) -> Vec<u8> {
    values.iter().flat_map(|value| value.to_le_bytes()).collect()
}
