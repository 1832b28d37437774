//! A file of named sections that are used where they lie.
//!
//! 8 bytes `SJWEIGHT`, format version (u32), header length (u32), header (JSON), then the sections, each at a multiple
//! of 64 bytes; all numbers little-endian. `scripts/make-weights` writes it. The header lists the sections; what else
//! stands in it depends on the kind of model: `weights.rs` for encoders, `table/` for tables.

use std::borrow::Cow;
use std::ops::Range;

use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::error::WeightError;

const MAGIC: &[u8; 8] = b"SJWEIGHT";
const VERSION: u32 = 1;
const PREAMBLE_BYTES: usize = 16;

/// The bytes of a file and the list of its sections.
#[derive(Debug)]
pub(super) struct Sections {
    bytes: Cow<'static, [u8]>,
    list: Vec<Section>,
}

#[derive(Debug, Deserialize)]
struct Section {
    name: String,
    offset: usize,
    length: usize,
    crc32: u32,
}

#[derive(Deserialize)]
struct Listing {
    sections: Vec<Section>,
}

impl Sections {
    /// Reads the header; the sections are not touched.
    pub(super) fn read<Header: DeserializeOwned>(bytes: Cow<'static, [u8]>) -> Result<(Self, Header), WeightError> {
        let format = || WeightError::Format { expected: VERSION };
        let (preamble, rest) = bytes.split_at_checked(PREAMBLE_BYTES).ok_or_else(format)?;
        let number =
            |at: usize| preamble.get(at..).and_then(|rest| rest.first_chunk()).map(|&four| u32::from_le_bytes(four));
        if !preamble.starts_with(MAGIC) || number(8) != Some(VERSION) {
            return Err(format());
        }
        let text = rest.get(..number(12).ok_or_else(format)? as usize).ok_or_else(format)?;
        let Listing { sections } = serde_json::from_slice(text).map_err(WeightError::Header)?;
        let header = serde_json::from_slice(text).map_err(WeightError::Header)?;
        Ok((Self { bytes, list: sections }, header))
    }

    /// Compares every section with its checksum.
    pub(super) fn verify(&self) -> Result<(), WeightError> {
        for section in &self.list {
            let content = self.slice(&self.locate(&section.name, section.length)?);
            if crc32(content) != section.crc32 {
                return Err(WeightError::Damaged { name: section.name.clone() });
            }
        }
        Ok(())
    }

    /// Where a section lies, if it has the expected length and lies inside the file.
    pub(super) fn locate(&self, name: &str, length: usize) -> Result<Range<usize>, WeightError> {
        let section = self.find(name)?;
        let end = section.offset.checked_add(section.length).filter(|&end| end <= self.bytes.len());
        match end {
            Some(end) if section.length == length => Ok(section.offset..end),
            _ => Err(WeightError::Section { name: name.to_owned() }),
        }
    }

    /// The length that the header gives to a section.
    pub(super) fn length(&self, name: &str) -> Result<usize, WeightError> {
        self.find(name).map(|section| section.length)
    }

    /// What lies at a place that [`Sections::locate`] gave.
    pub(super) fn slice(&self, place: &Range<usize>) -> &[u8] {
        self.bytes.get(place.clone()).unwrap_or_default()
    }

    fn find(&self, name: &str) -> Result<&Section, WeightError> {
        let section = self.list.iter().find(|section| section.name == name);
        section.ok_or_else(|| WeightError::Section { name: name.to_owned() })
    }

    #[cfg(test)]
    pub(super) fn offsets(&self) -> impl Iterator<Item = usize> {
        self.list.iter().map(|section| section.offset)
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
