//! Exact token counts, for budgets.
//!
//! Models count tokens, not characters. A budget is kept in one of two public vocabularies; which one is a setting.
//!
//! A text is cut into words (`words.rs`); within each, byte pairs are merged by the vocabulary's table (`table.rs`). `counting.rs` counts.

mod counting;
mod table;
mod words;

pub use counting::Vocabulary;
