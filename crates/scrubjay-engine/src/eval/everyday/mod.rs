//! Everyday use: what a plain recall and a plain inject hand over, with default
//! thresholds, limits and budgets.
//!
//! `set.rs` holds the conversations, the later prompts and the facts worth
//! keeping, and checks that they fit together. `measure.rs` captures the
//! conversations, draws facts from them and asks each prompt as a client would.
//! `outcome.rs` compares what came back with what should have; `figures.rs` makes
//! shares of many outcomes. Nothing is tuned for the measurement, and no model
//! judges anything.
//!
//! Start with `measure.rs`.

mod figures;
mod measure;
mod outcome;
mod set;

pub use figures::{Figures, PromptGroup, figures};
pub use measure::{DrawnFacts, FoundFacts, Measurement, measure};
pub use outcome::{ChangedAnswer, PromptOutcome, RankQuality, RelatedOutcome};
pub use set::{EverydayPrompt, EverydaySet, GoldFact, Numbered, TestTurn};
