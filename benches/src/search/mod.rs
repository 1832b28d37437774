//! Searching beside sqlite-vec and FTS5, at the sizes that are asked for: the index alone, and the whole product.
//!
//! The same documents and the same questions go to both sides in the same run: real sentences, embedded by the built-in
//! model and varied (`corpus.rs`). Both sides get the same terms, so that the same lists have to be ranked, and the
//! answers of sqlite-vec, which are exact, are what recall is counted against.
//!
//! Nothing here judges the ranking, and nothing of a run is kept: folders go when it ends.
//!
//! Start reading in `run.rs`. `contender.rs` is what is asked of a side, `ours.rs` and `baseline.rs` are the two;
//! `product.rs` is a store with everything around the index; `probe.rs` is the fresh process, `report.rs` the tables,
//! `plot.rs` the picture.

mod baseline;
mod contender;
mod corpus;
mod ours;
mod plot;
mod probe;
mod product;
mod report;
mod run;
mod vectors;

pub(crate) use corpus::SENTENCES;
pub(crate) use probe::{ARGUMENT as FRESH_PROCESS, answer as answer_as_fresh_process};
pub(crate) use run::run;
