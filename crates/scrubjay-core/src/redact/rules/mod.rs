//! The table of rules, one file for each kind of vendor.
//!
//! To add a rule, add an entry to the file of its kind, with keywords, a pattern and an example; the tests make fresh
//! values from the example and demand that they disappear. A rule that stands earlier gives its name where two rules
//! find the same text, so the general shapes come last. What a rule never does: contain a value that could be live.
//!
//! Where to start reading: `pattern.rs` has the macros that patterns are written with (`open!` a token that ends where its
//! alphabet ends, `exact!` a token of fixed length, `keyed!` a value after a vendor's name and a word such as `key`,
//! `header!` a value after one exact name, `assigned!` a value after any name and an operator), `table.rs` puts the
//! groups in order; then any group.

#[macro_use]
mod pattern;

mod chat;
mod cloud;
mod code;
mod columns;
mod commerce;
mod data;
mod general;
mod keys;
mod mail;
mod models;
mod operations;
mod spoken;
mod table;
mod urls;

pub use table::rules;
pub(super) use table::{COUNT, RULES};
