//! The store's integration tests, one binary.
//!
//! - `power`: power cuts and failing disks, on a recording file layer.
//! - `make`: small things that the tests make again and again.

#![expect(clippy::unwrap_used, clippy::panic, reason = "these are tests")]

mod make;
mod power;
