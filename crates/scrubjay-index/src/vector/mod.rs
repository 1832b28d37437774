//! The vectors of one immutable segment, and how they are searched.
//!
//! A section holds every vector twice: as one sign bit per dimension, small enough
//! to look at all of them for every query, and as int8 values, precise enough to
//! put the few that look promising in order. A search is therefore two calls:
//! [`VectorSection::scan`] gives the best vectors by estimate, and
//! [`VectorSection::rescore`] gives their cosines.
//!
//! Both are taken after one fixed rotation, which changes no cosine.
//!
//! The estimate of a vector depends on that vector, the query and the centre alone,
//! never on the section it happens to be in: candidates of several sections can be
//! put into one list by their estimates.
//!
//! Nothing here opens files, starts threads on its own account, or trusts what it
//! reads: damage is reported as [`crate::IndexError::Damaged`]. Unsafe code is in
//! `kernel/` and nowhere else.
//!
//! Start reading at `layout.rs` (what the bytes are), then `scan.rs`.

mod builder;
mod bytes;
mod kernel;
mod layout;
mod quantize;
mod query;
mod rotation;
mod scan;
mod section;

#[cfg(test)]
mod tests;

pub use builder::VectorSectionBuilder;
pub use bytes::Bytes;
pub use quantize::{MAX_DIMS, Quantized, QuantizedRef, quantize};
pub use query::VectorQuery;
pub use scan::{Candidate, recommended_rescore};
pub use section::VectorSection;
