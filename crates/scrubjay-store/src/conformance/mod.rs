//! What every backend must do, as cases that run against any of them.
//!
//! The cases know a store only as `&dyn Store`; a new backend calls [`run`] with
//! a function that makes empty stores and expects no failures. Nothing here
//! depends on how a backend stores anything, on a clock, on chance (the random
//! cases draw from fixed seeds) or on what the analyser does with a word. The
//! cases in `handles.rs` write with two handles at once ([`run_with_two_handles`]);
//! there chance decides who is first, and nothing else.
//!
//! One file per trait or promise: what is stored and read back, what changes and
//! is undone, what a purge destroys, what a filter admits, and above all that
//! nobody sees, counts, changes or destroys what lives in another project.
//!
//! Start with `case.rs` for how a case is run and fails, and `fixture.rs` for
//! what cases are made of.

mod abbreviations;
mod as_of;
mod cache;
mod capture;
mod case;
mod changes;
mod confirmations;
mod documents;
mod entities;
mod filters;
mod fixture;
mod handles;
mod indexing;
mod isolation;
mod jobs;
mod memories;
mod models;
mod projects;
mod purge;
mod random;
mod receipts;
mod sessions;
mod sources;
mod spaces;
mod tiers;
mod undo;
mod upkeep;
mod vectors;
mod versions;

pub use case::{CASES, Case, Failure, Outcome, run};
pub use handles::run_with_two_handles;
