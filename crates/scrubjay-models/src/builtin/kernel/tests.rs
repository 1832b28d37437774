//! The kernels against plain arithmetic, and the vector instructions of this machine against the portable code.

use proptest::prelude::*;

use super::float::{exponential, gelu};
use super::shape::tiles;
use super::*;

/// Rows, inputs, outputs and group of a product, and a seed for what is in it.
fn shapes() -> impl Strategy<Value = (usize, usize, usize, usize, u64)> {
    let group = prop_oneof![Just(2_usize), Just(16), Just(64)];
    (1_usize..14, 1_usize..4, 1_usize..4, group, any::<u64>())
        .prop_map(|(rows, groups, panels, group, seed)| (rows, groups * group, panels * PANEL, group, seed))
}

struct Product {
    input: QuantisedRows,
    weights: Vec<u8>,
    scales: Vec<f32>,
    bias: Vec<f32>,
    inputs: usize,
    group: usize,
}

impl Product {
    fn random(rows: usize, inputs: usize, outputs: usize, group: usize, seed: u64) -> Self {
        let mut random = Random(seed);
        let mut input = QuantisedRows::default();
        input.resize(rows, inputs);
        input.values.fill_with(|| (random.next() as i16).max(-i16::MAX));
        input.scales.fill_with(|| random.number());
        let weights = (0..inputs * outputs).map(|_| (random.next() as i8).max(-i8::MAX).cast_unsigned()).collect();
        let scales = (0..inputs / group * outputs).map(|_| random.number()).collect();
        let bias = (0..outputs).map(|_| random.number()).collect();
        Self { input, weights, scales, bias, inputs, group }
    }

    fn run(&self, instructions: Instructions) -> Vec<f32> {
        let mut out = vec![0.0; self.input.scales.len() * self.bias.len()];
        let panels = Panels {
            weights: &self.weights,
            scales: &self.scales,
            bias: &self.bias,
            inputs: self.inputs,
            group: self.group,
        };
        instructions.multiply(&self.input, panels, &mut out, self.bias.len(), 0);
        out
    }

    /// One value of the product, by the definition of the packing.
    fn expected(&self, row: usize, output: usize) -> f64 {
        let (panel, lane) = (output / PANEL, output % PANEL);
        let sum: f64 = (0..self.inputs)
            .map(|input| {
                let place = panel * PANEL * self.inputs + input / 2 * 2 * PANEL + lane * 2 + input % 2;
                let scale = panel * PANEL * (self.inputs / self.group) + input / self.group * PANEL + lane;
                let weight = f64::from(self.weights[place].cast_signed()) * f64::from(self.scales[scale]);
                weight * f64::from(self.input.values[row * self.inputs + input])
            })
            .sum();
        sum * f64::from(self.input.scales[row]) + f64::from(self.bias[output])
    }
}

/// A small generator, so that a failing case is a seed and not a thousand numbers.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed ^ (mixed >> 31)
    }

    /// Between -4 and 4.
    fn number(&mut self) -> f32 {
        (self.next() >> 40) as f32 / (1_u64 << 21) as f32 - 4.0
    }

    fn numbers(&mut self, count: usize) -> Vec<f32> {
        (0..count).map(|_| self.number()).collect()
    }
}

proptest! {
    #[test]
    fn products_are_right_and_the_same_with_every_instruction(
        (rows, inputs, outputs, group, seed) in shapes(),
    ) {
        let product = Product::random(rows, inputs, outputs, group, seed);
        let portable = product.run(Instructions::PORTABLE);
        prop_assert_eq!(&portable, &product.run(Instructions::detect()));
        let largest = portable.iter().fold(0.0_f32, |largest, value| largest.max(value.abs()));
        for row in 0..rows {
            for output in 0..outputs {
                let found = f64::from(portable[row * outputs + output]);
                prop_assert!((found - product.expected(row, output)).abs() <= f64::from(largest) * 1e-5 + 1e-3);
            }
        }
    }

    #[test]
    fn rows_are_the_same_with_every_instruction(rows in 1_usize..6, blocks in 1_usize..5, seed in any::<u64>()) {
        let width = blocks * PANEL;
        let mut random = Random(seed);
        let (scale, shift) = (random.numbers(width), random.numbers(width));
        let norm = Norm { scale: &scale, shift: &shift, epsilon: 1e-12 };
        let (values, added) = (random.numbers(rows * width), random.numbers(rows * width));
        let run = |instructions: Instructions| {
            let mut quantised = [QuantisedRows::default(), QuantisedRows::default(), QuantisedRows::default()];
            let (mut normal, mut active) = (values.clone(), values.clone());
            instructions.normalise(&mut normal, Some(&added), norm, &mut quantised[0]);
            instructions.activate(&mut active, width, &mut quantised[1]);
            instructions.quantise(&values, width, &mut quantised[2]);
            let quantised = quantised.map(|rows| (rows.values, rows.scales));
            (normal, active, quantised)
        };
        let portable = run(Instructions::PORTABLE);
        prop_assert_eq!(&portable, &run(Instructions::detect()));
        let (values_back, scales) = &portable.2[2];
        for (row, scale) in scales.iter().enumerate() {
            for place in row * width..(row + 1) * width {
                prop_assert!((f32::from(values_back[place]) * scale - values[place]).abs() <= scale * 0.51);
            }
        }
    }

    #[test]
    fn attention_is_right_and_the_same_with_every_instruction(
        tokens in 1_usize..40, asking in 1_usize..40, heads in 1_usize..4, seed in any::<u64>(),
    ) {
        let (asking, width) = (asking.min(tokens), PANEL * (1 + seed as usize % 2));
        let hidden = heads * width;
        let rows = Random(seed).numbers(tokens * 3 * hidden);
        let attention = Attention {
            queries: &rows,
            query_stride: 3 * hidden,
            answers: &rows,
            answer_stride: 3 * hidden,
            hidden,
            heads,
        };
        let run = |instructions: Instructions| {
            let mut out = vec![0.0; asking * hidden];
            instructions.attend(attention, &mut out, &mut Vec::new());
            out
        };
        let portable = run(Instructions::PORTABLE);
        prop_assert_eq!(&portable, &run(Instructions::detect()));
        for row in 0..asking {
            for head in 0..heads {
                let expected = attended(&rows, tokens, hidden, width, row, head);
                for (found, expected) in portable[row * hidden + head * width..].iter().zip(expected) {
                    prop_assert!((f64::from(*found) - expected).abs() < 2e-5, "{found} and {expected}");
                }
            }
        }
    }

    #[test]
    fn tiles_cover_all_rows(rows in 0_usize..100) {
        let found: Vec<usize> = tiles(rows, 5).flatten().collect();
        prop_assert_eq!(found, (0..rows).collect::<Vec<_>>());
        prop_assert!(tiles(rows, 5).all(|tile| (1..=5).contains(&tile.len())));
    }
}

/// The attention of one row and head in f64, by its definition.
fn attended(rows: &[f32], tokens: usize, hidden: usize, width: usize, row: usize, head: usize) -> Vec<f64> {
    let at = |token: usize, part: usize, place: usize| {
        f64::from(rows[token * 3 * hidden + part * hidden + head * width + place])
    };
    let score = |token: usize| {
        (0..width).map(|place| at(row, 0, place) * at(token, 1, place)).sum::<f64>() / (width as f64).sqrt()
    };
    let largest = (0..tokens).map(score).fold(f64::MIN, f64::max);
    let weights: Vec<f64> = (0..tokens).map(|token| (score(token) - largest).exp()).collect();
    let total: f64 = weights.iter().sum();
    let value = |place| weights.iter().enumerate().map(|(token, weight)| weight * at(token, 2, place)).sum::<f64>();
    (0..width).map(|place| value(place) / total).collect()
}

#[test]
fn the_largest_numbers_do_not_overflow() {
    for (value, weight) in [(i16::MAX, 127_i8), (-i16::MAX, 127), (i16::MAX, -127), (-i16::MAX, -127)] {
        let mut product = Product::random(3, MAX_GROUP, PANEL, MAX_GROUP, 1);
        product.input.values.fill(value);
        product.input.scales.fill(1.0);
        product.weights.fill(weight.cast_unsigned());
        product.scales.fill(1.0);
        product.bias.fill(0.0);
        let expected = (i64::from(value) * i64::from(weight) * MAX_GROUP as i64) as f32;
        for instructions in [Instructions::PORTABLE, Instructions::detect()] {
            assert!(product.run(instructions).iter().all(|&found| found == expected));
        }
    }
}

#[test]
fn functions_are_near_their_definition() {
    for step in -8700..=0 {
        let x = step as f32 / 100.0;
        let expected = f64::from(x).exp();
        assert!((f64::from(exponential(x)) - expected).abs() <= expected * 4e-7, "e^{x}");
    }
    // Φ(1) = 0.841344746, Φ(2) = 0.977249868, Φ(0.5) = 0.691462461.
    for (x, normal) in [(0.0, 0.5), (0.5, 0.691_462_5), (1.0, 0.841_344_7), (2.0, 0.977_249_9), (12.0, 1.0)] {
        assert!((gelu(x) - x * normal).abs() < 1e-6, "gelu({x})");
        assert!((gelu(-x) + x * (1.0 - normal)).abs() < 1e-6, "gelu({})", -x);
    }
}
