//! The process that stays: one per home, for all its agents.
//!
//! `place.rs` says where its lock, socket and notes lie. `lock.rs` makes sure
//! that there is one. `run.rs` listens and ends in good order; `connections.rs` hands
//! each connection's requests over, within limits; `work.rs` runs
//! background jobs and takes in what hooks left behind while nobody was there.
//!
//! A daemon is never needed: whatever it does, a command can do alone. So it may
//! be killed at any time, and nothing that it acknowledged is lost.

mod connections;
mod lock;
mod place;
mod run;
mod work;

pub use lock::Lock;
pub use place::Place;
pub use run::{Options, Running, start};
