//! The judgement on a captured value: is it a secret, or does it only stand where one could stand?
//!
//! Documentation, tests and code are full of passwords that are none: `changeme`, `${PASSWORD}`, `<your-key>`,
//! `next_token()`. A rule that replaced those would take meaning out of memories and protect nobody. What this folder
//! never does: look for anything; it judges what a pattern has found.
//!
//! Where to start reading: `judge.rs` has one function for each kind of rule; the other files answer its questions.

mod cells;
mod judge;
mod placeholder;
mod surroundings;
mod words;

pub(super) use cells::secret_cells;
pub(super) use judge::{accepts, narrow};
