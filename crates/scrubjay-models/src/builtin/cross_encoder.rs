//! A cross-encoder: a question and passages in, a score for each passage out.

use std::num::NonZeroUsize;

use super::architecture::Architecture;
use super::batch;
use super::encoder::{Encoder, Text};
use super::error::WeightError;
use super::kernel::{Instructions, hyperbolic_tangent};
use super::linear::{Linear, PlainLinear};
use super::tokenizer::{Pair, Tokenizer};
use super::weights::Weights;

/// A cross-encoder that is ready to run: an encoder that reads question and passage together, and one neuron that says
/// how well they go together.
#[derive(Debug)]
pub struct CrossEncoder {
    encoder: Encoder<PlainLinear>,
    tokenizer: Tokenizer,
    pooler: PlainLinear,
    classifier: Vec<f32>,
    bias: f32,
}

impl CrossEncoder {
    /// Makes a model of its weights, which takes less than a millisecond: nothing large is read or copied.
    ///
    /// # Errors
    /// If a section is missing or the encoder cannot run the architecture.
    pub fn new(weights: Weights) -> Result<Self, WeightError> {
        Self::with_instructions(weights, Instructions::detect())
    }

    /// The same on the code for any machine, whatever this one has. It is slow, and for comparison.
    ///
    /// # Errors
    /// As [`CrossEncoder::new`].
    pub fn portable(weights: Weights) -> Result<Self, WeightError> {
        Self::with_instructions(weights, Instructions::PORTABLE)
    }

    fn with_instructions(weights: Weights, instructions: Instructions) -> Result<Self, WeightError> {
        let tokenizer = Tokenizer::cut(&weights)?;
        let hidden = weights.header().architecture.hidden;
        let pooler = PlainLinear::cut(&weights, "pooler", hidden, hidden)?;
        let classifier = weights.numbers("classifier.weights", hidden)?;
        let bias = weights.numbers("classifier.bias", 1)?.into_iter().sum();
        let encoder = Encoder::new(weights, instructions)?;
        if encoder.parts() < 2 {
            return Err(WeightError::Unsupported("it cannot tell a question from a passage"));
        }
        Ok(Self { encoder, tokenizer, pooler, classifier, bias })
    }

    /// Sizes and choices of the model.
    #[must_use]
    pub fn architecture(&self) -> &Architecture {
        self.encoder.architecture()
    }

    /// The name of the model, without provider and version.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.encoder.weights().header().model
    }

    /// The instruction set in use: `avx2` or `portable`.
    #[must_use]
    pub fn instructions(&self) -> &'static str {
        self.encoder.instructions().name()
    }

    /// The token ids of a question and a passage as the encoder sees them, `max_tokens` at most, and how many of them
    /// belong to the question. The longer one of the two is cut first.
    #[must_use]
    pub fn tokens(&self, question: &str, passage: &str) -> (Vec<u32>, usize) {
        let Pair { tokens, first_part } = self.pair(&self.tokens_of(question), passage);
        (tokens, first_part)
    }

    /// One score per passage, on at most `threads` threads: the higher, the better it answers the question.
    #[must_use]
    pub fn score(&self, question: &str, passages: &[&str], threads: NonZeroUsize) -> Vec<f32> {
        let question = self.tokens_of(question);
        let pairs: Vec<Pair> = passages.iter().map(|passage| self.pair(&question, passage)).collect();
        let lengths: Vec<usize> = pairs.iter().map(|pair| pair.tokens.len()).collect();
        batch::run(&lengths, threads, |batch| {
            let texts: Vec<Text<'_>> =
                pairs[batch].iter().map(|pair| Text { tokens: &pair.tokens, first_part: pair.first_part }).collect();
            self.classify(&self.encoder.pooled(&texts))
        })
    }

    fn tokens_of(&self, text: &str) -> Vec<u32> {
        self.tokenizer.tokens(self.encoder.weights(), text, self.architecture().max_tokens)
    }

    fn pair(&self, question: &[u32], passage: &str) -> Pair {
        self.tokenizer.pair(question, &self.tokens_of(passage), self.architecture().max_tokens)
    }

    /// The scores of the first tokens' rows.
    fn classify(&self, rows: &[f32]) -> Vec<f32> {
        let hidden = self.architecture().hidden;
        let instructions = self.encoder.instructions();
        let mut quantised = <PlainLinear as Linear>::Rows::default();
        instructions.quantise(rows, hidden, &mut quantised);
        let mut pooled = vec![0.0; rows.len()];
        let panels = self.pooler.all(self.encoder.weights());
        instructions.multiply(&quantised, 0..rows.len() / hidden, panels, &mut pooled, hidden, 0);
        let score = |row: &[f32]| {
            let terms = row.iter().zip(&self.classifier).map(|(value, weight)| hyperbolic_tangent(*value) * weight);
            terms.sum::<f32>() + self.bias
        };
        pooled.chunks_exact(hidden).map(score).collect()
    }
}
