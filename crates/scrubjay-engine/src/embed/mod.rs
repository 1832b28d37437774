//! From texts to stored vectors.
//!
//! Capture never waits for any of this. An item that is stored or changed is put
//! on the store's queue; [`embed_some`] takes a few items off it, gives their
//! texts to the embedder and stores the vectors in the generation that serves,
//! and in the one that is being built if there is one. [`reembed`] builds the
//! next generation and switches to it.
//!
//! What is embedded is decided in `text.rs` and `window.rs` alone, and how vectors become bytes
//! in `codec.rs`. Nothing here searches; `search/` does.

mod codec;
mod definition;
mod generation;
mod queue;
mod reembed;
mod text;
mod window;

pub use codec::{decode, encode, no_vectors};
pub use definition::defined_name;
pub use generation::{Plan, current_generation, is_of, plan};
pub use queue::{Embedded, REFUSED, embed_some, item_windows, settle};
pub use reembed::{finish, reembed};
pub use text::{SCHEME_VERSION, embedded_text, goes_on, is_opening, plain_text, speaker, text_hash};
pub use window::{Grain, windows};
