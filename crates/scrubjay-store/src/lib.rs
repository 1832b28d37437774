//! Where Scrubjay keeps its records.
//!
//! One trait per group of tables, each with its contract in the doc comment:
//! [`Memories`], [`Entities`], [`Sessions`], [`Jobs`], [`Indexing`],
//! [`Vectors`], [`EmbeddingCache`], [`Documents`], [`Names`], [`Rebuilds`], [`Sources`], [`Receipts`],
//! [`Confirmations`], [`Tiers`], [`Ledger`], [`ModelNotes`], [`VectorSpaces`],
//! [`Abbreviations`] and [`Upkeep`]; [`Store`] is all of them.
//! `sqlite` is the embedded backend and the truth on disk, `postgres` (feature `postgres`) the same on a server for many
//! machines, `memory` a twin without a disk, and `conformance` the suite that all pass unchanged. The last two are for
//! tests and need the feature `conformance`.
//!
//! SQL lives here and nowhere else. A method is one intention and one
//! transaction; no transaction object leaves this crate. Every method that
//! selects rows takes a [`View`](scrubjay_core::scope::View), which cannot name
//! another project.
//!
//! Start with `traits.rs`, then `change.rs`, then `sqlite/mod.rs`.

pub mod change;
#[cfg(feature = "conformance")]
pub mod conformance;
pub mod context;
pub mod error;
pub mod foreign;
pub mod item;
#[cfg(feature = "conformance")]
pub mod memory;
pub mod model;
pub mod names;
mod nul;
#[cfg(feature = "postgres")]
pub mod postgres;
pub mod query;
mod rules;
pub mod source;
pub mod space;
pub mod sqlite;
pub mod traits;

pub use error::StoreError;
pub use names::Names;
pub use traits::{
    Abbreviations, Confirmations, Documents, EmbeddingCache, Entities, Indexing, Jobs, Ledger, Memories, ModelNotes,
    Rebuilds, Receipts, Sessions, Sources, Store, Tiers, Upkeep, VectorSpaces, Vectors,
};

/// What every method returns.
pub type Result<T> = std::result::Result<T, StoreError>;
