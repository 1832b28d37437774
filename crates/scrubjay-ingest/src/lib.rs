//! Bytes in, records and chunks out: what Scrubjay reads.
//!
//! [`source`] finds files and knows formats, [`chunk`] cuts text into pieces that can be found and shown by line, and
//! [`transcript`] reads the conversations that agents' programs keep. Each format is one file. [`Vocabulary`] counts tokens.
//!
//! Everything here takes bytes and gives plain values. Only the walk, the reading of a file and the transcript cursor
//! touch the disk, and they only read. Nothing here keeps state, embeds or stores, and one bad line or file never
//! fails the rest: what cannot be read is listed with its reason.

pub mod chunk;
pub mod export;
pub mod source;
pub mod transcript;
mod vocabulary;

pub use vocabulary::Vocabulary;
