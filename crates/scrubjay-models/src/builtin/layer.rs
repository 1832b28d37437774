//! The parts of the encoder, cut out of a weight file.

use std::ops::Range;

use super::error::WeightError;
use super::kernel::Norm;
use super::linear::Linear;
use super::weights::Weights;

/// A layer norm.
#[derive(Debug)]
pub(super) struct LayerNorm {
    scale: Vec<f32>,
    shift: Vec<f32>,
    epsilon: f32,
}

impl LayerNorm {
    pub(super) fn cut(weights: &Weights, name: &str) -> Result<Self, WeightError> {
        let architecture = &weights.header().architecture;
        Ok(Self {
            scale: weights.numbers(&format!("{name}.scale"), architecture.hidden)?,
            shift: weights.numbers(&format!("{name}.shift"), architecture.hidden)?,
            epsilon: architecture.layer_norm_epsilon,
        })
    }

    pub(super) fn get(&self) -> Norm<'_> {
        Norm { scale: &self.scale, shift: &self.shift, epsilon: self.epsilon }
    }
}

/// One layer of the encoder.
#[derive(Debug)]
pub(super) struct Layer<L> {
    /// Queries, keys and values of all heads.
    pub(super) attend: L,
    pub(super) attended: L,
    pub(super) attended_norm: LayerNorm,
    pub(super) widen: L,
    pub(super) narrow: L,
    pub(super) narrow_norm: LayerNorm,
}

impl<L: Linear> Layer<L> {
    pub(super) fn cut(weights: &Weights, number: usize) -> Result<Self, WeightError> {
        let (hidden, wide) = (weights.header().architecture.hidden, weights.header().architecture.intermediate);
        let linear = |name: &str, inputs, outputs| L::cut(weights, &format!("{number}.{name}"), inputs, outputs);
        Ok(Self {
            attend: linear("attend", hidden, 3 * hidden)?,
            attended: linear("attended", hidden, hidden)?,
            attended_norm: LayerNorm::cut(weights, &format!("{number}.attended_norm"))?,
            widen: linear("widen", hidden, wide)?,
            narrow: linear("narrow", wide, hidden)?,
            narrow_norm: LayerNorm::cut(weights, &format!("{number}.narrow_norm"))?,
        })
    }
}

/// The table of words, with the vectors that every token gets besides.
#[derive(Debug)]
pub(super) struct Words {
    weights: Range<usize>,
    scales: Range<usize>,
    positions: Range<usize>,
    /// One row for each part that a text may have.
    token_types: Vec<f32>,
    pub(super) norm: LayerNorm,
}

impl Words {
    pub(super) fn cut(weights: &Weights) -> Result<Self, WeightError> {
        let header = weights.header();
        let (hidden, words) = (header.architecture.hidden, header.architecture.vocabulary);
        if header.group == 0 || !hidden.is_multiple_of(header.group) {
            return Err(WeightError::Unsupported("its scales do not divide its rows"));
        }
        let types = (weights.length("token_type")? / (hidden * 4)).max(1);
        Ok(Self {
            weights: weights.locate("words.weights", words * hidden)?,
            scales: weights.locate("words.scales", words * (hidden / header.group) * 4)?,
            positions: weights.locate("positions", header.architecture.positions * hidden * 4)?,
            token_types: weights.numbers("token_type", types * hidden)?,
            norm: LayerNorm::cut(weights, "norm")?,
        })
    }

    /// The number of parts that a text may have: two if the model compares texts.
    pub(super) fn parts(&self, hidden: usize) -> usize {
        self.token_types.len() / hidden
    }

    /// The sum of a token's vectors. A token outside the vocabulary cannot come from our tokenizers and gives zeros.
    pub(super) fn look_up(&self, weights: &Weights, token: u32, position: usize, part: usize, out: &mut [f32]) {
        let hidden = out.len();
        let group = weights.header().group;
        let groups = hidden / group;
        let token = token as usize;
        let row = weights.slice(&self.weights).get(token * hidden..(token + 1) * hidden).unwrap_or_default();
        let scales = weights.slice(&self.scales).get(token * groups * 4..(token + 1) * groups * 4).unwrap_or_default();
        let place = weights.slice(&self.positions).get(position * hidden * 4..(position + 1) * hidden * 4);
        let places = place.unwrap_or_default().as_chunks().0.iter().map(|&four| f32::from_le_bytes(four));
        out.fill(0.0);
        for ((out, row), &scale) in out.chunks_exact_mut(group).zip(row.chunks_exact(group)).zip(scales.as_chunks().0) {
            let scale = f32::from_le_bytes(scale);
            for (out, weight) in out.iter_mut().zip(row) {
                *out = f32::from(weight.cast_signed()) * scale;
            }
        }
        for ((out, place), token_type) in
            out.iter_mut().zip(places).zip(self.token_types.chunks_exact(hidden).nth(part).unwrap_or_default())
        {
            *out += place + token_type;
        }
    }
}
