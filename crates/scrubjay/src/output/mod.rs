//! Answers as people read them.
//!
//! `render.rs` lists the renderers, one per operation, each in a file of its own
//! or with its siblings; an operation without one is shown field by field
//! (`generic.rs`). `page.rs` is what they write to. `layout.rs` measures, wraps
//! and aligns, `style.rs` colours, `times.rs` tells times, and `safe.rs` takes
//! out what could drive a terminal: every text of an answer passes it before a
//! renderer sees it.
//!
//! Nothing here is for programs: they ask for JSON and get the answer itself.

mod backups;
mod config;
mod confirmations;
mod context;
mod digest;
mod doctor;
mod entities;
mod facts;
mod generic;
mod growth;
mod history;
mod import;
mod import_from;
mod inject;
mod jobs;
pub(crate) mod layout;
mod memories;
mod models;
mod page;
mod projects;
mod recall;
mod receipts;
mod remember;
mod removal;
mod render;
pub(crate) mod safe;
mod sessions;
mod show;
mod spool;
mod stats;
pub(crate) mod style;
mod sync;
mod tasks;
mod times;
mod tune;
mod why_not;

pub(crate) use page::{Answer, page};
pub(crate) use render::render;
