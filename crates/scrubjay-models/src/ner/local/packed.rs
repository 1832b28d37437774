//! The weights of the model that finds names, out of their file.
//!
//! Sections have the names of the tensors. A matrix or table is bytes, row by row, and `NAME.scales` beside it: first the
//! byte that stands for 0, then one scale per row or one for all, as f32. Everything else is f32.

use crate::builtin::Weights;
use crate::transformer::Numbers;

/// Tensors in a weight file.
pub(super) struct Packed<'weights>(pub(super) &'weights Weights);

/// A table of vectors that is read row by row, where it lies.
#[derive(Debug)]
pub(super) struct Table {
    place: std::ops::Range<usize>,
    zero: f32,
    scale: f32,
    columns: usize,
}

impl Numbers for Packed<'_> {
    fn numbers(&self, name: &str, shape: &[usize]) -> Result<Vec<f32>, String> {
        let Self(weights) = self;
        let &[rows, columns] = shape else {
            return weights.numbers(name, shape.iter().product()).map_err(|error| error.to_string());
        };
        let place = weights.locate(name, rows * columns).map_err(|error| error.to_string())?;
        let (zero, scales) = scales(weights, name)?;
        if scales.len() != 1 && scales.len() != rows {
            return Err(format!("`{name}` has {} scales for {rows} rows", scales.len()));
        }
        let row_scales = (0..rows).map(|row| scales.get(row).or(scales.first()).copied().unwrap_or(0.0));
        let rows = weights.slice(&place).chunks_exact(columns).zip(row_scales);
        Ok(rows.flat_map(|(row, scale)| row.iter().map(move |byte| (f32::from(*byte) - zero) * scale)).collect())
    }
}

impl Table {
    pub(super) fn locate(weights: &Weights, name: &str, rows: usize, columns: usize) -> Result<Self, String> {
        let place = weights.locate(name, rows * columns).map_err(|error| error.to_string())?;
        match scales(weights, name)? {
            (zero, scales) if scales.len() == 1 => Ok(Self { place, zero, scale: scales[0], columns }),
            _ => Err(format!("`{name}` has a scale for each row")),
        }
    }

    /// A row; nothing if there is none.
    pub(super) fn row<'weights>(&self, weights: &'weights Weights, row: usize) -> impl Iterator<Item = f32> + 'weights {
        let (zero, scale) = (self.zero, self.scale);
        let bytes = weights.slice(&self.place).get(row * self.columns..(row + 1) * self.columns).unwrap_or_default();
        bytes.iter().map(move |byte| (f32::from(*byte) - zero) * scale)
    }
}

fn scales(weights: &Weights, name: &str) -> Result<(f32, Vec<f32>), String> {
    let name = format!("{name}.scales");
    let length = weights.length(&name).map_err(|error| error.to_string())?;
    let mut numbers = weights.numbers(&name, length / 4).map_err(|error| error.to_string())?;
    if numbers.len() < 2 {
        return Err(format!("`{name}` is too short"));
    }
    Ok((numbers.remove(0), numbers))
}
