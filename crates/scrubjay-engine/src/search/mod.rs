//! Finding things again.
//!
//! `recall.rs` turns a question into hits. On the way: `query.rs` makes the
//! question ready for the arms (terms, a vector, names, times); `index/` gives
//! one consistent sight of everything stored; `pool.rs` gathers candidates and
//! lets every arm look at each; `background.rs` tells what is usual; `rank.rs`
//! makes one relevance of what they say, on a scale that means the same for every
//! question; `feedback.rs` takes from the best of them what else to look for, and
//! they are ranked again. `recall.rs` then reads the best rows, checks conditions in full, weighs importance, recency and
//! confidence into the score, and drops repetitions.
//!
//! Nothing relevant gives no hits, and an arm that was not available is named in
//! the answer.

mod background;
mod feedback;
mod index;
mod pool;
mod query;
mod question;
mod rank;
mod recall;
mod similar;
mod warm;

pub use index::{ColumnFilter, Keeper, Sight};
pub use question::{Arms, FileState, Found, Fusion, Place, Question, Recalled, Weights};
pub use recall::{recall, recall_after};
pub use similar::{facts_like, facts_like_ended};
pub use warm::{catch_up, finish_purge, warm};
