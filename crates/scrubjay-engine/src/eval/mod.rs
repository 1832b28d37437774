//! Measuring how well recall finds what it should.
//!
//! A [`Trial`] takes documents and questions through the same capture and recall
//! as everything else and gives ranked ids back; `metrics.rs` compares them with
//! what should have been found. [`everyday`] asks later prompts of captured
//! conversations with default settings, as people and agents do; [`replay`] asks
//! the captured prompts of the user's own store again, and writes nothing;
//! `extraction.rs` tells what would be learned from a conversation. No
//! model judges anything.
//!
//! Start with `trial.rs`.

pub mod everyday;
mod extraction;
mod files;
mod metrics;
pub mod replay;
mod settle;
mod trial;

pub use extraction::{TestFact, TestWindow, extraction};
pub use metrics::{Metrics, mean, metrics};
pub use trial::{TestDocument, TestHit, TestQuestion, Trial, TrialBlock, TrialQuery};
