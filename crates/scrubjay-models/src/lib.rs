//! The models Scrubjay uses, one file per provider.
//!
//! What is here so far needs no network and no download: [`ner`] finds the names
//! in a text by patterns and by a dictionary of known names, [`embed`] turns
//! texts into vectors, and [`builtin`] is the encoder that does so inside this
//! process. A provider takes text and gives values; it never sees the store and
//! never decides what is kept.

pub mod builtin;
pub mod embed;
pub mod ner;
