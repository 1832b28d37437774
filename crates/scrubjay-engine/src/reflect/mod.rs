//! What it adds up to.
//!
//! `week.rs` looks back upon the last seven days of a scope and keeps a reflection: written by a model, or without one
//! a digest (`digest.rs`), labelled as such, which can also be had at any time. `latest` gives the newest reflection for context.
//! `task.rs` turns a finished task's conversation into a `task_complete` episode of two or three sentences: written by
//! a model, or picked out of what was said (`extractive.rs`).
//!
//! A reflection is protected from fading; nothing here changes or ends what it looks at.
//!
//! Start with `week.rs`.

mod digest;
mod extractive;
mod readable;
mod task;
mod week;

pub use digest::{Digest, Line, Replaced, Section, digest, facts_said_since};
pub use extractive::extractive;
pub use readable::readable;
pub use task::{Summary, TASK_COMPLETE, TaskTurn, summarize};
pub use week::{Reflected, latest, reflect};
