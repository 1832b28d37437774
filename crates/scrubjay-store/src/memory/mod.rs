//! The twin without a disk: the same store in plain maps.
//!
//! It keeps every promise of the traits but one: what it wrote lasts for the
//! life of the process and no longer. It serves tests, trials and callers that
//! want a memory for one conversation. It never writes a file, never starts a
//! thread, and cannot be backed up.
//!
//! One lock guards all tables. A write notes what each row was before
//! (`table.rs`), so that a failure halfway leaves no trace of itself. What a
//! change means is decided in `change.rs` and `score.rs`, for both backends.
//!
//! Start with `tables.rs` for what is kept and `store.rs` for the traits; the
//! other files hold one group of tables each, like their namesakes in `sqlite`.

mod abbreviations;
mod cache;
mod capture;
mod changes;
mod confirmations;
mod consolidation;
mod context;
mod derived;
mod documents;
mod entities;
mod index_log;
mod jobs;
mod memories;
mod models;
mod names;
mod projects;
mod purge;
mod receipts;
mod sessions;
mod sources;
mod spaces;
mod store;
mod table;
mod tables;
mod tiers;
mod undo;
mod upkeep;
mod vectors;

pub use store::MemoryStore;
