//! `capture`: messages in, one line of answer for each.
//!
//! `queue.rs` holds what a reading thread has read and the writer has not taken
//! yet: the writer takes the first line and whatever else is there, so a slow
//! sender gets each answer at once and a fast one shares commits. `message.rs`
//! turns a line into a message, `answer.rs` says what became of it.
//!
//! An answer is written after the commit that it speaks of, never before. A bad
//! line is answered like any other and keeps nobody else from being kept.

mod answer;
mod arguments;
mod message;
mod queue;
mod stream;

pub(crate) use arguments::{arguments, run};
