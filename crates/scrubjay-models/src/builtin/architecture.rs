//! The kinds of model that the encoder runs.

use serde::Deserialize;

use super::error::WeightError;
use super::kernel::PANEL;

/// Sizes and choices of an encoder of the BERT family, as the header of a weight file has them.
///
/// RoBERTa differs from BERT only in where positions begin; which tokens begin and end a text is the tokenizer's.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct Architecture {
    /// Values per token between the layers, which is also the size of a vector.
    pub hidden: usize,
    /// Number of layers.
    pub layers: usize,
    /// Attention heads per layer.
    pub heads: usize,
    /// Values per token inside the feed-forward part.
    pub intermediate: usize,
    /// Number of token ids.
    pub vocabulary: usize,
    /// Number of learned positions.
    pub positions: usize,
    /// The position of the first token: 0 in BERT, 2 in RoBERTa.
    pub position_offset: usize,
    /// What layer norms add to a variance.
    pub layer_norm_epsilon: f32,
    /// How the rows of the last layer become one vector; none if each counts for itself.
    pub pooling: Option<Pooling>,
    /// The longest text in tokens, with the two that begin and end it.
    pub max_tokens: usize,
}

/// How the rows of the last layer become one vector.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Pooling {
    /// The row of the first token.
    Cls,
    /// The mean of all rows.
    Mean,
}

impl Architecture {
    /// Refuses sizes that no model has.
    pub(super) fn check(&self) -> Result<(), WeightError> {
        // Far above any model of this family; it keeps products of these numbers from overflowing.
        const LARGEST: usize = 1 << 20;
        let sizes = [self.hidden, self.layers, self.heads, self.intermediate, self.vocabulary, self.positions];
        if sizes.iter().any(|size| !(1..=LARGEST).contains(size)) {
            return Err(WeightError::Unsupported("a size is zero or too large"));
        }
        if !self.hidden.is_multiple_of(self.heads) {
            return Err(WeightError::Unsupported("its attention heads do not divide its rows"));
        }
        let last_position = self.max_tokens.saturating_add(self.position_offset);
        if self.max_tokens < 3 || last_position > self.positions {
            return Err(WeightError::Unsupported("it has fewer positions than tokens"));
        }
        Ok(())
    }

    /// Refuses what the kernels cannot do, so that they need not check it again.
    pub(super) fn check_for_kernels(&self) -> Result<(), WeightError> {
        if !self.hidden.is_multiple_of(PANEL) || !self.intermediate.is_multiple_of(PANEL) {
            return Err(WeightError::Unsupported("its rows are not a multiple of 16 values"));
        }
        if !(self.hidden / self.heads).is_multiple_of(PANEL) {
            return Err(WeightError::Unsupported("its attention heads are not a multiple of 16 values"));
        }
        Ok(())
    }
}
