//! The derived index of Scrubjay: words and vectors in immutable, checksummed, memory-mapped segments, one list of
//! segments per scope.
//!
//! The store is the truth and the index follows it. Whoever holds the lock writes ([`Writer`]): new segments first,
//! then one manifest that names them all, switched in one step. Everybody else reads without a lock: an [`Index`] gives
//! a [`Snapshot`] of the scopes that are asked for, rows past the manifest's high-water mark are laid over it
//! ([`Snapshot::with_tail`]), and whatever is asked of it concerns these scopes alone.
//!
//! This crate never opens the store, never analyses text (terms arrive as hashes), never repairs: what is damaged is
//! reported and made again by the caller. It knows no clock, no thread of its own and no setting.
//!
//! Start reading in `index.rs`, then `snapshot/`; a segment is explained in `segment/`, vectors in `vector/`.

mod bitmap;
mod bm25;
mod centres;
mod error;
mod index;
mod item;
mod manifest;
mod mapping;
mod numbers;
mod packing;
mod place;
mod segment;
mod shared;
mod snapshot;
mod tombstones;
pub mod vector;
mod writer;

pub use bm25::{Bm25, Statistics, TermQuery, TermScorer};
pub use error::{IndexError, Result};
pub use index::{Index, ScopeSummary, Summary};
pub use item::{Columns, Item, MAX_SEGMENT_DOCUMENTS, Row};
pub use manifest::Identity;
pub use snapshot::{DocId, Frequencies, Neighbours, Scored, Shard, Snapshot};
pub use writer::{Batch, Rebuild, Writer};
