//! The built-in embedder and its neighbours from outside.
//!
//! - `conformance`: what every embedder promises, asked of each.
//! - `damage`: weight files that are not as they should be.
//! - `reference`: tokens and vectors against those of independent implementations (`scripts/make-fixtures`).
//! - `windows`: long texts.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod conformance;
mod damage;
mod data;
mod reference;
mod windows;
