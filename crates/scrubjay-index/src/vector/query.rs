//! A query, prepared once and used on every section.

use super::kernel::{MAX_ENTRY, ScanPlan};
use super::layout::{OFFSET_STEP, WEIGHT_STEP, padded_dims};
use super::quantize::{check_dims, largest_coordinate, rounded};
use super::rotation::rotate;
use crate::error::Result;

/// A query vector in the three forms a search needs.
#[derive(Debug)]
pub struct VectorQuery {
    /// Length one.
    floats: Vec<f32>,
    /// Rotated, for the product with int8 rows: sixteen bits lose nothing that matters, and
    /// whole numbers add up to the same on every machine.
    integers: Vec<i16>,
    integer_step: f32,
    plan: ScanPlan,
    score_step: f32,
}

impl VectorQuery {
    /// Prepares a vector. Its length does not matter.
    ///
    /// # Errors
    /// [`crate::IndexError::Invalid`] as for [`super::quantize`].
    pub fn new(vector: &[f32]) -> Result<Self> {
        check_dims(vector.len())?;
        let largest = largest_coordinate(vector)?;
        // Taking the largest out first keeps squares of any float within range.
        let length = vector.iter().map(|&value| f64::from(value / largest).powi(2)).sum::<f64>().sqrt();
        let floats: Vec<f32> = vector.iter().map(|&value| (f64::from(value / largest) / length) as f32).collect();
        let mut rotated = floats.clone();
        rotate(&mut rotated);
        let integer_step = largest_coordinate(&rotated)? / f32::from(i16::MAX);
        rotated.resize(padded_dims(vector.len()), 0.0);
        let integers = rotated.iter().map(|&value| rounded(value / integer_step) as i16).collect();
        let (plan, entry_step) = scan_plan(&rotated);
        let score_step = entry_step / (1_u32 << plan.shift) as f32 * WEIGHT_STEP / (vector.len() as f32).sqrt();
        Ok(Self { floats, integers, integer_step, plan, score_step })
    }

    /// The number of dimensions.
    pub fn dims(&self) -> usize {
        self.floats.len()
    }

    /// The coordinates, scaled to length one.
    pub fn floats(&self) -> &[f32] {
        &self.floats
    }

    pub(super) fn integers(&self) -> &[i16] {
        &self.integers
    }

    /// What one step of the integers is worth.
    pub(super) fn integer_step(&self) -> f32 {
        self.integer_step
    }

    pub(super) fn plan(&self) -> &ScanPlan {
        &self.plan
    }

    /// What a step of a vector's offset is worth, in steps of a scan's score.
    pub(super) fn offset_worth(&self, centre: &[f32]) -> i16 {
        let product: f64 =
            centre.iter().zip(&self.floats).map(|(&left, &right)| f64::from(left) * f64::from(right)).sum();
        // At most 16,060, which is when all coordinates are equal.
        (product * f64::from(OFFSET_STEP) / f64::from(self.score_step)).round() as i16
    }

    /// A scan's score that is a little below an estimate. An estimate has fewer digits
    /// than a score, so the score itself cannot be had back.
    pub(super) fn score_below(&self, estimate: f32) -> i32 {
        let score = f64::from(estimate) / f64::from(self.score_step);
        // A conversion from floating point stops at the largest and the smallest number.
        (score - 1.0 - score.abs() * f64::from(f32::EPSILON)).floor() as i32
    }

    /// What one step of a scan's score is worth, as a cosine.
    pub(super) fn score_step(&self) -> f32 {
        self.score_step
    }
}

/// The lookup tables of a rotated query of length one, and what a step of their entries is
/// worth. An entry is the product of four coordinates with four signs, counted from
/// the smallest such product.
fn scan_plan(rotated: &[f32]) -> (ScanPlan, f32) {
    let spans: Vec<f32> = rotated.chunks_exact(4).map(|group| group.iter().map(|value| value.abs()).sum()).collect();
    let widest = spans.iter().fold(0.0_f32, |widest, &span| widest.max(span));
    let step = 2.0 * widest / f32::from(MAX_ENTRY);
    let tables: Vec<[u8; 32]> =
        rotated.chunks_exact(4).zip(&spans).map(|(group, span)| table(group, *span, step)).collect();
    // Centred sums are at most half of all largest entries, and half a step of
    // rounding for each: this many bits are left over.
    let largest_sum = tables.len() as u32 * (u32::from(MAX_ENTRY) + 1) / 2;
    let shift = (i16::MAX as u32 / largest_sum).checked_ilog2().unwrap_or(0);
    let middle = f64::from(spans.iter().sum::<f32>() / step) * f64::from(1_u32 << shift);
    (ScanPlan { tables, shift, bias: middle.round() as i32 as i16 }, step)
}

fn table(group: &[f32], span: f32, step: f32) -> [u8; 32] {
    let mut table = [0; 32];
    let (first, second) = table.split_at_mut(16);
    for (signs, entry) in first.iter_mut().enumerate() {
        let product: f32 = group
            .iter()
            .enumerate()
            .map(|(position, &value)| if signs >> position & 1 == 1 { value } else { -value })
            .sum();
        *entry = rounded((product + span) / step).clamp(0, i32::from(MAX_ENTRY)) as u8;
    }
    second.copy_from_slice(first);
    table
}
