//! Writes a vector section.

use xxhash_rust::xxh3::xxh3_64;

use super::kernel::row_products;
use super::layout::{
    Checksums, LANES, Layout, OFFSET_STEP, WEIGHT_STEP, block_bytes, code_bytes, lane_byte, padded_dims, row_bytes,
};
use super::quantize::{QuantizedRef, check_dims};
use super::query::VectorQuery;
use super::rotation::rotate;
use super::section::row_checksum;
use crate::error::{IndexError, Result};

/// Collects the vectors of a section. The same vectors give the same bytes.
#[derive(Debug)]
pub struct VectorSectionBuilder {
    dims: usize,
    /// A direction of length one, or nothing.
    centre: Vec<f32>,
    rotated_centre: Vec<f32>,
    owners: Vec<u32>,
    blocks: Vec<u8>,
    rows: Vec<u8>,
    /// One vector on its way to sign bits, kept to be used again.
    residual: Vec<f32>,
}

impl VectorSectionBuilder {
    /// An empty section for vectors of `dims` dimensions.
    ///
    /// # Errors
    /// [`IndexError::Invalid`] for a number of dimensions that an index does not take.
    pub fn new(dims: usize) -> Result<Self> {
        check_dims(dims)?;
        Ok(Self {
            dims,
            centre: Vec::new(),
            rotated_centre: Vec::new(),
            owners: Vec::new(),
            blocks: Vec::new(),
            rows: Vec::new(),
            residual: Vec::with_capacity(dims),
        })
    }

    /// An empty section whose sign bits are taken after the direction of `centre` has
    /// been taken out.
    ///
    /// All texts have much in common in the eyes of some models: every vector, and every
    /// query, points to the mean. A sign bit should not be spent on that. With the mean
    /// of a model's vectors as centre, what a vector has of that direction is stored as a
    /// number, and the signs are about the rest. Estimates stay comparable whatever the
    /// centre, but a vector has the same estimate in two sections only if both have the
    /// same: it belongs to the model, not to the vectors at hand.
    ///
    /// # Errors
    /// [`IndexError::Invalid`] as for [`super::quantize`].
    pub fn with_centre(centre: &[f32]) -> Result<Self> {
        let builder = Self::new(centre.len())?;
        let centre = VectorQuery::new(centre)?.floats().to_vec();
        let mut rotated_centre = centre.clone();
        rotate(&mut rotated_centre);
        Ok(Self { centre, rotated_centre, ..builder })
    }

    /// Adds a vector. Owners come in ascending order; one may have several vectors.
    ///
    /// # Errors
    /// [`IndexError::Invalid`] for an owner out of order, another number of dimensions,
    /// values that [`super::quantize`] does not give, and more vectors than 32 bits count.
    pub fn push(&mut self, owner: u32, vector: QuantizedRef<'_>) -> Result<()> {
        vector.check(self.dims)?;
        if self.owners.last().is_some_and(|&last| last > owner) {
            return Err(IndexError::Invalid(format!("owner {owner} comes after a larger one")));
        }
        let number = u32::try_from(self.owners.len())
            .ok()
            .filter(|&number| number < u32::MAX)
            .ok_or_else(|| IndexError::Invalid("a section holds no more vectors".into()))?;
        self.owners.push(owner);
        self.push_row(number, vector);
        self.push_code(number as usize, vector);
        Ok(())
    }

    /// How many vectors have been added.
    pub fn len(&self) -> usize {
        self.owners.len()
    }

    /// Whether none has been added.
    pub fn is_empty(&self) -> bool {
        self.owners.is_empty()
    }

    /// The bytes of the section. They are best put at a multiple of 64 in a file.
    ///
    /// # Errors
    /// [`IndexError::Invalid`] if the section would not fit the address space.
    pub fn finish(self) -> Result<Vec<u8>> {
        let layout = Layout::new(self.dims, self.owners.len() as u32, !self.centre.is_empty())?;
        let centre: Vec<u8> = self.centre.iter().flat_map(|value| value.to_le_bytes()).collect();
        let owners: Vec<u8> = self.owners.iter().flat_map(|owner| owner.to_le_bytes()).collect();
        let checksums = Checksums { centre: xxh3_64(&centre), owners: xxh3_64(&owners), blocks: xxh3_64(&self.blocks) };
        let mut bytes = Vec::with_capacity(layout.total_bytes());
        bytes.extend_from_slice(&layout.write_header(checksums));
        for (range, part) in [
            (&layout.centre, centre),
            (&layout.owners, owners),
            (&layout.blocks, self.blocks),
            (&layout.rows, self.rows),
        ] {
            bytes.resize(range.start, 0);
            bytes.extend_from_slice(&part);
        }
        Ok(bytes)
    }

    fn push_row(&mut self, number: u32, vector: QuantizedRef<'_>) {
        let mut values = vector.values.to_vec();
        values.resize(padded_dims(self.dims), 0);
        let (_, product) = row_products(&values, &vec![0; values.len()]);
        let checksum = row_checksum(product, vector.scale, number);
        self.rows.extend_from_slice(&vector.scale.to_le_bytes());
        self.rows.extend_from_slice(&checksum.to_le_bytes());
        self.rows.extend(values.iter().map(|&value| value as u8));
        debug_assert_eq!(self.rows.len() % row_bytes(self.dims), 0);
    }

    fn push_code(&mut self, number: usize, vector: QuantizedRef<'_>) {
        self.residual.clear();
        self.residual.extend(vector.values.iter().map(|&value| f32::from(value) * vector.scale));
        let along_centre = product(&self.residual, &self.rotated_centre);
        for (value, centre) in self.residual.iter_mut().zip(&self.rotated_centre) {
            *value -= along_centre * centre;
        }
        let block = number / LANES * block_bytes(self.dims);
        if self.blocks.len() == block {
            self.blocks.resize(block + block_bytes(self.dims), 0);
        }
        let (codes, factors) = self.blocks[block..].split_at_mut(code_bytes(self.dims));
        let lane = number % LANES;
        for (signs, codes) in self.residual.chunks(8).zip(codes.chunks_exact_mut(LANES)) {
            for (position, value) in signs.iter().enumerate() {
                codes[lane_byte(lane)] |= u8::from(*value > 0.0) << position;
            }
        }
        let (weight, offset) = factors_of(&self.residual, &self.rotated_centre, along_centre);
        factors[2 * lane..][..2].copy_from_slice(&weight.to_le_bytes());
        factors[2 * (LANES + lane)..][..2].copy_from_slice(&offset.to_le_bytes());
    }
}

/// The weight and the offset of a vector.
///
/// The weight is that by which the product of a query with the signs has to be
/// multiplied to be, on average, the product with the vector itself: the vector's squared
/// length over its product with its own signs. Times the square root of the dimensions
/// it does not depend on their number.
///
/// The offset is what the vector has of the centre's direction, less what its signs seem
/// to have of it, which the scan counts because it knows nothing of the centre.
fn factors_of(residual: &[f32], rotated_centre: &[f32], along_centre: f32) -> (i16, i16) {
    let squares: f32 = residual.iter().map(|value| value * value).sum();
    let magnitude: f32 = residual.iter().map(|value| value.abs()).sum();
    let root = (residual.len() as f32).sqrt();
    let weight = if magnitude == 0.0 { 0 } else { to_i16(squares / magnitude * root / WEIGHT_STEP) };
    let signs_on_centre: f32 =
        residual.iter().zip(rotated_centre).map(|(&value, &centre)| if value > 0.0 { centre } else { -centre }).sum();
    let seeming = f32::from(weight) * WEIGHT_STEP / root * signs_on_centre;
    (weight, to_i16((along_centre - seeming) / OFFSET_STEP))
}

fn product(left: &[f32], right: &[f32]) -> f32 {
    left.iter().zip(right).map(|(left, right)| left * right).sum()
}

fn to_i16(value: f32) -> i16 {
    // A conversion from floating point stops at the largest and the smallest number.
    value.round() as i16
}
