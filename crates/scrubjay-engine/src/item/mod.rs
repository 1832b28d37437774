//! What of a memory or of a piece of a file is searched.
//!
//! `text.rs` says which text an item is embedded and indexed as, `definition.rs` finds the name that a piece of code
//! defines, `window.rs` cuts what is longer than an embedder reads, `codec.rs` makes bytes of vectors and back, and
//! `generation.rs` names the vectors of a model. Pure functions: no store, no settings.

mod codec;
mod definition;
mod generation;
mod text;
mod window;

pub use codec::{decode, encode, no_vectors};
pub use definition::defined_name;
pub use generation::{is_of, plan};
pub use text::{SCHEME_VERSION, embedded_text, goes_on, is_opening, plain_text, speaker, text_hash};
pub use window::{Grain, item_windows, windows};
