//! One unchanging state of the index, and everything that can be asked of it.
//!
//! A snapshot has a list of shards, one for each scope that was asked for; a shard has segments, each with its deleted
//! documents. Segments of the manifest and segments in memory (`tail.rs`) are treated alike. What comes out depends on
//! the live documents of the shards that are searched and on nothing else: not on how they are spread over segments,
//! not on deleted documents, not on other scopes.
//!
//! A snapshot never reads the manifest, never waits for a lock and never turns damage into a missing answer.
//!
//! Start reading in `view.rs`; `lexical.rs` is the search by words, `vectors.rs` the search by vectors.

mod conjunction;
mod frequencies;
mod leaf;
mod lexical;
mod neighbours;
mod sample;
mod spelling;
mod statistics;
mod tail;
mod top;
mod vectors;
mod view;

pub(crate) use leaf::Leaf;
pub(crate) use view::ShardView;

pub use frequencies::Frequencies;
pub use neighbours::Neighbours;
pub use top::Scored;
pub use view::{DocId, Shard, Snapshot};
