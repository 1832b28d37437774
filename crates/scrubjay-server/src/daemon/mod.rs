//! The process that stays: one per home, for all its agents.
//!
//! `run.rs` listens and ends in good order; `connections.rs` hands
//! each connection's requests over, within limits; `work.rs` runs
//! background jobs and takes in what hooks left behind while nobody was there.
//! Where its lock, socket and notes lie is in `crate::daemon_files`.
//!
//! A daemon is never needed: whatever it does, a command can do alone. So it may
//! be killed at any time, and nothing that it acknowledged is lost.

mod connections;
mod run;
mod work;

pub use run::{Options, Running, start};
