//! From conversation to candidate facts.
//!
//! `window.rs` cuts what is new in a session into windows of about 500 tokens, each with a little of what stood before
//! it. `gate.rs` decides whether a window holds anything worth keeping. What passes goes to a chat model (`model.rs`)
//! or, without one, to `rules/`, which keep only what is said in so many words, and to `classifier/`, which finds what is
//! said in passing. Either way the result is a list of
//! [`Candidate`]s with the ids of the turns they came from; `consolidate/` decides what becomes of them.
//!
//! Only people are learned from, and assistants where a person agreed or did not object (`reply.rs`): never system prompts, tool output, files, web
//! pages or our own injected blocks (`speaker.rs`). Nothing here writes to the store, and nothing that a model says is
//! taken on trust: `model.rs` checks each candidate against the window it claims to come from.
//!
//! Start with `window.rs`, then `rules/mod.rs`. The prompts are the files in `prompts/`, see `prompts.rs`.

mod candidate;
mod classifier;
mod gate;
mod model;
mod prompts;
mod replaced;
mod reply;
mod rules;
mod sentences;
mod speaker;
mod window;
mod without_model;

pub use candidate::{CLASSIFIER, Candidate, RULES};
pub use classifier::{SentenceScore, Topic, by_classifier, score_sentences};
pub use gate::{Verdict, gate, worth_keeping};
pub(crate) use model::marked;
pub use model::{candidates, grounded, transcript};
pub use prompts::{Prompt, PromptName, prompt};
pub use rules::{by_rules, resolve_date};
pub use sentences::{prose, sentences};
pub use speaker::{Cast, Speaker, are_different_people};
pub use window::{Window, windows};
pub use without_model::without_model;
