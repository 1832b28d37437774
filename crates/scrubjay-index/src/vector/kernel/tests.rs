use proptest::prelude::*;

use super::super::layout::lane_byte;
use std::ops::Range;

use super::super::layout::LANES;
use super::super::quantize::MAX_DIMS;
use super::choice::CHECKSUM_WEIGHTS;
use super::*;

/// A plan and blocks of any content, for a multiple of 32 dimensions.
fn plan_and_blocks() -> impl Strategy<Value = (ScanPlan, Vec<u8>)> {
    (1_usize..6, 1_usize..5, any::<i16>(), 0_u32..4).prop_flat_map(|(quarters, blocks, bias, shift)| {
        let tables = proptest::collection::vec(proptest::array::uniform16(0..=MAX_ENTRY), quarters * 8);
        let bytes = proptest::collection::vec(any::<u8>(), blocks * (quarters * 4 * LANES + 4 * LANES));
        (tables, bytes).prop_map(move |(tables, bytes)| {
            let tables = tables.iter().map(|table| std::array::from_fn(|entry| table[entry % 16])).collect();
            (ScanPlan { tables, shift, bias }, bytes)
        })
    })
}

/// Block, lanes, sums, weights and offsets of a hit.
type Found = (usize, u32, [i16; LANES], [i16; LANES], [i16; LANES]);

/// Every hit of a kernel, with all it says.
fn hits(kernel: impl Fn(Range<usize>, &mut BlockHit) -> bool, blocks: usize) -> Vec<Found> {
    let mut found = Vec::new();
    let mut hit = BlockHit::empty();
    let mut start = 0;
    while kernel(start..blocks, &mut hit) {
        found.push((hit.block, hit.lanes, hit.sums, hit.weights, hit.offsets));
        start = hit.block + 1;
    }
    found
}

proptest! {
    #[test]
    fn no_vector_over_the_floor_is_left_out((plan, bytes) in plan_and_blocks(), worth in any::<i16>(), floor in any::<i16>()) {
        let code_bytes = plan.tables.len() / 2 * LANES;
        let count = bytes.len() / (code_bytes + 4 * LANES);
        let all = hits(|range, hit| portable::next_block(&plan, &bytes, range, worth, i16::MIN, hit), count);
        let over = hits(|range, hit| portable::next_block(&plan, &bytes, range, worth, floor, hit), count);
        prop_assert_eq!(all.len(), count);
        for (block, _, sums, weights, offsets) in all {
            let codes = &bytes[block * (code_bytes + 4 * LANES)..][..code_bytes];
            for lane in 0..LANES {
                let expected: u32 = codes.chunks(LANES).zip(plan.tables.chunks(2)).map(|(codes, tables)| {
                    let code = codes[lane_byte(lane)];
                    u32::from(tables[0][usize::from(code % 16)]) + u32::from(tables[1][usize::from(code / 16)])
                }).sum();
                prop_assert_eq!(sums[lane], ((expected << plan.shift) as i16).wrapping_sub(plan.bias));
                let hit = BlockHit { block, lanes: 0, sums, weights, offsets };
                if hit.score(lane, worth) >> 16 >= i32::from(floor) {
                    prop_assert!(over.iter().any(|hit| hit.0 == block && hit.1 >> lane & 1 == 1));
                }
            }
        }
    }

    #[test]
    #[cfg(target_arch = "x86_64")]
    fn avx2_finds_the_same_blocks((plan, bytes) in plan_and_blocks(), worth in any::<i16>(), floor in prop_oneof![any::<i16>(), -9_i16..9, Just(i16::MIN), Just(i16::MIN + 1), Just(i16::MIN + 2)]) {
        if !is_x86_feature_detected!("avx2") {
            return Ok(());
        }
        let count = bytes.len() / (plan.tables.len() / 2 * LANES + 4 * LANES);
        let portable = hits(|range, hit| portable::next_block(&plan, &bytes, range, worth, floor, hit), count);
        let avx2 = hits(|range, hit| avx2::next_block(&plan, &bytes, range, worth, floor, hit), count);
        prop_assert_eq!(portable, avx2);
    }

    #[test]
    #[cfg(target_arch = "x86_64")]
    fn avx2_gives_the_same_products(pairs in proptest::collection::vec((any::<i8>(), any::<i16>()), 0..40)) {
        // A short pattern, repeated: long rows are what could overflow.
        for steps in [0, 1, 12, MAX_DIMS / 32] {
            let (values, query): (Vec<i8>, Vec<i16>) = pairs.iter().copied().chain([(i8::MIN, i16::MIN)]).cycle().take(steps * 32).unzip();
            let expected = portable::row_products(&values, &query, &CHECKSUM_WEIGHTS);
            prop_assert_eq!(avx2::row_products(&values, &query, &CHECKSUM_WEIGHTS), expected);
            let exact: i64 = values.iter().zip(&query).map(|(&value, &query)| i64::from(value) * i64::from(query)).sum();
            prop_assert_eq!(expected.0, exact);
        }
    }
}

#[test]
fn the_longest_row_of_the_largest_numbers_does_not_overflow() {
    for (value, query) in [(i8::MIN, i16::MAX), (i8::MAX, i16::MAX), (i8::MIN, -i16::MAX)] {
        let (product, _) = row_products(&[value; MAX_DIMS], &[query; MAX_DIMS]);
        assert_eq!(product, MAX_DIMS as i64 * i64::from(value) * i64::from(query));
    }
}

#[test]
fn every_wrong_byte_changes_the_checksum() {
    let values: Vec<i8> = (0..96).map(|value| value - 50).collect();
    let (_, sound) = row_products(&values, &[0; 96]);
    for position in 0..values.len() {
        for bit in 0..8 {
            let mut damaged = values.clone();
            damaged[position] ^= (1_u8 << bit) as i8;
            assert_ne!(row_products(&damaged, &[0; 96]).1, sound);
        }
    }
}

#[test]
fn a_range_past_the_end_finds_nothing() {
    let plan = ScanPlan { tables: vec![[0; 32]; 8], shift: 0, bias: 0 };
    let blocks = vec![0; 2 * (4 * LANES + 4 * LANES)];
    let mut hit = BlockHit::empty();
    for range in [0..3, 2..2, 5..7, usize::MAX - 1..usize::MAX] {
        assert!(!next_block(&plan, &blocks, range.clone(), 0, i16::MIN, &mut hit), "{range:?}");
        assert!(!portable::next_block(&plan, &blocks, range, 0, i16::MIN, &mut hit));
    }
    assert!(next_block(&plan, &blocks, 1..2, 0, i16::MIN, &mut hit));
    assert_eq!((hit.block, hit.lanes), (1, u32::MAX));
}
