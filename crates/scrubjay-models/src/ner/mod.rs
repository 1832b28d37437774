//! Named-entity recognition: which persons, addresses, days, files and names in code a text mentions.
//!
//! A [`Ner`] is one way to find them, a provider. [`RegexNer`] knows shapes (`@ann`, `#tag`, `2026-05-01`,
//! `src/main.rs`), [`Dictionary`] knows names that were learned before. A [`Strategy`] asks several in turn,
//! settles overlapping spans with [`resolve`], and says which of them failed.
//!
//! Nothing here calls a network, decides what is stored, or guesses that a capitalised word is a person: that
//! takes a model, which is another provider behind the same trait. A text costs time in proportion to its
//! length whatever is in it, and yields at most [`MAX_MENTIONS`].
//!
//! Start reading with `provider.rs` for the contract, then `regex/mod.rs`.

mod dictionary;
mod error;
mod mention;
mod overlap;
mod provider;
mod regex;
mod strategy;

pub use dictionary::{Dictionary, KnownEntity};
pub use error::NerError;
pub use mention::Mention;
pub use overlap::resolve;
pub use provider::{MAX_MENTIONS, Ner};
pub use regex::RegexNer;
pub use strategy::{Extraction, NerWarning, Strategy};
