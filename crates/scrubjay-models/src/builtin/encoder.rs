//! The encoder: tokens in, vectors out.
//!
//! Several texts are packed into one matrix, a row per token and no padding; only attention looks at one text at a
//! time.

use super::architecture::{Architecture, Pooling};
use super::error::WeightError;
use super::kernel::{Attention, Instructions, QuantisedRows};
use super::layer::{Layer, Words};
use super::weights::Weights;

/// Rows that pass the feed-forward part together, so that its wide rows stay in the second-level cache.
const WIDE_ROWS: usize = 60;

/// The layers of a model over its weights.
#[derive(Debug)]
pub(super) struct Encoder {
    weights: Weights,
    words: Words,
    layers: Vec<Layer>,
    instructions: Instructions,
}

impl Encoder {
    pub(super) fn new(weights: Weights, instructions: Instructions) -> Result<Self, WeightError> {
        let group = weights.header().group;
        let architecture = &weights.header().architecture;
        architecture.check_for_kernels()?;
        if architecture.pooling.is_none() {
            return Err(WeightError::Unsupported("its rows do not become one vector"));
        }
        let is_usable = (2..=super::kernel::MAX_GROUP).contains(&group)
            && group.is_multiple_of(2)
            && architecture.hidden.is_multiple_of(group)
            && architecture.intermediate.is_multiple_of(group);
        if !is_usable {
            return Err(WeightError::Unsupported("its scales do not divide its rows"));
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

    /// One vector of length 1 per text. Each text has at least one token and at most `max_tokens`.
    pub(super) fn encode(&self, texts: &[&[u32]]) -> Vec<Vec<f32>> {
        let hidden = self.architecture().hidden;
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
        pass.rows.chunks_exact(hidden).map(normalised).collect()
    }
}

/// One way through the layers.
struct Pass<'model> {
    encoder: &'model Encoder,
    /// The number of tokens of each text.
    lengths: Vec<usize>,
    rows: Vec<f32>,
    quantised: QuantisedRows,
    /// Queries, keys and values.
    attend: Vec<f32>,
    gathered: Vec<f32>,
    scratch: Vec<f32>,
    wide: Vec<f32>,
    wide_quantised: QuantisedRows,
    added: Vec<f32>,
}

impl<'model> Pass<'model> {
    fn begin(encoder: &'model Encoder, texts: &[&[u32]]) -> Self {
        let architecture = encoder.architecture();
        let lengths: Vec<usize> = texts.iter().map(|text| text.len()).collect();
        let mut rows = vec![0.0; lengths.iter().sum::<usize>() * architecture.hidden];
        let tokens = texts.iter().flat_map(|text| text.iter().enumerate());
        for (row, (place, &token)) in rows.chunks_exact_mut(architecture.hidden).zip(tokens) {
            encoder.words.look_up(&encoder.weights, token, place + architecture.position_offset, row);
        }
        let mut quantised = QuantisedRows::default();
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
            wide_quantised: QuantisedRows::default(),
            added: Vec::new(),
        }
    }

    fn run(&mut self, layer: &Layer) {
        let Architecture { hidden, heads, .. } = *self.encoder.architecture();
        let instructions = self.encoder.instructions;
        let stride = 3 * hidden;
        let panels = layer.attend.all(&self.encoder.weights);
        self.attend.resize(self.rows.len() * 3, 0.0);
        instructions.multiply(&self.quantised, panels, &mut self.attend, stride, 0);
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
    fn run_for_first_tokens(&mut self, layer: &Layer) {
        let Architecture { hidden, heads, .. } = *self.encoder.architecture();
        let instructions = self.encoder.instructions;
        let stride = 3 * hidden;
        let answers = layer.attend.outputs(&self.encoder.weights, hidden..stride);
        self.attend.resize(self.rows.len() * 3, 0.0);
        instructions.multiply(&self.quantised, answers, &mut self.attend, stride, hidden);

        self.keep_first_tokens(hidden);
        let mut queries = vec![0.0; self.rows.len()];
        let asking = layer.attend.outputs(&self.encoder.weights, 0..hidden);
        instructions.multiply(&self.quantised, asking, &mut queries, hidden, 0);
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
    fn finish(&mut self, layer: &Layer) {
        let Architecture { hidden, intermediate, .. } = *self.encoder.architecture();
        let instructions = self.encoder.instructions;
        let weights = &self.encoder.weights;
        instructions.quantise(&self.gathered, hidden, &mut self.quantised);
        self.added.resize(self.rows.len(), 0.0);
        instructions.multiply(&self.quantised, layer.attended.all(weights), &mut self.added, hidden, 0);
        instructions.normalise(&mut self.rows, Some(&self.added), layer.attended_norm.get(), &mut self.quantised);
        let mut part = QuantisedRows::default();
        for (block, added) in self.added.chunks_mut(WIDE_ROWS * hidden).enumerate() {
            let rows = added.len() / hidden;
            let first = block * WIDE_ROWS;
            part.values.clear();
            part.values.extend_from_slice(&self.quantised.values[first * hidden..(first + rows) * hidden]);
            part.scales.clear();
            part.scales.extend_from_slice(&self.quantised.scales[first..first + rows]);
            self.wide.resize(rows * intermediate, 0.0);
            instructions.multiply(&part, layer.widen.all(weights), &mut self.wide, intermediate, 0);
            instructions.activate(&mut self.wide, intermediate, &mut self.wide_quantised);
            instructions.multiply(&self.wide_quantised, layer.narrow.all(weights), added, hidden, 0);
        }
        instructions.normalise(&mut self.rows, Some(&self.added), layer.narrow_norm.get(), &mut self.quantised);
    }

    fn keep_first_tokens(&mut self, hidden: usize) {
        let mut from = 0;
        for (to, &length) in self.lengths.iter().enumerate() {
            self.rows.copy_within(from * hidden..(from + 1) * hidden, to * hidden);
            self.quantised.values.copy_within(from * hidden..(from + 1) * hidden, to * hidden);
            self.quantised.scales.copy_within(from..=from, to);
            from += length;
        }
        self.rows.truncate(self.lengths.len() * hidden);
        self.quantised.resize(self.lengths.len(), hidden);
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
