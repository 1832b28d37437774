//! The features of a question and of a candidate, with names: what the ranking model sees and `--explain` prints.
//!
//! All of them come from the index; no row is read for them. `table.rs` names and computes them; `crowd.rs` is what a
//! candidate is compared with, `conversation.rs` what the turns around it tell, `age.rs` how new it is among those that
//! speak of the same matter.

mod age;
mod conversation;
mod crowd;
mod table;

pub(super) use table::{CANDIDATE_FEATURES, FeatureTable, QUERY_FEATURES, features};
