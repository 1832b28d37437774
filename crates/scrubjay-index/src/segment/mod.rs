//! One segment: an immutable set of documents with their words, columns, order and vectors.
//!
//! A segment is made once, from items (`build.rs`) or from other segments (`merge.rs`), as bytes in a file or in
//! memory, and is read in place. Documents are kept in the order of their keys; an ordinal is a position in it.
//!
//! A segment never changes and knows nothing about deleted documents, scopes or other segments. It never trusts its
//! bytes: each page is checked against its checksum before it is first used, each offset against its section, and
//! what does not fit is reported as damage.
//!
//! Start reading in `layout.rs` for the file, then `read.rs`; `list.rs` has the forms of a posting list and
//! `cursor.rs` goes through them; `spelling.rs` has the words as text.

mod build;
mod cursor;
mod hashes;
mod layout;
mod list;
mod merge;
mod read;
mod spelling;
#[cfg(test)]
mod tests;
mod write;

pub(crate) use build::build;
pub(crate) use cursor::{Probe, Scan};
pub(crate) use list::List;
pub(crate) use merge::{Source, merge};
pub(crate) use read::Segment;
pub(crate) use write::Parts;
