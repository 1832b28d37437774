//! The arms of the search, one file each: how a candidate scores by its words (`lexical.rs`), by its meaning
//! (`vector.rs`), by the names in the question (`entity.rs`) and by the times in it (`time.rs`).
//!
//! An arm proposes candidates and scores any candidate, whoever proposed it. It knows nothing about the other arms;
//! `features.rs` puts their scores side by side and `fusion/` makes one order of them.

pub(super) mod entity;
pub(super) mod lexical;
pub(super) mod time;
pub(super) mod vector;
