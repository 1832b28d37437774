//! The user's own past, asked again: what would have been injected before each captured prompt, given only what was
//! said before it.
//!
//! `prompts.rs` lists the prompts; `run.rs` makes the block of each as `inject` would have, from other conversations,
//! and never from what came later; `receipts.rs` tells what replies made of what was really injected; `report.rs`
//! holds the result. The store is opened for reading only, so nothing is noted.
//!
//! What the past does not tell: texts that were edited since are as they are now, what was purged is gone, facts count
//! from when their matter was said, confidence and importance are today's, files are as they were read last, and how
//! rare a word is goes by the whole store.
//!
//! Start with `run.rs`.

mod prompts;
mod receipts;
mod report;
mod run;

pub use report::{Injections, Replay, ReplaySummary, ReplayedItem, ReplayedPrompt};
pub use run::{ReplayRequest, replay};
