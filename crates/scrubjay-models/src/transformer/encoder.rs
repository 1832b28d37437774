//! A sentence encoder: texts in, vectors out.

use std::num::NonZeroUsize;

use ndarray::{Array2, Axis};

use super::config::Description;
use super::layers::{Layers, Sizes, matrix};
use super::safetensors::Tensors;
use super::wordpiece::WordPiece;
use crate::builtin::Pooling;

/// A model that is ready to run.
pub struct Encoder {
    tokenizer: WordPiece,
    words: Array2<f32>,
    layers: Layers,
    pooling: Pooling,
    max_tokens: usize,
}

impl Encoder {
    pub(super) fn new(description: &Description, tokenizer: WordPiece, tensors: &Tensors) -> Result<Self, String> {
        let config = &description.config;
        let sizes = Sizes {
            hidden: config.hidden_size,
            layers: config.num_hidden_layers,
            heads: config.num_attention_heads,
            intermediate: config.intermediate_size,
            positions: config.max_position_embeddings,
            epsilon: config.layer_norm_eps,
            activation: description.activation,
        };
        Ok(Self {
            tokenizer,
            words: matrix(tensors, "embeddings.word_embeddings.weight", config.vocab_size, config.hidden_size)?,
            layers: Layers::read(tensors, &sizes)?,
            pooling: description.pooling,
            max_tokens: description.max_tokens,
        })
    }

    /// Values per vector.
    #[must_use]
    pub fn dimensions(&self) -> usize {
        self.words.ncols()
    }

    /// The longest text in tokens, with the two that begin and end it.
    #[must_use]
    pub fn max_tokens(&self) -> usize {
        self.max_tokens
    }

    /// The vectors of texts, on several threads.
    #[must_use]
    pub fn embed_all(&self, texts: &[String], threads: NonZeroUsize) -> Vec<Vec<f32>> {
        let share = texts.len().div_ceil(threads.get()).max(1);
        std::thread::scope(|scope| {
            let workers: Vec<_> = texts
                .chunks(share)
                .map(|texts| scope.spawn(|| texts.iter().map(|text| self.embed(text)).collect::<Vec<_>>()))
                .collect();
            // A thread that died leaves too few vectors, which whoever asked finds out.
            workers.into_iter().flat_map(|worker| worker.join().unwrap_or_default()).collect()
        })
    }

    /// The vector of a text, not normalised.
    fn embed(&self, text: &str) -> Vec<f32> {
        let tokens = self.tokenizer.tokens(text, self.max_tokens);
        let mut rows = Array2::zeros((tokens.len(), self.dimensions()));
        for (mut row, token) in rows.rows_mut().into_iter().zip(&tokens) {
            // The tokenizer gives no id outside of the vocabulary; it was compared with it when it was read.
            row.assign(&self.words.row(*token as usize));
        }
        let rows = self.layers.run(rows);
        match self.pooling {
            Pooling::Cls => rows.row(0).to_vec(),
            Pooling::Mean => rows.mean_axis(Axis(0)).map_or_else(Vec::new, |mean| mean.to_vec()),
        }
    }
}
