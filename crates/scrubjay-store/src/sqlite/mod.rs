//! The embedded backend: one SQLite file, the truth on disk.
//!
//! All writes of a process go through one thread (`writer.rs`), which runs
//! whatever is waiting inside one `BEGIN IMMEDIATE` transaction, so that
//! concurrent writes share a commit and its fsync. Reads take a connection from
//! a pool (`reader.rs`) and never wait for writers. `connection.rs` opens files
//! and refuses those it must not touch; `migrate.rs` brings a schema up to date.
//! Three files look after what lies beside the store: `lineage.rs` knows that
//! there was one, `damage.rs` that it is damaged, `file_watch.rs` that its files
//! are still the ones that were opened. `integrity.rs` judges by them what a
//! failed read or write means.
//!
//! The other files hold the SQL of one group of tables each. Functions that take
//! a plain connection run inside whatever transaction their caller has open.
//!
//! This backend never deletes or renames the store file, never checkpoints by
//! itself behind a commit, and never acknowledges before the commit is on disk.

mod abbreviations;
mod backup;
mod cache;
mod capture;
mod changes;
mod check;
mod confirmations;
mod connection;
mod consolidation;
mod context;
mod counts;
mod damage;
mod derived;
mod documents;
mod entities;
mod file_watch;
mod filter;
mod index_log;
mod integrity;
mod jobs;
mod lineage;
mod memories;
mod migrate;
mod models;
mod names;
mod origins;
mod projects;
mod purge;
mod reader;
mod rebuilds;
mod receipts;
mod restore;
mod row;
mod scopes;
mod sessions;
mod sources;
mod spaces;
mod store;
mod tiers;
mod undo;
mod upkeep;
mod vectors;
mod writer;

pub use backup::BackupFacts;
pub use connection::{Options, Synchronous};
pub use lineage::Lineage;
pub use migrate::SCHEMA_VERSION;
pub use restore::Restored;
pub use store::SqliteStore;
