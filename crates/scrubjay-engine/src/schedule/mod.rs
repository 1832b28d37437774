//! Background work: durable, leased, retried, and visible.
//!
//! `worker.rs` takes one job after another from the store and runs it; the same
//! worker serves a command that works off what it made and, for as long as it
//! lives, a daemon. `jobs` holds one file per kind of work. A job that fails is
//! tried again later; one that fails too often is parked until a person looks.
//!
//! A job may be run again after a crash at any point, so each must be harmless
//! when repeated.

mod horizon;
pub mod jobs;
mod stuck;
mod worker;

pub use horizon::{BroughtBack, brought_back, horizon};
pub use stuck::stuck;
pub use worker::{Drained, drain, drain_briefly, drain_kinds, due};
