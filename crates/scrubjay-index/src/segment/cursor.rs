//! Going through a posting list: [`Scan`] visits everything in order, [`Probe`] looks documents up.

use super::list::{Blocks, Dense, List, Short, damaged};
use crate::bitmap::Bitmap;
use crate::error::Result;
use crate::packing::{BLOCK, packed_bytes, unpack, unpack_one};
use crate::segment::list::RANK_WORDS;

/// Visits the postings of a list in the order of documents.
pub(crate) struct Scan<'a> {
    list: List<'a>,
    /// Documents of the unpacked block; unused for the other forms.
    documents: [u32; BLOCK],
    /// Counts, less one, of the unpacked block.
    extras: [u32; BLOCK],
    /// Which block or group of counts is unpacked; `usize::MAX` before the first.
    unpacked: usize,
    /// How many postings were visited.
    visited: usize,
    /// The first document that was not looked at; used for bits only.
    next: u32,
}

impl<'a> Scan<'a> {
    pub(crate) fn new(list: List<'a>) -> Scan<'a> {
        Scan { list, documents: [0; BLOCK], extras: [0; BLOCK], unpacked: usize::MAX, visited: 0, next: 0 }
    }

    /// The next document that will be visited, or a document before it that costs nothing to find.
    pub(crate) fn next_document(&mut self) -> Result<Option<u32>> {
        match &self.list {
            List::Short(short) => Ok(short.postings.get(self.visited).map(|posting| posting.0)),
            List::Blocks(blocks) => {
                if self.visited >= blocks.documents {
                    return Ok(None);
                }
                let block = self.visited / BLOCK;
                if block != self.unpacked {
                    unpack_documents(blocks, block, &mut self.documents)?;
                    unpack_extras(blocks, block, &mut self.extras)?;
                    self.unpacked = block;
                }
                Ok(Some(self.documents[self.visited % BLOCK]))
            }
            List::Dense(dense) => Ok((self.visited < dense.documents).then_some(self.next)),
        }
    }

    /// Visits all postings with a document before `end` that were not visited yet.
    #[inline]
    pub(crate) fn visit(&mut self, end: u32, mut visit: impl FnMut(u32, u32)) -> Result<()> {
        match &self.list {
            List::Short(short) => {
                while let Some((document, frequency)) = short.postings.get(self.visited)
                    && *document < end
                {
                    visit(*document, *frequency);
                    self.visited += 1;
                }
                Ok(())
            }
            List::Blocks(_) => self.visit_blocks(end, visit),
            List::Dense(dense) => {
                let dense = *dense;
                self.visit_dense(&dense, end, visit)
            }
        }
    }

    fn visit_blocks(&mut self, end: u32, mut visit: impl FnMut(u32, u32)) -> Result<()> {
        while self.next_document()?.is_some_and(|document| document < end) {
            let start = self.visited % BLOCK;
            let stop = BLOCK.min(self.list.documents() - self.unpacked * BLOCK);
            let mut index = start;
            while index < stop && self.documents[index] < end {
                visit(self.documents[index], self.extras[index].wrapping_add(1));
                index += 1;
            }
            self.visited += index - start;
            if index < stop {
                return Ok(());
            }
        }
        Ok(())
    }

    fn visit_dense(&mut self, dense: &Dense<'a>, end: u32, mut visit: impl FnMut(u32, u32)) -> Result<()> {
        while self.next < end {
            let at = self.next as usize / 64;
            let Some(word) = dense.words.get(at) else { return Ok(()) };
            let mut bits = word & (u64::MAX << (self.next % 64));
            let stop = (at as u32 + 1) * 64;
            if stop > end {
                bits &= (1u64 << (end % 64)) - 1;
            }
            while bits != 0 {
                let group = self.visited / BLOCK;
                if group != self.unpacked {
                    let (bytes, width, count) = dense.group(group)?;
                    unpack(bytes, width, count, &mut self.extras)?;
                    self.unpacked = group;
                }
                let document = at as u32 * 64 + bits.trailing_zeros();
                visit(document, self.extras[self.visited % BLOCK].wrapping_add(1));
                self.visited += 1;
                bits &= bits - 1;
            }
            self.next = stop.min(end);
        }
        Ok(())
    }
}

/// Looks documents up in a list. It is quickest when they are asked for in ascending order.
pub(crate) struct Probe<'a> {
    list: List<'a>,
    documents: [u32; BLOCK],
    unpacked: usize,
}

impl<'a> Probe<'a> {
    pub(crate) fn new(list: List<'a>) -> Probe<'a> {
        Probe { list, documents: [0; BLOCK], unpacked: usize::MAX }
    }

    /// How often the term occurs in the document.
    #[inline]
    pub(crate) fn frequency(&mut self, document: u32) -> Result<u32> {
        match &self.list {
            List::Short(short) => Ok(short.frequency(document)),
            List::Dense(dense) => dense.frequency(document),
            List::Blocks(blocks) => {
                let blocks = *blocks;
                self.frequency_in_blocks(&blocks, document)
            }
        }
    }

    fn frequency_in_blocks(&mut self, blocks: &Blocks<'a>, document: u32) -> Result<u32> {
        let Some(block) = self.block_of(blocks, document) else { return Ok(0) };
        if block != self.unpacked {
            self.unpacked = usize::MAX;
            unpack_documents(blocks, block, &mut self.documents)?;
            self.unpacked = block;
        }
        let count = BLOCK.min(blocks.documents - block * BLOCK);
        match self.documents[..count].binary_search(&document) {
            Ok(index) => {
                let (bytes, width) = packed_extras(blocks, block)?;
                Ok(unpack_one(bytes, width, index)?.wrapping_add(1))
            }
            Err(_) => Ok(0),
        }
    }

    /// The only block that can hold the document. The unpacked block and the few after it are tried first.
    fn block_of(&self, blocks: &Blocks<'a>, document: u32) -> Option<usize> {
        let ends_before = |block: usize| blocks.last_document(block).is_some_and(|last| last < document);
        let mut low = 0;
        let mut high = blocks.directory.len();
        if self.unpacked < high && self.documents[0] <= document {
            low = self.unpacked;
            let mut step = 1;
            while ends_before(low) {
                if low + step >= high || !ends_before(low + step) {
                    high = high.min(low + step + 1);
                    low += 1;
                    break;
                }
                low += step;
                step *= 2;
            }
            if !ends_before(low) {
                return (low < blocks.directory.len()).then_some(low);
            }
        }
        while low < high {
            let middle = low.midpoint(high);
            if ends_before(middle) { low = middle + 1 } else { high = middle }
        }
        (low < blocks.directory.len()).then_some(low)
    }
}

/// How many of the documents in the map the list names.
pub(crate) fn count_in(list: &List<'_>, map: &Bitmap) -> Result<u32> {
    match list {
        List::Dense(dense) => {
            let pairs = map.words().iter().enumerate();
            Ok(pairs.map(|(at, word)| (word & dense.words.get(at).unwrap_or(0)).count_ones()).sum())
        }
        List::Short(short) => Ok(short.postings.iter().filter(|(document, _)| map.contains(*document)).count() as u32),
        List::Blocks(blocks) if map.len() as usize * 2 < blocks.directory.len() => {
            let mut probe = Probe::new(list.clone());
            let mut count = 0;
            for document in map.iter() {
                count += u32::from(probe.frequency(document)? > 0);
            }
            Ok(count)
        }
        List::Blocks(blocks) => {
            let mut documents = [0; BLOCK];
            let mut count = 0;
            for block in 0..blocks.directory.len() {
                unpack_documents(blocks, block, &mut documents)?;
                let stop = BLOCK.min(blocks.documents - block * BLOCK);
                count += documents[..stop].iter().filter(|document| map.contains(**document)).count() as u32;
            }
            Ok(count)
        }
    }
}

impl Short {
    fn frequency(&self, document: u32) -> u32 {
        let found = self.postings.binary_search_by_key(&document, |posting| posting.0);
        found.ok().and_then(|index| self.postings.get(index)).map_or(0, |posting| posting.1)
    }
}

impl Dense<'_> {
    #[inline]
    fn frequency(&self, document: u32) -> Result<u32> {
        let at = document as usize / 64;
        let bit = 1u64 << (document % 64);
        let word = self.words.get(at).ok_or_else(damaged)?;
        if word & bit == 0 {
            return Ok(0);
        }
        let mut rank = self.ranks.get(at / RANK_WORDS).ok_or_else(damaged)?;
        for before in at / RANK_WORDS * RANK_WORDS..at {
            rank = rank.wrapping_add(self.words.get(before).unwrap_or(0).count_ones());
        }
        rank = rank.wrapping_add((word & (bit - 1)).count_ones());
        let (bytes, width, count) = self.group(rank as usize / BLOCK)?;
        let index = rank as usize % BLOCK;
        if index >= count {
            return Err(damaged());
        }
        Ok(unpack_one(bytes, width, index)?.wrapping_add(1))
    }
}

/// Where the packed parts of a block begin, their widths, and how many postings it has.
fn block_parts<'a>(blocks: &Blocks<'a>, block: usize) -> Result<(&'a [u8], u32, u32, usize)> {
    let entry = blocks.directory.get(block).ok_or_else(damaged)?;
    let start = u32::from_le_bytes([entry[4], entry[5], entry[6], entry[7]]) as usize;
    let bytes = blocks.data.get(start..).ok_or_else(damaged)?;
    let count = blocks.documents.saturating_sub(block * BLOCK).min(BLOCK);
    Ok((bytes, u32::from(entry[8]), u32::from(entry[9]), count))
}

fn unpack_documents(blocks: &Blocks<'_>, block: usize, documents: &mut [u32; BLOCK]) -> Result<()> {
    let (bytes, width, _, count) = block_parts(blocks, block)?;
    unpack(bytes, width, count, documents)?;
    let mut next = match block.checked_sub(1) {
        Some(before) => blocks.last_document(before).ok_or_else(damaged)?.wrapping_add(1),
        None => 0,
    };
    for slot in documents.iter_mut() {
        let document = next.wrapping_add(*slot);
        *slot = document;
        next = document.wrapping_add(1);
    }
    Ok(())
}

fn packed_extras<'a>(blocks: &Blocks<'a>, block: usize) -> Result<(&'a [u8], u32)> {
    let (bytes, document_width, width, count) = block_parts(blocks, block)?;
    let bytes = bytes.get(packed_bytes(count, document_width)..).ok_or_else(damaged)?;
    Ok((bytes, width))
}

fn unpack_extras(blocks: &Blocks<'_>, block: usize, extras: &mut [u32; BLOCK]) -> Result<()> {
    let (bytes, width) = packed_extras(blocks, block)?;
    let (_, _, _, count) = block_parts(blocks, block)?;
    unpack(bytes, width, count, extras)
}
