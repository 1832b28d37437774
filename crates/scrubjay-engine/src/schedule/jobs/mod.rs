//! The kinds of background work, one file each.
//!
//! A kind has a name, a way to queue it and a way to run it; the list below is
//! all that the worker knows. Work is queued once per kind and key: what comes
//! in while a job waits is done by that job, which reads how far it got from a
//! mark in the store.

mod embed;
mod extract;
mod kind;
mod link_entities;
mod maintain;
mod notice_sessions;

pub use embed::Embed;
pub use extract::{Extract, Urgency};
pub use kind::{JobKind, KINDS, after_capturing, after_writing};
pub use link_entities::LinkEntities;
pub use maintain::Maintain;
pub use notice_sessions::NoticeSessions;
