//! The arithmetic of the encoder.
//!
//! Matrix products take int8 weights, and activations in one of two precisions: int16 for vectors, where the only loss
//! is that of the weights themselves (`int16.rs`), and 7 bits for scores, which is twice as fast (`uint7.rs`). Their
//! sums are exact integers. What is left is plain f32 code without fused operations, compiled once for any machine and
//! once more with AVX2 switched on. Both paths do the same operations in the same order and give the same results to
//! the last bit.
//!
//! `avx2.rs` is the only file of the crate with unsafe code; on other machines `absent.rs` stands in its place. Nothing
//! here knows of layers, tokens or files.
//!
//! Start with `instructions.rs`, which chooses; `float.rs` has the f32 code and `int16.rs` the matrix product to read
//! first.

#[cfg_attr(target_arch = "x86_64", path = "avx2.rs")]
#[cfg_attr(not(target_arch = "x86_64"), path = "absent.rs")]
mod avx2;
mod float;
mod instructions;
mod int16;
mod portable;
mod shape;
#[cfg(test)]
mod tests;
mod uint7;

pub(super) use float::hyperbolic_tangent;
pub(super) use instructions::Instructions;
pub(super) use int16::{Int16Panels, Int16Rows, MAX_GROUP};
pub(super) use shape::{Attention, Norm, PANEL, Rows};
pub(super) use uint7::{Uint7Panels, Uint7Rows};
