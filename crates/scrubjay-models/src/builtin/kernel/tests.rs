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

/// A product of either kind, with the value of each place by the definition of its packing.
trait Product {
    fn run(&self, instructions: Instructions) -> Vec<f32>;
    fn expected(&self, row: usize, output: usize) -> f64;
}

struct Int16Product {
    input: Int16Rows,
    weights: Vec<u8>,
    scales: Vec<f32>,
    bias: Vec<f32>,
    inputs: usize,
    group: usize,
}

impl Int16Product {
    fn random(rows: usize, inputs: usize, outputs: usize, group: usize, seed: u64) -> Self {
        let mut random = Random(seed);
        let values = (0..rows * inputs).map(|_| (random.next() as i16).max(-i16::MAX)).collect();
        let input = Int16Rows { values, scales: random.numbers(rows) };
        let weights = random.weights(inputs * outputs);
        let scales = random.numbers(inputs / group * outputs);
        let bias = random.numbers(outputs);
        Self { input, weights, scales, bias, inputs, group }
    }
}

impl Product for Int16Product {
    fn run(&self, instructions: Instructions) -> Vec<f32> {
        let rows = self.input.scales.len();
        let mut out = vec![0.0; rows * self.bias.len()];
        let panels = Int16Panels {
            weights: &self.weights,
            scales: &self.scales,
            bias: &self.bias,
            inputs: self.inputs,
            group: self.group,
        };
        instructions.multiply(&self.input, 0..rows, panels, &mut out, self.bias.len(), 0);
        out
    }

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

struct Uint7Product {
    input: Uint7Rows,
    weights: Vec<u8>,
    runs: Vec<u8>,
    run_starts: Vec<usize>,
    scales: Vec<f32>,
    sums: Vec<f32>,
    bias: Vec<f32>,
    inputs: usize,
}

impl Uint7Product {
    fn random(rows: usize, inputs: usize, outputs: usize, seed: u64) -> Self {
        let mut random = Random(seed);
        let values = (0..rows * inputs).map(|_| (random.next() % 128) as u8).collect();
        let input = Uint7Rows { values, scales: random.numbers(rows), lows: random.numbers(rows) };
        // Weights of all sizes, most of them small, so that there are short runs and long ones.
        let weights = random.weights(inputs * outputs).into_iter();
        let weights = weights.map(|weight| (weight.cast_signed() >> (random.next() % 7)).cast_unsigned()).collect();
        let (scales, bias) = (random.numbers(outputs), random.numbers(outputs));
        let mut product =
            Self { input, weights, runs: Vec::new(), run_starts: vec![0], scales, sums: Vec::new(), bias, inputs };
        product.settle();
        product
    }

    /// Runs and sums by the weights.
    fn settle(&mut self) {
        let outputs = self.bias.len();
        for panel in 0..outputs / PANEL {
            let mut first = 0;
            for quad in 1..=self.inputs / 4 {
                if quad == self.inputs / 4 || !self.is_safe(panel, first..quad + 1) {
                    self.runs.push((quad - first) as u8);
                    first = quad;
                }
            }
            self.run_starts.push(self.runs.len());
        }
        let sum = |output| (0..self.inputs).map(|input| self.weight(output, input)).sum::<f64>() as f32;
        self.sums = (0..outputs).map(sum).collect();
    }

    /// Whether some quads of inputs cannot overflow 16 bits in any output and either half of the quads.
    fn is_safe(&self, panel: usize, quads: std::ops::Range<usize>) -> bool {
        let lanes = (panel * PANEL..(panel + 1) * PANEL).flat_map(|output| [(output, 0), (output, 2)]);
        lanes.into_iter().all(|(output, half)| {
            let weights =
                || quads.clone().flat_map(|quad| [0, 1].map(|place| self.weight(output, quad * 4 + half + place)));
            let (above, below) = (weights().map(|weight| weight.max(0.0)), weights().map(|weight| (-weight).max(0.0)));
            above.sum::<f64>().max(below.sum()) * 127.0 <= f64::from(i16::MAX)
        })
    }

    fn weight(&self, output: usize, input: usize) -> f64 {
        let (panel, lane) = (output / PANEL, output % PANEL);
        let place = panel * PANEL * self.inputs + input / 4 * 4 * PANEL + lane * 4 + input % 4;
        f64::from(self.weights[place].cast_signed())
    }
}

impl Product for Uint7Product {
    fn run(&self, instructions: Instructions) -> Vec<f32> {
        let rows = self.input.scales.len();
        let mut out = vec![0.0; rows * self.bias.len()];
        let panels = Uint7Panels {
            weights: &self.weights,
            runs: &self.runs,
            run_starts: &self.run_starts,
            scales: &self.scales,
            sums: &self.sums,
            bias: &self.bias,
            inputs: self.inputs,
        };
        instructions.multiply(&self.input, 0..rows, panels, &mut out, self.bias.len(), 0);
        out
    }

    fn expected(&self, row: usize, output: usize) -> f64 {
        let value = |input| f64::from(self.input.values[row * self.inputs + input]);
        let real = |input| value(input) * f64::from(self.input.scales[row]) + f64::from(self.input.lows[row]);
        let sum: f64 = (0..self.inputs).map(|input| self.weight(output, input) * real(input)).sum();
        sum * f64::from(self.scales[output]) + f64::from(self.bias[output])
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

    fn weights(&mut self, count: usize) -> Vec<u8> {
        (0..count).map(|_| (self.next() as i8).max(-i8::MAX).cast_unsigned()).collect()
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
        let int16 = Int16Product::random(rows, inputs, outputs, group, seed);
        let uint7 = Uint7Product::random(rows, inputs.next_multiple_of(4), outputs, seed);
        let products: [&dyn Product; 2] = [&int16, &uint7];
        for product in products {
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
    }

    #[test]
    fn rows_are_the_same_with_every_instruction(rows in 1_usize..6, blocks in 1_usize..5, seed in any::<u64>()) {
        let width = blocks * PANEL;
        let mut random = Random(seed);
        let (scale, shift) = (random.numbers(width), random.numbers(width));
        let norm = Norm { scale: &scale, shift: &shift, epsilon: 1e-12 };
        let (values, added) = (random.numbers(rows * width), random.numbers(rows * width));
        check_rows::<Int16Rows>(&values, &added, norm, |rows, row, place| {
            (f32::from(rows.values[place]) * rows.scales[row], rows.scales[row])
        });
        check_rows::<Uint7Rows>(&values, &added, norm, |rows, row, place| {
            (f32::from(rows.values[place]) * rows.scales[row] + rows.lows[row], rows.scales[row])
        });
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

/// Rows come out the same with every instruction, and nearly as they went in. `real` is the value at a place of a row,
/// and the distance between two values that can be told apart.
#[track_caller]
fn check_rows<R: Rows>(values: &[f32], added: &[f32], norm: Norm<'_>, real: impl Fn(&R, usize, usize) -> (f32, f32)) {
    let width = norm.scale.len();
    let run = |instructions: Instructions| {
        let mut quantised = [R::default(), R::default(), R::default()];
        let (mut normal, mut active) = (values.to_vec(), values.to_vec());
        instructions.normalise(&mut normal, Some(added), norm, &mut quantised[0]);
        instructions.activate(&mut active, width, &mut quantised[1]);
        instructions.quantise(values, width, &mut quantised[2]);
        (normal, active, quantised)
    };
    let portable = run(Instructions::PORTABLE);
    assert_eq!(format!("{portable:?}"), format!("{:?}", run(Instructions::detect())));
    let mut kept = run(Instructions::PORTABLE).2;
    kept[2].keep((0..values.len() / width).step_by(2), width);
    for (place, value) in values.iter().enumerate() {
        let (found, step) = real(&portable.2[2], place / width, place);
        assert!((found - value).abs() <= step * 0.51, "{found} and {value}");
        let row = place / width;
        if row.is_multiple_of(2) {
            assert_eq!(real(&kept[2], row / 2, row / 2 * width + place % width), (found, step));
        }
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
        let mut product = Int16Product::random(3, MAX_GROUP, PANEL, MAX_GROUP, 1);
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
fn sums_that_just_fit_16_bits_do_not_overflow() {
    for weights in [[127_i8, 127, 127, 127], [-127, -127, -127, -127], [2, 2, 2, 2], [-2, -2, -2, -2]] {
        let mut product = Uint7Product::random(3, 256, PANEL, 1);
        product.input.values.fill(127);
        product.input.scales.fill(1.0);
        product.input.lows.fill(0.0);
        product.weights = weights.map(i8::cast_unsigned).repeat(64 * PANEL);
        product.scales.fill(1.0);
        product.bias.fill(0.0);
        (product.runs, product.run_starts) = (Vec::new(), vec![0]);
        product.settle();
        assert_eq!(product.runs[0], if weights[0].abs() == 127 { 1 } else { 64 });
        let expected = f32::from(weights[0]) * 127.0 * 256.0;
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
    for step in -2000..=2000 {
        let x = step as f32 / 100.0;
        assert!((f64::from(hyperbolic_tangent(x)) - f64::from(x).tanh()).abs() <= 4e-7, "tanh {x}");
    }
    // Φ(1) = 0.841344746, Φ(2) = 0.977249868, Φ(0.5) = 0.691462461.
    for (x, normal) in [(0.0, 0.5), (0.5, 0.691_462_5), (1.0, 0.841_344_7), (2.0, 0.977_249_9), (12.0, 1.0)] {
        assert!((gelu(x) - x * normal).abs() < 1e-6, "gelu({x})");
        assert!((gelu(-x) + x * (1.0 - normal)).abs() < 1e-6, "gelu({})", -x);
    }
}
