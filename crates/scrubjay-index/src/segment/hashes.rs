//! Finding a hash among sorted ones: a table over the leading bits narrows it down to a handful.

use crate::numbers::{Longs, Words};

/// For each value of the leading bits, where the hashes that begin with it start.
pub(super) fn write_fan(hashes: &[u64]) -> Vec<u8> {
    let buckets = (hashes.len() / 4 + 1).next_power_of_two();
    let mut fan = Vec::with_capacity((buckets + 1) * 4);
    let mut next = 0;
    for bucket in 0..buckets {
        while hashes.get(next).is_some_and(|hash| bucket_of(*hash, buckets) < bucket) {
            next += 1;
        }
        fan.extend_from_slice(&(next as u32).to_le_bytes());
    }
    fan.extend_from_slice(&(hashes.len() as u32).to_le_bytes());
    fan
}

/// How many bytes the table over this many hashes takes.
pub(super) fn fan_bytes(hashes: usize) -> usize {
    ((hashes / 4 + 1).next_power_of_two() + 1) * 4
}

/// The place of the two bounds of a hash in the table.
pub(super) fn fan_bucket(hash: u64, hashes: usize) -> usize {
    bucket_of(hash, (hashes / 4 + 1).next_power_of_two())
}

/// Where the hash stands, between the bounds the table gave.
pub(super) fn position(fan: Words<'_>, bucket: usize, hashes: Longs<'_>, hash: u64) -> Option<usize> {
    let (mut low, mut high) = (fan.get(bucket)? as usize, fan.get(bucket + 1)? as usize);
    while low < high {
        let middle = low.midpoint(high);
        match hashes.get(middle)?.cmp(&hash) {
            std::cmp::Ordering::Less => low = middle + 1,
            std::cmp::Ordering::Greater => high = middle,
            std::cmp::Ordering::Equal => return Some(middle),
        }
    }
    None
}

fn bucket_of(hash: u64, buckets: usize) -> usize {
    ((u128::from(hash) * buckets as u128) >> 64) as usize
}
