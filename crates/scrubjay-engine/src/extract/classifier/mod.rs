//! Extraction without a model, for work talk: which sentences are worth keeping for months.
//!
//! `segment.rs` cuts a message into sentences and list items, `tokens.rs` into words, `cues.rs` tells orders and
//! program output, `features.rs` names what is known of a sentence, `model.rs` makes a probability and a type of it with the parameters in `facts.json`, and `apply.rs`
//! picks the best of a window. `topic.rs` tells work from chats, in which people speak of themselves and other things
//! matter; there another model judges. `scripts/fit-facts` fits the parameters to the labelled conversations in `training/`,
//! which were written for it. `rules/` keep what is said in so many words; this is for the rest.
//!
//! Start with `apply.rs`.

mod apply;
mod cues;
mod features;
mod model;
mod segment;
mod tokens;
mod topic;

pub use apply::{SentenceScore, by_classifier, score_sentences};
pub(super) use apply::{holds_fact, likeliest_type, worth_in_chat};
pub use topic::Topic;
