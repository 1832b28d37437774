//! The tie between the store and the index files derived from it.
//!
//! `item.rs` says what of a memory or chunk goes into the index, `terms.rs` how a
//! text becomes hashes, `roots.rs` what of a path tells files apart, `filter.rs` which conditions the index can check by
//! itself. `keeper.rs` gives a snapshot that knows everything a finished write
//! stored: what the files know, and in memory what came after. Whoever gets the
//! lock brings the files up to date; nobody ever waits for that to search.

mod filter;
mod item;
mod keeper;
mod roots;
mod terms;

pub use filter::ColumnFilter;
pub(crate) use item::{ASKS, LONG, is_chunk, is_episode, is_named_role, is_user_role};
pub(crate) use keeper::is_of_files;
pub use keeper::{Keeper, Sight};
pub(crate) use roots::Roots;
pub(crate) use terms::{file_hash, inflection_hash, is_word, language_hash, path_hash, speaker_hash};
