//! Ways to make one order of the arms' scores, one file each: a convex sum, reciprocal ranks, a weighted sum. The
//! default, the fitted model, is in `model.rs`.
//!
//! A fusion knows scores and ranks only; it reads no text and no row. Start with `convex.rs`, on whose sum the features
//! of the model build.

mod convex;
mod rrf;
mod weighted;

pub(super) use convex::{convex, convex_sum, convex_sums};
pub(super) use rrf::rrf;
pub(super) use weighted::{ArmWeights, by_vector_alone, weighted};
