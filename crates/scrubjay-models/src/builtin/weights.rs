//! The weight file: a header, and sections that are used where they lie.
//!
//! 8 bytes `SJWEIGHT`, format version (u32), header length (u32), header (JSON), then the sections, each at a multiple
//! of 64 bytes; all numbers little-endian. `scripts/make-weights` writes it.
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

const MAGIC: &[u8; 8] = b"SJWEIGHT";
const VERSION: u32 = 1;
const PREAMBLE_BYTES: usize = 16;

/// A weight file whose header has been read.
#[derive(Debug)]
pub struct Weights {
    bytes: Cow<'static, [u8]>,
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
    sections: Vec<Section>,
}

#[cfg(test)]
impl Header {
    /// Name and offset of each section.
    pub(super) fn sections(&self) -> impl Iterator<Item = (&str, usize)> {
        self.sections.iter().map(|section| (section.name.as_str(), section.offset))
    }
}

#[derive(Debug, Clone, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub(super) enum TokenizerHeader {
    ByteLevelBpe { begin: u32, end: u32 },
    Wordpiece { begin: u32, end: u32, unknown: u32 },
}

#[derive(Debug, Deserialize)]
struct Section {
    name: String,
    offset: usize,
    length: usize,
    crc32: u32,
}

impl Weights {
    /// Reads the header; the sections are not touched.
    ///
    /// # Errors
    /// If the bytes are not a weight file of this format.
    pub fn new(bytes: Cow<'static, [u8]>) -> Result<Self, WeightError> {
        let format = || WeightError::Format { expected: VERSION };
        let (preamble, rest) = bytes.split_at_checked(PREAMBLE_BYTES).ok_or_else(format)?;
        let number =
            |at: usize| preamble.get(at..).and_then(|rest| rest.first_chunk()).map(|&four| u32::from_le_bytes(four));
        if !preamble.starts_with(MAGIC) || number(8) != Some(VERSION) {
            return Err(format());
        }
        let header = rest.get(..number(12).ok_or_else(format)? as usize).ok_or_else(format)?;
        let header: Header = serde_json::from_slice(header).map_err(WeightError::Header)?;
        header.architecture.check()?;
        Ok(Self { bytes, header })
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
        for section in &self.header.sections {
            let content = self.slice(&self.locate(&section.name, section.length)?);
            if crc32(content) != section.crc32 {
                return Err(WeightError::Damaged { name: section.name.clone() });
            }
        }
        Ok(())
    }

    pub(crate) fn header(&self) -> &Header {
        &self.header
    }

    /// Where a section lies, if it has the expected length and lies inside the file.
    pub(crate) fn locate(&self, name: &str, length: usize) -> Result<Range<usize>, WeightError> {
        let missing = || WeightError::Section { name: name.to_owned() };
        let section = self.header.sections.iter().find(|section| section.name == name).ok_or_else(missing)?;
        let end = section.offset.checked_add(section.length).filter(|&end| end <= self.bytes.len());
        match end {
            Some(end) if section.length == length => Ok(section.offset..end),
            _ => Err(missing()),
        }
    }

    /// The length that the header gives to a section.
    pub(crate) fn length(&self, name: &str) -> Result<usize, WeightError> {
        let section = self.header.sections.iter().find(|section| section.name == name);
        section.map(|section| section.length).ok_or_else(|| WeightError::Section { name: name.to_owned() })
    }

    /// What lies at a place that [`Weights::locate`] gave.
    pub(crate) fn slice(&self, place: &Range<usize>) -> &[u8] {
        self.bytes.get(place.clone()).unwrap_or_default()
    }

    /// A copy of a section of `count` numbers. For the small ones only.
    pub(crate) fn numbers(&self, name: &str, count: usize) -> Result<Vec<f32>, WeightError> {
        let place = self.locate(name, count * 4)?;
        Ok(self.slice(&place).as_chunks().0.iter().map(|&four| f32::from_le_bytes(four)).collect())
    }
}

/// The checksum of zip and gzip.
fn crc32(content: &[u8]) -> u32 {
    const TABLE: [u32; 256] = table();
    let mut sum = u32::MAX;
    for &byte in content {
        sum = TABLE[usize::from((sum as u8) ^ byte)] ^ (sum >> 8);
    }
    !sum
}

const fn table() -> [u32; 256] {
    let mut table = [0; 256];
    let mut index = 0;
    while index < 256 {
        let mut value = index as u32;
        let mut bit = 0;
        while bit < 8 {
            value = if value & 1 == 1 { 0xEDB8_8320 ^ (value >> 1) } else { value >> 1 };
            bit += 1;
        }
        table[index] = value;
        index += 1;
    }
    table
}
