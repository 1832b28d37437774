//! Packing up to 128 numbers with the same number of bits each.
//!
//! Eight numbers of `width` bits fill exactly `width` bytes, so numbers are packed in groups of eight; the last group
//! is filled up with zeros. Unpacking is compiled once per width, which lets the positions inside a group be constants.

use crate::error::{IndexError, Result};

/// How many numbers a full block holds.
pub(crate) const BLOCK: usize = 128;

/// How many bits the largest of the numbers needs.
pub(crate) fn width_of(values: &[u32]) -> u32 {
    u32::BITS - values.iter().fold(0, |all, value| all | value).leading_zeros()
}

/// How many bytes `count` numbers take.
pub(crate) fn packed_bytes(count: usize, width: u32) -> usize {
    count.div_ceil(8) * width as usize
}

/// Appends the numbers with `width` bits each, which must be enough for all of them.
pub(crate) fn pack(values: &[u32], width: u32, out: &mut Vec<u8>) {
    for group in values.chunks(8) {
        let mut bits = [0u8; 32];
        for (index, value) in group.iter().enumerate() {
            let bit = index * width as usize;
            let shifted = (u64::from(*value) << (bit % 8)).to_le_bytes();
            for (offset, byte) in shifted.iter().enumerate().take(5) {
                if let Some(slot) = bits.get_mut(bit / 8 + offset) {
                    *slot |= byte;
                }
            }
        }
        out.extend_from_slice(&bits[..width as usize]);
    }
}

/// Unpacks `count` numbers; what is in `out` past them is of no meaning.
pub(crate) fn unpack(bytes: &[u8], width: u32, count: usize, out: &mut [u32; BLOCK]) -> Result<()> {
    let length = packed_bytes(count, width);
    let packed = match bytes.get(..length) {
        Some(packed) if width <= 32 && count <= BLOCK => packed,
        _ => return Err(IndexError::Damaged("a packed block does not fit".to_owned())),
    };
    macro_rules! by_width {
        ($($width:literal)*) => {
            match width {
                0 => out.fill(0),
                $($width => unpack_width::<$width>(packed, out),)*
                _ => unpack_width::<32>(packed, out),
            }
        };
    }
    by_width!(1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31);
    Ok(())
}

/// One of the packed numbers.
#[inline]
pub(crate) fn unpack_one(bytes: &[u8], width: u32, index: usize) -> Result<u32> {
    let bit = index * width as usize;
    let rest = bytes.get(bit / 8..).unwrap_or_default();
    let word = match rest.first_chunk::<8>() {
        Some(word) => u64::from_le_bytes(*word),
        None => {
            let mut word = [0; 8];
            word[..rest.len()].copy_from_slice(rest);
            if rest.len() * 8 < bit % 8 + width as usize {
                return Err(IndexError::Damaged("a packed number does not fit".to_owned()));
            }
            u64::from_le_bytes(word)
        }
    };
    Ok((word >> (bit % 8)) as u32 & mask(width))
}

#[inline]
fn unpack_width<const WIDTH: usize>(packed: &[u8], out: &mut [u32; BLOCK]) {
    let (groups, _) = out.as_chunks_mut::<8>();
    let (sources, _) = packed.as_chunks::<WIDTH>();
    for (group, source) in groups.iter_mut().zip(sources) {
        let mut wide = [0u8; 40];
        wide[..WIDTH].copy_from_slice(source);
        for (index, slot) in group.iter_mut().enumerate() {
            let bit = index * WIDTH;
            let at = bit / 8;
            let word = u64::from_le_bytes([
                wide[at],
                wide[at + 1],
                wide[at + 2],
                wide[at + 3],
                wide[at + 4],
                wide[at + 5],
                wide[at + 6],
                wide[at + 7],
            ]);
            *slot = (word >> (bit % 8)) as u32 & mask(WIDTH as u32);
        }
    }
}

#[inline]
fn mask(width: u32) -> u32 {
    u32::MAX.checked_shr(u32::BITS - width.min(32)).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn numbers_survive_packing(bits in 0u32..=32, seed in proptest::collection::vec(any::<u32>(), 0..=BLOCK)) {
            let values: Vec<u32> = seed.iter().map(|value| value & mask(bits)).collect();
            let width = width_of(&values);
            prop_assert!(width <= bits);
            let mut packed = Vec::new();
            pack(&values, width, &mut packed);
            prop_assert_eq!(packed.len(), packed_bytes(values.len(), width));
            let mut out = [7; BLOCK];
            unpack(&packed, width, values.len(), &mut out).unwrap();
            prop_assert_eq!(&out[..values.len()], &values[..]);
            for (index, value) in values.iter().enumerate() {
                prop_assert_eq!(unpack_one(&packed, width, index).unwrap(), *value);
            }
        }
    }

    #[test]
    fn what_does_not_fit_is_damage() {
        let mut out = [0; BLOCK];
        assert!(unpack(&[0; 15], 1, BLOCK, &mut out).is_err());
        assert!(unpack(&[0; 900], 33, BLOCK, &mut out).is_err());
        assert!(unpack(&[0; 900], 1, BLOCK + 1, &mut out).is_err());
        assert!(unpack_one(&[0; 2], 9, 1).is_err());
    }
}
