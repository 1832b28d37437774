//! The daemon from outside, over its sockets.
//!
//! `harness.rs` runs a daemon in a scratch folder and speaks plain HTTP to it.
//! `gates.rs` tries every route and every tool as everyone who must not get in.
//! `api.rs` is about the HTTP surface, `mcp.rs` about both eras of the Model
//! Context Protocol, `memory_tool.rs` about files that are memories, `hooks.rs`
//! about what clients send, `life.rs` about starting, stopping and idling,
//! `limits.rs` about those who take too much room or time, `revoked.rs` about
//! tokens that are good no more.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on may as well stop")]
#![expect(
    clippy::needless_pass_by_value,
    clippy::redundant_clone,
    clippy::type_complexity,
    reason = "what a test hands over is written where it is used"
)]

mod api;
mod gates;
mod harness;
mod hooks;
mod life;
mod limits;
mod mcp;
mod memory_tool;
mod pages;
mod revoked;
