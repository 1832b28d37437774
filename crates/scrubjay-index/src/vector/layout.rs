//! What the bytes of a vector section are. All numbers are little-endian, and every
//! part begins at a multiple of 64 bytes from the start of the section.
//!
//! | part    | bytes                 | what                                                      |
//! |---------|-----------------------|-----------------------------------------------------------|
//! | header  | 64                    | sizes and checksums, its own checksum last                |
//! | centre  | 4 × dims, if there is | the direction that was taken out before the signs were    |
//! | owners  | 4 × vectors           | who each vector belongs to, ascending                     |
//! | blocks  | for 32 vectors each   | sign bits, weights and offsets, see below                 |
//! | rows    | 8 + dims for each     | scale, checksum and int8 values of one vector             |
//!
//! A block is read by looking up 32 nibbles of 32 vectors at once. It holds, for every
//! eight dimensions, 32 bytes: one per vector, the low nibble for the first four
//! dimensions and the high one for the other four. Vector `lane` of the block has byte
//! `2 * lane` if it is below 16 and byte `2 * (lane - 16) + 1` otherwise, so that the
//! even bytes and the odd bytes are each sixteen vectors in order. The 32 weights and
//! the 32 offsets of the vectors follow, two bytes each.
//!
//! The estimated cosine of a vector is its weight times the product of the query with
//! its signs, plus its offset times the product of the query with the centre.
//!
//! Dimensions are filled up with zeros to a multiple of 32 in blocks and rows.

use std::ops::Range;

use xxhash_rust::xxh3::xxh3_64;

use super::quantize::check_dims;
use crate::error::{IndexError, Result};

/// How many vectors a block holds.
pub(super) const LANES: usize = 32;

/// A vector's weight is stored as a multiple of this.
pub(super) const WEIGHT_STEP: f32 = 1.0 / 8192.0;

/// A vector's offset is stored as a multiple of this.
pub(super) const OFFSET_STEP: f32 = 1.0 / 16384.0;

const MAGIC: [u8; 8] = *b"SJVECTOR";
const VERSION: u32 = 1;
const HEADER_BYTES: usize = 64;
const HAS_CENTRE: u32 = 1;
/// Scale and checksum of a row, before its values.
pub(super) const ROW_HEAD_BYTES: usize = 8;

/// Where the parts of a section are. It follows from the numbers in the header.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Layout {
    pub dims: usize,
    pub count: usize,
    pub centre: Range<usize>,
    pub owners: Range<usize>,
    pub blocks: Range<usize>,
    pub rows: Range<usize>,
}

/// The header's checksums of the parts that are checked as a whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Checksums {
    pub centre: u64,
    pub owners: u64,
    pub blocks: u64,
}

impl Layout {
    pub(super) fn new(dims: usize, count: u32, has_centre: bool) -> Result<Self> {
        check_dims(dims)?;
        let too_large = || IndexError::Invalid(format!("{count} vectors of {dims} dimensions are too many"));
        let count = usize::try_from(count).map_err(|_| too_large())?;
        let mut end = HEADER_BYTES;
        let mut part = |bytes: Option<usize>| {
            let start = end.checked_next_multiple_of(64)?;
            end = start.checked_add(bytes?)?;
            Some(start..end)
        };
        let parts = (|| {
            let centre = part(Some(if has_centre { 4 * dims } else { 0 }))?;
            let owners = part(count.checked_mul(4))?;
            let blocks = part(count.div_ceil(LANES).checked_mul(block_bytes(dims)))?;
            let rows = part(count.checked_mul(row_bytes(dims)))?;
            Some(Self { dims, count, centre, owners, blocks, rows })
        })();
        parts.ok_or_else(too_large)
    }

    /// The length of the section.
    pub(super) fn total_bytes(&self) -> usize {
        self.rows.end
    }

    pub(super) fn write_header(&self, checksums: Checksums) -> [u8; HEADER_BYTES] {
        let mut header = [0; HEADER_BYTES];
        let flags = if self.centre.is_empty() { 0 } else { HAS_CENTRE };
        header[..8].copy_from_slice(&MAGIC);
        header[8..12].copy_from_slice(&VERSION.to_le_bytes());
        header[12..16].copy_from_slice(&(self.dims as u32).to_le_bytes());
        header[16..20].copy_from_slice(&(self.count as u32).to_le_bytes());
        header[20..24].copy_from_slice(&flags.to_le_bytes());
        header[24..32].copy_from_slice(&checksums.centre.to_le_bytes());
        header[32..40].copy_from_slice(&checksums.owners.to_le_bytes());
        header[40..48].copy_from_slice(&checksums.blocks.to_le_bytes());
        header[48..56].copy_from_slice(&(self.total_bytes() as u64).to_le_bytes());
        let own = xxh3_64(&header[..56]);
        header[56..].copy_from_slice(&own.to_le_bytes());
        header
    }

    /// Reads a header and compares it with the length of the section.
    pub(super) fn read(bytes: &[u8]) -> Result<(Self, Checksums)> {
        let damaged = |what: &str| IndexError::Damaged(format!("vector section: {what}"));
        let header: &[u8; HEADER_BYTES] = bytes.first_chunk().ok_or_else(|| damaged("no room for a header"))?;
        if header[..8] != MAGIC {
            return Err(damaged("it does not begin like one"));
        }
        if xxh3_64(&header[..56]) != u64_at(header, 56) {
            return Err(damaged("the header does not match its checksum"));
        }
        let version = u32_at(header, 8);
        if version != VERSION {
            return Err(IndexError::Foreign(format!("vector section of version {version}, expected {VERSION}")));
        }
        let has_centre = u32_at(header, 20) & HAS_CENTRE != 0;
        let layout = Self::new(u32_at(header, 12) as usize, u32_at(header, 16), has_centre)
            .map_err(|error| IndexError::Damaged(format!("vector section: {error}")))?;
        if layout.total_bytes() != bytes.len() || layout.total_bytes() as u64 != u64_at(header, 48) {
            return Err(damaged("its length does not match its header"));
        }
        let checksums =
            Checksums { centre: u64_at(header, 24), owners: u64_at(header, 32), blocks: u64_at(header, 40) };
        Ok((layout, checksums))
    }
}

/// Dimensions as they are stored.
pub(super) fn padded_dims(dims: usize) -> usize {
    dims.next_multiple_of(32)
}

/// The bytes of the sign bits of one block.
pub(super) fn code_bytes(dims: usize) -> usize {
    padded_dims(dims) / 8 * LANES
}

/// The bytes of one block: sign bits, weights, offsets.
pub(super) fn block_bytes(dims: usize) -> usize {
    code_bytes(dims) + 4 * LANES
}

/// The bytes of one row.
pub(super) fn row_bytes(dims: usize) -> usize {
    ROW_HEAD_BYTES + padded_dims(dims)
}

/// Which byte of each 32 belongs to a vector of the block.
pub(super) fn lane_byte(lane: usize) -> usize {
    if lane < LANES / 2 { 2 * lane } else { 2 * lane - (LANES - 1) }
}

fn u32_at(header: &[u8; HEADER_BYTES], at: usize) -> u32 {
    let mut bytes = [0; 4];
    bytes.copy_from_slice(&header[at..at + 4]);
    u32::from_le_bytes(bytes)
}

fn u64_at(header: &[u8; HEADER_BYTES], at: usize) -> u64 {
    let mut bytes = [0; 8];
    bytes.copy_from_slice(&header[at..at + 8]);
    u64::from_le_bytes(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_lane_has_a_byte_of_its_own() {
        let mut bytes: Vec<usize> = (0..LANES).map(lane_byte).collect();
        assert_eq!(&bytes[14..18], &[28, 30, 1, 3]);
        bytes.sort_unstable();
        assert_eq!(bytes, (0..LANES).collect::<Vec<_>>());
    }

    #[test]
    fn parts_are_aligned_and_do_not_overlap() {
        for (dims, count, has_centre) in [(384, 1000, true), (4, 1, false), (100, 33, true), (384, 0, false)] {
            let layout = Layout::new(dims, count, has_centre).unwrap();
            let parts = [&layout.centre, &layout.owners, &layout.blocks, &layout.rows];
            assert!(parts.iter().all(|part| part.start % 64 == 0 && part.start >= HEADER_BYTES));
            assert!(parts.windows(2).all(|pair| pair[0].end <= pair[1].start));
            assert_eq!(layout.total_bytes(), layout.rows.end);
        }
    }

    #[test]
    fn a_header_is_read_as_it_was_written() {
        let layout = Layout::new(384, 0, true).unwrap();
        let checksums = Checksums { centre: 1, owners: 2, blocks: u64::MAX };
        let mut bytes = vec![0; layout.total_bytes()];
        bytes[..HEADER_BYTES].copy_from_slice(&layout.write_header(checksums));
        assert_eq!(Layout::read(&bytes).unwrap(), (layout, checksums));
        bytes.push(0);
        assert!(matches!(Layout::read(&bytes), Err(IndexError::Damaged(_))));
    }
}
