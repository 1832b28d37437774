//! Tests of the index through its public interface.
//!
//! - `same_answers`: answers depend on the live documents alone, however they got where they are
//! - `damage`: every flipped byte and every cut is found, or was of no consequence
//! - `switching`: changes are all or nothing, also when a writer dies in the middle
//! - `together`: readers go on while a writer merges and removes
//! - `vectors`: searching by vectors, with generations side by side
//! - `words`: the words of documents come and go with them; documents that hold all of some terms

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod damage;
mod reference;
mod same_answers;
mod switching;
mod together;
mod vectors;
mod words;
