//! The spool on disk: one private file for each thing that a hook could not store at once.
//!
//! `folder.rs` writes files and says which of them wait; `aside.rs` keeps what cannot be used, with the reason, until a
//! person tries it again or discards it. What is in a file, and how it gets into the store, is the business of `hooks`.
//!
//! Nothing here reads settings or opens the store, and nothing is thrown away unless a person says so.

mod aside;
mod folder;

pub use aside::{Label, SetAside};
pub use folder::{Content, Spool};
