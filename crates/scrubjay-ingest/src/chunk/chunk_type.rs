//! What a chunk is and how big it may be.

use std::ops::Range;

/// A piece of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Chunk {
    /// The line its first byte stands in, counted from 1.
    pub start_line: u32,
    /// The line its last byte stands in, counted from 1.
    pub end_line: u32,
    /// Where in the text it stands: `Guide > Install`, `impl Store > fn open`, `[dependencies]`, or nothing.
    pub context: String,
    /// The bytes of `byte_range`, unchanged.
    pub text: String,
    /// Where it stands in the text.
    pub byte_range: Range<usize>,
}

/// How big chunks may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// The most tokens in a chunk.
    pub tokens: usize,
    /// How many tokens of a chunk the next one repeats, where a piece had to be cut.
    pub overlap_tokens: usize,
    /// After this many chunks a text is cut no further.
    pub chunks: usize,
}

impl Limits {
    /// Limits that make sense together: at least 16 tokens, and an overlap of at most half.
    #[must_use]
    pub fn new(tokens: usize, overlap_tokens: usize) -> Self {
        let tokens = tokens.max(16);
        Self { tokens, overlap_tokens: overlap_tokens.min(tokens / 2), chunks: usize::MAX }
    }

    /// The same, with at most so many chunks.
    #[must_use]
    pub fn up_to(self, chunks: usize) -> Self {
        Self { chunks, ..self }
    }

    /// The most bytes in a chunk. White space and long runs of one sign have few tokens but many bytes.
    #[must_use]
    pub fn max_bytes(&self) -> usize {
        self.tokens.saturating_mul(32).max(512)
    }
}

impl Default for Limits {
    fn default() -> Self {
        Self { tokens: 400, overlap_tokens: 80, chunks: usize::MAX }
    }
}
