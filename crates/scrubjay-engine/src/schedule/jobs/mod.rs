//! The kinds of background work, one file each.
//!
//! A file says everything about its kind: its name, what people are told of it, how it takes turns, how long it may wait
//! and how it is run; the list in `kind.rs` has one line for each and is all that the worker knows. What is queued after
//! every write or capture is in `crate::queue`, which whoever writes can see. Work is queued
//! once per kind and key: what comes in while a job waits is done by that job, which reads how far it got from a mark in
//! the store.

mod embed;
mod extract;
#[cfg(test)]
mod fake;
mod kind;
mod link_entities;
mod maintain;
mod notice_sessions;

pub use embed::Embed;
pub use extract::{Extract, Urgency};
#[cfg(test)]
pub use fake::Fake;
pub use kind::{JobKind, KINDS};
pub use link_entities::LinkEntities;
pub use maintain::Maintain;
pub use notice_sessions::NoticeSessions;
