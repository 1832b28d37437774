//! The arithmetic of the encoder.
//!
//! Matrix products take int8 weights and int16 activations, so that the sums of a group are exact integers and the only
//! loss is that of the weights themselves. What is left is plain f32 code without fused operations, compiled once for
//! any machine and once more with AVX2 switched on. Both paths do the same operations in the same order and give the
//! same vectors to the last bit.
//!
//! `avx2.rs` is the only file of the crate with unsafe code; on other machines `absent.rs` stands in its place. Nothing
//! here knows of layers, tokens or files.
//!
//! Start with `instructions.rs`, which chooses; `float.rs` has the f32 code and `portable.rs` the matrix product to
//! read first.

#[cfg_attr(target_arch = "x86_64", path = "avx2.rs")]
#[cfg_attr(not(target_arch = "x86_64"), path = "absent.rs")]
mod avx2;
mod float;
mod instructions;
mod portable;
mod shape;
#[cfg(test)]
mod tests;

pub(super) use instructions::Instructions;
pub(super) use shape::{Attention, MAX_GROUP, Norm, PANEL, Panels, QuantisedRows};
