//! The daemon and its surfaces: HTTP, MCP, and the client that other processes
//! reach it with.
//!
//! `auth` decides who may come in: one check of Host, Origin and token before
//! anything else, on every route. `http` is a table of routes, most of them made
//! from the engine's list of operations. `mcp` is the same list as tools, over
//! standard streams and over HTTP. `daemon` owns the process: the lock, the
//! listeners, the workers, the end. `client` is the other side of the socket.
//!
//! Nothing here decides what an operation does, and nothing here touches the
//! store but by an operation. Start with `daemon/run.rs`, then `http/routes.rs`.

pub mod agents;
pub mod auth;
pub mod client;
pub mod daemon;
pub mod daemon_files;
mod error;
pub mod http;
pub mod log;
pub mod mcp;
mod schema;

pub use error::ServerError;

/// What the daemon's own parts return.
pub type Result<T> = std::result::Result<T, ServerError>;
