//! The HTTP surface: one entry, one table of routes.
//!
//! `entry.rs` is the only function that a connection can reach. It lets the gate
//! decide, finds the route, checks what the route needs, reads the body within
//! its limits, and only then hands over. `routes.rs` is the table; most of it
//! comes from the engine's list of operations (`operations.rs`). Each other route
//! has a file of its own; the dashboard's files are a table in `pages.rs`.
//!
//! A failure is a problem document (`problem.rs`) whose status comes from the one
//! table of errors. No route answers with another project's rows, sends
//! cross-origin headers, or works before the gate has spoken.

mod docs;
mod entry;
mod events;
mod example;
mod health;
mod hook;
mod idempotency;
mod login;
mod mcp;
mod memory_tool;
mod messages;
mod metrics;
mod offers;
mod openapi;
mod operations;
mod pages;
mod patience;
mod problem;
mod reply;
mod routes;
mod shared;
mod status;

pub use entry::serve;
pub use openapi::document;
pub use patience::Patience;
pub use routes::{Need, Route, routes};
pub use shared::{Shared, Stop};
