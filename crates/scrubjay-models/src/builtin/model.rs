//! Tokenizer and encoder together: texts in, vectors out.

use std::num::NonZeroUsize;
use std::ops::Range;

use super::architecture::Architecture;
use super::batch;
use super::encoder::{Encoder, Text};
use super::error::WeightError;
use super::kernel::Instructions;
use super::linear::GroupedLinear;
use super::tokenizer::Tokenizer;
use super::weights::Weights;
use super::window;

/// A sentence encoder that is ready to run.
#[derive(Debug)]
pub struct Model {
    encoder: Encoder<GroupedLinear>,
    tokenizer: Tokenizer,
}

impl Model {
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
    /// As [`Model::new`].
    pub fn portable(weights: Weights) -> Result<Self, WeightError> {
        Self::with_instructions(weights, Instructions::PORTABLE)
    }

    fn with_instructions(weights: Weights, instructions: Instructions) -> Result<Self, WeightError> {
        let tokenizer = Tokenizer::cut(&weights)?;
        Ok(Self { encoder: Encoder::new(weights, instructions)?, tokenizer })
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

    /// The token ids of a text as the encoder sees them: with those that begin and end it, and cut to `max_tokens`.
    #[must_use]
    pub fn tokens(&self, text: &str) -> Vec<u32> {
        self.tokenizer.encode(self.encoder.weights(), text, self.architecture().max_tokens)
    }

    /// The parts of a text that fit the model, in order, with a small overlap; the whole text if it fits.
    #[must_use]
    pub fn windows(&self, text: &str) -> Vec<Range<usize>> {
        window::by_tokens(&self.tokenizer, self.encoder.weights(), text, self.architecture().max_tokens)
    }

    /// One vector of length 1 per text, on at most `threads` threads. What is past `max_tokens` is not read.
    #[must_use]
    pub fn embed(&self, texts: &[&str], threads: NonZeroUsize) -> Vec<Vec<f32>> {
        let tokens: Vec<Vec<u32>> = texts.iter().map(|text| self.tokens(text)).collect();
        let lengths: Vec<usize> = tokens.iter().map(Vec::len).collect();
        batch::run(&lengths, threads, |batch| self.encode(&tokens[batch]))
    }

    fn encode(&self, tokens: &[Vec<u32>]) -> Vec<Vec<f32>> {
        let texts: Vec<Text<'_>> = tokens.iter().map(|tokens| Text { tokens, first_part: tokens.len() }).collect();
        self.encoder.vectors(&texts)
    }
}
