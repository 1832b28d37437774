//! Reads a vector section.

use std::ops::Range;
use std::sync::OnceLock;

use xxhash_rust::xxh3::xxh3_64;

use super::bytes::Bytes;
use super::kernel::{as_signed, prefetch, row_products};
use super::layout::{Checksums, Layout, ROW_HEAD_BYTES, row_bytes};
use super::quantize::{MAX_DIMS, QuantizedRef};
use super::query::VectorQuery;
use super::rotation::spread;
use super::scan::Candidate;
use crate::error::{IndexError, Result};

/// How many rows ahead of the one being scored are asked for. Rows are far apart, and
/// memory answers several questions in the time of one.
const PREFETCH_ROWS: usize = 8;

/// For a row of which only the checksum is wanted.
static NO_QUERY: [i16; MAX_DIMS] = [0; MAX_DIMS];

/// The vectors of a segment, read in place.
#[derive(Debug)]
pub struct VectorSection {
    bytes: Bytes,
    layout: Layout,
    checksums: Checksums,
    centre: Vec<f32>,
    owners_are_sound: OnceLock<bool>,
    blocks_are_sound: OnceLock<bool>,
}

impl VectorSection {
    /// Opens a section and checks its header and its length, which does not take longer
    /// for a large one. The rest is checked when it is first read.
    ///
    /// # Errors
    /// [`IndexError::Damaged`], and [`IndexError::Foreign`] for another version.
    pub fn open(bytes: Bytes) -> Result<Self> {
        let (layout, checksums) = Layout::read(bytes.as_slice())?;
        let centre_bytes = bytes.as_slice().get(layout.centre.clone()).unwrap_or_default();
        if xxh3_64(centre_bytes) != checksums.centre {
            return Err(IndexError::Damaged("vector section: the centre does not match its checksum".into()));
        }
        let centre = centre_bytes.as_chunks().0.iter().map(|&value| f32::from_le_bytes(value)).collect();
        Ok(Self {
            bytes,
            layout,
            checksums,
            centre,
            owners_are_sound: OnceLock::new(),
            blocks_are_sound: OnceLock::new(),
        })
    }

    /// How many vectors there are.
    pub fn len(&self) -> usize {
        self.layout.count
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.layout.count == 0
    }

    /// The number of dimensions of every vector.
    pub fn dims(&self) -> usize {
        self.layout.dims
    }

    /// The direction, of length one, that was taken out of every vector before its signs
    /// were taken; empty for none.
    pub fn centre(&self) -> &[f32] {
        &self.centre
    }

    /// Who a vector belongs to.
    ///
    /// # Errors
    /// [`IndexError::Invalid`] if there is no such vector, [`IndexError::Damaged`].
    pub fn owner(&self, vector: u32) -> Result<u32> {
        let owners = self.owners()?;
        owners.get(vector as usize).map(|&owner| u32::from_le_bytes(owner)).ok_or_else(|| self.no_vector(vector))
    }

    /// The vectors of an owner; an empty range if there are none.
    ///
    /// # Errors
    /// [`IndexError::Damaged`].
    pub fn vectors_of(&self, owner: u32) -> Result<Range<u32>> {
        let owners = self.owners()?;
        let start = owners.partition_point(|&other| u32::from_le_bytes(other) < owner);
        let length = owners[start..].partition_point(|&other| u32::from_le_bytes(other) == owner);
        Ok(start as u32..(start + length) as u32)
    }

    /// The int8 values of a vector.
    ///
    /// # Errors
    /// [`IndexError::Invalid`] if there is no such vector, [`IndexError::Damaged`].
    pub fn quantized(&self, vector: u32) -> Result<QuantizedRef<'_>> {
        let row = self.row(self.rows(), vector)?;
        let (_, product) = row_products(row.values, &NO_QUERY[..row.values.len()]);
        row.check(product)?;
        Ok(QuantizedRef { scale: row.scale, values: &row.values[..self.layout.dims] })
    }

    /// The cosine of a vector with the query, from its int8 values. It is the same on
    /// every machine, and within 0.002 of the cosine of the original.
    ///
    /// # Errors
    /// [`IndexError::Invalid`] if there is no such vector or the query has other
    /// dimensions, [`IndexError::Damaged`].
    pub fn cosine(&self, query: &VectorQuery, vector: u32) -> Result<f32> {
        self.check_query(query)?;
        self.row(self.rows(), vector)?.cosine(query)
    }

    /// The cosines of candidates, in their order. Faster than one call for each.
    ///
    /// # Errors
    /// As for [`Self::cosine`].
    pub fn rescore(&self, query: &VectorQuery, candidates: &[Candidate]) -> Result<Vec<f32>> {
        self.check_query(query)?;
        let rows = self.rows();
        let prefetch_row = |candidate: &Candidate| prefetch(self.row_bytes(rows, candidate.vector).unwrap_or_default());
        candidates.iter().take(PREFETCH_ROWS).for_each(prefetch_row);
        let mut cosines = Vec::with_capacity(candidates.len());
        for (position, candidate) in candidates.iter().enumerate() {
            candidates.get(position + PREFETCH_ROWS).map(prefetch_row);
            cosines.push(self.row(rows, candidate.vector)?.cosine(query)?);
        }
        Ok(cosines)
    }

    pub(super) fn check_query(&self, query: &VectorQuery) -> Result<()> {
        if query.dims() == self.layout.dims {
            return Ok(());
        }
        Err(IndexError::Invalid(format!(
            "a query of {} dimensions was asked of vectors of {}",
            query.dims(),
            self.layout.dims
        )))
    }

    /// The owners, checked when they are first asked for.
    pub(super) fn owners(&self) -> Result<&[[u8; 4]]> {
        let bytes = self.part(&self.layout.owners, &self.owners_are_sound, self.checksums.owners, "the owner table")?;
        Ok(bytes.as_chunks().0)
    }

    /// The blocks of sign bits, checked when they are first asked for.
    pub(super) fn blocks(&self) -> Result<&[u8]> {
        self.part(&self.layout.blocks, &self.blocks_are_sound, self.checksums.blocks, "the sign bits")
    }

    fn part(&self, range: &Range<usize>, is_sound: &OnceLock<bool>, checksum: u64, what: &str) -> Result<&[u8]> {
        let bytes = self.bytes.as_slice().get(range.clone());
        match bytes {
            Some(bytes) if *is_sound.get_or_init(|| xxh3_64(bytes) == checksum) => Ok(bytes),
            _ => Err(IndexError::Damaged(format!("vector section: {what} does not match its checksum"))),
        }
    }

    fn rows(&self) -> &[u8] {
        self.bytes.as_slice().get(self.layout.rows.clone()).unwrap_or_default()
    }

    fn row<'a>(&self, rows: &'a [u8], vector: u32) -> Result<Row<'a>> {
        let bytes = self.row_bytes(rows, vector).ok_or_else(|| self.no_vector(vector))?;
        let (head, values) = bytes.split_at(ROW_HEAD_BYTES);
        let ([scale, checksum], _) = head.as_chunks() else { return Err(self.no_vector(vector)) };
        Ok(Row {
            vector,
            scale: f32::from_le_bytes(*scale),
            checksum: u32::from_le_bytes(*checksum),
            values: as_signed(values),
        })
    }

    fn row_bytes<'a>(&self, rows: &'a [u8], vector: u32) -> Option<&'a [u8]> {
        let stride = row_bytes(self.layout.dims);
        // This cannot overflow for a vector that there is, and the part is not longer.
        let start = (vector as usize).checked_mul(stride)?;
        rows.get(start..start.checked_add(stride)?)
    }

    fn no_vector(&self, vector: u32) -> IndexError {
        IndexError::Invalid(format!("vector {vector} was asked of {}", self.layout.count))
    }
}

struct Row<'a> {
    vector: u32,
    scale: f32,
    checksum: u32,
    values: &'a [i8],
}

impl Row<'_> {
    fn cosine(&self, query: &VectorQuery) -> Result<f32> {
        let (product, checksum) = row_products(self.values, query.integers());
        self.check(checksum)?;
        Ok((product as f64 * f64::from(query.integer_step()) * f64::from(self.scale)) as f32)
    }

    fn check(&self, product: u32) -> Result<()> {
        let vector = self.vector;
        if row_checksum(product, self.scale, vector) == self.checksum {
            return Ok(());
        }
        Err(IndexError::Damaged(format!("vector section: vector {vector} does not match its checksum")))
    }
}

/// The checksum of a row from the product of its values with the checksum weights. The
/// number of the row is in it, so that a row in the wrong place and a row of zeros are
/// found too.
pub(super) fn row_checksum(product: u32, scale: f32, vector: u32) -> u32 {
    (spread(u64::from(scale.to_bits()) << 32 | u64::from(vector)) >> 32) as u32 ^ product
}
