//! The encoder: tokens in, rows of numbers out.
//!
//! Several texts are packed into one matrix, a row per token and no padding; only attention looks at one text at a
//! time.

use super::architecture::{Architecture, Pooling};
use super::error::WeightError;
use super::kernel::{Attention, Instructions, Rows};
use super::layer::{Layer, Words};
use super::linear::Linear;
use super::weights::Weights;

/// Rows that pass the feed-forward part together, so that its wide rows stay in the second-level cache.
const WIDE_ROWS: usize = 60;

/// The tokens of a text, of which there is at least one and at most `max_tokens`.
#[derive(Debug, Clone, Copy)]
pub(super) struct Text<'tokens> {
    pub(super) tokens: &'tokens [u32],
    /// How many of them belong to the first part; those after it to the second, if the model knows one.
    pub(super) first_part: usize,
}

/// The layers of a model over its weights.
#[derive(Debug)]
pub(super) struct Encoder<L> {
    weights: Weights,
    words: Words,
    layers: Vec<Layer<L>>,
    instructions: Instructions,
}

impl<L: Linear> Encoder<L> {
    pub(super) fn new(weights: Weights, instructions: Instructions) -> Result<Self, WeightError> {
        let architecture = &weights.header().architecture;
        architecture.check_for_kernels()?;
        if architecture.pooling.is_none() {
            return Err(WeightError::Unsupported("its rows do not become one vector"));
        }
        let words = Words::cut(&weights)?;
        let layers = (0..architecture.layers).map(|number| Layer::cut(&weights, number)).collect::<Result<_, _>>()?;
        Ok(Self { weights, words, layers, instructions })
    }

    pub(super) fn architecture(&self) -> &Architecture {
        &self.weights.header().architecture
    }

    pub(super) fn weights(&self) -> &Weights {
        &self.weights
    }

    pub(super) fn instructions(&self) -> Instructions {
        self.instructions
    }

    /// The number of parts that a text may have: two if the model compares texts.
    pub(super) fn parts(&self) -> usize {
        self.words.parts(self.architecture().hidden)
    }

    /// One vector of length 1 per text.
    pub(super) fn vectors(&self, texts: &[Text<'_>]) -> Vec<Vec<f32>> {
        self.pooled(texts).chunks_exact(self.architecture().hidden).map(normalised).collect()
    }

    /// One row per text: that of its first token or the sum of all, whichever the model is made for.
    pub(super) fn pooled(&self, texts: &[Text<'_>]) -> Vec<f32> {
        let mut pass = Pass::begin(self, texts);
        let (last, before) = match self.layers.split_last() {
            Some(split) if self.architecture().pooling == Some(Pooling::Cls) => (Some(split.0), split.1),
            _ => (None, self.layers.as_slice()),
        };
        for layer in before {
            pass.run(layer);
        }
        match last {
            Some(layer) => pass.run_for_first_tokens(layer),
            None => pass.take_means(),
        }
        pass.rows
    }
}

/// One way through the layers.
struct Pass<'model, L: Linear> {
    encoder: &'model Encoder<L>,
    /// The number of tokens of each text.
    lengths: Vec<usize>,
    rows: Vec<f32>,
    quantised: L::Rows,
    /// Queries, keys and values.
    attend: Vec<f32>,
    gathered: Vec<f32>,
    scratch: Vec<f32>,
    wide: Vec<f32>,
    wide_quantised: L::Rows,
    added: Vec<f32>,
}

impl<'model, L: Linear> Pass<'model, L> {
    fn begin(encoder: &'model Encoder<L>, texts: &[Text<'_>]) -> Self {
        let architecture = encoder.architecture();
        let lengths: Vec<usize> = texts.iter().map(|text| text.tokens.len()).collect();
        let mut rows = vec![0.0; lengths.iter().sum::<usize>() * architecture.hidden];
        let tokens = texts.iter().flat_map(|text| {
            text.tokens.iter().enumerate().map(|(place, &token)| (place, token, usize::from(place >= text.first_part)))
        });
        for (row, (place, token, part)) in rows.chunks_exact_mut(architecture.hidden).zip(tokens) {
            encoder.words.look_up(&encoder.weights, token, place + architecture.position_offset, part, row);
        }
        let mut quantised = L::Rows::default();
        encoder.instructions.normalise(&mut rows, None, encoder.words.norm.get(), &mut quantised);
        Self {
            encoder,
            lengths,
            rows,
            quantised,
            attend: Vec::new(),
            gathered: Vec::new(),
            scratch: Vec::new(),
            wide: Vec::new(),
            wide_quantised: L::Rows::default(),
            added: Vec::new(),
        }
    }

    fn run(&mut self, layer: &Layer<L>) {
        let Architecture { hidden, heads, .. } = *self.encoder.architecture();
        let instructions = self.encoder.instructions;
        let stride = 3 * hidden;
        let panels = layer.attend.all(&self.encoder.weights);
        self.attend.resize(self.rows.len() * 3, 0.0);
        instructions.multiply(&self.quantised, 0..self.rows.len() / hidden, panels, &mut self.attend, stride, 0);
        self.gathered.resize(self.rows.len(), 0.0);
        let mut first = 0;
        for &length in &self.lengths {
            let text = &self.attend[first * stride..(first + length) * stride];
            let attention =
                Attention { queries: text, query_stride: stride, answers: text, answer_stride: stride, hidden, heads };
            let out = &mut self.gathered[first * hidden..(first + length) * hidden];
            instructions.attend(attention, out, &mut self.scratch);
            first += length;
        }
        self.finish(layer);
    }

    /// The last layer, if only the first token of each text counts: what the others would become is left out.
    fn run_for_first_tokens(&mut self, layer: &Layer<L>) {
        let Architecture { hidden, heads, .. } = *self.encoder.architecture();
        let instructions = self.encoder.instructions;
        let stride = 3 * hidden;
        let answers = layer.attend.outputs(&self.encoder.weights, hidden..stride);
        self.attend.resize(self.rows.len() * 3, 0.0);
        instructions.multiply(&self.quantised, 0..self.rows.len() / hidden, answers, &mut self.attend, stride, hidden);

        self.keep_first_tokens(hidden);
        let mut queries = vec![0.0; self.rows.len()];
        let asking = layer.attend.outputs(&self.encoder.weights, 0..hidden);
        instructions.multiply(&self.quantised, 0..self.lengths.len(), asking, &mut queries, hidden, 0);
        self.gathered.resize(self.rows.len(), 0.0);
        let mut first = 0;
        let texts = self.lengths.iter().zip(queries.chunks_exact(hidden)).zip(self.gathered.chunks_exact_mut(hidden));
        for ((&length, queries), out) in texts {
            let answers = &self.attend[first * stride..(first + length) * stride];
            let attention = Attention { queries, query_stride: hidden, answers, answer_stride: stride, hidden, heads };
            instructions.attend(attention, out, &mut self.scratch);
            first += length;
        }
        self.finish(layer);
    }

    /// The part of a layer after attention, which takes each row for itself.
    fn finish(&mut self, layer: &Layer<L>) {
        let Architecture { hidden, intermediate, .. } = *self.encoder.architecture();
        let instructions = self.encoder.instructions;
        let weights = &self.encoder.weights;
        instructions.quantise(&self.gathered, hidden, &mut self.quantised);
        self.added.resize(self.rows.len(), 0.0);
        let rows = self.rows.len() / hidden;
        instructions.multiply(&self.quantised, 0..rows, layer.attended.all(weights), &mut self.added, hidden, 0);
        instructions.normalise(&mut self.rows, Some(&self.added), layer.attended_norm.get(), &mut self.quantised);
        for (block, added) in self.added.chunks_mut(WIDE_ROWS * hidden).enumerate() {
            let rows = added.len() / hidden;
            let part = block * WIDE_ROWS..block * WIDE_ROWS + rows;
            self.wide.resize(rows * intermediate, 0.0);
            let widen = layer.widen.all(weights);
            instructions.multiply(&self.quantised, part, widen, &mut self.wide, intermediate, 0);
            instructions.activate(&mut self.wide, intermediate, &mut self.wide_quantised);
            instructions.multiply(&self.wide_quantised, 0..rows, layer.narrow.all(weights), added, hidden, 0);
        }
        instructions.normalise(&mut self.rows, Some(&self.added), layer.narrow_norm.get(), &mut self.quantised);
    }

    fn keep_first_tokens(&mut self, hidden: usize) {
        let firsts = self.lengths.iter().scan(0, |next, length| {
            let first = *next;
            *next += length;
            Some(first)
        });
        self.quantised.keep(firsts.clone(), hidden);
        for (to, from) in firsts.enumerate() {
            self.rows.copy_within(from * hidden..(from + 1) * hidden, to * hidden);
        }
        self.rows.truncate(self.lengths.len() * hidden);
    }

    /// Leaves the sum of each text's rows, which points where the mean points.
    fn take_means(&mut self) {
        let hidden = self.encoder.architecture().hidden;
        let mut first = 0;
        let mut means = vec![0.0; self.lengths.len() * hidden];
        for (mean, &length) in means.chunks_exact_mut(hidden).zip(&self.lengths) {
            for row in self.rows[first * hidden..(first + length) * hidden].chunks_exact(hidden) {
                for (mean, value) in mean.iter_mut().zip(row) {
                    *mean += value;
                }
            }
            first += length;
        }
        self.rows = means;
    }
}

fn normalised(row: &[f32]) -> Vec<f32> {
    let length = row.iter().map(|value| value * value).sum::<f32>().sqrt();
    row.iter().map(|value| value / length).collect()
}
