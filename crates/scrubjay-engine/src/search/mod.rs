//! Finding things again.
//!
//! `recall.rs` turns a question into hits. On the way, `query.rs` makes terms, a vector, names and times of it;
//! `crate::index` gives one consistent view of everything stored; `candidates.rs` gathers what each arm proposes;
//! `scores.rs` lets every arm (`arm/`) score every candidate; `feedback.rs` adds the terms of the best two; `fusion/`
//! makes one relevance of the scores, on a scale that means the same for every question, and `rank.rs` the order.
//! `recall.rs` then reads the best rows, checks conditions in full, lets a cross-encoder compare the first few
//! (`rerank.rs`), weighs importance, recency and confidence into the score, and drops repetitions; `alike.rs` tells which hits speak of the same matter, and `novelty.rs` lets the newest
//! of them come first.
//!
//! Nothing that is there is missed: `alternatives.rs` finds inflections, misspelt words (`spelling.rs`) and compounds,
//! `exact.rs` quoted phrases, `long_texts.rs` the passage of a long text, `time_alone.rs` what lies in a time.
//!
//! Nothing relevant gives no hits, and an arm that was not available is named in the answer.

mod alike;
mod alternatives;
mod amount;
mod arm;
mod candidates;
mod exact;
mod features;
mod feedback;
mod field;
mod fusion;
mod idf;
mod long_texts;
mod model;
mod novelty;
mod passage;
mod query;
mod question;
mod rank;
mod recall;
mod rerank;
mod rival;
mod scores;
mod similar;
mod spelling;
mod statement;
mod succession;
mod time_alone;
mod warm;

pub use question::{
    Arms, FOLLOWING, FileState, Found, Fusion, Missing, Newer, Place, QUESTION_BYTES, Question, Recalled, Rerank,
    Weights, beginning,
};
pub use recall::{recall, recall_after};
pub use rival::{Evidence, PAIR_FEATURES};
pub use similar::{facts_like, facts_like_ended};
pub(crate) use statement::Prompt;
pub use warm::{catch_up, finish_purge, warm};
