//! What the tests of Scrubjay share.
//!
//! [`app`] opens an engine in a scratch folder with a clock that stands still
//! and seeded randomness, so that a test sees the same ids and times each run.
//! [`vfs`] is a file layer for SQLite that records every write, rebuilds what a
//! disk may hold after the power failed, and fails on demand.
//!
//! [`exports`] writes small exports of the tools that Scrubjay imports from.
//! [`postgres`] starts a PostgreSQL server on the loopback address and stops it again.
//! [`fault_server`] speaks the model providers' protocols and misbehaves on demand.
//!
//! Only tests and benches use this crate; it never ships.

#![expect(clippy::unwrap_used, reason = "a test that cannot be set up may as well stop")]

pub mod app;
pub mod exports;
pub mod fault_server;
pub mod postgres;
pub mod sources;
pub mod vfs;

pub use app::TestApp;
pub use fault_server::{Fault, FaultServer};
pub use sources::{SeededEntropy, TestClock};

/// How much longer the long versions of tests are: `times` with `./check
/// --long`, else 1.
#[must_use]
#[expect(clippy::disallowed_methods, reason = "the one switch that tests have")]
pub fn longer(times: usize) -> usize {
    if std::env::var_os("SCRUBJAY_LONG").is_some() { times } else { 1 }
}
