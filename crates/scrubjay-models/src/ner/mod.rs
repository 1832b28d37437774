//! Named-entity recognition: which persons, addresses, days, files and names in code a text mentions.
//!
//! A [`Ner`] is one way to find them, a provider. [`RegexNer`] knows shapes (`@ann`, `#tag`, `2026-05-01`,
//! `src/main.rs`), [`Dictionary`] knows names that were learned before, [`LocalNer`] asks a small model inside the
//! binary for people, organisations and places. A [`Strategy`] asks several in turn, settles overlapping spans with
//! [`resolve`], and says which of them failed.
//!
//! Nothing here calls a network or decides what is stored. A text costs time in proportion to its length whatever is in
//! it, and yields at most [`MAX_MENTIONS`].
//!
//! Start reading with `provider.rs` for the contract, then `regex/mod.rs` and `local/mod.rs`.

mod dictionary;
mod error;
mod local;
mod mention;
mod overlap;
mod provider;
mod regex;
mod strategy;

pub use dictionary::{Dictionary, KnownEntity};
pub use error::NerError;
pub use local::LocalNer;
pub use mention::Mention;
pub use overlap::resolve;
pub use provider::{MAX_MENTIONS, Ner};
pub use regex::RegexNer;
pub use strategy::{Extraction, NerWarning, Strategy};
