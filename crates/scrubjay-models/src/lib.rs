//! The models Scrubjay uses, one file per provider.
//!
//! [`ner`] finds the names in a text by patterns and by a dictionary of known names. [`embed`] turns texts into
//! vectors: [`builtin`] is the encoder that does so inside this process, [`transformer`] runs a model from a folder,
//! [`batch`] gives many texts to a provider at once. [`rerank`] says how well passages answer a question. [`chat`]
//! answers questions. [`http`] is how the providers elsewhere are talked to; nothing else in the workspace opens a
//! connection to one. A provider takes text and gives values; it never sees the store and never decides what is kept.

pub mod batch;
pub mod builtin;
pub mod chat;
pub mod embed;
pub mod http;
pub mod ner;
mod prefix;
pub mod rerank;
pub mod transformer;
