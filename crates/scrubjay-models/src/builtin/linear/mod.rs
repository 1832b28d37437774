//! The linear layers of the encoder, one file per precision of their products.
//!
//! A layer multiplies rows of activations with its weights, which stay as they lie in the file: `grouped.rs` with a scale
//! for each 64 of them, `plain.rs` with one for each output. It never unpacks a matrix.
//!
//! Start with `layer.rs`, which has the contract; `kernel/` does the arithmetic.

mod grouped;
mod layer;
mod plain;

pub(super) use grouped::GroupedLinear;
pub(super) use layer::Linear;
pub(super) use plain::PlainLinear;
