//! Ways to make one order of the arms' scores, one file each.

mod convex;
mod rrf;
mod weighted;

pub(super) use convex::{convex, convex_sums};
pub(super) use rrf::rrf;
pub(super) use weighted::weighted;
