//! The weight file of an encoder: a header, and sections that are used where they lie (`sections.rs`).
//!
//! - `words.weights` [vocabulary][hidden] int8 and `words.scales` [vocabulary][hidden / group] f32.
//! - `positions` [positions][hidden], `token_type` [one or two][hidden], `norm.scale`, `norm.shift`, all f32.
//! - For each layer N the products `N.attend` (query, key and value at once), `N.attended`, `N.widen` and `N.narrow`, and
//!   the norms `N.attended_norm` and `N.narrow_norm`: `.scale`, `.shift`.
//! - A product with int16 activations: `.weights` [panel][pair of inputs][16 outputs][2 inputs] int8, `.scales`
//!   [panel][group][16 outputs] f32 and `.bias` [outputs] f32.
//! - A product with 7-bit activations: `.weights` [panel][four inputs][16 outputs][4 inputs] int8, `.scales`, `.sums` (of
//!   the weights) and `.bias` [outputs] f32, and `.runs` u8, panel after panel: how many quads of inputs can be summed in
//!   16 bits one after another.
//! - Of a cross-encoder the product `pooler`, `classifier.weights` [hidden] and `classifier.bias` [1] f32.
//! - Those of the tokenizer, told in `tokenizer/`.

use std::borrow::Cow;
use std::ops::Range;
use std::path::Path;

use serde::Deserialize;

use super::architecture::Architecture;
use super::error::WeightError;
use super::sections::Sections;

/// A weight file whose header has been read.
#[derive(Debug)]
pub struct Weights {
    sections: Sections,
    header: Header,
}

/// What the header says.
#[derive(Debug, Deserialize)]
pub(crate) struct Header {
    /// The name of the model, without provider and version.
    pub(crate) model: String,
    pub(crate) architecture: Architecture,
    /// Weights along a row that share a scale, if the sentence encoder is to run them.
    #[serde(default)]
    pub(super) group: usize,
    /// What a token classifier tells apart.
    #[serde(default)]
    pub(crate) labels: Vec<String>,
    pub(super) tokenizer: TokenizerHeader,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub(super) enum TokenizerHeader {
    ByteLevelBpe { begin: u32, end: u32 },
    Wordpiece { begin: u32, end: u32, unknown: u32 },
}

impl Weights {
    /// Reads the header; the sections are not touched.
    ///
    /// # Errors
    /// If the bytes are not a weight file of this format.
    pub fn new(bytes: Cow<'static, [u8]>) -> Result<Self, WeightError> {
        let (sections, header) = Sections::read::<Header>(bytes)?;
        header.architecture.check()?;
        Ok(Self { sections, header })
    }

    /// Reads a whole file and checks its sums.
    ///
    /// # Errors
    /// If it cannot be read, is not a weight file or is damaged.
    pub fn read(path: &Path) -> Result<Self, WeightError> {
        let bytes = std::fs::read(path).map_err(|source| WeightError::Read { path: path.to_owned(), source })?;
        let weights = Self::new(Cow::Owned(bytes))?;
        weights.verify()?;
        Ok(weights)
    }

    /// Compares every section with its checksum. It reads the whole file, and so is not done at every start.
    ///
    /// # Errors
    /// If a section is cut off or damaged.
    pub fn verify(&self) -> Result<(), WeightError> {
        self.sections.verify()
    }

    pub(crate) fn header(&self) -> &Header {
        &self.header
    }

    /// Where a section lies, if it has the expected length and lies inside the file.
    pub(crate) fn locate(&self, name: &str, length: usize) -> Result<Range<usize>, WeightError> {
        self.sections.locate(name, length)
    }

    /// The length that the header gives to a section.
    pub(crate) fn length(&self, name: &str) -> Result<usize, WeightError> {
        self.sections.length(name)
    }

    /// What lies at a place that [`Weights::locate`] gave.
    pub(crate) fn slice(&self, place: &Range<usize>) -> &[u8] {
        self.sections.slice(place)
    }

    /// A copy of a section of `count` numbers. For the small ones only.
    pub(crate) fn numbers(&self, name: &str, count: usize) -> Result<Vec<f32>, WeightError> {
        let place = self.locate(name, count * 4)?;
        Ok(self.slice(&place).as_chunks().0.iter().map(|&four| f32::from_le_bytes(four)).collect())
    }

    #[cfg(test)]
    pub(super) fn offsets(&self) -> impl Iterator<Item = usize> {
        self.sections.offsets()
    }
}
