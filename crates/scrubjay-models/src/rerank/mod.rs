//! Rerankers: what reads a question and a passage together and says how well the one answers the other.
//!
//! [`Reranker`] is the contract; [`Builtin`] needs no network and is the only one for use, [`Fake`] is for tests. A
//! score is a logit without a fixed zero: it compares passages for one question, and is no probability. What a reranker
//! answers goes through [`check_scores`], so that nothing else needs to ask whether a score can be used.
//!
//! A reranker never sees the store, never chooses what is scored, and never leaves a passage out: a failure is an error.
//!
//! Start with `provider.rs`; `builtin/cross_encoder.rs` has the model.

mod answer;
mod builtin;
mod error;
mod fake;
mod provider;

pub use answer::check_scores;
pub use builtin::Builtin;
pub use error::RerankError;
pub use fake::Fake;
pub use provider::Reranker;
