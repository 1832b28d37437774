//! The kinds of background work, one file each.
//!
//! A kind has a name and a way to run it; `crate::queue` is the way to queue it; the list below is
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
pub use extract::Extract;
pub use kind::{JobKind, KINDS};
pub use link_entities::LinkEntities;
pub use maintain::Maintain;
pub use notice_sessions::NoticeSessions;
