//! The table itself.

use std::borrow::Cow;
use std::ops::Range;

use serde::Deserialize;

use super::super::error::WeightError;
use super::super::sections::Sections;
use super::pieces::Pieces;
use super::words::{fold, words};

/// Vectors of the pieces of words, and through them of words and texts.
#[derive(Debug)]
pub struct StaticTable {
    sections: Sections,
    name: String,
    weights: Range<usize>,
    scales: Range<usize>,
    pieces: Pieces,
}

#[derive(Deserialize)]
struct Header {
    model: String,
    rows: usize,
    values: usize,
    longest_piece_bytes: usize,
}

impl StaticTable {
    /// Values per vector.
    pub const DIMENSIONS: usize = 128;

    /// Reads the header of a file; the sections are used where they lie.
    ///
    /// # Errors
    /// If the bytes are not the file of a table, or a section is missing.
    pub fn new(bytes: Cow<'static, [u8]>) -> Result<Self, WeightError> {
        /// Far above any table; it keeps products of this number from overflowing.
        const MOST_ROWS: usize = 1 << 24;
        let (sections, header) = Sections::read::<Header>(bytes)?;
        if header.values != Self::DIMENSIONS || header.rows > MOST_ROWS {
            return Err(WeightError::Unsupported("its rows are not of 128 values, or too many"));
        }
        Ok(Self {
            weights: sections.locate("table.weights", header.rows * Self::DIMENSIONS)?,
            scales: sections.locate("table.scales", header.rows * 4)?,
            pieces: Pieces::locate(&sections, header.rows, header.longest_piece_bytes)?,
            name: header.model,
            sections,
        })
    }

    /// Compares every section with its checksum. It reads the whole file, and so is not done at every start.
    ///
    /// # Errors
    /// If a section is cut off or damaged.
    pub fn verify(&self) -> Result<(), WeightError> {
        self.sections.verify()
    }

    /// The name of the model, without provider and version.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The rows of the pieces of a text, in order. Capitals do not count.
    #[must_use]
    pub fn pieces(&self, text: &str) -> Vec<usize> {
        let mut rows = Vec::new();
        self.visit(text, |row| rows.push(row));
        rows
    }

    /// The mean of the vectors of a text's pieces, with length 1; none if it has no known piece.
    #[must_use]
    pub fn vector(&self, text: &str) -> Option<[f32; Self::DIMENSIONS]> {
        let weights = self.sections.slice(&self.weights).as_chunks::<{ Self::DIMENSIONS }>().0;
        let scales = self.sections.slice(&self.scales).as_chunks::<4>().0;
        let mut sum = [0.0_f32; Self::DIMENSIONS];
        self.visit(text, |row| {
            if let (Some(weights), Some(&scale)) = (weights.get(row), scales.get(row)) {
                let scale = f32::from_le_bytes(scale);
                for (value, &weight) in sum.iter_mut().zip(weights) {
                    *value += scale * f32::from(weight.cast_signed());
                }
            }
        });
        let length = sum.iter().map(|value| value * value).sum::<f32>().sqrt();
        length.is_normal().then(|| sum.map(|value| value / length))
    }

    /// The vector of one word, with length 1; none if no piece of it is known. The product of two is how alike the words
    /// are, in the same or in two languages. A rare word is several pieces, whose mean says less than a vector of its own
    /// ([`StaticTable::pieces`] has them). Nothing is allocated for a word in small letters.
    #[must_use]
    pub fn word(&self, word: &str) -> Option<[f32; Self::DIMENSIONS]> {
        self.vector(word)
    }

    fn visit(&self, text: &str, mut visit: impl FnMut(usize)) {
        let lookup = self.pieces.lookup(&self.sections);
        for word in words(&fold(text)) {
            lookup.rows(word, &mut visit);
        }
    }
}
