//! The product without a surface.
//!
//! Everything a person or an agent can do is an operation in [`ops`]: a typed
//! input, a typed output, a name and a risk. The command line, HTTP and MCP are
//! derived from that list and add no behaviour. An operation gets a [`Ctx`]:
//! where it stands (the view), who acts, the settings, the store, and the only
//! clock and randomness there are.
//!
//! The data flow is in the folders: `capture` turns messages into memories,
//! `sync` reads files and transcripts, `schedule` works off what they leave to do, `embed` gives them vectors,
//! `extract` draws candidate facts from conversations, `consolidate` keeps the ones that are new, `reflect` says what
//! they add up to, `maintain` does all that on time and lets fade what nobody asks for, `search` finds everything again,
//! `context` hands an agent what it needs. `tiers` is task, project and global memory. `vector_space` keeps vectors that
//! a caller of this library made.
//! `confine` keeps callers who are not the owner within their scope, below all of it.
//! `clients` knows how each client writes its hooks, and `hooks` what to do when one is called.
//!
//! This crate never prints, never parses arguments and knows no protocol. Start
//! with `ops/mod.rs`, then `ctx.rs`.

pub mod agent_loop;
mod backups;
mod blocking;
pub mod capture;
pub mod changes;
pub mod clean;
pub mod clients;
pub mod config;
pub mod confine;
pub mod consolidate;
pub mod context;
pub mod context_file;
pub mod ctx;
pub mod embed;
pub mod error;
pub mod eval;
pub mod extract;
pub mod gone;
pub mod home;
pub mod hooks;
pub mod import;
pub mod index;
pub mod item;
mod list_file;
pub mod maintain;
pub mod memory_tool;
pub mod memory_types;
pub mod models;
mod opening;
pub mod ops;
pub mod pause;
pub mod project;
mod project_error;
pub mod project_life;
pub mod provider_list;
mod providers;
pub mod queue;
pub mod record;
pub mod reflect;
mod replace_file;
pub mod schedule;
pub mod search;
pub mod sources;
pub mod spool;
pub mod sync;
#[cfg(test)]
mod tests;
pub mod tiers;
mod times;
mod underway;
pub mod vector_space;

pub use ctx::Ctx;
pub use error::EngineError;
pub use opening::{StoreTrouble, TroubleKind};
pub use vector_space::VectorSpace;

/// What every operation returns.
pub type Result<T> = std::result::Result<T, EngineError>;
