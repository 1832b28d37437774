//! The file of the weights: 8 bytes that say how long the header is, the header in JSON, then the numbers.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::Read;
use std::path::Path;

use serde::Deserialize;

use super::numbers::Numbers;

/// A larger header is none.
const LARGEST_HEADER_BYTES: u64 = 16 << 20;

/// A larger file is no model of this family.
const LARGEST_BYTES: u64 = 8 << 30;

/// The weights of a model by name.
pub(super) struct Tensors {
    entries: BTreeMap<String, Entry>,
    data: Vec<u8>,
    /// What stands before the names of this model's weights.
    prefix: &'static str,
    fingerprint: u64,
}

#[derive(Debug, Deserialize)]
struct Entry {
    dtype: String,
    shape: Vec<usize>,
    data_offsets: (usize, usize),
}

impl Tensors {
    pub(super) fn read(path: &Path) -> Result<Self, String> {
        let unreadable = |error: std::io::Error| format!("model.safetensors cannot be read ({error})");
        let mut file = File::open(path).map_err(unreadable)?;
        let size = file.metadata().map_err(unreadable)?.len();
        let mut length = [0; 8];
        file.read_exact(&mut length).map_err(unreadable)?;
        let length = u64::from_le_bytes(length);
        if length > LARGEST_HEADER_BYTES.min(size) || size > LARGEST_BYTES {
            return Err("model.safetensors is no file of weights".to_owned());
        }
        let mut header = vec![0; usize::try_from(length).unwrap_or(0)];
        file.read_exact(&mut header).map_err(unreadable)?;
        let mut entries: BTreeMap<String, serde_json::Value> = serde_json::from_slice(&header)
            .map_err(|error| format!("the header of model.safetensors is not understood ({error})"))?;
        entries.remove("__metadata__");
        let entries = entries
            .into_iter()
            .map(|(name, entry)| Ok((name, serde_json::from_value(entry)?)))
            .collect::<Result<BTreeMap<String, Entry>, serde_json::Error>>()
            .map_err(|error| format!("the header of model.safetensors is not understood ({error})"))?;
        let mut data = Vec::new();
        file.read_to_end(&mut data).map_err(unreadable)?;
        let prefix = if entries.keys().any(|name| name.starts_with("bert.")) { "bert." } else { "" };
        let fingerprint = fingerprint(&header, &data);
        Ok(Self { entries, data, prefix, fingerprint })
    }

    /// A number that differs where the weights do.
    pub(super) fn fingerprint(&self) -> u64 {
        self.fingerprint
    }
}

impl Numbers for Tensors {
    fn numbers(&self, name: &str, shape: &[usize]) -> Result<Vec<f32>, String> {
        let name = format!("{}{name}", self.prefix);
        let entry = self.entries.get(&name).ok_or_else(|| format!("model.safetensors has no `{name}`"))?;
        if entry.shape != shape {
            return Err(format!("`{name}` has the shape {:?} where {shape:?} is needed", entry.shape));
        }
        let (from, to) = entry.data_offsets;
        let bytes = self.data.get(from..to).ok_or_else(|| format!("model.safetensors ends before `{name}`"))?;
        let count: usize = shape.iter().product();
        let numbers: Vec<f32> = match entry.dtype.as_str() {
            "F32" => bytes.as_chunks().0.iter().map(|&four| f32::from_le_bytes(four)).collect(),
            "BF16" => bytes.as_chunks().0.iter().map(|&two| bfloat(u16::from_le_bytes(two))).collect(),
            "F16" => bytes.as_chunks().0.iter().map(|&two| half(u16::from_le_bytes(two))).collect(),
            other => return Err(format!("`{name}` holds numbers of the kind {other}, which cannot be read")),
        };
        if numbers.len() != count || numbers.iter().any(|number| !number.is_finite()) {
            return Err(format!("`{name}` is damaged"));
        }
        Ok(numbers)
    }
}

fn bfloat(bits: u16) -> f32 {
    f32::from_bits(u32::from(bits) << 16)
}

fn half(bits: u16) -> f32 {
    let sign = if bits & 0x8000 == 0 { 1.0 } else { -1.0 };
    let exponent = i32::from(bits >> 10 & 0x1f);
    let fraction = f32::from(bits & 0x3ff) / 1024.0;
    match exponent {
        0 => sign * fraction * 2.0_f32.powi(-14),
        31 => f32::NAN,
        _ => sign * (1.0 + fraction) * 2.0_f32.powi(exponent - 15),
    }
}

// Reading everything twice would take as long as loading; a sample of it tells models apart.
fn fingerprint(header: &[u8], data: &[u8]) -> u64 {
    let step = (data.len() / 4096).max(1);
    let sample = data.iter().step_by(step).chain(header).copied();
    sample
        .chain(data.len().to_le_bytes())
        .fold(0xCBF2_9CE4_8422_2325_u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01B3))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_are_read() {
        for (bits, expected) in
            [(0x3c00, 1.0), (0xc000, -2.0), (0x3555, 0.333_251_95), (0x0001, 5.960_464_5e-8), (0x7bff, 65504.0)]
        {
            assert_eq!(half(bits), expected);
        }
        assert_eq!(bfloat(0x3f80), 1.0);
    }
}
