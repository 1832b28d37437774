//! PostgreSQL as the same store for many machines: version 15 or later, no extension.
//!
//! Rows of all agents share the tables, and every table's key begins with the agent. A write transaction locks its agent's
//! row first (`work.rs`), so the writes of one agent follow each other as they do in one SQLite file, whatever process or
//! machine they come from: what is looked up before a write still holds when it is made, and numbers, which are counted in
//! that row, are committed in their order. Agents do not wait for each other, and readers wait for nobody: they read one
//! snapshot.
//!
//! `options.rs` says where the server is, `tls.rs` how a connection is secured, `pool.rs` keeps connections, `work.rs` is
//! one transaction, `value.rs` what it binds and reads, `fault.rs` what a failure means. `store.rs` and the files of one
//! table group each hold the rest; functions that take a `Work` run inside whatever transaction their caller
//! has open, and pass the agent as `$1` without being told to.
//!
//! No statement is prepared under a name, so that a pooler which hands out connections by transaction may stand in between.

mod abbreviations;
mod cache;
mod capture;
mod changes;
mod confirmations;
mod consolidation;
mod derived;
mod documents;
mod entities;
mod entity_merges;
mod fault;
mod filter;
mod index_log;
mod jobs;
mod memories;
mod memory_traits;
mod migrate;
mod models;
mod names;
mod options;
mod pool;
mod projects;
mod purge;
mod rebuilds;
mod receipts;
mod row;
mod scopes;
mod sessions;
mod sources;
mod spaces;
mod store;
mod tiers;
mod tls;
mod undo;
mod upkeep;
mod value;
mod vectors;
mod work;

pub use migrate::SCHEMA_VERSION;
pub use options::{InvalidUrl, Options};
pub use store::PostgresStore;
