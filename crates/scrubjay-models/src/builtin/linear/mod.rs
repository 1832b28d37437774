//! The linear layers of the encoder, one file per precision of their products.
//!
//! Start with `layer.rs`, which has the contract; `kernel/` does the arithmetic.

mod grouped;
mod layer;
mod plain;

pub(super) use grouped::GroupedLinear;
pub(super) use layer::Linear;
pub(super) use plain::PlainLinear;
