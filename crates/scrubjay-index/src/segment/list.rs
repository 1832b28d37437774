//! Posting lists: which documents contain a term, and how often.
//!
//! A list has one of four forms, chosen by how many documents it names:
//! - one document with the term once stands in the dictionary itself;
//! - up to 128 documents: gaps and counts as variable-length numbers;
//! - more: blocks of 128, gaps and counts packed by their width, with a directory that tells the last document of each
//!   block so that a look-up unpacks one block;
//! - at least every eighth document: one bit per document with ranks, so that a look-up costs a few instructions and
//!   deleted documents are counted by intersecting bits.
//!
//! Long lists begin with a bound: the largest count and the shortest document. From it follows the most the term can
//! add to any score, whatever the parameters of the ranking are.

use crate::error::{IndexError, Result};
use crate::numbers::{Longs, Reader, Words, put_varint};
use crate::packing::{BLOCK, pack, packed_bytes, width_of};

/// A list with at least this share of all documents is kept as bits.
const DENSE_SHARE: usize = 8;
/// Marks an entry whose only document is in the entry.
const INLINE: u32 = 1 << 31;
/// Marks an entry whose list is kept as bits.
const DENSE: u32 = 1 << 30;
const HEADER_BYTES: usize = 12;
pub(super) const DIRECTORY_BYTES: usize = 12;
/// How many words of bits share one rank.
pub(super) const RANK_WORDS: usize = 8;
/// The size of an entry of the dictionary.
pub(super) const ENTRY_BYTES: usize = 8;

/// The most any document of a list can have: it bounds what the term adds to a score.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Bound {
    pub(crate) max_frequency: u32,
    pub(crate) min_length: u32,
}

/// What the dictionary knows about a term.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Entry {
    marked_documents: u32,
    /// The document itself or where the list begins.
    value: u32,
}

impl Entry {
    pub(super) fn encode(self) -> [u8; ENTRY_BYTES] {
        let mut bytes = [0; ENTRY_BYTES];
        bytes[..4].copy_from_slice(&self.marked_documents.to_le_bytes());
        bytes[4..].copy_from_slice(&self.value.to_le_bytes());
        bytes
    }

    pub(super) fn decode(bytes: [u8; ENTRY_BYTES]) -> Entry {
        let [a, b, c, d, e, f, g, h] = bytes;
        Entry { marked_documents: u32::from_le_bytes([a, b, c, d]), value: u32::from_le_bytes([e, f, g, h]) }
    }

    /// In how many documents the term occurs, deleted ones included.
    pub(crate) fn documents(self) -> u32 {
        self.marked_documents & !(INLINE | DENSE)
    }

    /// Which bytes of the section of lists hold this list, as far as the entry and `peek` tell. `peek` reads the
    /// header of a long list.
    pub(super) fn extent(self, peek: impl FnOnce(usize) -> Result<u32>) -> Result<std::ops::Range<usize>> {
        let start = self.value as usize;
        if self.marked_documents & INLINE != 0 {
            return Ok(0..0);
        }
        if self.documents() as usize <= BLOCK {
            // Two numbers of at most five bytes for each document; the list itself may be shorter.
            return Ok(start..start + 10 * self.documents() as usize);
        }
        Ok(start..start + peek(start)? as usize)
    }
}

/// Appends a list and tells its entry. Documents ascend; counts are at least one.
pub(super) fn write_list(documents: &[u32], frequencies: &[u32], lengths: &[u32], out: &mut Vec<u8>) -> Result<Entry> {
    if let ([document], [1]) = (documents, frequencies) {
        return Ok(Entry { marked_documents: 1 | INLINE, value: *document });
    }
    let too_long = |_| IndexError::Invalid("a segment has too many postings".to_owned());
    let value = u32::try_from(out.len()).map_err(too_long)?;
    let count = documents.len() as u32;
    if documents.len() <= BLOCK {
        write_short(documents, frequencies, out);
        return Ok(Entry { marked_documents: count, value });
    }
    let max_frequency = frequencies.iter().copied().max().unwrap_or(0);
    let min_length = documents.iter().filter_map(|at| lengths.get(*at as usize)).copied().min().unwrap_or(0);
    out.extend_from_slice(&[0; 4]);
    out.extend_from_slice(&max_frequency.to_le_bytes());
    out.extend_from_slice(&min_length.to_le_bytes());
    let dense = documents.len() * DENSE_SHARE >= lengths.len();
    if dense {
        write_dense(documents, frequencies, lengths.len(), out);
    } else {
        write_blocks(documents, frequencies, out);
    }
    let length = u32::try_from(out.len() - value as usize).map_err(too_long)?;
    out[value as usize..value as usize + 4].copy_from_slice(&length.to_le_bytes());
    Ok(Entry { marked_documents: if dense { count | DENSE } else { count }, value })
}

fn write_short(documents: &[u32], frequencies: &[u32], out: &mut Vec<u8>) {
    let mut next = 0;
    for (document, frequency) in documents.iter().zip(frequencies) {
        let gap = u64::from(document - next) << 1;
        if *frequency == 1 {
            put_varint(out, gap);
        } else {
            put_varint(out, gap | 1);
            put_varint(out, u64::from(*frequency));
        }
        next = document + 1;
    }
}

fn write_blocks(documents: &[u32], frequencies: &[u32], out: &mut Vec<u8>) {
    let mut data = Vec::with_capacity(documents.len() * 2);
    let mut gaps = [0; BLOCK];
    let mut extras = [0; BLOCK];
    let mut next = 0;
    for (block, counts) in documents.chunks(BLOCK).zip(frequencies.chunks(BLOCK)) {
        for (index, (document, count)) in block.iter().zip(counts).enumerate() {
            gaps[index] = document - next;
            extras[index] = count - 1;
            next = document + 1;
        }
        let (gaps, extras) = (&gaps[..block.len()], &extras[..block.len()]);
        let (gap_width, extra_width) = (width_of(gaps), width_of(extras));
        out.extend_from_slice(&(next - 1).to_le_bytes());
        out.extend_from_slice(&(data.len() as u32).to_le_bytes());
        out.extend_from_slice(&[gap_width as u8, extra_width as u8, 0, 0]);
        pack(gaps, gap_width, &mut data);
        pack(extras, extra_width, &mut data);
    }
    out.extend_from_slice(&data);
}

fn write_dense(documents: &[u32], frequencies: &[u32], total: usize, out: &mut Vec<u8>) {
    let mut words = vec![0u64; total.div_ceil(64)];
    for document in documents {
        words[*document as usize / 64] |= 1 << (document % 64);
    }
    words.iter().for_each(|word| out.extend_from_slice(&word.to_le_bytes()));
    let mut rank = 0u32;
    for group in words.chunks(RANK_WORDS) {
        out.extend_from_slice(&rank.to_le_bytes());
        rank += group.iter().map(|word| word.count_ones()).sum::<u32>();
    }
    let mut data = Vec::new();
    let mut extras = [0; BLOCK];
    for counts in frequencies.chunks(BLOCK) {
        counts.iter().zip(&mut extras).for_each(|(count, slot)| *slot = count - 1);
        let extras = &extras[..counts.len()];
        let width = width_of(extras);
        out.extend_from_slice(&((data.len() as u32) << 6 | width).to_le_bytes());
        pack(extras, width, &mut data);
    }
    out.extend_from_slice(&data);
}

/// A list that is ready to be read.
#[derive(Debug, Clone)]
pub(crate) enum List<'a> {
    Short(Short),
    Blocks(Blocks<'a>),
    Dense(Dense<'a>),
}

/// A list that is short enough to be unpacked as a whole.
#[derive(Debug, Clone)]
pub(crate) struct Short {
    pub(super) postings: Vec<(u32, u32)>,
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct Blocks<'a> {
    pub(super) bound: Bound,
    pub(super) documents: usize,
    pub(super) directory: &'a [[u8; DIRECTORY_BYTES]],
    pub(super) data: &'a [u8],
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct Dense<'a> {
    pub(super) bound: Bound,
    pub(super) documents: usize,
    pub(super) words: Longs<'a>,
    pub(super) ranks: Words<'a>,
    pub(super) groups: Words<'a>,
    pub(super) data: &'a [u8],
}

impl<'a> List<'a> {
    /// Reads the list of an entry from the bytes of its extent. `total` is the number of documents of the segment.
    pub(super) fn open(entry: Entry, bytes: &'a [u8], total: usize) -> Result<List<'a>> {
        let documents = entry.documents() as usize;
        if documents == 0 || documents > total {
            return Err(damaged());
        }
        if entry.marked_documents & INLINE != 0 {
            return match (documents, entry.value as usize) {
                (1, document) if document < total => Ok(List::Short(Short { postings: vec![(entry.value, 1)] })),
                _ => Err(damaged()),
            };
        }
        if documents <= BLOCK {
            return Short::open(documents, bytes, total).map(List::Short);
        }
        let mut reader = Reader::new(bytes, "a posting list");
        reader.u32()?;
        let bound = Bound { max_frequency: reader.u32()?, min_length: reader.u32()? };
        let body = bytes.get(HEADER_BYTES..).ok_or_else(damaged)?;
        if entry.marked_documents & DENSE != 0 {
            Dense::open(bound, documents, body, total).map(List::Dense)
        } else {
            Blocks::open(bound, documents, body, total).map(List::Blocks)
        }
    }

    /// The bound of the list; `lengths` are the lengths of all documents of the segment.
    pub(crate) fn bound(&self, lengths: Words<'_>) -> Bound {
        match self {
            List::Short(short) => Bound {
                max_frequency: short.postings.iter().map(|posting| posting.1).max().unwrap_or(0),
                min_length: short.postings.iter().filter_map(|(at, _)| lengths.get(*at as usize)).min().unwrap_or(0),
            },
            List::Blocks(blocks) => blocks.bound,
            List::Dense(dense) => dense.bound,
        }
    }

    /// How many documents it names, deleted ones included.
    pub(crate) fn documents(&self) -> usize {
        match self {
            List::Short(short) => short.postings.len(),
            List::Blocks(blocks) => blocks.documents,
            List::Dense(dense) => dense.documents,
        }
    }
}

impl Short {
    fn open(documents: usize, bytes: &[u8], total: usize) -> Result<Short> {
        let mut reader = Reader::new(bytes, "a short posting list");
        let mut postings = Vec::with_capacity(documents);
        let mut next = 0u64;
        for _ in 0..documents {
            let gap = reader.varint()?;
            let frequency = if gap & 1 == 0 { 1 } else { reader.varint()? };
            let document = next.saturating_add(gap >> 1);
            if document >= total as u64 || frequency == 0 || frequency > u64::from(u32::MAX) {
                return Err(damaged());
            }
            postings.push((document as u32, frequency as u32));
            next = document + 1;
        }
        Ok(Short { postings })
    }
}

impl<'a> Blocks<'a> {
    fn open(bound: Bound, documents: usize, body: &'a [u8], total: usize) -> Result<Blocks<'a>> {
        let count = documents.div_ceil(BLOCK);
        let (directory, data) = body.split_at_checked(count * DIRECTORY_BYTES).ok_or_else(damaged)?;
        let directory = directory.as_chunks().0;
        let blocks = Blocks { bound, documents, directory, data };
        match blocks.last_document(count - 1) {
            Some(last) if (last as usize) < total => Ok(blocks),
            _ => Err(damaged()),
        }
    }

    #[inline]
    pub(super) fn last_document(&self, block: usize) -> Option<u32> {
        self.directory.get(block).map(|entry| u32::from_le_bytes([entry[0], entry[1], entry[2], entry[3]]))
    }
}

impl<'a> Dense<'a> {
    fn open(bound: Bound, documents: usize, body: &'a [u8], total: usize) -> Result<Dense<'a>> {
        let words = total.div_ceil(64);
        let (words_bytes, rest) = body.split_at_checked(words * 8).ok_or_else(damaged)?;
        let (rank_bytes, rest) = rest.split_at_checked(words.div_ceil(RANK_WORDS) * 4).ok_or_else(damaged)?;
        let (group_bytes, data) = rest.split_at_checked(documents.div_ceil(BLOCK) * 4).ok_or_else(damaged)?;
        let groups = Words::new(group_bytes);
        Ok(Dense { bound, documents, words: Longs::new(words_bytes), ranks: Words::new(rank_bytes), groups, data })
    }

    /// The packed counts of a group of 128 postings, their width and how many they are.
    #[inline]
    pub(super) fn group(&self, group: usize) -> Result<(&'a [u8], u32, usize)> {
        let entry = self.groups.get(group).ok_or_else(damaged)?;
        let count = self.documents.saturating_sub(group * BLOCK).min(BLOCK);
        let (start, width) = ((entry >> 6) as usize, entry & 63);
        let bytes = self.data.get(start..start + packed_bytes(count, width)).ok_or_else(damaged)?;
        Ok((bytes, width, count))
    }
}

pub(super) fn damaged() -> IndexError {
    IndexError::Damaged("a posting list is not as it was written".to_owned())
}
