//! The store from outside. Table of contents:
//!
//! - `conformance`: both backends pass the suite that every backend must pass.
//! - `model`: random operations leave both backends in the same state, lose
//!   nothing, keep complete history and are undone exactly.
//! - `concurrency`: many writers in one store, and many stores on one file.
//! - `opening`: what was written is there again; files that are not ours, or
//!   newer than us, are refused and left alone.
//! - `read_only`: files and folders that cannot be written.
//! - `damage`: flipped bytes, lost ends and overwritten heads are noticed.
//! - `lost`: a store that is gone, swapped under its writer or known to be damaged.
//! - `purge`: not a byte of a purged text is left in any file.
//! - `counts`: derived numbers that are off are noticed and made anew.
//! - `backup`: copies made while others write restore; bad ones are not kept.
//! - `postgres`: the suite, and what only a server can do, on a PostgreSQL that the test starts.
//! - `power`: power cuts and failing disks, on a recording file layer.
//!
//! `support` holds what they share, `make` what `power` makes. `SCRUBJAY_LONG=1`
//! runs twenty times as many random cases.
#![expect(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on should say so at once")]

mod backup;
mod concurrency;
mod conformance;
mod counts;
mod damage;
mod lost;
mod make;
mod model;
mod opening;
#[cfg(feature = "postgres")]
mod postgres;
mod power;
mod purge;
mod read_only;
mod support;
