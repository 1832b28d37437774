//! Tokenizer and encoder together: texts in, vectors out.

use std::num::NonZeroUsize;
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use super::architecture::Architecture;
use super::encoder::Encoder;
use super::error::WeightError;
use super::kernel::Instructions;
use super::tokenizer::Tokenizer;
use super::weights::Weights;
use super::window;

/// Rows that one matrix takes at most, unless a single text has more, so that its rows fit the caches.
const ROWS_AT_ONCE: usize = 240;

/// A text is cut to this many bytes per token before it is tokenized: no vocabulary has longer tokens, and a single
/// text of a gigabyte must not take a gigabyte of tokens.
const MAX_TOKEN_BYTES: usize = 512;

/// A sentence encoder that is ready to run.
#[derive(Debug)]
pub struct Model {
    encoder: Encoder,
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
        let limit = self.architecture().max_tokens;
        let text = &text[..text.floor_char_boundary(limit.saturating_mul(MAX_TOKEN_BYTES))];
        self.tokenizer.encode(self.encoder.weights(), text, limit)
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
        let batches = batches(&tokens, threads);
        if threads.get() == 1 || batches.len() == 1 {
            return batches.into_iter().flat_map(|batch| self.encode(&tokens[batch])).collect();
        }
        let next = AtomicUsize::new(0);
        let done = Mutex::new(vec![Vec::new(); batches.len()]);
        let work = || {
            while let Some(batch) = batches.get(next.fetch_add(1, Ordering::Relaxed)) {
                let vectors = self.encode(&tokens[batch.clone()]);
                let mut done = done.lock().unwrap_or_else(PoisonError::into_inner);
                // Batches do not overlap, so that the first text of one tells which it is.
                if let Some(place) = batches.iter().position(|other| other.start == batch.start) {
                    done[place] = vectors;
                }
            }
        };
        std::thread::scope(|scope| {
            for _ in 1..threads.get().min(batches.len()) {
                scope.spawn(work);
            }
            work();
        });
        done.into_inner().unwrap_or_else(PoisonError::into_inner).into_iter().flatten().collect()
    }

    fn encode(&self, tokens: &[Vec<u32>]) -> Vec<Vec<f32>> {
        let tokens: Vec<&[u32]> = tokens.iter().map(Vec::as_slice).collect();
        self.encoder.encode(&tokens)
    }
}

/// Consecutive texts that share a matrix. With several threads the matrices are made smaller, so that all have work.
fn batches(texts: &[Vec<u32>], threads: NonZeroUsize) -> Vec<Range<usize>> {
    let all: usize = texts.iter().map(Vec::len).sum();
    let limit = if threads.get() == 1 { ROWS_AT_ONCE } else { all.div_ceil(threads.get() * 2).clamp(48, ROWS_AT_ONCE) };
    let mut batches: Vec<Range<usize>> = Vec::new();
    let mut rows = 0;
    for (number, text) in texts.iter().enumerate() {
        match batches.last_mut() {
            Some(batch) if rows + text.len() <= limit => batch.end = number + 1,
            _ => {
                batches.push(number..number + 1);
                rows = 0;
            }
        }
        rows += text.len();
    }
    batches
}
