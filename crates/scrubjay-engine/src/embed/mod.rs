//! From texts to stored vectors.
//!
//! Capture never waits for any of this. An item that is stored or changed is put
//! on the store's queue; [`embed_some`] takes a few items off it, gives their
//! texts to the embedder and stores the vectors in the generation that serves,
//! and in the one that is being built if there is one. [`reembed`] builds the
//! next generation and switches to it.
//!
//! What is embedded, and how vectors become bytes, is decided in `crate::item` alone. Nothing here searches;
//! `search/` does.

mod generation;
mod queue;
mod reembed;

pub use generation::{Plan, current_generation};
pub use queue::{Embedded, REFUSED, embed_some, settle};
pub use reembed::{finish, reembed};
