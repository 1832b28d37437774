//! From candidates to facts: what is new, what is known already, what takes whose place.
//!
//! `session.rs` goes through a session from where the last run stopped, window by window. For each window `save.rs`
//! plans the changes: a candidate is left out if a person deleted that value (`blocked.rs`), merged if a known fact
//! says the same, and otherwise stored; what it contradicts falls to confidence 0.3 and is linked `supersedes`.
//! `known.rs` finds what to compare with, `compare.rs` compares by words and numbers, `slot.rs` by what a plain statement
//! gives the value of, `meaning.rs` by meaning, `judge.rs` asks a model
//! where that is not enough. A preference for all projects becomes a question to a person instead (`pending.rs`). The
//! changes of a window and how far it reached are one transaction, which is refused if anyone changed one of the facts
//! or went through the session meanwhile. So a crash at any point leaves whole windows,
//! and the next run goes on after them.
//!
//! Nothing here deletes: the worst that can happen to a fact is a lower confidence, and `undo` takes back a whole run.
//!
//! Start with `session.rs`, then `save.rs`.

mod blocked;
mod compare;
mod judge;
mod known;
mod meaning;
mod pending;
mod save;
mod session;
mod slot;

pub use compare::{Agreement, agreement};
pub(crate) use meaning::same_by_meaning;
pub use save::{Fate, Outcome};
pub use session::{Consolidated, Extent, consolidate, consolidate_each};
pub(crate) use slot::contradict;
